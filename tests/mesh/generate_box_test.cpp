#include <gtest/gtest.h>

#include <tuple>

#include "weft/comm/communicator.hpp"

#include "mesh/generate_check.hpp"

namespace weft::mesh::generate_box_test {
namespace {

using testing::check_mesh;
using testing::expect_equal;
using testing::faces_of_zone;
using testing::Totals;
using testing::whole_mesh;

BoxSpec box(std::int64_t nx, std::int64_t ny, std::int64_t nz, CellMix elements, double warp = 0, double jitter = 0) {
  BoxSpec s{.nx = nx, .ny = ny, .nz = nz, .xmin = -1, .xmax = 2, .ymin = 0.5, .ymax = 2, .zmin = 1, .zmax = 2.25};
  s.elements = elements;
  s.warp = warp;
  s.jitter = jitter;
  return s;
}
constexpr double kArea = 3 * 1.5, kVolume = kArea * 1.25;

TEST(GenerateBox, CountsInTwoDimensions) {
  const Totals quads = check_mesh(whole_mesh(box(5, 3, 0, CellMix::quads)));
  EXPECT_EQ(quads.cells, (std::map<CellType, std::int64_t>{{CellType::quad, 15}}));
  EXPECT_EQ(quads.faces, (std::map<std::string, std::int64_t>{{"xmin", 3}, {"xmax", 3}, {"ymin", 5}, {"ymax", 5}}));
  EXPECT_EQ(quads.inner_faces, 4 * 3 + 5 * 2);
  EXPECT_NEAR(quads.area.at("xmin"), 1.5, 1e-14);
  EXPECT_NEAR(quads.area.at("ymax"), 3, 1e-14);

  const Totals triangles = check_mesh(whole_mesh(box(5, 3, 0, CellMix::triangles)));
  EXPECT_EQ(triangles.cells, (std::map<CellType, std::int64_t>{{CellType::triangle, 30}}));
  EXPECT_EQ(triangles.inner_faces, 4 * 3 + 5 * 2 + 15);

  const Totals mixed = check_mesh(whole_mesh(box(8, 8, 0, CellMix::mixed)));
  EXPECT_EQ(mixed.cells, (std::map<CellType, std::int64_t>{{CellType::quad, 32}, {CellType::triangle, 64}}));
}

// Closed forms for 4 x 4 x 4: cells, nodes, inner faces, boundary faces on each side.
TEST(GenerateBox, CountsInThreeDimensions) {
  struct Case {
    CellMix elements;
    std::int64_t cells, nodes, inner, side_x, side_z;
  };
  const std::int64_t hexes = 64, lattice = 125, between = 3 * 3 * 16;
  const std::vector<Case> cases{
      {CellMix::hexahedra, hexes, lattice, between, 16, 16},
      {CellMix::quads, hexes, lattice, between, 16, 16},
      {CellMix::prisms, 2 * hexes, lattice, 2 * 48 + 2 * 48 + hexes, 16, 32},
      {CellMix::tetrahedra, 6 * hexes, lattice, 2 * between + 6 * hexes, 32, 32},
      {CellMix::tetrahedra_5, 5 * hexes, lattice, 2 * between + 4 * hexes, 32, 32},
      {CellMix::pyramids, 6 * hexes, lattice + hexes, between + 12 * hexes, 16, 16},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.elements));
    const MeshBlock mesh = whole_mesh(box(4, 4, 4, c.elements));
    const Totals totals = check_mesh(mesh);
    EXPECT_EQ(mesh.cells.size(), c.cells);
    EXPECT_EQ(static_cast<std::int64_t>(mesh.coords.size()), c.nodes);
    EXPECT_EQ(totals.inner_faces, c.inner);
    EXPECT_EQ(totals.faces.at("xmin"), c.side_x);
    EXPECT_EQ(totals.faces.at("ymax"), c.side_x);
    EXPECT_EQ(totals.faces.at("zmin"), c.side_z);
    EXPECT_EQ(totals.faces.at("zmax"), c.side_z);
    EXPECT_NEAR(totals.volume, kVolume, 1e-13);
  }
}

TEST(GenerateBox, MixHasEveryElementType) {
  for (const std::int64_t nz : {6, 7, 8, 9, 11, 13}) {
    SCOPED_TRACE(nz);
    const Totals totals = check_mesh(whole_mesh(box(3, 2, nz, CellMix::mixed)));
    EXPECT_EQ(totals.cells.size(), 4U);
    EXPECT_NEAR(totals.volume, kVolume, 1e-13);
  }
  const Totals extruded = check_mesh(whole_mesh(box(8, 4, 2, CellMix::hex_prism)));
  EXPECT_EQ(extruded.cells, (std::map<CellType, std::int64_t>{{CellType::hexahedron, 32}, {CellType::prism, 64}}));
}

using Shape = std::tuple<CellMix, int, Diagonal>;
class GenerateAnyBox : public ::testing::TestWithParam<Shape> {};

TEST_P(GenerateAnyBox, IsValidPeriodicAndIndependentOfTheNumberOfRanks) {
  const auto [elements, nz, diagonal] = GetParam();
  const double exact = nz > 0 ? kVolume : kArea;
  for (const auto& [warp, jitter] : {std::pair{0.0, 0.0}, {0.05, 0.0}, {0.0, 0.1}, {-0.05, 0.1}}) {
    SCOPED_TRACE(warp);
    BoxSpec spec = box(6, 4, nz, elements, warp, jitter);
    spec.diagonal = diagonal;
    const MeshBlock mesh = whole_mesh(spec);
    const Totals totals = check_mesh(mesh);
    EXPECT_NEAR(totals.volume, exact, 1e-13);
    for (const auto& [from, to, shift] : {std::tuple{"xmin", "xmax", Vec3{3, 0, 0}}, {"ymin", "ymax", Vec3{0, 1.5, 0}}}) {
      EXPECT_EQ(faces_of_zone(mesh, from, shift), faces_of_zone(mesh, to, {}));
    }
    if (nz > 0) {
      EXPECT_EQ(faces_of_zone(mesh, "zmin", {0, 0, 1.25}), faces_of_zone(mesh, "zmax", {}));
    }
    for (const int ranks : {2, 3, 7, 500}) expect_equal(whole_mesh(spec, ranks), mesh);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , GenerateAnyBox,
    ::testing::Values(Shape{CellMix::quads, 0, Diagonal::same}, Shape{CellMix::triangles, 0, Diagonal::same},
                      Shape{CellMix::triangles, 0, Diagonal::alternating}, Shape{CellMix::mixed, 0, Diagonal::alternating},
                      Shape{CellMix::triangles, 0, Diagonal::random}, Shape{CellMix::prisms, 4, Diagonal::random},
                      Shape{CellMix::hexahedra, 4, Diagonal::same}, Shape{CellMix::prisms, 4, Diagonal::alternating},
                      Shape{CellMix::prisms, 4, Diagonal::same}, Shape{CellMix::hex_prism, 4, Diagonal::alternating},
                      Shape{CellMix::tetrahedra, 4, Diagonal::alternating}, Shape{CellMix::tetrahedra_5, 4, Diagonal::same},
                      Shape{CellMix::pyramids, 4, Diagonal::same}, Shape{CellMix::mixed, 8, Diagonal::alternating}));

// The maximum permitted disturbance yields positive volumes on all but the coarsest meshes.
TEST(GenerateBox, LargestDisturbance) {
  for (const CellMix elements :
       {CellMix::hexahedra, CellMix::prisms, CellMix::tetrahedra, CellMix::tetrahedra_5, CellMix::pyramids, CellMix::mixed}) {
    SCOPED_TRACE(static_cast<int>(elements));
    for (const double warp : {-0.08, 0.08}) check_mesh(whole_mesh(box(12, 12, 12, elements, warp, 0.1)));
  }
  for (const CellMix elements : {CellMix::quads, CellMix::triangles}) {
    for (const double warp : {-0.08, 0.08}) check_mesh(whole_mesh(box(12, 12, 0, elements, warp, 0.2)));
  }
}

TEST(GenerateBox, SmallestBoxes) {
  for (const CellMix elements :
       {CellMix::hexahedra, CellMix::prisms, CellMix::hex_prism, CellMix::tetrahedra, CellMix::tetrahedra_5, CellMix::pyramids}) {
    EXPECT_NEAR(check_mesh(whole_mesh(box(1, 1, 1, elements))).volume, kVolume, 1e-14);
  }
  EXPECT_EQ(check_mesh(whole_mesh(box(1, 1, 0, CellMix::mixed), 3)).cells.at(CellType::quad), 1);
}

TEST(GenerateBox, PeriodicCubeOfTwo) {
  const MeshBlock mesh = whole_mesh(box(2, 2, 2, CellMix::hexahedra));
  EXPECT_EQ(mesh.cells.size(), 8);
  EXPECT_EQ(mesh.coords.size(), 27U);
  EXPECT_EQ(mesh.boundary.size(), 24);
}

TEST(GenerateBox, DisturbanceMovesInnerNodesOnly) {
  const MeshBlock plain = whole_mesh(box(6, 6, 0, CellMix::quads));
  const MeshBlock warped = whole_mesh(box(6, 6, 0, CellMix::quads, 0.05));
  const MeshBlock jittered = whole_mesh(box(6, 6, 0, CellMix::quads, 0, 0.1));
  BoxSpec other = box(6, 6, 0, CellMix::quads, 0, 0.1);
  other.seed = 2;
  const MeshBlock reseeded = whole_mesh(other);
  for (std::size_t n = 0; n < plain.coords.size(); ++n) {
    const std::size_t i = n % 7, j = n / 7;
    if (i > 0 && i < 6 && j > 0 && j < 6) {
      EXPECT_FALSE(plain.coords[n] == jittered.coords[n]);
      EXPECT_FALSE(reseeded.coords[n] == jittered.coords[n]);
      EXPECT_LE(std::abs(plain.coords[n].x - jittered.coords[n].x), 0.1 * 3.0 / 6);
      EXPECT_LE(std::abs(plain.coords[n].y - jittered.coords[n].y), 0.1 * 1.5 / 6);
    } else {
      EXPECT_TRUE(plain.coords[n] == warped.coords[n] && plain.coords[n] == jittered.coords[n]);
    }
  }
  EXPECT_NEAR(warped.coords[8].x - plain.coords[8].x, 0.05 * 3 * 0.75, 1e-14);
}

TEST(GenerateBox, VortexBoxIsASquare) {
  VortexBoxSpec spec{.n = 8};
  spec.elements = CellMix::mixed;
  spec.warp = 0.05;
  const MeshBlock mesh = whole_mesh(spec);
  const Totals totals = check_mesh(mesh);
  EXPECT_NEAR(totals.volume, 100, 1e-12);
  EXPECT_EQ(faces_of_zone(mesh, "xmin", {10, 0, 0}), faces_of_zone(mesh, "xmax", {}));
  EXPECT_EQ(mesh.source, "generator vortex_box");
}

// 6 * 10^12 cells and 10^12 nodes times 2 * 10^9 ranks exceed 64 bits.
TEST(GenerateBox, SharesOfVeryManyRanks) {
  constexpr std::int64_t kEdge = 10'000, kCells = 6 * kEdge * kEdge * kEdge, kNodes = (kEdge + 1) * (kEdge + 1) * (kEdge + 1);
  constexpr int kRanks = 2'000'000'000;
  for (const int threads : {1, 3}) {
    Team team(threads);
    const auto share = [&](int rank) {
      return generate(Share{Rank(rank), kRanks}, box(kEdge, kEdge, kEdge, CellMix::tetrahedra), team);
    };
    const MeshBlock middle = share(kRanks / 2), last = share(kRanks - 1);
    EXPECT_EQ(middle.first_cell.value(), kCells / 2);
    EXPECT_EQ(middle.first_node.value(), kNodes / 2);
    EXPECT_EQ(middle.cells.size(), kCells / kRanks);
    EXPECT_EQ(last.first_cell.value() + last.cells.size(), kCells);
    EXPECT_EQ(last.first_node.value() + std::ssize(last.coords), kNodes);
    EXPECT_EQ(last.coords.back(), (Vec3{2, 2, 2.25}));
  }
}

// The ranks of this run, each with its share.
TEST(GenerateBox, OverACommunicator) {
  const Communicator comm = Communicator::world();
  const BoxSpec spec = box(5, 4, 6, CellMix::mixed, 0.05, 0.1);
  const MeshBlock share = generate(comm, spec);
  const MeshBlock whole = whole_mesh(spec);
  EXPECT_TRUE(comm.all_gather(std::span<const Vec3>(share.coords)) == whole.coords);
  EXPECT_EQ(comm.all_gather(std::span<const GlobalNodeId>(share.cells.node)), whole.cells.node);
  EXPECT_EQ(comm.all_gather(std::span<const CellType>(share.cells.type)), whole.cells.type);
  EXPECT_EQ(comm.all_gather(std::span<const std::int64_t>(share.boundary.file_id)), whole.boundary.file_id);
  EXPECT_EQ(comm.exclusive_sum(share.cells.size()), share.first_cell.value());
}

}  // namespace
}  // namespace weft::mesh::generate_box_test

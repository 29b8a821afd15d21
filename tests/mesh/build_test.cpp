// mesh::build: numbers of entities, identities, ghost cells.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/mesh/mesh.hpp"

#include "block_samples.hpp"
#include "mesh_checks.hpp"

namespace weft::mesh::build_test {
namespace {

using test::chunk;
using test::make_box;

TEST(Build, CountsOfACubeOfFourEqualTheClosedForms) {
  const Communicator comm = Communicator::world();
  const Mesh mesh = build(comm, chunk(comm, make_box({.n = {4, 4, 4}})));
  EXPECT_EQ(mesh.global_cells, 64);
  EXPECT_EQ(mesh.global_nodes, 125);
  const test::Counts counts = test::count(mesh);
  EXPECT_EQ(counts.interior_faces, 3 * 3 * 16);
  EXPECT_EQ(counts.boundary_faces, 6 * 16);
  EXPECT_EQ(counts.edges, 3 * 4 * 25);
  for (const auto& [name, faces] : counts.zone_faces) EXPECT_EQ(faces, 16) << name;
  EXPECT_EQ(counts.zone_faces.size(), 6U);
  test::check_mesh(mesh, 1.0);
}

TEST(Build, EveryCellTypeIsValidInEveryOrdering) {
  const Communicator comm = Communicator::world();
  const auto warp = [](Vec3 x) {
    return Vec3{x.x + 0.06 * std::sin(3 * x.y + 2 * x.z), x.y + 0.05 * std::sin(4 * x.x + x.z),
                x.z + 0.04 * std::sin(3 * x.x - 2 * x.y)};
  };
  for (const CellType type : {CellType::hexahedron, CellType::prism, CellType::tetrahedron, CellType::pyramid}) {
    for (const CellOrdering order : {CellOrdering::hilbert, CellOrdering::rcm, CellOrdering::as_read}) {
      SCOPED_TRACE(std::string(shape(type).name));
      const MeshBlock flat = make_box({.n = {3, 4, 5}, .type = type}),
                      bent = make_box({.n = {3, 4, 5}, .type = type, .warp = warp});
      BuildOptions options;
      options.order = order;
      test::check_mesh(build(comm, chunk(comm, flat), options), 1.0);
      test::check_mesh(build(comm, chunk(comm, test::shuffled(bent, 7)), options), -1.0);
    }
  }
}

TEST(Build, PlaneMeshes) {
  const Communicator comm = Communicator::world();
  for (const CellType type : {CellType::quad, CellType::triangle}) {
    const Mesh mesh = build(comm, chunk(comm, make_box({.dim = 2, .n = {5, 4, 1}, .type = type, .size = {2, 1, 0}})));
    test::check_mesh(mesh, 2.0);
    const test::Counts counts = test::count(mesh);
    EXPECT_EQ(counts.boundary_faces, 18);
    EXPECT_EQ(counts.interior_faces, 4 * 4 + 5 * 3 + (type == CellType::triangle ? 20 : 0));
  }
}

TEST(Build, MirroredCellTypesAreReversed) {
  const Communicator comm = Communicator::world();
  for (const CellType type :
       {CellType::quad, CellType::triangle, CellType::hexahedron, CellType::prism, CellType::tetrahedron, CellType::pyramid}) {
    SCOPED_TRACE(std::string(shape(type).name));
    MeshBlock block = make_box({.dim = shape(type).dim, .n = {3, 3, 3}, .type = type});
    for (Vec3& x : block.coords) x.x = -x.x;
    test::check_mesh(build(comm, chunk(comm, block)), 1.0);
  }
}

TEST(Build, PrismsOfVtkBetweenOtherCells) {
  // A layer of prisms, with triangles oriented outwards, between the xmin-xmax-zmin halves of a box of hexahedra.
  const Communicator comm = Communicator::world();
  MeshBlock block = make_box({.n = {2, 2, 2}});
  Elements cells;
  for (std::int64_t c = 0; c < 8; ++c) {
    const auto n = block.cells.nodes(c);
    const auto at = [&](int i) { return n[static_cast<std::size_t>(i)]; };
    if (c % 2 == 0) {
      cells.add(CellType::hexahedron, n, ZoneId(6), cells.size());
    } else {
      cells.add(CellType::prism, std::vector<GlobalNodeId>{at(0), at(2), at(1), at(4), at(6), at(5)}, ZoneId(6), cells.size());
      cells.add(CellType::prism, std::vector<GlobalNodeId>{at(0), at(3), at(2), at(4), at(7), at(6)}, ZoneId(6), cells.size());
    }
  }
  Elements boundary;
  for (std::int64_t b = 0; b < block.boundary.size(); ++b) {
    const auto at = static_cast<std::size_t>(b);
    const auto n = block.boundary.nodes(b);
    double middle = 0;
    for (const GlobalNodeId id : n) middle += block.coords[id.index()].x / 4;
    if (block.boundary.zone[at] < ZoneId(4) || middle < 0.5) {
      boundary.add(CellType::quad, n, block.boundary.zone[at], b);
      continue;
    }
    // On zmin and zmax the squares of prisms are split from their lowest corner.
    std::vector<GlobalNodeId> sorted(n.begin(), n.end());
    std::sort(sorted.begin(), sorted.end());
    boundary.add(CellType::triangle, std::vector<GlobalNodeId>{sorted[0], sorted[1], sorted[3]}, block.boundary.zone[at], b);
    boundary.add(CellType::triangle, std::vector<GlobalNodeId>{sorted[0], sorted[2], sorted[3]}, block.boundary.zone[at], b);
  }
  block.cells = cells;
  block.boundary = boundary;
  const Mesh mesh = build(comm, chunk(comm, block));
  EXPECT_EQ(mesh.global_cells, 12);
  test::check_mesh(mesh, 1.0);
}

TEST(Build, ExampleOfTheHeader) {
  const Communicator comm = Communicator::world();
  if (comm.size() != 2) GTEST_SKIP() << "the example has two ranks";
  BuildOptions options;
  options.order = CellOrdering::as_read;
  options.partition.partitioner = Partitioner::hilbert;  // the curve goes through cells 0 1 3 2
  const Mesh mesh =
      build(comm, chunk(comm, make_box({.dim = 2, .n = {2, 2, 1}, .type = CellType::quad, .size = {2, 2, 0}})), options);
  using Numbers = std::vector<std::int64_t>;
  const bool first = comm.rank() == Rank(0);
  const auto numbers = [](const auto& ids) {
    Numbers result;
    for (const auto id : ids) result.push_back(id.value());
    return result;
  };
  EXPECT_EQ(mesh.inner_cells, 0);
  EXPECT_EQ(mesh.owned_cells, 2);
  EXPECT_EQ(numbers(mesh.cell_global), first ? (Numbers{0, 1, 2, 3}) : (Numbers{2, 3, 0, 1}));
  const LocalCellId none;
  EXPECT_EQ(numbers(mesh.face_left), (Numbers{0, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(numbers(mesh.face_right), (Numbers{1, 2, 3, none.value(), none.value(), none.value(), none.value()}));
  const auto expect_faces = [](const FaceRange& range, std::int64_t begin, std::int64_t end) {
    Numbers found;
    for (const LocalFaceId face : range) found.push_back(face.value());
    Numbers expected;
    for (std::int64_t face = begin; face < end; ++face) expected.push_back(face);
    EXPECT_EQ(found, expected);
  };
  expect_faces(mesh.inner_faces, 0, 1);
  expect_faces(mesh.interface_faces, 1, 3);
  ASSERT_EQ(mesh.boundary.count(), 4);
  const std::array<std::string, 4> names{"xmin", "xmax", "ymin", "ymax"};
  const std::array<std::array<std::int64_t, 2>, 4> faces =
      first ? std::array<std::array<std::int64_t, 2>, 4>{{{3, 4}, {4, 5}, {5, 7}, {7, 7}}}
            : std::array<std::array<std::int64_t, 2>, 4>{{{3, 4}, {4, 5}, {5, 5}, {5, 7}}};
  for (int zone = 0; zone < 4; ++zone) {
    EXPECT_EQ(mesh.boundary[BoundaryZoneId(zone)].name, names[zone]);
    expect_faces(mesh.boundary[BoundaryZoneId(zone)].faces, faces[zone][0], faces[zone][1]);
  }
}

TEST(Build, GlobalCountsDoNotDependOnTheRankCount) {
  const Communicator comm = Communicator::world(), alone = Communicator::self();
  for (const Neighbours kind : {Neighbours::face, Neighbours::node}) {
    for (const bool periodic : {false, true}) {  // not in y, where the face neighbours of boundary cells include those by node
      const MeshBlock block = make_box({.n = {4, 3, 5}, .type = CellType::prism});
      BuildOptions options;
      options.stencil = kind;
      if (periodic) options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"zmax", "zmin", {0, 0, -1}}};
      const Mesh one = build(alone, chunk(alone, block), options), many = build(comm, chunk(comm, block), options);
      EXPECT_EQ(one.global_cells, many.global_cells);
      EXPECT_EQ(one.global_nodes, many.global_nodes);
      const test::Counts a = test::count(one), b = test::count(many);
      EXPECT_EQ(a.interior_faces, b.interior_faces);
      EXPECT_EQ(a.boundary_faces, b.boundary_faces);
      EXPECT_EQ(a.zone_faces, b.zone_faces);
      EXPECT_EQ(a.neighbours, b.neighbours) << "entries of cell_cells";
      // Volume, centroid and neighbours (by position) of each cell equal those of the mesh on one rank.
      test::expect_same_cells(one, many);
    }
  }
}

TEST(Build, BoundaryCellsHaveNodeNeighboursUnlessTheyAreQuadsOrHexahedra) {
  const Communicator alone = Communicator::self();
  for (const CellType type : {CellType::tetrahedron, CellType::prism, CellType::hexahedron}) {
    const Mesh mesh = build(alone, chunk(alone, make_box({.n = {4, 4, 4}, .type = type})));
    std::vector<char> widened(static_cast<std::size_t>(mesh.owned_cells), 0);
    for (const BoundaryZone& zone : mesh.boundary) {
      for (const LocalFaceId face : zone.faces) widened[mesh.face_left[face].index()] = type == CellType::hexahedron ? 0 : 1;
    }
    for (const LocalCellId c : mesh.owned()) {
      std::vector<LocalCellId> expected;
      for (const LocalFaceId face : mesh.cell_faces.row(c)) {
        const LocalCellId left = mesh.face_left[face], right = mesh.face_right[face];
        if (right.valid()) expected.push_back(left == c ? right : left);
      }
      const auto nodes = mesh.cell_nodes.row(c);
      for (const LocalCellId other : mesh.owned()) {
        const auto others = mesh.cell_nodes.row(other);
        const bool share = std::find_first_of(nodes.begin(), nodes.end(), others.begin(), others.end()) != nodes.end();
        if (other != c && share && (widened[c.index()] != 0 || widened[other.index()] != 0)) expected.push_back(other);
      }
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      const auto around = mesh.cell_cells.row(c);
      EXPECT_TRUE(std::equal(around.begin(), around.end(), expected.begin(), expected.end())) << c.value();
    }
  }
}

TEST(Build, GhostCellsIncreaseWithTheirLayers) {
  const Communicator comm = Communicator::world();
  for (const Neighbours kind : {Neighbours::face, Neighbours::node}) {
    std::int32_t before = 0;
    for (int depth = 1; depth <= 3; ++depth) {
      BuildOptions options;
      options.stencil = kind;
      options.ghost_layers = depth;
      const Mesh mesh = build(comm, chunk(comm, make_box({.n = {8, 4, 4}})), options);
      test::check_mesh(mesh, 1.0);
      EXPECT_GE(mesh.ghost_cells, before);
      if (comm.size() > 1 && mesh.owned_cells + before < 128) {
        EXPECT_GT(mesh.ghost_cells, before);
      }
      before = mesh.ghost_cells;
      test::expect_layers(mesh, kind, depth);
    }
  }
}

TEST(Build, ReorderingPreservesCountsAndGeometry) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.order = CellOrdering::as_read;
  const MeshBlock block = make_box({.n = {4, 5, 3}, .type = CellType::tetrahedron});
  const Mesh as_read = build(comm, chunk(comm, block), options);
  for (const CellOrdering order : {CellOrdering::hilbert, CellOrdering::rcm}) {
    options.order = order;
    const Mesh ordered = build(comm, chunk(comm, block), options);
    EXPECT_EQ(as_read.owned_cells, ordered.owned_cells);
    EXPECT_EQ(as_read.inner_cells, ordered.inner_cells);
    EXPECT_EQ(as_read.ghost_cells, ordered.ghost_cells);
    EXPECT_EQ(as_read.inner_faces.size(), ordered.inner_faces.size());
    test::expect_same_cells(as_read, ordered);
  }
}

TEST(Build, MoreRanksThanCells) {
  const Communicator comm = Communicator::world();
  for (int cells = 1; cells <= 3; ++cells) {
    const Mesh mesh = build(comm, chunk(comm, make_box({.n = {cells, 1, 1}})));
    EXPECT_EQ(comm.sum(mesh.owned_cells), cells);
    EXPECT_LE(mesh.owned_cells, comm.size() == 1 ? cells : (cells + 1) / 2);
    test::check_mesh(mesh, 1.0);
  }
}

TEST(Build, RanksMayHaveEmptyChunks) {
  const Communicator comm = Communicator::world();
  MeshBlock whole = make_box({.n = {4, 4, 2}});
  MeshBlock block = comm.is_root() ? whole : MeshBlock{};
  if (!comm.is_root()) {
    block.source = whole.source;
    block.zones = whole.zones;
    block.first_cell = GlobalCellId(whole.cells.size());
    block.first_node = GlobalNodeId(static_cast<std::int64_t>(whole.coords.size()));
  }
  const Mesh mesh = build(comm, std::move(block));
  EXPECT_GT(mesh.owned_cells, 0);
  test::check_mesh(mesh, 1.0);
}

TEST(Build, TwoBuildsAreBitwiseEqual) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.stencil = Neighbours::node;
  const MeshBlock block = test::shuffled(make_box({.n = {4, 4, 4}, .type = CellType::pyramid}), 11);
  const Mesh a = build(comm, chunk(comm, block), options), b = build(comm, chunk(comm, block), options);
  EXPECT_EQ(a.cell_global, b.cell_global);
  EXPECT_EQ(a.face_left, b.face_left);
  EXPECT_EQ(a.face_right, b.face_right);
  EXPECT_EQ(a.face_area, b.face_area);
  EXPECT_EQ(a.cell_volume, b.cell_volume);
  EXPECT_EQ(a.node_coord, b.node_coord);
}

TEST(Build, ThePlanPullsTheValuesOfTheOwners) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.stencil = Neighbours::node;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}};
  const Mesh mesh = build(comm, chunk(comm, make_box({.n = {4, 3, 3}})), options);
  ArrayPair<double, 4> values(mesh.plan);
  for (const LocalCellId c : mesh.owned()) {
    values(c, 0) = static_cast<double>(mesh.cell_global[c].value());
    for (int k = 0; k < 3; ++k) values(c, k + 1) = mesh.cell_centroid[c][k];
  }
  ArrayTransformer(mesh.plan, {values}).pull().run();
  for (std::int32_t g = mesh.owned_cells; g < mesh.cells(); ++g) {
    const LocalCellId at(g);
    EXPECT_EQ(values(g, 0), static_cast<double>(mesh.cell_global[at].value()));
    const double shift = mesh.cell_centroid[at].x - values(g, 1);
    EXPECT_TRUE(shift == 0 || std::abs(std::abs(shift) - 1) < 1e-15) << shift;
    EXPECT_EQ(mesh.plan.ghost(LocalRow(g)).image == 0, shift == 0);
    EXPECT_EQ(mesh.cell_centroid[at].y, values(g, 2));
    EXPECT_EQ(mesh.cell_centroid[at].z, values(g, 3));
  }
}

TEST(Build, CentroidsIntegrateLinearFunctionsExactly) {
  const Communicator comm = Communicator::world();
  for (const CellType type : {CellType::hexahedron, CellType::prism, CellType::tetrahedron, CellType::pyramid}) {
    const Mesh mesh = build(comm, chunk(comm, make_box({.n = {3, 2, 4}, .type = type, .size = {1, 2, 3}})));
    const auto f = [](Vec3 x) { return 2 + x.x - 3 * x.y + 0.5 * x.z; };
    double over_cells = 0, over_boundary = 0;
    for (const LocalCellId c : mesh.owned()) over_cells += mesh.cell_volume[c] * f(mesh.cell_centroid[c]);
    for (const BoundaryZone& zone : mesh.boundary) {
      for (const LocalFaceId face : zone.faces) over_boundary += mesh.face_area[face] * f(mesh.face_centroid[face]);
    }
    EXPECT_NEAR(comm.sum(over_cells), 6 * f({0.5, 1, 1.5}), 1e-13);
    EXPECT_NEAR(comm.sum(over_boundary), 22 * f({0.5, 1, 1.5}), 1e-13);
  }
}

TEST(Build, BoundaryZonesAreTheSameOnEveryRank) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.periodic = {{"ymin", "ymax", {0, 1, 0}}};
  const Mesh mesh = build(comm, chunk(comm, make_box({.n = {6, 2, 2}})), options);
  ASSERT_EQ(mesh.boundary.size(), 4U);
  EXPECT_EQ(mesh.boundary[BoundaryZoneId(0)].name, "xmin");
  EXPECT_EQ(mesh.boundary[BoundaryZoneId(1)].name, "xmax");
  EXPECT_EQ(mesh.boundary[BoundaryZoneId(2)].name, "zmin");
  EXPECT_EQ(mesh.boundary[BoundaryZoneId(3)].name, "zmax");
  for (const LocalFaceId f : mesh.boundary[BoundaryZoneId(1)].faces) {
    EXPECT_NEAR(mesh.face_normal[f].x, 1, 1e-15);
    EXPECT_NEAR(mesh.face_centroid[f].x, 1, 1e-15);
    EXPECT_FALSE(mesh.face_right[f].valid());
  }
}

}  // namespace
}  // namespace weft::mesh::build_test

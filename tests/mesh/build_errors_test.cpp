// mesh::build with invalid meshes: every rank throws the same error with name and location, and none waits.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "weft/base/error.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/mesh.hpp"

#include "block_samples.hpp"

namespace weft::mesh::build_errors_test {
namespace {

using test::chunk;
using test::make_box;

/// Builds and expects E whose message contains `text`; the message must be equal on all ranks. Returns the location of the
/// error.
template <class E>
Where expect_error(const MeshBlock& block, const std::string& text, const BuildOptions& options = {}) {
  const Communicator comm = Communicator::world();
  std::string what;
  Where where;
  try {
    (void)build(comm, chunk(comm, block), options);
    ADD_FAILURE() << "no error; wanted: " << text;
  } catch (const E& error) {
    what = error.what();
    where = error.where();
    EXPECT_NE(what.find(text), std::string::npos) << what;
  } catch (const Error& error) {
    what = error.what();
    ADD_FAILURE() << "another kind of error: " << what;
  }
  std::string of_root = what;
  comm.broadcast(of_root);
  EXPECT_EQ(what, of_root);
  return where;
}

Elements without(const Elements& elements, const std::function<bool(std::int64_t)>& drop) {
  Elements kept;
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!drop(i)) kept.add(elements.type[at], elements.nodes(i), elements.zone[at], elements.file_id[at]);
  }
  return kept;
}

TEST(BuildErrors, BadNodeId) {
  MeshBlock block = make_box({.n = {3, 3, 3}});
  block.cells.node[8 * 20 + 3] = GlobalNodeId(64);
  EXPECT_EQ(expect_error<MeshError>(block, "node 64 of the hexahedron does not exist; the mesh has 64 nodes").element, 20);
  block.cells.node[8 * 20 + 3] = GlobalNodeId(-1);
  expect_error<MeshError>(block, "node -1 of the hexahedron does not exist");
}

TEST(BuildErrors, CoordinateThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MeshBlock block = make_box({.n = {2, 2, 2}});
    block.coords[17].y = bad;
    expect_error<MeshError>(block, "node 17 has a coordinate that is not finite");
  }
}

TEST(BuildErrors, RepeatedNode) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.cells.node[8 * 5 + 1] = block.cells.node[8 * 5];
  EXPECT_EQ(expect_error<MeshError>(block, "the hexahedron has node 10 twice").element, 5);
}

TEST(BuildErrors, NoCells) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.cells = {};
  expect_error<MeshError>(block, "no cells");
}

TEST(BuildErrors, DuplicateZone) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.zones[ZoneId(1)].name = "xmin";
  EXPECT_EQ(expect_error<MeshError>(block, "two zones have this name").zone, "xmin");
}

TEST(BuildErrors, OrphanZone) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.zones.push_back({"unused", 2});
  EXPECT_EQ(expect_error<MeshError>(block, "the zone has no elements").zone, "unused");
}

TEST(BuildErrors, ElementsOfTheWrongDimensionOrZone) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.boundary.zone[3] = ZoneId(6);  // "fluid"
  expect_error<MeshError>(block, "the boundary element is in a zone of dimension 3, not 2");
  block = make_box({.n = {2, 2, 2}});
  block.boundary.zone[3] = ZoneId::invalid();
  expect_error<MeshError>(block, "belongs to no zone");
  block = make_box({.n = {2, 2, 2}});
  block.cells.type[0] = CellType::quad;
  expect_error<MeshError>(block, "a quad cannot be a cell of a 3-D mesh");
  block = make_box({.n = {2, 2, 2}});
  block.cells.type[0] = CellType::prism;
  expect_error<MeshError>(block, "the cell is a prism, which has 6 nodes, but it lists 8");
}

TEST(BuildErrors, OpenBoundary) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.boundary = without(block.boundary, [&](std::int64_t i) { return i == 0; });
  EXPECT_EQ(expect_error<MeshError>(block, ") has one cell and belongs to no boundary zone").element, 0);
  block = make_box({.dim = 2, .n = {3, 3, 1}, .type = CellType::triangle});
  block.boundary =
      without(block.boundary, [&](std::int64_t i) { return block.boundary.zone[static_cast<std::size_t>(i)] != ZoneId(0); });
  block.zones = {{"xmin", 1}, {"fluid", 2}};
  std::fill(block.cells.zone.begin(), block.cells.zone.end(), ZoneId(1));
  expect_error<MeshError>(block, "(9 faces of the mesh have problems)");
}

TEST(BuildErrors, BoundaryElementWithoutCell) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.boundary.node[4 * 7] = GlobalNodeId(13);  // the central node
  EXPECT_EQ(expect_error<MeshError>(block, "is not a face of any cell").element, 7);
}

TEST(BuildErrors, BoundaryElementBetweenTwoCells) {
  MeshBlock block = make_box({.n = {2, 1, 1}});
  block.boundary.add(CellType::quad,
                     std::vector<GlobalNodeId>{GlobalNodeId(1), GlobalNodeId(4), GlobalNodeId(10), GlobalNodeId(7)}, ZoneId(0),
                     99);
  EXPECT_EQ(expect_error<MeshError>(block, "lies between two cells").element, 99);
}

TEST(BuildErrors, DuplicateBoundaryFace) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.boundary.add(CellType::quad, std::vector<GlobalNodeId>(block.boundary.nodes(5).begin(), block.boundary.nodes(5).end()),
                     ZoneId(2), 50);
  const Where where = expect_error<MeshError>(block, "is given twice");
  EXPECT_EQ(where.element, 50);
  EXPECT_EQ(where.zone, "ymin");
}

TEST(BuildErrors, FaceOfThreeCells) {
  MeshBlock block = make_box({.n = {4, 1, 1}});
  // A third cell on the face between cells 0 and 1: a copy of cell 0 at the end, with new outer nodes.
  const auto first = static_cast<std::int64_t>(block.coords.size());
  for (const Vec3 x : {Vec3{0.1, -1, 0}, Vec3{0.1, 2, 0}, Vec3{0.1, -1, 1}, Vec3{0.1, 2, 1}}) block.coords.push_back(x);
  const auto n = [](std::int64_t id) { return GlobalNodeId(id); };
  const std::vector<GlobalNodeId> nodes{n(first), n(1), n(6), n(first + 1), n(first + 2), n(11), n(16), n(first + 3)};
  block.cells.add(CellType::hexahedron, nodes, ZoneId(6), 4);
  expect_error<MeshError>(block, "belongs to three or more cells");
}

/// Two by one quads, the right one divided along y: a hanging node on the right edge of the left one.
MeshBlock hanging_plane() {
  MeshBlock block;
  block.dim = 2;
  block.source = "hanging";
  block.zones = {{"wall", 1}};
  for (const Vec3 x : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 0}, Vec3{2, 0, 0}, Vec3{2, 1, 0}, Vec3{1, 0.5, 0},
                       Vec3{2, 0.5, 0}}) {
    block.coords.push_back(x);
  }
  const auto add = [](Elements& to, CellType type, std::initializer_list<int> ids, std::int32_t zone) {
    std::vector<GlobalNodeId> nodes;
    for (const int id : ids) nodes.emplace_back(id);
    to.add(type, nodes, ZoneId(zone), to.size() + 1);
  };
  add(block.cells, CellType::quad, {0, 1, 2, 3}, -1);
  add(block.cells, CellType::quad, {1, 4, 7, 6}, -1);
  add(block.cells, CellType::quad, {6, 7, 5, 2}, -1);
  for (const auto& edge : {std::array{0, 1}, std::array{1, 4}, std::array{4, 7}, std::array{7, 5}, std::array{5, 2},
                           std::array{2, 3}, std::array{3, 0}}) {
    add(block.boundary, CellType::line, {edge[0], edge[1]}, 0);
  }
  return block;
}

TEST(BuildErrors, HangingNode) { EXPECT_EQ(expect_error<MeshError>(hanging_plane(), "as at a hanging node").element, 1); }

TEST(BuildErrors, AQuadrilateralNextToTriangles) {
  // A hexahedron next to a box of tetrahedra.
  MeshBlock block = make_box({.n = {2, 1, 1}});
  const std::vector<GlobalNodeId> c(block.cells.nodes(1).begin(), block.cells.nodes(1).end());
  block.cells = without(block.cells, [](std::int64_t i) { return i == 1; });
  for (const auto& path :
       {std::array{1, 2}, std::array{5, 1}, std::array{4, 5}, std::array{7, 4}, std::array{3, 7}, std::array{2, 3}}) {
    const auto at = [&](int s) { return c[static_cast<std::size_t>(s)]; };
    block.cells.add(CellType::tetrahedron, std::vector<GlobalNodeId>{at(0), at(path[0]), at(path[1]), at(6)}, ZoneId(6), 2);
  }
  block.boundary = {};
  block.zones = {{"all", 2}, {"fluid", 3}};
  std::fill(block.cells.zone.begin(), block.cells.zone.end(), ZoneId(1));
  const auto outer = [&](double x) { return x < 0.49 || x > 0.51; };
  for (std::int64_t cell = 0; cell < block.cells.size(); ++cell) {
    for (const CellFace& f : shape(block.cells.type[static_cast<std::size_t>(cell)]).face) {
      if (f.size == 0) continue;
      std::vector<GlobalNodeId> nodes;
      Vec3 middle;
      for (int i = 0; i < f.size; ++i) {
        nodes.push_back(block.cells.nodes(cell)[static_cast<std::size_t>(f.node[static_cast<std::size_t>(i)])]);
        middle += block.coords[nodes.back().index()] / f.size;
      }
      const bool side = middle.x < 1e-9 || middle.x > 1 - 1e-9 || middle.y < 1e-9 || middle.y > 1 - 1e-9 || middle.z < 1e-9 ||
                        middle.z > 1 - 1e-9;
      if (side && outer(middle.x))
        block.boundary.add(f.size == 3 ? CellType::triangle : CellType::quad, nodes, ZoneId(0), block.boundary.size());
    }
  }
  expect_error<MeshError>(block, "hanging node");
}

TEST(BuildErrors, NegativeVolume) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  std::swap(block.cells.node[8 * 6 + 1], block.cells.node[8 * 6 + 3]);
  std::swap(block.cells.node[8 * 6 + 5], block.cells.node[8 * 6 + 7]);
  const Where where = expect_error<MeshError>(block, "the hexahedron at (0.25, 0.75, 0.75) has negative volume (-0.125)");
  EXPECT_EQ(where.element, 6);
  EXPECT_EQ(where.zone, "fluid");
}

TEST(BuildErrors, OneClockwiseCellInAPlaneMesh) {
  MeshBlock block = make_box({.dim = 2, .n = {3, 3, 1}, .type = CellType::quad});
  std::swap(block.cells.node[4 * 4 + 1], block.cells.node[4 * 4 + 3]);
  EXPECT_EQ(expect_error<MeshError>(block, "has negative volume").element, 4);
}

TEST(BuildErrors, NoVolume) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  for (Vec3& x : block.coords) x.z = 0;
  expect_error<MeshError>(block, "has no volume");
}

TEST(BuildErrors, PlaneMeshOffThePlane) {
  MeshBlock block = make_box({.dim = 2, .n = {3, 3, 1}, .type = CellType::quad});
  block.coords[5].z = 0.25;
  expect_error<MeshError>(block, "off the plane z = 0");
}

TEST(BuildErrors, PeriodicZoneNames) {
  const MeshBlock block = make_box({.n = {2, 2, 2}});
  BuildOptions options;
  options.periodic = {{"xmin", "xmx", {1, 0, 0}}};
  expect_error<InputError>(block, "did you mean \"xmax\"?", options);
  options.periodic = {{"fluid", "xmax", {1, 0, 0}}};
  expect_error<InputError>(block, "no boundary zone \"fluid\"", options);
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "xmax", {0, 1, 0}}};
  expect_error<InputError>(block, "more than one periodic pair", options);
}

TEST(BuildErrors, PeriodicTranslations) {
  const MeshBlock block = make_box({.n = {2, 2, 2}});
  BuildOptions options;
  options.periodic = {{"xmin", "xmax", {0, 0, 0}}};
  expect_error<InputError>(block, "translation is zero", options);
  options.periodic = {{"xmin", "xmax", {1.1, 0, 0}}};
  const Where where = expect_error<MeshError>(block, "has no partner in the other zone", options);
  EXPECT_EQ(where.zone, "xmin");
  EXPECT_EQ(where.element, 0);
}

TEST(BuildErrors, PeriodicZonesThatNoTranslationMaps) {
  BuildOptions options;
  options.periodic.emplace_back("xmin", "ymin");
  expect_error<InputError>(make_box({.n = {2, 3, 2}}), "they have 6 and 4 faces", options);
  const Where where =
      expect_error<InputError>(make_box({.n = {2, 2, 2}}),
                               "no translation carries the zone \"xmin\" onto \"ymin\": the boxes around them are of "
                               "0 x 1 x 1 and 1 x 0 x 1",
                               options);
  EXPECT_EQ(where.key, "mesh.periodic.0");
  MeshBlock block = make_box({.n = {2, 2, 2}});
  for (Vec3& x : block.coords) {
    if (x.x == 1) x.y += 0.2 * x.y * (1 - x.y);  // same bounding box
  }
  options.periodic[0] = Periodic("xmin", "xmax");
  expect_error<MeshError>(block, "has no partner in the other zone", options);
}

TEST(BuildErrors, PeriodicZonesMappedByARotation) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  for (Vec3& x : block.coords) x = {(1 + x.x) * std::cos(0.5 * x.y), (1 + x.x) * std::sin(0.5 * x.y), x.z};  // a wedge of 0.5 rad
  BuildOptions options;
  options.periodic = {{"ymin", "ymax", {0, 1, 0}}};
  expect_error<MeshError>(block, "a rotation carries onto each other cannot be periodic: compute the whole turn", options);
}

TEST(BuildErrors, PeriodicFacesThatDiffer) {
  BuildOptions options;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}};
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.coords[5].y += 0.1;  // on x = 1
  expect_error<MeshError>(block, "has no partner in the other zone", options);
  // One cell more on xmax than on xmin.
  block = make_box({.n = {2, 2, 2}});
  for (std::int64_t i = 0; i < block.boundary.size(); ++i) {
    if (block.boundary.zone[static_cast<std::size_t>(i)] == ZoneId(0)) {
      block.boundary.zone[static_cast<std::size_t>(i)] = ZoneId(2);
      break;
    }
  }
  EXPECT_EQ(expect_error<MeshError>(block, "has no partner in the other zone", options).zone, "xmax");
}

TEST(BuildErrors, NoLayerOfGhostCells) {
  BuildOptions options;
  options.ghost_layers = 0;
  expect_error<InputError>(make_box({.n = {2, 2, 2}}), "0 layers of ghost cells", options);
}

/// The sizes themselves are too large for a test: 2^28 cells of one rank.
TEST(BuildErrors, MoreCellsThanARankCanNumber) {
  EXPECT_EQ(detail::kMostCellsOfRank, 268435455);
  EXPECT_NO_THROW(detail::check_cell_count(268435455, 0, 1, "m.h5"));
  const auto said = [](std::int64_t cells, int rank, int ranks) -> std::string {
    try {
      detail::check_cell_count(cells, rank, ranks, "m.h5");
    } catch (const LimitError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(
      said(268435456, 0, 1),
      "m.h5: rank 0 has 268435456 cells, and 32-bit ids can number those of at most 268435455 on a rank; use 2 ranks or more");
  EXPECT_NE(said(std::int64_t{1} << 31, 3, 4).find("rank 3 has 2147483648 cells"), std::string::npos);
  EXPECT_NE(said(std::int64_t{1} << 31, 3, 4).find("use 36 ranks or more"), std::string::npos);
  EXPECT_NE(said(std::int64_t{1} << 40, 0, 100).find("use 409700 ranks or more"), std::string::npos);
}

/// Global ids beyond 32 bits are valid ids: in a mesh this small they are out of range, not truncated to another id.
TEST(BuildErrors, GlobalIdsHave64Bits) {
  MeshBlock block = make_box({.n = {2, 2, 2}});
  block.cells.node[0] = GlobalNodeId((std::int64_t{1} << 32) + block.cells.node[0].value());
  expect_error<MeshError>(block, "node 4294967296 of the hexahedron does not exist; the mesh has 27 nodes");
}

}  // namespace
}  // namespace weft::mesh::build_errors_test

// Uniform refinement of all shapes, separate and mixed, on any number of ranks.
#include "weft/mesh/refine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"

#include "read_samples.hpp"

namespace weft::mesh::refine_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::vector<BoxSpec> boxes() {
  std::vector<BoxSpec> all;
  for (const CellMix mix : {CellMix::quads, CellMix::triangles, CellMix::mixed})
    all.push_back({.nx = 5, .ny = 4, .xmax = 2, .elements = mix, .warp = 0.05, .jitter = 0.2});
  for (const CellMix mix : {CellMix::hexahedra, CellMix::prisms, CellMix::tetrahedra, CellMix::pyramids, CellMix::mixed})
    all.push_back({.nx = 4, .ny = 4, .nz = 6, .xmax = 2, .elements = mix, .warp = 0.03, .jitter = 0.05});
  return all;
}

/// Number of cells of each type after one refinement.
std::array<std::int64_t, kCellTypes> refined(std::array<std::int64_t, kCellTypes> cells) {
  const std::int64_t pyramids = cells[4];
  for (std::size_t t = 1; t < cells.size(); ++t) cells[t] *= t < 3 ? 4 : 8;
  cells[4] = 6 * pyramids;
  cells[3] += 4 * pyramids;
  return cells;
}

TEST(Refine, PreservesVolumesOfCellsAndZones) {
  const Communicator comm = Communicator::world();
  for (const BoxSpec& spec : boxes()) {
    SCOPED_TRACE(static_cast<int>(spec.elements) + (spec.nz > 0 ? 100 : 0));
    const MeshStats coarse = measure(build(comm, generate(comm, spec)));
    const MeshStats fine = measure(build(comm, refine(comm, generate(comm, spec))));  // build() checks all faces and volumes
    EXPECT_EQ(fine.cells_of_type, refined(coarse.cells_of_type));
    EXPECT_NEAR(fine.volume, coarse.volume, 1e-13 * coarse.volume);
    EXPECT_EQ(fine.low, coarse.low);
    EXPECT_EQ(fine.high, coarse.high);
    ASSERT_EQ(fine.zones.size(), coarse.zones.size());
    for (std::size_t z = 0; z < fine.zones.size(); ++z) {
      EXPECT_EQ(fine.zones[z].name, coarse.zones[z].name);
      EXPECT_EQ(fine.zones[z].elements, coarse.zones[z].elements * (spec.nz > 0 ? 4 : 2));
      EXPECT_NEAR(fine.zones[z].measure, coarse.zones[z].measure, 1e-13 * coarse.zones[z].measure);
    }
  }
}

/// Faces between hexahedra are warped here; the volume of each parent is nevertheless preserved.
TEST(Refine, PreservesTheVolumeOfEachParent) {
  const Communicator comm = Communicator::self();
  for (const BoxSpec& spec : boxes()) {
    SCOPED_TRACE(static_cast<int>(spec.elements) + (spec.nz > 0 ? 100 : 0));
    const MeshBlock coarse = generate(comm, spec);
    const Mesh parents = build(comm, coarse), children = build(comm, refine(comm, coarse));
    std::vector<double> volume(static_cast<std::size_t>(parents.owned_cells), 0);
    std::vector<std::size_t> parent;
    for (std::size_t c = 0; c < coarse.cells.type.size(); ++c) {
      const int count = shape(coarse.cells.type[c]).dim == 2 ? 4 : coarse.cells.type[c] == CellType::pyramid ? 10 : 8;
      parent.insert(parent.end(), static_cast<std::size_t>(count), c);
    }
    for (const LocalCellId c : children.owned()) volume[parent.at(children.cell_global[c].index())] += children.cell_volume[c];
    for (const LocalCellId c : parents.owned()) {
      const double wanted = parents.cell_volume[c];
      EXPECT_NEAR(volume[parents.cell_global[c].index()], wanted, 1e-13 * wanted);
    }
  }
}

TEST(Refine, DoesNotDependOnRanksAndPreservesNodesAndZones) {
  const Communicator comm = Communicator::world(), self = Communicator::self();
  for (const MeshBlock& mesh : {testing::mixed_3d(), testing::mixed_2d(7)}) {
    const MeshBlock together = detail::gather_whole(comm, refine(comm, detail::scatter_whole(comm, mesh)));
    const MeshBlock alone = refine(self, mesh);
    if (comm.is_root()) testing::expect_same(together, alone);
    EXPECT_EQ(alone.zones, mesh.zones);
    EXPECT_TRUE(std::equal(mesh.coords.begin(), mesh.coords.end(), alone.coords.begin()));
    EXPECT_EQ(alone.cells.file_id.back(), alone.cells.size() - 1);
  }
}

TEST(Refine, PeriodicZonesStillMatch) {
  const Communicator comm = Communicator::world();
  const BuildOptions options{.periodic = {{"xmin", "xmax", {2, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}, {"zmin", "zmax", {0, 0, 1}}}};
  for (const CellMix mix : {CellMix::hexahedra, CellMix::tetrahedra, CellMix::prisms, CellMix::pyramids}) {
    SCOPED_TRACE(static_cast<int>(mix));
    BoxSpec spec{.nx = 4, .ny = 4, .nz = 4, .xmax = 2, .elements = mix, .jitter = 0.05};
    spec.diagonal = Diagonal::same;
    const Mesh mesh = build(comm, refine(comm, generate(comm, spec)), options);
    EXPECT_TRUE(mesh.boundary.empty());
  }
}

/// Repeated refinement of a tetrahedron yields few shapes: the worst quality does not decrease.
TEST(Refine, RepeatedRefinementPreservesTheQualityOfTetrahedra) {
  const Communicator comm = Communicator::world();
  MeshBlock block = generate(comm, BoxSpec{.nx = 2, .ny = 2, .nz = 2, .elements = CellMix::tetrahedra});
  block = refine(comm, std::move(block));
  const MeshStats once = measure(build(comm, block));
  block = refine(comm, std::move(block), 2);
  const MeshStats thrice = measure(build(comm, block));
  EXPECT_EQ(thrice.cells, 64 * once.cells);
  EXPECT_LE(thrice.aspect_ratio.value, once.aspect_ratio.value * (1 + 1e-12));
  EXPECT_LE(thrice.non_orthogonality.value, once.non_orthogonality.value * (1 + 1e-9));
}

TEST(Refine, MirroredCellsAreReversedFirst) {
  const Communicator comm = Communicator::world();
  MeshBlock block = generate(comm, BoxSpec{.nx = 2, .ny = 2, .nz = 2, .elements = CellMix::pyramids});
  for (std::int64_t c = 0; c < block.cells.size(); ++c) {
    const auto first = block.cells.node.begin() + block.cells.offset[static_cast<std::size_t>(c)];
    std::reverse(first + 1, first + 4);
  }
  EXPECT_NEAR(measure(build(comm, refine(comm, std::move(block)))).volume, 1, 1e-13);
}

TEST(Refine, PassesOnWhatTheReaderRemarked) {
  const Communicator comm = Communicator::world();
  MeshBlock block = generate(comm, BoxSpec{.nx = 2, .ny = 2});
  block.file_unit = 0.001;
  block.notes = {"in mm"};
  block.warnings = {"lost"};
  const MeshBlock fine = refine(comm, std::move(block), 2);
  EXPECT_EQ(fine.file_unit, 0.001);
  EXPECT_THAT(fine.notes, ::testing::ElementsAre("in mm"));
  EXPECT_THAT(fine.warnings, ::testing::ElementsAre("lost"));
}

TEST(Refine, AnInvalidMeshThrowsOnEveryRank) {
  const Communicator comm = Communicator::world();
  MeshBlock block = detail::scatter_whole(comm, testing::mixed_3d());
  if (comm.is_root()) block.cells.node[0] = GlobalNodeId(99);
  EXPECT_THROW(static_cast<void>(refine(comm, std::move(block))), MeshError);
  MeshBlock nothing;
  EXPECT_THROW(static_cast<void>(refine(comm, std::move(nothing))), MeshError);
}

/// The number of cells after 20 refinements of a pyramid exceeds 64 bits.
TEST(Refine, CellsAreCountedBeforeTheRefinement) {
  const Communicator comm = Communicator::world();
  for (const auto& [mix, times] : {std::pair{CellMix::hexahedra, 9}, std::pair{CellMix::pyramids, 20}}) {
    try {
      static_cast<void>(refine(comm, generate(comm, BoxSpec{.nx = 4, .ny = 4, .nz = 4, .elements = mix}), times));
      FAIL();
    } catch (const LimitError& error) {
      EXPECT_THAT(error.what(), HasSubstr("halved " + std::to_string(times) + " times the mesh would have " +
                                          (mix == CellMix::hexahedra ? "8.59e+09" : "")));
      EXPECT_THAT(error.suggestion(),
                  ContainsRegex(mix == CellMix::hexahedra ? "^use 33 ranks or more, or halve them at most 7 times$"
                                                          : "ranks or more, or halve them at most [5-8] times$"));
    }
  }
}

}  // namespace
}  // namespace weft::mesh::refine_test

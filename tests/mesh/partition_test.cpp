// Partitioners, weights and parts of a source in build().
#include "weft/mesh/partition/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"
#include "weft/mesh/partition/partition_methods.hpp"
#include "weft/mesh/partition/planned_subdomains.hpp"

namespace weft::mesh::partition_test {
namespace {

using ::testing::HasSubstr;

std::vector<Partitioner> there_are() {
  std::vector<Partitioner> all{Partitioner::automatic, Partitioner::metis, Partitioner::hilbert};
  if (has_scotch()) all.push_back(Partitioner::scotch);
  return all;
}

std::vector<std::int32_t> along_curve(const Communicator& comm, int dim, TeamVector<Vec3> middle, int parts,
                                      Team& team = kernels::calling_thread()) {
  const RowOffsets cells(comm, std::ssize(middle));
  return detail::partition_along_hilbert_curve({.comm = comm,
                                                .team = team,
                                                .cells = cells,
                                                .dim = dim,
                                                .parts = parts,
                                                .middle = std::move(middle),
                                                .weight = {},
                                                .graph = {},
                                                .source_order = {}});
}

Mesh built(const Communicator& comm, const BoxSpec& spec, Partitioner partitioner, BuildOptions options = {}) {
  options.partition.partitioner = partitioner;
  return build(comm, generate(comm, spec), options);
}

TEST(Partition, HugeMeshesAreNotPartitionedOnOneRankByDefault) {
  EXPECT_EQ(chosen_partitioner(Partitioner::automatic, kMostCellsForMetis), Partitioner::metis);
  EXPECT_EQ(chosen_partitioner(Partitioner::automatic, kMostCellsForMetis + 1), Partitioner::hilbert);
  for (const Partitioner asked : {Partitioner::metis, Partitioner::scotch, Partitioner::hilbert})
    EXPECT_EQ(chosen_partitioner(asked, 1'000'000'000), asked);
}

TEST(Partition, EveryPartitionerBalancesCellsWithFewInterfaceFaces) {
  const Communicator comm = Communicator::world();
  for (const BoxSpec& spec :
       {BoxSpec{.nx = 24, .ny = 20, .jitter = 0.2}, BoxSpec{.nx = 12, .ny = 10, .nz = 9, .elements = CellMix::mixed}}) {
    for (const Partitioner partitioner : there_are()) {
      SCOPED_TRACE(static_cast<int>(partitioner));
      const MeshStats stats = measure(built(comm, spec, partitioner));
      EXPECT_LE(static_cast<double>(stats.most_cells), 1.05 * static_cast<double>(stats.cells) / comm.size() + 1);
      // Slabs across the shorter side would have (ranks - 1) times as many.
      const auto side = static_cast<double>(spec.nz > 0 ? 2 * 6 * spec.ny * spec.nz : 2 * spec.ny);
      EXPECT_LE(static_cast<double>(stats.cut_faces), side * (comm.size() - 1));
      EXPECT_NEAR(stats.volume, 1, 1e-12);
    }
  }
}

TEST(Partition, EveryPartitionerSupportsPeriodicMeshes) {
  const Communicator comm = Communicator::world();
  const BuildOptions options{.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}}};
  for (const Partitioner partitioner : there_are()) {
    SCOPED_TRACE(static_cast<int>(partitioner));
    const Mesh mesh = built(comm, {.nx = 16, .ny = 12}, partitioner, options);
    EXPECT_EQ(comm.sum(std::int64_t{mesh.owned_cells}), 192);
    EXPECT_TRUE(mesh.boundary.empty());
  }
}

TEST(Partition, PeriodicFacesHaveLowerWeight) {
  const Communicator comm = Communicator::world();
  constexpr std::int64_t n = 24;
  const BoxSpec spec{.nx = n, .ny = n, .nz = n};
  const BuildOptions all{.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}, {"zmin", "zmax", {0, 0, 1}}}};
  const BuildOptions two{.periodic = {{"ymin", "ymax", {0, 1, 0}}, {"zmin", "zmax", {0, 0, 1}}}};
  // Halves of a torus have 4 n^2 = 2,304 ghost cells. With equal weights of all edges METIS could place the interface
  // anywhere: 3,456.
  for (const PlannedSubdomain& part : planned_subdomains(built(comm, spec, Partitioner::metis, all), 2))
    EXPECT_LE(part.ghosts, 1.1 * 4 * n * n);
  // Slabs across the direction that is not periodic send n^2. Without edges for periodic faces, others that send 2 n^2 would
  // be equivalent.
  for (const PlannedSubdomain& part : planned_subdomains(built(comm, spec, Partitioner::metis, two), 2))
    EXPECT_LE(part.rows_sent, 1.3 * n * n);
}

TEST(CellGraph, RowsAreUniqueWithTheHeaviestEdge) {
  detail::CellGraph graph;
  std::vector<detail::GraphEdge> edges{{7, 1}, {3, 4}, {7, 4}, {5, 1}};
  detail::add_row(graph, edges, true);
  edges = {{2, 4}, {2, 4}};
  detail::add_row(graph, edges, true);
  EXPECT_THAT(graph.degree, ::testing::ElementsAre(3, 1));
  EXPECT_THAT(graph.neighbour, ::testing::ElementsAre(3, 5, 7, 2));
  EXPECT_THAT(graph.edge_weight, ::testing::ElementsAre(4, 1, 4, 4));
  detail::CellGraph plain;
  edges = {{2, 4}, {1, 4}};
  detail::add_row(plain, edges, false);
  EXPECT_THAT(plain.neighbour, ::testing::ElementsAre(1, 2));
  EXPECT_TRUE(plain.edge_weight.empty());
}

TEST(Partition, HilbertPartsDoNotDependOnTheDistributionOfCells) {
  const Communicator comm = Communicator::world();
  const BoxSpec spec{.nx = 9, .ny = 8, .nz = 7, .elements = CellMix::tetrahedra, .jitter = 0.1};
  for (const int parts : {1, 2, 3, 5, 64}) {
    const auto cut = [&](const Communicator& ranks) {
      const MeshBlock block = generate(ranks, spec);
      const RowOffsets nodes(ranks, static_cast<std::int64_t>(block.coords.size()));
      const std::vector<std::int32_t> part = along_curve(ranks, 3, detail::mean_corners(ranks, block, nodes), parts);
      return ranks.all_gather(std::span(part));
    };
    const std::vector<std::int32_t> together = cut(comm);
    EXPECT_EQ(together, cut(Communicator::self()));
    std::vector<int> count(static_cast<std::size_t>(parts), 0);
    for (const std::int32_t p : together) ++count.at(static_cast<std::size_t>(p));
    const auto [fewest, most] = std::minmax_element(count.begin(), count.end());
    EXPECT_LE(*most - *fewest, 2) << parts;
  }
}

TEST(Partition, HilbertAcceptsCoincidentCells) {
  const Communicator comm = Communicator::world();
  const TeamVector<Vec3> one_place(5, Vec3{1, 2, 0});
  for (const int parts : {1, 3}) {
    const auto part = along_curve(comm, 2, one_place, parts);
    ASSERT_EQ(part.size(), 5U);
    for (const std::int32_t p : part) EXPECT_EQ(p, part.front());
  }
  EXPECT_TRUE(along_curve(comm, 3, {}, 4).empty());  // no cells
}

TEST(Partition, WeightsBalanceWork) {
  const Communicator comm = Communicator::world();
  const auto weight = [](CellType type, ZoneId, Vec3 x) { return (type == CellType::quad ? 0.1 : 0.7) * (x.x < 0.3 ? 3 : 1); };
  for (const Partitioner partitioner : there_are()) {
    SCOPED_TRACE(static_cast<int>(partitioner));
    BuildOptions options;
    options.partition.weight = weight;
    const Mesh mesh = built(comm, {.nx = 40, .ny = 40, .elements = CellMix::mixed}, partitioner, options);
    double work = 0;
    for (const LocalCellId c : mesh.owned()) work += weight(mesh.cell_type[c], ZoneId::invalid(), mesh.cell_centroid[c]);
    EXPECT_LE(comm.max(work), 1.06 * comm.sum(work) / comm.size() + 2.5);
    // The plan for this number of ranks equals this mesh, except with PT-Scotch.
    const std::vector<PlannedSubdomain> planned = planned_subdomains(mesh, comm.size());
    if (partitioner == Partitioner::scotch) continue;
    EXPECT_EQ(planned[comm.rank().index()].cells, mesh.owned_cells);
  }
}

/// Weights are rounded to thousandths of the largest; only their ratios matter.
TEST(Partition, WeightsOfAnySizeMayBeGiven) {
  const Communicator comm = Communicator::world();
  for (const Partitioner partitioner : {Partitioner::metis, Partitioner::hilbert}) {  // PT-Scotch is not reproducible
    std::vector<std::int32_t> owned;
    for (const double unit : {0x1p-600, 1.0, 0x1p600}) {
      BuildOptions options;
      options.partition.weight = [unit](CellType, ZoneId, Vec3 x) { return unit * (1 + 7 * x.x); };
      owned.push_back(built(comm, {.nx = 30, .ny = 20}, partitioner, options).owned_cells);
    }
    EXPECT_EQ(owned, std::vector(3, owned[0])) << static_cast<int>(partitioner);
  }
}

TEST(Partition, MeasuredCostsGrowWithFaces) {
  EXPECT_LT(measured_cost(CellType::triangle), measured_cost(CellType::quad));
  EXPECT_LT(measured_cost(CellType::tetrahedron), measured_cost(CellType::hexahedron));
}

TEST(Partition, PlansForOtherNumbersOfRanksUseThePartitionerOfTheMesh) {
  const Communicator comm = Communicator::world();
  const BoxSpec spec{.nx = 30, .ny = 20, .elements = CellMix::triangles};
  BuildOptions options;
  options.partition.partitioner = Partitioner::hilbert;
  const std::vector<PlannedSubdomain> planned =
      planned_subdomains(build(Communicator::self(), generate(Communicator::self(), spec), options), comm.size());
  const Mesh mesh = build(comm, generate(comm, spec), options);
  EXPECT_EQ(planned[comm.rank().index()].cells, mesh.owned_cells);
  EXPECT_EQ(planned[comm.rank().index()].ghosts, mesh.ghost_cells);
  // The parts of METIS are those of a build from the source on that number of ranks, whatever the distribution of the mesh.
  for (const std::vector<Periodic>& periodic : {std::vector<Periodic>(), std::vector<Periodic>{{"xmin", "xmax", {1, 0, 0}}}}) {
    BuildOptions by_metis{.periodic = periodic};
    by_metis.partition.partitioner = Partitioner::metis;
    const Mesh distributed = build(comm, generate(comm, spec), by_metis);
    const std::vector<PlannedSubdomain> again = planned_subdomains(distributed, comm.size());
    EXPECT_EQ(again[comm.rank().index()].cells, distributed.owned_cells);
    EXPECT_EQ(again[comm.rank().index()].ghosts, distributed.ghost_cells);
  }
  if (has_scotch()) {
    options.partition.partitioner = Partitioner::scotch;
    std::int64_t cells = 0;
    for (const PlannedSubdomain& part : planned_subdomains(build(comm, generate(comm, spec), options), 5)) cells += part.cells;
    EXPECT_EQ(cells, 1200);
  }
}

TEST(Partition, InvalidOptionsThrow) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  for (const double wrong : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    options.partition.weight = [wrong](CellType, ZoneId, Vec3 x) { return x.y > 0.5 ? wrong : 1; };
    try {
      static_cast<void>(build(comm, generate(comm, BoxSpec{}), options));
      FAIL() << wrong;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the weight of the quad at ("));
      EXPECT_THAT(error.what(), HasSubstr("weights of cells must be finite and above 0"));
    }
  }
  if (!has_scotch()) {
    try {
      static_cast<void>(built(comm, {}, Partitioner::scotch));
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("libptscotch-dev"));
    }
  }
  EXPECT_EQ(kind_named<Partitioner>("hilbert"), Partitioner::hilbert);
  EXPECT_EQ(kind_named<Partitioner>("automatic"), Partitioner::automatic);
  try {
    static_cast<void>(kind_named<Partitioner>("hilbrt"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"hilbert\"?"));
  }
}

TEST(Partition, GraphsBeyond32BitsThrowWithASuggestion) {
  const std::int64_t most = 2147483647;
  EXPECT_NO_THROW(detail::check_graph_size(most, most, false, most));
  EXPECT_THROW(detail::check_graph_size(1, most / 2, true, 1), LimitError) << "weights of edges add up";
  for (const auto& [cells, sides, weight] :
       {std::array{most + 1, most, most}, std::array{most, most + 1, most}, std::array{most, most, most + 1}}) {
    try {
      detail::check_graph_size(cells, sides, false, weight);
      FAIL();
    } catch (const LimitError& error) {
      EXPECT_THAT(error.what(), HasSubstr("choose the partitioner hilbert"));
    }
  }
}

}  // namespace
}  // namespace weft::mesh::partition_test

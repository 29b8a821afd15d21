// The only file that includes PT-Scotch, and defines whether it is available.
#ifdef WEFT_HAS_PTSCOTCH
#include <cstdint>
#include <cstdio>
// ptscotch.h requires both, and the types of MPI.
#endif

#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/partition/partition_methods.hpp"
#include "weft/mesh/partition/partitioner.hpp"

#ifdef WEFT_HAS_PTSCOTCH
#include <ptscotch.h>

namespace weft::mesh {

bool has_scotch() { return true; }

namespace detail {
namespace {

constexpr double kImbalance = 0.02;  // imbalance permitted to PT-Scotch

struct Graph {
  explicit Graph(const Communicator& comm) : good(SCOTCH_dgraphInit(&handle, comm.handle()) == 0) {}
  ~Graph() {
    if (good) SCOTCH_dgraphExit(&handle);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  SCOTCH_Dgraph handle{};
  bool good;
};

struct Strategy {
  Strategy() { SCOTCH_stratInit(&handle); }
  ~Strategy() { SCOTCH_stratExit(&handle); }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  SCOTCH_Strat handle{};
};

}  // namespace

void require_scotch() {}

std::vector<std::int32_t> partition_with_scotch(PartitionProblem problem) {
  const Communicator& comm = problem.comm;
  const CellGraph& graph = problem.graph;
  const int parts = problem.parts;
  const std::size_t cells = graph.degree.size();
  std::vector<SCOTCH_Num> offset(cells + 1, 0), neighbour(graph.neighbour.begin(), graph.neighbour.end()),
      weight(problem.weight.begin(), problem.weight.end()), edge_weight(graph.edge_weight.begin(), graph.edge_weight.end()),
      part(cells + 1, 0);
  for (std::size_t c = 0; c < cells; ++c) offset[c + 1] = offset[c] + graph.degree[c];
  const auto check = [&](bool good, const char* what) {
    if (comm.all(good)) return;
    throw MeshError(fmt::format("PT-Scotch could not {} of all cells in {} parts", what, parts),
                    "choose " + partitioners_other_than(Partitioner::scotch));
  };
  // On all ranks or none, also on those without cells.
  const bool has_weights = comm.any(!weight.empty()), has_edge_weights = comm.any(!edge_weight.empty());
  weight.resize(cells + 1);
  edge_weight.resize(neighbour.size() + 1);
  SCOTCH_randomSeed(1);
  SCOTCH_randomReset();  // makes runs reproducible
  Graph whole(comm);
  check(whole.good, "begin a graph");
  const auto vertices = static_cast<SCOTCH_Num>(cells), edges = static_cast<SCOTCH_Num>(neighbour.size());
  check(
      SCOTCH_dgraphBuild(&whole.handle, 0, vertices, vertices, offset.data(), nullptr, has_weights ? weight.data() : nullptr,
                         nullptr, edges, edges, neighbour.data(), nullptr, has_edge_weights ? edge_weight.data() : nullptr) == 0,
      "make the graph");
  Strategy strategy;
  check(SCOTCH_stratDgraphMapBuild(&strategy.handle, SCOTCH_STRATDEFAULT, comm.size(), parts, kImbalance) == 0,
        "plan the cutting");
  check(SCOTCH_dgraphPart(&whole.handle, parts, &strategy.handle, part.data()) == 0, "cut the graph");
  part.resize(cells);
  return {part.begin(), part.end()};
}

}  // namespace detail
}  // namespace weft::mesh

#else

namespace weft::mesh {

bool has_scotch() { return false; }

namespace detail {

void require_scotch() {
  throw InputError("this build has no PT-Scotch",
                   "choose " + partitioners_other_than(Partitioner::scotch) +
                       " as partitioner, or install PT-Scotch (Debian: libptscotch-dev) and build again");
}

std::vector<std::int32_t> partition_with_scotch(PartitionProblem /*problem*/) {
  require_scotch();
  return {};
}

}  // namespace detail
}  // namespace weft::mesh
#endif

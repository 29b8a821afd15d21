// Dry run of a task graph on many ranks: compiles the graph of a step as each rank of a grid of blocks, and checks the exact
// numbers of messages and bytes. The memory of a rank is measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "weft/array/array_pair.hpp"
#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

#include "array/dry_run/counted_memory.hpp"
#include "support/sanitized.hpp"

namespace weft {
namespace {

using namespace task;
using Extent = std::array<int, 3>;
constexpr std::int64_t kEdge = 8, kFace = kEdge * kEdge;  ///< cells of a block

/// Returns the rows of a block of kEdge^3 cells, whose faces other blocks have copies of. The grid is not periodic.
[[nodiscard]] PretendedRows block(const Extent& extent, int rank) {
  PretendedRows rows{.owned = kEdge * kFace, .inner = (kEdge - 2) * (kEdge - 2) * (kEdge - 2)};
  int stride = 1;
  for (std::size_t d = 3; d-- > 0;) {
    const int at = rank / stride % extent[d];
    if (at > 0) rows.neighbours.push_back({Rank(rank - stride), kFace, kFace});
    if (at + 1 < extent[d]) rows.neighbours.push_back({Rank(rank + stride), kFace, kFace});
    stride *= extent[d];
  }
  return rows;
}

/// A step with gradients: two pulls and a reduction over the ranks. It is recorded with arrays of one row.
struct Step {
  Communicator self = Communicator::self();
  GhostPlan plan = GhostPlan::build(self, 1, std::span<const GlobalRow>());
  ArrayPair<double, 5> state{plan}, rate{plan};
  ArrayPair<double, 15> gradient{plan};
  double dt = 0;
  task::Graph graph{self};

  Step() {
    const DataId u = graph.add_array("state", state), g = graph.add_array("gradient", gradient);
    const DataId r = graph.add_array("rate", rate), limit = graph.add_number("dt", dt);
    graph.add_task("limit", {reads(u, Part::owned), reduces(limit, Reduce::min)}, [] {});
    graph.add_task("gradient", {reads(u), writes(g)}, [](Rows) {});
    graph.add_task("rate", {reads(u), reads(g), writes(r)}, [](Rows) {});
    graph.add_task("advance", {reads(limit), reads(r, Part::owned), reads_writes(u)}, [](Rows) {});
  }
};

void expect(const std::string& what, std::int64_t value, std::int64_t expected) {
  if (value != expected) throw CommError(fmt::format("{}: {} instead of {}", what, value, expected));
}

void run(const task::Graph& graph, const Extent& extent) {
  constexpr std::int64_t kBytes = kFace * (5 + 15) * 8;  // to a neighbour in an iteration
  const int ranks = extent[0] * extent[1] * extent[2];
  Traffic all;
  std::int64_t most_kept = 0, most_peak = 0, most_messages = 0;
  const Stopwatch watch;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t before = counted_memory::held();
    counted_memory::watch();
    const DryPlan plan = graph.dry(ranks, [&](DataId, const weft::PairRef&) { return block(extent, rank); });
    most_kept = std::max(most_kept, counted_memory::held() - before);
    most_peak = std::max(most_peak, counted_memory::peak() - before);
    const auto neighbours = std::ssize(block(extent, rank).neighbours);
    expect("neighbours that are sent to", std::ssize(plan.sent), neighbours);
    for (const DryPlan::Sent& sent : plan.sent) {
      expect("messages to a neighbour", sent.traffic.messages, 2);
      expect("bytes to a neighbour", sent.traffic.bytes, kBytes);
    }
    expect("bytes of arrays", plan.array_bytes, (kEdge * kFace + neighbours * kFace) * (5 + 15 + 5) * 8);
    expect("bytes of messages", plan.message_bytes, 2 * neighbours * kBytes);
    expect("nodes", std::ssize(plan.schedule.repeated.nodes), 13);
    expect("reductions", plan.reductions, 1);
    most_messages = std::max(most_messages, plan.repeated.messages);
    all += plan.repeated;
  }
  std::int64_t pairs = 0;
  for (std::size_t d = 0; d < 3; ++d) pairs += std::int64_t{ranks} / extent[d] * (extent[d] - 1);
  expect("messages of all ranks", all.messages, 2 * 2 * pairs);
  expect("bytes of all ranks", all.bytes, 2 * pairs * kBytes);
  expect("messages of an inner block", most_messages, 2 * 6);
  fmt::print("{} ranks in {:.2f} s: {} messages, {} bytes per iteration; a rank keeps {} B of nodes, {} B at most\n", ranks,
             watch.seconds(), all.messages, all.bytes, most_kept, most_peak);
  constexpr std::int64_t kMostKept = 16 << 10;  // independent of the number of ranks
  if (most_kept > kMostKept) throw CommError(fmt::format("a graph of 13 nodes keeps {} B", most_kept));
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  try {
    const weft::Step step;
    weft::run(step.graph, {16, 16, 16});
    weft::run(step.graph, {weft::full_or_sanitized(64, 16), 32, 32});
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}

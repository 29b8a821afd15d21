// Dry run of the set-up on many ranks: builds the plan and the exchanges of a periodic grid of blocks as each of 64 to 65,536
// ranks would, one after the other, and checks how memory and messages of a rank grow with the number of ranks. MPI is
// simulated (simulated_mpi.hpp), all other code is that of every run. Prints the maximum over ranks; times are medians of the
// computation only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/array/redistribute.hpp"
#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"

#include "array/dry_run/counted_memory.hpp"
#include "array/dry_run/simulated_mpi.hpp"
#include "support/sanitized.hpp"

namespace weft {
namespace {

constexpr std::int32_t kEdge = 8, kOwned = kEdge * kEdge * kEdge;  ///< cells of a block

/// Cost of a step for one rank.
struct Cost {
  std::int64_t kept = 0, peak = 0;  ///< bytes of its result; maximum bytes at the same time
  double seconds = 0;
  Traffic sent;
};

/// Runs `f`, which returns its result. The result is destroyed.
template <class F>
Cost cost_of(const Communicator& comm, F f) {
  const Traffic sent = comm.traffic();
  const std::int64_t held = counted_memory::held();
  counted_memory::watch();
  const Stopwatch watch;
  const auto result = f();
  return {.kept = counted_memory::held() - held,
          .peak = counted_memory::peak() - held,
          .seconds = watch.seconds(),
          .sent = comm.traffic() - sent};
}

/// Returns the cells of the six adjacent blocks that share a face with block `rank`.
std::vector<GhostRequest> face_neighbours(const simulated::Torus& torus, int rank) {
  std::vector<GhostRequest> requests;
  for (std::size_t d = 0; d < 3; ++d) {
    for (const int side : {-1, 1}) {
      std::array<int, 3> steps{};
      steps[d] = side;
      const std::int64_t first = std::int64_t{kOwned} * torus.shifted(rank, steps);
      for (std::int32_t i = 0; i < kOwned; ++i) {
        const std::array<std::int32_t, 3> at{i / (kEdge * kEdge), i / kEdge % kEdge, i % kEdge};
        if (at[d] == (side < 0 ? kEdge - 1 : 0)) requests.push_back({GlobalRow(first + i)});
      }
    }
  }
  return requests;
}

/// A step of the set-up and its maximum growth, as measured: memory and bytes sent per additional rank, messages and bytes
/// sent per doubling.
struct Step {
  std::string name;
  std::int64_t kept_per_rank, peak_per_rank, sent_per_rank, messages_per_doubling, bytes_per_doubling;
};

const std::vector<Step> kSteps{{"sum of 10 numbers", 0, 0, 0, 1, 80},
                               {"table of first rows", 8, 12, 4, 1, 0},
                               {"plan", 8, 12, 4, 4, 16},
                               {"transformer and pull of a table", 0, 0, 0, 13, 104},
                               {"CSR rows", 0, 0, 0, 30, 240},
                               {"redistribution", 16, 20, 8, 10, 48}};

/// Returns the costs of kSteps on one rank.
std::vector<Cost> costs(const simulated::Torus& torus, int rank) {
  simulated::become(torus, rank);
  const Communicator comm = Communicator::world();
  const std::vector<GhostRequest> requests = face_neighbours(torus, rank);
  const GhostPlan plan = GhostPlan::build(comm, kOwned, requests);
  if (plan.neighbours().size() != 6 || plan.ghost_rows() != 6 * kEdge * kEdge)
    throw CommError("a plan of other than six neighbours");
  ArrayPair<double, 5> q(plan);
  for (std::int32_t i = 0; i < kOwned; ++i) q(i, 0) = i;
  Array<std::int32_t, NonUniform> rows;
  for (std::int32_t i = 0; i < kOwned; ++i) rows.push_row(std::vector<std::int32_t>(static_cast<std::size_t>(i % 4)));
  std::vector<GlobalRow> shifted;
  const std::int64_t next = torus.shifted(rank, {0, 0, 1});
  for (std::int32_t i = 0; i < kOwned; ++i) shifted.emplace_back(kOwned * (i % 2 == 0 ? next : std::int64_t{rank}) + i);
  const std::vector<double> values(kOwned, 1.0);
  std::vector<Cost> list{cost_of(comm,
                                 [&] {
                                   std::vector<double> sums(10, 1.0);
                                   comm.sum(std::span(sums));
                                   if (sums[0] != comm.size()) throw CommError("a wrong sum");
                                   return sums;
                                 }),
                         cost_of(comm, [&] { return RowOffsets(comm, kOwned); }),
                         cost_of(comm, [&] { return GhostPlan::build(comm, kOwned, requests); }),
                         cost_of(comm,
                                 [&] {
                                   Exchange pull = ArrayTransformer(plan, {q}, Transport::host).pull();
                                   pull.run();
                                   return pull;
                                 }),
                         cost_of(comm,
                                 [&] {
                                   ArrayPair<std::int32_t> sizes(plan);
                                   return pull_rows(plan, rows);
                                 }),
                         cost_of(comm, [&] {
                           auto redistribution = Redistribution::to_rows(comm, shifted, kOwned);
                           (void)redistribution.apply(values);
                           return redistribution;
                         })};
  for (std::int32_t ghost = kOwned; ghost < plan.rows(); ++ghost) {
    if (q(ghost, 0) != static_cast<double>(plan.global(LocalRow(ghost)).value() % kOwned)) throw CommError("a wrong ghost row");
  }
  return list;
}

/// Returns for each of kSteps the maximum over `ranks` ranks distributed over the torus; for times, the median.
std::vector<Cost> most(const simulated::Torus& torus, int ranks) {
  std::vector<Cost> result(kSteps.size());
  std::vector<std::vector<double>> seconds(kSteps.size());
  for (int i = 0; i < ranks; ++i) {
    const std::vector<Cost> of_rank = costs(torus, static_cast<int>(std::int64_t{i} * torus.ranks() / ranks));
    for (std::size_t s = 0; s < kSteps.size(); ++s) {
      const Cost& cost = of_rank[s];
      result[s].kept = std::max(result[s].kept, cost.kept);
      result[s].peak = std::max(result[s].peak, cost.peak);
      result[s].sent.messages = std::max(result[s].sent.messages, cost.sent.messages);
      result[s].sent.bytes = std::max(result[s].sent.bytes, cost.sent.bytes);
      seconds[s].push_back(cost.seconds);
    }
  }
  for (std::size_t s = 0; s < kSteps.size(); ++s) {
    std::nth_element(seconds[s].begin(), seconds[s].begin() + ranks / 2, seconds[s].end());
    result[s].seconds = seconds[s][static_cast<std::size_t>(ranks / 2)];
  }
  return result;
}

/// Throws if a step costs a rank more on `ranks` than on `fewer` ranks by more than its limit.
void check_growth(const std::vector<Cost>& on_fewer, int fewer, const std::vector<Cost>& list, int ranks) {
  constexpr std::int64_t kRounding = 8192;  // pages of two large blocks
  const std::int64_t more = ranks - fewer;
  const int doublings = std::bit_width(static_cast<unsigned>(ranks)) - std::bit_width(static_cast<unsigned>(fewer));
  for (std::size_t s = 0; s < kSteps.size(); ++s) {
    const Step& step = kSteps[s];
    const auto expect = [&](const char* what, std::int64_t growth, std::int64_t most) {
      if (growth > most) {
        throw CommError(
            fmt::format("{}: {} grew by {} from {} to {} ranks, and may by {}", step.name, what, growth, fewer, ranks, most));
      }
    };
    expect("memory kept", list[s].kept - on_fewer[s].kept, step.kept_per_rank * more + kRounding);
    expect("the peak of memory", list[s].peak - on_fewer[s].peak, step.peak_per_rank * more + kRounding);
    expect("messages", list[s].sent.messages - on_fewer[s].sent.messages, step.messages_per_doubling * doublings);
    expect("bytes sent", list[s].sent.bytes - on_fewer[s].sent.bytes,
           step.sent_per_rank * more + step.bytes_per_doubling * doublings);
  }
}

void run() {
  struct Size {
    simulated::Torus torus;
    int ranks;  ///< number of ranks whose set-up is run
  };
  const std::vector<Size> sizes{
      {{{4, 4, 4}}, 64}, {{{8, 8, 8}}, 512}, {{{16, 16, 16}}, full_or_sanitized(4096, 256)}, {{{64, 32, 32}}, 64}};
  std::vector<std::vector<Cost>> by_size;
  for (const Size& size : sizes) {
    const Stopwatch watch;
    const std::vector<Cost>& list = by_size.emplace_back(most(size.torus, size.ranks));
    fmt::print("{} ranks, {} of them run in {:.1f} s:\n", size.torus.ranks(), size.ranks, watch.seconds());
    for (std::size_t s = 0; s < kSteps.size(); ++s) {
      fmt::print("  {:32} {:9.3f} ms  {:9} B kept  {:9} B at most  {:4} messages, {:8} B\n", kSteps[s].name,
                 1e3 * list[s].seconds, list[s].kept, list[s].peak, list[s].sent.messages, list[s].sent.bytes);
    }
  }
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    check_growth(by_size[i - 1], sizes[i - 1].torus.ranks(), by_size[i], sizes[i].torus.ranks());
  }
}

}  // namespace
}  // namespace weft

int main() {
  try {
    weft::run();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}

// Growth of the messages and bytes of set-up with the number of ranks, each of which has two neighbours.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/array/redistribute.hpp"

namespace weft::setup_traffic_test {
namespace {

constexpr std::int32_t kOwned = 100;

/// Requests the last row of the preceding rank and the first row of the next rank on a ring.
GhostPlan ring(const Communicator& comm) {
  const std::int64_t ranks = comm.size(), me = comm.rank().value();
  std::vector<GhostRequest> requests;
  for (const std::int64_t r : {(me + 1) % ranks, (me + ranks - 1) % ranks}) {
    for (std::int64_t i = 0; i < 10; ++i) requests.push_back({GlobalRow(kOwned * r + i), r == me ? 1 : 0});
  }
  return GhostPlan::build(comm, kOwned, requests);
}

/// Returns the maximum over ranks of the traffic of `f`.
Traffic most(const Communicator& comm, const std::function<void()>& f) {
  const Traffic before = comm.traffic();
  f();
  Traffic sent = comm.traffic() - before;
  sent.messages = comm.max(sent.messages);
  sent.bytes = comm.max(sent.bytes);
  return sent;
}

struct Step {
  std::string name;
  std::function<void(const Communicator&)> run;
  /// Maximum increase for each doubling of the number of ranks, and bytes for each additional rank. These are the measured
  /// numbers: messages are the same in every run, so that any increase is due to a change of the code.
  std::int64_t messages_per_doubling, bytes_per_doubling, bytes_per_rank;
  std::vector<Traffic> by_size;
};

TEST(SetupTraffic, GrowsWithTheLogarithmOfTheRanks) {
  const Communicator world = Communicator::world();
  std::vector<Step> steps{
      {"sum of 10 numbers",
       [](const Communicator& comm) {
         std::vector<double> values(10, 1.0);
         comm.sum(std::span(values));
       },
       1,
       80,
       0,
       {}},
      {"plan", [](const Communicator& comm) { (void)ring(comm); }, 4, 16, 4, {}},
      {"transformer and pull of a table",
       [plan = GhostPlan()](const Communicator& comm) mutable {
         plan = ring(comm);
         ArrayPair<double, 5> q(plan);
         (void)ArrayTransformer(plan, {q}).pull();
       },
       18,
       128,
       4,
       {}},
      {"CSR rows",
       [](const Communicator& comm) {
         const GhostPlan plan = ring(comm);
         Array<std::int32_t, NonUniform> rows;
         for (std::int32_t i = 0; i < kOwned; ++i) rows.push_row(std::vector<std::int32_t>(static_cast<std::size_t>(i % 4)));
         (void)pull_rows(plan, rows);
       },
       34,
       256,
       4,
       {}},
      {"redistribution to ranks",
       [](const Communicator& comm) {
         std::vector<Rank> to;
         for (int i = 0; i < kOwned; ++i) to.emplace_back((comm.rank().value() + i % 2) % comm.size());
         const std::vector<double> values(to.size(), 1.0);
         (void)Redistribution::to_ranks(comm, to).apply(values);
       },
       15,
       72,
       8,
       {}},
  };
  std::vector<int> sizes;
  for (int size = 1; size <= world.size(); size *= 2) sizes.push_back(size);
  for (const int size : sizes) {
    const Communicator comm = world.split(world.rank().value() < size ? 0 : 1);
    for (Step& step : steps) step.by_size.push_back(most(comm, [&] { step.run(comm); }));
  }
  for (const Step& step : steps) {
    if (world.is_root()) std::printf("%-34s", step.name.c_str());
    for (std::size_t i = 0; i < sizes.size() && world.is_root(); ++i) {
      const Traffic& sent = step.by_size[i];
      std::printf("  %d: %ld, %ld B", sizes[i], static_cast<long>(sent.messages), static_cast<long>(sent.bytes));
    }
    if (world.is_root()) std::printf("\n");
    // From 4 ranks on the two neighbours of each rank differ. Ranks outside the first half run with other sizes.
    for (std::size_t i = 3; i < sizes.size() && world.is_root(); ++i) {
      const Traffic more = step.by_size[i] - step.by_size[i - 1];
      EXPECT_LE(more.messages, step.messages_per_doubling) << step.name << " on " << sizes[i] << " ranks";
      EXPECT_LE(more.bytes, step.bytes_per_doubling + step.bytes_per_rank * (sizes[i] - sizes[i - 1]))
          << step.name << " on " << sizes[i] << " ranks";
    }
  }
}

}  // namespace
}  // namespace weft::setup_traffic_test

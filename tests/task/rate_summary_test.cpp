// Rates of tasks: exact answers for known times, and the counts of plans that were run.
#include "weft/task/rate_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"

#include "task/ring.hpp"

namespace weft::task::test::rate_summary_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int32_t kInner = 2;

/// Two ranks, on which a task of 4 GFLOP and 2 GB takes 1 s and 3 s; one without a count; and one in a stream.
[[nodiscard]] std::vector<RankTrace> two_ranks() {
  const RankTrace::Graph graph{
      {.count = {4e9, 2e9}}, {.waits_for = {0}}, {.count = {1e9, 8e9}}, {.kind = Kind::segment, .count = {1e9, 8e9}}};
  std::vector<RankTrace> ranks;
  for (const double seconds : {1.0, 3.0}) {
    RankTrace rank{.graphs = {graph}, .host = {.flops_per_second = 8e9, .bytes_per_second = seconds * 2e9}};
    const auto add = [&](const char* name, int thread, int node, double length) {
      rank.events.push_back({.name = name, .thread = thread, .stage = 0, .node = node, .begin = 1, .end = 1 + length});
    };
    add("fluxes", 0, 0, seconds);
    add("sums", 0, 1, 1);
    add("graph of 5 nodes", 0, 3, 1);
    add("flux kernel", kFirstStream, 2, 4);
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

TEST(RateSummary, DividesCountsByTimes) {
  const RateSummary summary = summarize_rates(two_ranks());
  ASSERT_EQ(summary.tasks.size(), 3U) << "a launch is no task";
  const RateSummary::Task& fluxes = summary.tasks[0];
  EXPECT_EQ(fluxes.name, "fluxes");
  EXPECT_EQ(fluxes.executions, 2);
  EXPECT_DOUBLE_EQ(fluxes.seconds, 4);
  EXPECT_EQ(fluxes.count, (OperationCount{8e9, 4e9}));
  EXPECT_DOUBLE_EQ(summary.host.bytes_per_second, 4e9) << "the mean of the ranks";
  EXPECT_DOUBLE_EQ(fluxes.least_seconds, 1) << "2 GB at 4 GB/s, and 4 GFLOP at 8 GFLOP/s, on each rank";
  EXPECT_DOUBLE_EQ(summary.seconds(false), 6);
  EXPECT_TRUE(summary.tasks[2].on_device);
  EXPECT_EQ(summary.tasks[2].least_seconds, 0) << "nothing is known of the GPU";
  const std::string text = summary.text();
  EXPECT_THAT(text, HasSubstr("roofline of a rank: copy 4.0 GB/s, 8.0 GFLOP/s"));
  EXPECT_THAT(text, HasSubstr("2000.0000   66.7 %     2.00     1.00       2.00       25.0 %"));
  EXPECT_THAT(text, HasSubstr("no rates of the machine are known"));
}

TEST(RateSummary, TakesGivenRatesInsteadOfMeasuredOnes) {
  const RateSummary summary = summarize_rates(two_ranks(), {.flops_per_second = 2e9}, {.bytes_per_second = 16e9});
  EXPECT_DOUBLE_EQ(summary.host.bytes_per_second, 4e9);
  EXPECT_DOUBLE_EQ(summary.tasks[0].least_seconds, 4) << "8 GFLOP at 2 GFLOP/s";
  EXPECT_DOUBLE_EQ(summary.tasks[2].least_seconds, 1) << "16 GB at 16 GB/s";
}

TEST(RateSummary, FilesKeepCountsAndRates) {
  const std::vector<RankTrace> before = two_ranks(), after = parse_trace(trace_text(before), "trace.json");
  EXPECT_EQ(after.front().graphs, before.front().graphs);
  EXPECT_EQ(after.back().host.bytes_per_second, before.back().host.bytes_per_second);
  EXPECT_EQ(summary_text(after), summary_text(before));
  EXPECT_THAT(summary_text(after), HasSubstr("tasks on the host, by counted operations"));
  std::string earlier = trace_text(before);
  for (const char* member : {"\"counts\"", "\"rates\""}) {  // unknown members, as a trace of an earlier version has none
    for (auto at = earlier.find(member); at != std::string::npos; at = earlier.find(member)) earlier[at + 1] = '_';
  }
  EXPECT_THAT(summary_text(parse_trace(earlier, "trace.json")), Not(HasSubstr("counted operations")));
}

/// Runs a graph of a task that can be divided, with a count, and returns the trace of this rank.
[[nodiscard]] std::vector<RankTrace> trace_of(Ring& ring, Graph& g, bool on_device) {
  const DataId u = g.add_array("u", ring.u, kInner), v = g.add_array("v", ring.v, kInner);
  if (on_device) {
    g.add_task("smooth", {reads(u), writes(v)}, on(device), [](Stream&, Rows) {});
  } else {
    g.add_task("smooth", {reads(u), writes(v)}, [](Rows) {});
  }
  g.set_count("smooth", {1000, 500});
  g.add_task("copy", {reads(v, Part::owned), writes(u)}, [](Rows) {});
  Plan plan = g.compile();
  Trace trace;
  plan.run(3, &trace);
  RankTrace rank{.graphs = trace.graphs()};
  for (const Trace::Event& event : trace.events()) {
    rank.events.push_back({.name = event.name, .stage = event.stage, .node = event.node, .begin = 0, .end = 1});
  }
  return {rank};
}

TEST(RateSummary, HalvesOfATaskHaveTheirShareOfTheCount) {
  Ring ring;
  Graph g(ring.comm);
  OperationCount sum;
  for (const RateSummary::Task& task : summarize_rates(trace_of(ring, g, false)).tasks) {
    if (!task.name.starts_with("smooth")) continue;
    sum += task.count;
    if (task.name.ends_with("(inner)")) {
      EXPECT_DOUBLE_EQ(task.count.flops, 3.0 * 1000 * kInner / ring.u.plan().owned_rows());
    }
  }
  EXPECT_NEAR(sum.flops, 3000, 1e-9);
  EXPECT_NEAR(sum.bytes, 1500, 1e-9);
}

TEST(RateSummary, SegmentsHaveTheCountsOfTheirTasks) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const std::vector<RankTrace> ranks = trace_of(ring, g, true);
  double flops = 0;
  const RankTrace::Graph& executed = ranks.front().graphs[ranks.front().events.back().stage];
  for (const RankTrace::Node& node : executed) flops += node.kind == Kind::segment ? node.count.flops : 0;
  EXPECT_NEAR(flops, 1000, 1e-9);
}

TEST(RateSummary, WrongCountsAreErrors) {
  Ring ring;
  Graph g(ring.comm);
  g.add_task("nothing", {}, [] {});
  EXPECT_THAT(error_of<ContractError>([&] {
                g.set_count("smooth", {1, 1});
              }),
              HasSubstr("no task 'smooth', which is given a count"));
  EXPECT_THAT(error_of<ContractError>([&] { g.set_count("nothing", {-1, 1}); }), HasSubstr("the count of task 'nothing' is -1"));
  EXPECT_THAT(error_of<ContractError>([&] {
                g.set_count("nothing", {1, std::numeric_limits<double>::infinity()});
              }),
              HasSubstr("is inf"));
}

}  // namespace
}  // namespace weft::task::test::rate_summary_test

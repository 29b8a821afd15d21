// Hidden communication of devices: exact answers for rows with known times, and what the summaries say.
#include "weft/task/device_overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"

namespace weft::task::device_overlap_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// change -> start -> finish -> border, change -> border; inner does not depend on the exchange.
const RankTrace::Graph kCompiled{{.kind = Kind::task, .waits_for = {}, .on_device = true},
                                 {.kind = Kind::start, .waits_for = {0}, .on_device = true},
                                 {.kind = Kind::finish, .waits_for = {1}, .on_device = true},
                                 {.kind = Kind::task, .waits_for = {}, .on_device = true},
                                 {.kind = Kind::task, .waits_for = {0, 2}, .on_device = true}};
/// That graph as the executor has it.
const RankTrace::Graph kJoined{{.kind = Kind::segment, .waits_for = {}, .on_device = true}};
constexpr int kMain = kFirstStream, kUrgent = kFirstStream + 1;

/// When inner begins and ends, in an iteration in which the exchange lasts from 1 to 5 s.
struct Inner {
  double begin, end;
};

/// A rank with an iteration of kCompiled for each element of `inner`, 10 s after the one before, whose rows are shown if
/// `has_rows`.
[[nodiscard]] RankTrace rank(const std::vector<Inner>& inner, bool has_rows = true) {
  RankTrace trace{.events = {}, .graphs = {kJoined, kCompiled}};
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const double zero = 10.0 * static_cast<double>(i);
    const int iteration = static_cast<int>(i);
    trace.events.push_back({.name = "graph of 5 nodes from 'change'",
                            .iteration = iteration,
                            .stage = 0,
                            .node = 0,
                            .begin = zero,
                            .end = zero + 0.1,
                            .kind = RecordedEvent::Kind::launch});
    if (!has_rows) continue;
    const auto add = [&](const char* name, int thread, int node, double begin, double end) {
      const bool exchanges = node == 1 || node == 2;
      trace.events.push_back({.name = name,
                              .thread = thread,
                              .iteration = iteration,
                              .stage = 1,
                              .node = node,
                              .begin = zero + begin,
                              .end = zero + end,
                              .kind = exchanges ? RecordedEvent::Kind::communication : RecordedEvent::Kind::task});
    };
    add("change", kUrgent, 0, 0, 1);
    add("start pull u", kUrgent, 1, 1, 2);
    add("finish pull u", kUrgent, 2, 4, 5);
    add("inner", kMain, 3, inner[i].begin, inner[i].end);
    add("border", kUrgent, 4, 6, 7);
  }
  return trace;
}

[[nodiscard]] DeviceOverlap summary_of(const std::vector<Inner>& inner) {
  return summarize_device_overlap(std::vector{rank(inner)});
}

TEST(DeviceOverlap, AllIsHiddenWhereATaskLastsAsLongAsTheExchange) {
  const DeviceOverlap summary = summary_of({{0, 6}});
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.exchanges[0].name, "pull u");
  EXPECT_NEAR(summary.exchanges[0].seconds, 4, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].hidden, 4, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 4, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 1, 1e-12);
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: 100.0 % of the time of exchanges that independent tasks "
                                        "can hide; iterations with rows: 1; ms\n"));
  EXPECT_THAT(summary.text(), HasSubstr("  pull u                                    4000.0000  4000.0000      4000.0000\n"));
  EXPECT_THAT(summary.text(), Not(HasSubstr("not contained")));
}

TEST(DeviceOverlap, NothingIsHiddenWhereTheTaskFollowsTheExchange) {
  const DeviceOverlap summary = summary_of({{5, 9}});
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.exchanges[0].hidden, 0) << "border does not count: it begins after the exchange";
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 4, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 0, 1e-12);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: 0.0 % of"));
}

TEST(DeviceOverlap, HalfIsHiddenWhereTheTaskBeginsInTheMiddle) {
  const DeviceOverlap summary = summary_of({{3, 9}});
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_NEAR(summary.exchanges[0].hidden, 2, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 4, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 0.5, 1e-12);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: 50.0 % of"));
}

TEST(DeviceOverlap, AShortTaskHidesItsOwnTimeAndNoMoreCanBeHidden) {
  const DeviceOverlap summary = summary_of({{2.5, 3.5}});
  EXPECT_NEAR(summary.exchanges[0].hidden, 1, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 1, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 1, 1e-12);
}

TEST(DeviceOverlap, RowsOfTwoStreamsAtTheSameTimeCountOnce) {
  RankTrace trace = rank({{2, 4}});
  trace.graphs[1].push_back({.kind = Kind::task, .waits_for = {}, .on_device = true});
  trace.events.push_back({.name = "sums", .thread = kFirstStream + 4, .stage = 1, .node = 5, .begin = 3, .end = 6});
  const DeviceOverlap summary = summarize_device_overlap(std::vector{trace});
  EXPECT_NEAR(summary.exchanges[0].hidden, 3, 1e-12);         // from 2 to 5
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 4, 1e-12);  // both last from 2 to 6
}

TEST(DeviceOverlap, WhereEachTaskDependsOnTheExchangeTheSummarySaysSo) {
  RankTrace trace = rank({{5, 6}});
  trace.graphs[1][3].waits_for = {2};
  const DeviceOverlap summary = summarize_device_overlap(std::vector{trace});
  EXPECT_EQ(summary.exchanges[0].can_be_hidden, 0);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: none, because no task is independent of an exchange"));
}

TEST(DeviceOverlap, TimesAreMeansOverRanksAndTheirIterations) {
  const DeviceOverlap summary = summarize_device_overlap(std::vector{rank({{0, 6}, {5, 9}}), rank({{3, 9}, {3, 9}})});
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.iterations, 2);
  EXPECT_NEAR(summary.exchanges[0].seconds, 4, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].hidden, (4.0 + 0.0 + 2.0 + 2.0) / 4, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 0.5, 1e-12);
}

TEST(DeviceOverlap, IterationsThatWereLaunchedAsGraphsAreNotContained) {
  RankTrace trace = rank({{0, 6}});
  for (int i = 1; i < 16; ++i) {
    trace.events.push_back(trace.events.front());
    trace.events.back().iteration = i;
  }
  const DeviceOverlap summary = summarize_device_overlap(std::vector{trace});
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_EQ(summary.without_rows, 15);
  EXPECT_THAT(summary.text(),
              HasSubstr("\n  not contained: 15 iterations without rows in streams; nodes within a CUDA graph have"));
}

TEST(DeviceOverlap, WithoutRowsTheSummarySaysWhatToDo) {
  const std::vector traces{rank({{0, 6}}, false)};
  const DeviceOverlap summary = summarize_device_overlap(traces);
  EXPECT_TRUE(summary.has_exchanges);
  EXPECT_FALSE(summary.known());
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: not known, because no exchange has rows in streams"));
  EXPECT_THAT(summary.text(), HasSubstr("task::Trace(task::Trace::Streams::shown)"));
  EXPECT_THAT(summary_text(traces), HasSubstr("\nhidden communication on GPUs: not known"));
}

TEST(DeviceOverlap, IsEmptyWithoutExchangesOfADevice) {
  RankTrace trace = rank({{0, 6}});
  for (RankTrace::Node& node : trace.graphs[1]) node.kind = Kind::task;
  std::erase_if(trace.events, [](const auto& event) { return event.kind == RecordedEvent::Kind::communication; });
  EXPECT_EQ(summarize_device_overlap(std::vector{trace}).text(), "");
  EXPECT_EQ(summarize_device_overlap(std::vector<RankTrace>(2)).text(), "");
}

TEST(DeviceOverlap, FilesKeepWhatItNeeds) {
  const std::vector before{rank({{3, 9}}), rank({{3, 9}})}, after = parse_trace(trace_text(before), "trace.json");
  EXPECT_EQ(after[1].graphs, before[1].graphs);
  EXPECT_EQ(trace_text(after), trace_text(before));
  EXPECT_EQ(summary_text(after), summary_text(before));
  EXPECT_THAT(summary_text(after), HasSubstr("hidden communication on GPUs: 50.0 % of"));
  std::string earlier = trace_text(before);
  for (std::size_t at = 0; (at = earlier.find(", \"device\": [[")) != std::string::npos;) {
    earlier.erase(at, earlier.find("]]", at) + 2 - at);
  }
  EXPECT_THAT(summary_text(parse_trace(earlier, "trace.json")), HasSubstr("hidden communication on GPUs: 50.0 % of"));
}

}  // namespace
}  // namespace weft::task::device_overlap_test

// Summaries of traces: exact answers for two ranks with known times, and those of plans that were run.
#include "weft/task/trace_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace trace_summary_test {
namespace {

using namespace weft::task;
using testing::HasSubstr;
using weft::task::test::Ring;

/// a -> start -> finish -> border -> sum, a -> inner -> sum.
const Trace::Graph kGraph{{Kind::task, {}},  {Kind::start, {0}}, {Kind::finish, {1}},
                          {Kind::task, {0}}, {Kind::task, {2}},  {Kind::all_reduce, {3, 4}}};

struct Span {
  double begin, end;
};

/// A rank with an iteration of kGraph, and a wait.
[[nodiscard]] RankTrace rank(const std::vector<Span>& nodes, Span wait, const std::vector<RankTrace::Sent>& sent) {
  const std::vector<std::string> names{"a", "start pull u", "finish pull u", "inner", "border", "sum"};
  RankTrace trace{.events = {}, .graphs = {kGraph}, .sent = sent};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    trace.events.push_back(
        {.name = names[i], .stage = 0, .node = static_cast<int>(i), .begin = nodes[i].begin, .end = nodes[i].end});
  }
  trace.events.push_back({.name = "wait", .stage = 0, .begin = wait.begin, .end = wait.end});
  return trace;
}

/// Rank 0 waits for the message of rank 1, whose task takes longer, and later in the reduction.
[[nodiscard]] std::vector<RankTrace> two_ranks() {
  return {rank({{0, 1}, {1, 1.1}, {4, 4.1}, {1.1, 3.1}, {4.1, 5}, {5, 6.5}}, {3.1, 4}, {{1, {1, 800}}}),
          rank({{0, 3}, {3, 3.1}, {3.5, 3.6}, {4.2, 6.2}, {3.6, 4.2}, {6.2, 6.5}}, {3.1, 3.5}, {{0, {2, 160}}})};
}

TEST(TraceSummary, FindsTheLongestChainOfDependencies) {
  const TraceSummary summary = summarize(two_ranks());
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_NEAR(summary.iteration, 6.5, 1e-12);
  EXPECT_EQ(summary.critical_rank, 0);  // the chain of rank 1 goes through its inner rows: 3 + 2 + 0.3 s
  EXPECT_NEAR(summary.critical_path, 6.5, 1e-12);
  ASSERT_EQ(summary.critical.size(), 6U);
  EXPECT_EQ(summary.critical.front().name, "pull u in flight");
  EXPECT_NEAR(summary.critical.front().seconds, 2.9, 1e-12);
  EXPECT_EQ(summary.critical[1].name, "sum");
}

TEST(TraceSummary, ComparesHiddenCommunicationWithWhatIndependentTasksAllow) {
  const TraceSummary summary = summarize(two_ranks());
  ASSERT_EQ(summary.exchanges.size(), 1U);
  const TraceSummary::Exchange& pull = summary.exchanges[0];
  EXPECT_NEAR(pull.seconds, (3.1 + 0.6) / 2, 1e-12);
  EXPECT_NEAR(pull.hidden, (2.0 + 0.0) / 2, 1e-12);
  EXPECT_NEAR(pull.can_be_hidden, (2.0 + 0.6) / 2, 1e-12);  // rank 1 computes its inner rows too late
  EXPECT_NEAR(summary.hidden_share(), 2.0 / 2.6, 1e-12);
}

/// The communicating thread packs for 1 s and unpacks for 1 s: only another thread can hide that.
TEST(TraceSummary, CountsThePackingOfMessagesAsCommunication) {
  std::vector<RankTrace> one{rank({{0, 1}, {1, 2}, {5, 6}, {2, 4}, {6, 7}, {7, 8}}, {4, 5}, {})};
  TraceSummary summary = summarize(one);
  EXPECT_NEAR(summary.exchanges[0].seconds, 5, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].hidden, 2, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 2, 1e-12);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication: 100.0 % of the time of exchanges that independent tasks can hide\n"
                                        "  exchange                                       time     hidden  can be hidden\n"
                                        "  pull u                                    5000.0000  2000.0000      2000.0000\n"
                                        "  all exchanges                             5000.0000  2000.0000      2000.0000\n"));
  one[0].events[3] = {.name = "inner", .thread = 1, .stage = 0, .node = 3, .begin = 1, .end = 6};
  summary = summarize(one);
  EXPECT_NEAR(summary.exchanges[0].hidden, 5, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 1, 1e-12);
  one[0].events[3] = {.name = "inner", .thread = 0, .stage = 0, .node = 3, .begin = 6, .end = 10};
  summary = summarize(one);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 4, 1e-12);
  EXPECT_NEAR(summary.hidden_share(), 0, 1e-12);
}

TEST(TraceSummary, SaysWhereNoTaskMayRunDuringAnExchange) {
  std::vector<RankTrace> one{rank({{0, 1}, {1, 2}, {5, 6}, {2, 4}, {6, 7}, {7, 8}}, {4, 5}, {})};
  one[0].graphs[0][3].waits_for = {2};
  one[0].events[3].begin = 6.5, one[0].events[3].end = 7;
  const TraceSummary summary = summarize(one);
  EXPECT_EQ(summary.exchanges[0].can_be_hidden, 0);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication: none, because no task is independent of an exchange\n"));
  EXPECT_THAT(summary.text(), HasSubstr("  all exchanges                             5000.0000     0.0000         0.0000\n"));
}

TEST(TraceSummary, NamesTheRankThatIsWaitedFor) {
  const TraceSummary summary = summarize(two_ranks());
  ASSERT_EQ(summary.waits.size(), 2U);
  EXPECT_EQ(summary.waits[0].rank, 0);
  EXPECT_EQ(summary.waits[0].for_rank, 1);
  EXPECT_NEAR(summary.waits[0].seconds, 0.9 + 1.2, 1e-12);
  EXPECT_NEAR(summary.waits[1].seconds, 0.4, 1e-12);
  EXPECT_EQ(summary.waits[1].for_rank, 0);
}

TEST(TraceSummary, ComparesTheLoadOfRanks) {
  const TraceSummary summary = summarize(two_ranks());
  EXPECT_EQ(summary.busiest_rank, 1);
  EXPECT_NEAR(summary.computed_most, 5.6, 1e-12);
  EXPECT_NEAR(summary.computed_mean, (3.9 + 5.6) / 2, 1e-12);
  const TraceSummary::Phase& first = summary.phases.front();
  EXPECT_EQ(first.name, "a");
  EXPECT_NEAR(first.mean, 2, 1e-12);
  EXPECT_NEAR(first.most, 3, 1e-12);
  EXPECT_EQ(first.rank, 1);
  const std::string text = summary.text();
  EXPECT_THAT(text, HasSubstr("rank 1 computes 5600.0000, 17.9 % more than the mean of 4750.0000"));
  EXPECT_THAT(text, HasSubstr("rank 0 waits 2100.0000 for rank 1"));
  EXPECT_THAT(text, HasSubstr("hidden communication: 76.9 % of the time"));
  EXPECT_THAT(text, HasSubstr("     1      0            2              160"));
}

TEST(TraceSummary, TwoThreadsHideHalfOfTheTimeOfATaskEach) {
  RankTrace one = two_ranks()[1];
  one.events[2] = {.name = "finish pull u", .stage = 0, .node = 2, .begin = 4.9, .end = 5};
  one.events[4] = {.name = "border", .stage = 0, .node = 4, .begin = 6.2, .end = 6.3};
  TraceSummary summary = summarize(std::vector{one});
  EXPECT_NEAR(summary.exchanges[0].seconds, 2, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].hidden, 0.8, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 2, 1e-12);
  one.events[3].thread = 1;  // the 2 s of the inner rows would take 1 s on two threads
  summary = summarize(std::vector{one});
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 1, 1e-12);
  one.events[3].begin = 3.5;  // but one thread has executed them, and 1.5 s of the exchange were hidden
  summary = summarize(std::vector{one});
  EXPECT_NEAR(summary.exchanges[0].hidden, 1.5, 1e-12);
  EXPECT_NEAR(summary.exchanges[0].can_be_hidden, 1.5, 1e-12);
}

TEST(TraceSummary, LeavesExchangesOfDevicesOut) {
  std::vector<RankTrace> ranks = two_ranks();
  const double iteration = summarize(ranks).iteration;
  for (RankTrace& rank : ranks) {
    for (const int node : {1, 2}) rank.graphs[0][node].on_device = true;
    rank.events.push_back({.name = "inner", .thread = kFirstStream, .stage = 0, .node = 3, .begin = 0, .end = 100});
  }
  EXPECT_TRUE(summarize(ranks).exchanges.empty());
  EXPECT_EQ(summarize(ranks).text().find("hidden communication"), std::string::npos);
  EXPECT_EQ(summarize(ranks).iteration, iteration) << "rows of streams are no nodes that the host executes";
}

TEST(TraceSummary, IsEmptyWithoutIterations) {
  const TraceSummary summary = summarize(std::vector<RankTrace>(2));
  EXPECT_EQ(summary.iterations, 0);
  EXPECT_EQ(summary.hidden_share(), 1);
  EXPECT_THAT(summary.text(), HasSubstr("0 iterations on 2 ranks"));
}

TEST(TraceSummary, OfAPlanThatWasRunCountsItsMessages) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("smooth", {reads(u), writes(v)}, [] {});
  g.add_task("copy", {reads(v, Part::owned), writes(u)}, [] {});
  Plan plan = g.compile(2);
  Trace trace;
  plan.run(3, &trace);
  plan.run(2, &trace);
  EXPECT_LE(trace.graphs().size(), 2U);
  const std::string text = trace.summary(ring.comm);
  if (!ring.comm.is_root()) {
    EXPECT_EQ(text, "");
    return;
  }
  EXPECT_THAT(text, HasSubstr("5 iterations on " + std::to_string(ring.comm.size()) + " ranks"));
  EXPECT_THAT(text, HasSubstr("smooth"));
  EXPECT_EQ(text.find("pull u in flight") != std::string::npos, ring.comm.size() > 1);
  const std::string bytes = ring.comm.size() == 2 ? "80" : "40";  // 5 pulls of two rows from the only neighbour, or of one row
  EXPECT_EQ(text.find("     1      0            5               " + bytes) != std::string::npos, ring.comm.size() > 1);
}

}  // namespace
}  // namespace trace_summary_test

// Graphs on one to four ranks: tasks, exchanges, repetitions and costs; plans and traces can be read.
#include "weft/task/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/schedule.hpp"

#include "task/ring.hpp"

namespace graph_test {
namespace {

using namespace weft::task;
using test::error_of, test::kRows, test::Ring, test::Field;
using testing::HasSubstr;
using weft::Communicator;
using weft::GhostPlan;
using weft::GlobalRow;
using weft::LocalRow;
using weft::Reduce;

TEST(Graph, ExecutesTheRowsOfADividedTaskOnce) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 3);
  std::vector<int> calls(kRows);
  g.add_task("count", {reads_writes(u)}, [&](Rows rows) {
    for (const LocalRow row : rows) ++calls[row.index()];
  });
  Plan plan = g.compile(2);
  plan.run(5);
  EXPECT_THAT(calls, testing::Each(5));
  plan.run(0);
  EXPECT_THAT(calls, testing::Each(5));
}

TEST(Graph, KeepsWorkingWhenArraysAreMoved) {
  Ring ring;
  Graph g(ring.comm);
  auto here = std::make_unique<Field>(std::move(ring.u));
  const DataId u = g.add_array("u", *here), v = g.add_array("v", ring.v);
  Field* at = here.get();
  double ghost = 0;
  g.add_task("set", {writes(u)}, [&] {
    for (int i = 0; i < kRows; ++i) (*at)(i, 0) = static_cast<double>(ring.first() + i);
  });
  g.add_task("read", {reads(u), writes(v)}, [&] { ghost = std::as_const(*at)(ring.plan.find(GlobalRow(ring.behind())), 0); });
  Plan plan = g.compile();
  Field there = std::move(*here);
  at = &there;
  plan.run();
  EXPECT_EQ(ghost, static_cast<double>(ring.behind()));
}

TEST(Graph, ExchangesUseTheRequestedTransport) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs ghost rows";
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("copy", {reads(u), reads_writes(v)}, [] {});
  g.add_task("change", {reads_writes(u)}, [] {});
  for (const weft::Transport transport : {weft::Transport::host, weft::Transport::shared}) {
    Plan plan = g.compile(1, Check::none, transport);
    ASSERT_EQ(plan.exchanges().size(), 1U);
    EXPECT_EQ(plan.exchanges().front().transport(), transport);
    plan.run(3);
    EXPECT_EQ(plan.exchanges().front().sent().messages, 3 * std::ssize(ring.plan.neighbours()));
    plan.close();
    EXPECT_THAT(error_of<weft::ContractError>([&] { (void)plan.exchanges(); }), HasSubstr("a closed plan"));
    EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(); }), HasSubstr("this plan was closed"));
  }
  EXPECT_THROW((void)g.compile(1, Check::none, weft::Transport::staged), weft::InputError) << "the arrays are on the host";
}

TEST(Graph, TasksOfSeveralThreadsRunAtTheSameTime) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  std::atomic<int> arrived{0};
  const auto meet = [&] {
    ++arrived;
    while (arrived.load() < 2) std::this_thread::yield();  // each needs the other to go on
  };
  g.add_task("a", {reads_writes(u)}, meet);
  g.add_task("b", {reads_writes(v)}, meet);
  g.compile(2).run();
  EXPECT_EQ(arrived.load(), 2);
}

TEST(Graph, ALongMessageIsInFlightDuringAReduction) {
  const Communicator comm = Communicator::world();
  constexpr int kLong = 1 << 19;
  std::vector<GlobalRow> wanted;
  const std::int64_t next = (comm.rank().value() + 1) % comm.size();
  for (int i = 0; i < kLong; ++i) wanted.emplace_back(next * kLong + i);
  const GhostPlan plan = GhostPlan::build(comm, kLong, wanted);
  Field long_field(plan);
  double sum = 0, last = 0;
  for (int i = 0; i < kLong; ++i) long_field(i, 0) = static_cast<double>(comm.rank().value());
  Graph g(comm);
  const DataId u = g.add_array("u", long_field), s = g.add_number("sum", sum);
  g.add_task("use", {reads(u)}, [&] { last = std::as_const(long_field)(plan.local_of(kLong - 1), 0); });
  g.add_task("measure", {reduces(s, Reduce::add)}, [&] { sum += 1; });
  for (const int threads : {1, 2}) {
    last = -1;
    g.compile(threads).run(3);
    EXPECT_EQ(sum, comm.size());
    EXPECT_EQ(last, static_cast<double>(next));
  }
}

/// A graph that halves a residual, whose sum over the ranks it computes.
struct Halving {
  Ring ring;
  double residual = 0;
  double local = 64;
  int fails_at = -1, calls = 0;
  Graph g{ring.comm};
  DataId r = g.add_number("residual", residual);

  Halving() {
    g.add_task("halve", {reduces(r, Reduce::add)}, [this] {
      if (++calls == fails_at && ring.comm.is_root()) throw weft::PhysicsError("no");
      residual += local /= 2;
    });
  }
};

TEST(Graph, RepeatsUntilAConditionHolds) {
  for (const int threads : {1, 2}) {
    Halving h;
    Plan plan = h.g.compile(threads);
    const int ranks = h.ring.comm.size();
    Trace trace;
    const Plan::Repeated some = plan.repeat_until(
        h.r, [&](double x) { return x <= 4.0 * ranks; }, 100, &trace);
    EXPECT_TRUE(some.fulfilled);
    EXPECT_EQ(some.iterations, 4);  // 32, 16, 8, 4
    EXPECT_EQ(h.calls, 4);
    EXPECT_EQ(trace.begin_iteration(), 4);
    const Plan::Repeated most = plan.repeat_until(
        h.r, [](double) { return false; }, 3);
    EXPECT_FALSE(most.fulfilled);
    EXPECT_EQ(most.iterations, 3);
    EXPECT_EQ(h.calls, 7);
    EXPECT_EQ(plan.repeat_until(
                      h.r, [](double) { return true; }, 0)
                  .iterations,
              0);
  }
}

TEST(Graph, RepetitionsEndOnAllRanksAfterErrors) {
  Halving h;
  h.fails_at = 2;
  Plan plan = h.g.compile();
  EXPECT_THAT(error_of<weft::PhysicsError>([&] {
                plan.repeat_until(
                    h.r, [](double) { return false; }, 1000);
              }),
              HasSubstr("task 'halve': no"));
  EXPECT_EQ(h.calls, 2);
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                plan.repeat_until(
                    h.r, [&](double) -> bool { throw std::out_of_range("of the condition"); }, 1000);
              }),
              HasSubstr("the condition on 'residual': of the condition"));
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                plan.repeat_until(
                    DataId(7), [](double) { return true; }, 1);
              }),
              HasSubstr("no number of its graph"));
  if (h.ring.comm.size() == 1) return;
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                plan.repeat_until(
                    h.r, [&](double) { return h.ring.comm.is_root(); }, 1000);
              }),
              HasSubstr("the ranks do not agree whether 'residual' fulfils the condition"));
}

TEST(Graph, ExecutesTheTaskWithTheLongestRemainingTimeFirst) {
  Graph g(Communicator::world());
  std::array<double, 5> numbers{};
  std::vector<DataId> ids;
  for (double& number : numbers) ids.push_back(g.add_number("n" + std::to_string(ids.size()), number));
  std::string order;
  const auto add = [&](const std::string& name, std::vector<Access> accesses) {
    g.add_task(name, std::move(accesses), [&order, name] { order += name; });
  };
  add("a", {writes(ids[0])});
  add("b", {writes(ids[1])});
  add("c", {writes(ids[2])});
  add("d", {reads(ids[1]), writes(ids[3])});
  add("e", {reads(ids[3]), writes(ids[4])});
  g.compile().run();
  EXPECT_EQ(order, "abdec");  // as recorded, and a successor that becomes ready at once
  g.set_cost("c", 3);
  g.set_cost("d", 2);
  g.set_cost("e", 2.5);
  order.clear();
  g.compile().run(2);
  EXPECT_EQ(order, "bdceabdcea");  // 4.5 s remain from b and d, 3 s from c, 2.5 s from e, nothing from a
}

TEST(Graph, RefusesImpossibleCosts) {
  Graph g(Communicator::world());
  double number = 0;
  g.add_task("a", {writes(g.add_number("n", number))}, [] {});
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.set_cost("b", 1); }), HasSubstr("no task 'b'"));
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(error_of<weft::ContractError>([&] { g.set_cost("a", seconds); }), HasSubstr("the cost of task 'a'"));
  }
}

TEST(Graph, PlanAndTraceCanBeRead) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs ghost rows, which a ring on one rank does not have";
  Graph g(ring.comm);
  const DataId u = g.add_array("\"u\"", ring.u, 2), v = g.add_array("v", ring.v, 2);
  g.add_task("smooth", {reads(u), writes(v)}, [](Rows) {});
  g.add_task("copy", {reads(v, Part::owned), writes(u)}, [](Rows) {});
  Plan plan = g.compile();
  EXPECT_THAT(plan.text(), HasSubstr("because 'smooth"));
  EXPECT_THAT(plan.dot(), HasSubstr("\"start pull \\\"u\\\"\""));
  EXPECT_THAT(plan.json(), HasSubstr("\"kind\": \"start\""));
  EXPECT_THAT(plan.svg(), HasSubstr("<title>start pull &quot;u&quot;: 'smooth"));
  Trace trace;
  plan.run(2, &trace);
  EXPECT_THAT(trace.summary(), HasSubstr("copy"));
  const auto count =
      std::ranges::count_if(trace.events(), [](const Trace::Event& event) { return event.name.starts_with("smooth"); });
  EXPECT_EQ(count,
            plan.schedule().repeated.nodes.size() > 4 ? 4 : 2);  // two iterations; two halves where inner rows are not sent
  const std::string path = std::filesystem::temp_directory_path() / ("weft_trace_" + std::to_string(ring.comm.size()) + ".json");
  trace.write(ring.comm, path);
  if (ring.comm.is_root()) {
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(text, HasSubstr("\"pid\": " + std::to_string(ring.comm.size() - 1)));
    std::filesystem::remove(path);
  }
  EXPECT_THAT(error_of<weft::IoError>([&] { trace.write(ring.comm, "/no/such/folder/trace.json"); }),
              HasSubstr("/no/such/folder/trace.json"));
}

}  // namespace
}  // namespace graph_test

// Which thread executes a task, in which order, and what threads without a task do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/clock.hpp"
#include "weft/task/graph.hpp"

#include "support/sleeps.hpp"
#include "task/ring.hpp"

namespace executor_test {
namespace {

using namespace weft::task;
using weft::Communicator;

/// Returns the processor time of all threads of this process, or of another clock, s.
double processor_seconds(clockid_t of = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time{};
  clock_gettime(of, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Executor, ExecutesTheFirstReadySuccessorNextOnTheSameThread) {
  constexpr int kChains = 5, kLength = 40;
  for (const int threads : {1, 3}) {
    Graph g(Communicator::self());
    std::deque<double> numbers(kChains);
    std::vector<std::vector<std::thread::id>> executed_by(kChains);
    std::vector<DataId> ids;
    for (int chain = 0; chain < kChains; ++chain) ids.push_back(g.add_number("n" + std::to_string(chain), numbers[chain]));
    for (int i = 0; i < kLength; ++i) {
      for (int chain = 0; chain < kChains; ++chain) {
        g.add_task("t" + std::to_string(i), {reads_writes(ids[chain])},
                   [&, chain] { executed_by[chain].push_back(std::this_thread::get_id()); });
      }
    }
    Plan plan = g.compile(threads);
    for (int run = 0; run < 20; ++run) {
      for (auto& chain : executed_by) chain.clear();
      plan.run(1);
      for (const auto& chain : executed_by) EXPECT_EQ(chain, std::vector(kLength, chain.front()));
    }
  }
}

TEST(Executor, ExecutesAReadySuccessorBeforeTasksThatWereReadyEarlier) {
  Graph g(Communicator::self());
  std::deque<double> numbers(3);
  std::vector<DataId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(g.add_number("n" + std::to_string(i), numbers[i]));
  std::string order;
  for (int i = 0; i < 3; ++i) g.add_task("first", {reads_writes(ids[i])}, [&, i] { order += static_cast<char>('a' + i); });
  for (int i = 0; i < 3; ++i) g.add_task("second", {reads_writes(ids[i])}, [&, i] { order += static_cast<char>('A' + i); });
  g.compile(1).run(1);
  EXPECT_EQ(order, "aAbBcC");
}

/// Tasks without predecessors are executed in the order of recording, and with costs the longest first; but before all of them
/// the one for which a pull waits.
TEST(Executor, ExecutesTasksForWhichCommunicationWaitsFirst) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr int kOthers = 40;  // more than a thread takes at once
  for (const bool with_costs : {false, true}) {
    weft::task::test::Ring ring;
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
    std::deque<double> numbers(kOthers);
    std::string order;
    for (double& number : numbers) g.add_task("other", {reads_writes(g.add_number("n", number))}, [&] { order += 'o'; });
    g.add_task("update", {reads_writes(u)}, [&] { order += 'u'; });
    g.add_task("smooth", {reads(u), writes(v)}, [&] { order += 's'; });
    if (with_costs) g.set_cost("other", 1.0);
    Plan plan = g.compile();
    for (int run = 0; run < 2; ++run) {
      order.clear();
      plan.run(1);
      EXPECT_EQ(std::ssize(order), kOthers + 2);
      EXPECT_EQ(order.find('u'), 0U) << order;
    }
  }
}

/// A graph on two or more ranks whose tasks append letters to a text: each task has a number of its own, which it writes, and
/// reads the numbers of tasks before it.
class Letters {
 public:
  Letters() : g(ring.comm), u(g.add_array("u", ring.u)), v(g.add_array("v", ring.v)) {}

  /// Adds a task. @param after  letters of tasks that precede it.  @param more  further accesses.
  void add(char letter, const std::string& after, std::vector<Access> more = {}) {
    numbers_.push_back(0);
    const DataId own = g.add_number(std::string("of ") + letter, numbers_.back());
    more.push_back(writes(own));
    for (const char before : after) more.push_back(reads(ids_.at(static_cast<std::size_t>(letters_.find(before)))));
    letters_ += letter;
    ids_.push_back(own);
    g.add_task(std::string(1, letter), std::move(more), [this, letter] { order += letter; });
  }
  /// Returns the order of execution on one thread in each of two runs, with a blank between them.
  [[nodiscard]] std::string executed() {
    Plan plan = g.compile();
    order.clear();
    plan.run(1);
    order += ' ';
    plan.run(1);
    return order;
  }

  weft::task::test::Ring ring;
  Graph g;
  DataId u, v;
  std::string order;

 private:
  std::deque<double> numbers_;
  std::vector<DataId> ids_;
  std::string letters_;
};

TEST(Executor, ChoosesTheSuccessorForWhichCommunicationWaits) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Letters t;
  t.add('a', "");
  for (int i = 0; i < 3; ++i) t.add(static_cast<char>('1' + i), i == 0 ? "a" : std::string(1, static_cast<char>('0' + i)));
  t.add('c', "a", {reads_writes(t.u)});
  t.add('s', "", {reads(t.u), writes(t.v)});
  EXPECT_THAT(t.executed(), testing::MatchesRegex("ac1?2?3?s1?2?3? ac1?2?3?s1?2?3?"));
}

TEST(Executor, ExecutesUrgentTasksBeforeASuccessorThatIsNot) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Letters t;
  double sum = 0;
  const DataId n = t.g.add_number("sum", sum);
  t.add('a', "");
  t.add('c', "a", {reads_writes(t.u)});
  t.add('1', "c");
  t.add('2', "1");
  t.add('d', "a", {reads_writes(t.v)});
  t.add('e', "", {reads(t.u), reads(t.v), reduces(n, weft::Reduce::add)});
  EXPECT_EQ(t.executed().substr(0, 3), "acd");  // 1 is the only successor of c
}

TEST(Executor, TasksThatPrecedeCommunicationThroughOthersAreUrgent) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  for (const bool with_costs : {false, true}) {
    Letters t;
    t.add('a', "");
    for (int i = 0; i < 4; ++i) t.add(static_cast<char>('1' + i), i == 0 ? "a" : std::string(1, static_cast<char>('0' + i)));
    t.add('b', "a");
    t.add('c', "b", {reads_writes(t.u)});
    t.add('s', "", {reads(t.u), writes(t.v)});
    if (with_costs) t.g.set_cost("1", 1.0);
    EXPECT_EQ(t.executed().substr(0, 3), "abc");
  }
}

/// All tasks precede the reduction at the end, so that those are urgent that precede the pull before it.
TEST(Executor, TasksThatPrecedeEarlierCommunicationAreMoreUrgent) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Letters t;
  double sum = 0;
  const DataId n = t.g.add_number("sum", sum);
  for (const char other : std::string("123")) t.add(other, "");
  t.add('b', "");
  t.add('c', "b", {reads_writes(t.u)});
  t.add('m', "123", {reads(t.u), reduces(n, weft::Reduce::add)});
  t.add('o', "", {reads(n)});
  EXPECT_EQ(t.executed().substr(0, 2), "bc");
}

TEST(Executor, TheResetOfANumberIsUrgentIfAReductionWaitsForIt) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Letters t;
  double sum = 0;
  const DataId n = t.g.add_number("sum", sum);
  for (int i = 0; i < 40; ++i) t.add('o', "");
  t.add('m', "", {reduces(n, weft::Reduce::add)});
  t.add('p', "", {reads(n)});
  const std::string order = t.executed();
  EXPECT_EQ(order.front(), 'm') << order;
  EXPECT_EQ(order.at(order.find(' ') + 1), 'm') << order;
}

TEST(Executor, ThreadsWithoutATaskSleepAfterABound) {
  constexpr double kTask = 0.5, kMost = 0.1;  // s; a thread polls for about 0.1 ms before it sleeps
  for (const int threads : {2, 4}) {
    Graph g(Communicator::self());
    double number = 0;
    const DataId id = g.add_number("n", number);
    g.add_task("long", {reads_writes(id)}, [=] { std::this_thread::sleep_for(std::chrono::duration<double>(kTask)); });
    g.add_task("after it", {reads(id)}, [] {});
    Plan plan = g.compile(threads);
    plan.run(1);
    const double before = processor_seconds();
    const weft::Stopwatch watch;
    plan.run(1);
    EXPECT_GE(watch.seconds(), kTask);
    EXPECT_LT(processor_seconds() - before, kMost) << threads << " threads";
  }
}

TEST(Executor, ARankThatWaitsForALateOneLeavesItsCore) {
  constexpr double kLate = 0.3;  // s
  weft::task::test::Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs two ranks";
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("late on rank 0", {reads_writes(u)}, [&] {
    if (ring.comm.is_root()) std::this_thread::sleep_for(std::chrono::duration<double>(kLate));
  });
  g.add_task("smooth", {reads(u), writes(v)}, [] {});
  for (const int threads : {1, 2}) {
    Plan plan = g.compile(threads);
    ring.comm.barrier();
    const double before = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
    const int sleeps_before = weft::test::sleeps();
    const weft::Stopwatch watch;
    plan.run(1);
    const int sleeps = weft::test::sleeps() - sleeps_before;
    const double wall = watch.seconds(), used = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
    if (ring.comm.rank().value() != 1) continue;  // a rank that is no neighbour of rank 0 waits for it in MPI
    EXPECT_GT(wall, kLate / 2);
    EXPECT_LT(used, wall / 2) << threads << " threads";
    // The time alone proves nothing where other processes use the cores. A sleep of at most 0.2 ms may take 30 ms there.
    EXPECT_GE(sleeps, 10) << threads << " threads";
  }
}

/// Rows of which each rank sends the last to the next rank.
struct LongRing {
  static constexpr int kRows = 40000;

  LongRing() : comm(Communicator::world()), plan(plan_of(comm)), u(plan), v(plan) {}
  [[nodiscard]] static weft::GhostPlan plan_of(const Communicator& comm) {
    const std::int64_t before = (comm.rank().value() + comm.size() - 1) % comm.size();
    return weft::GhostPlan::build(comm, kRows, std::vector{weft::GlobalRow((before + 1) * kRows - 1)});
  }

  Communicator comm;
  weft::GhostPlan plan;
  weft::ArrayPair<double> u, v;
};

TEST(Executor, CallsDividedTasksInPiecesBetweenWhichMessagesEnd) {
  if (Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr int kInner = LongRing::kRows - 1, kPieces = kInner / 8192;
  for (const int threads : {1, 2}) {
    LongRing ring;
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u, kInner), v = g.add_array("v", ring.v, kInner);
    std::vector<int> executed(LongRing::kRows), first_rows;
    g.add_task("change", {reads_writes(u)}, [&] { ring.u(LongRing::kRows - 1, 0) += ring.comm.rank().value() + 1; });
    g.add_task("long", {reads(u), writes(v)}, [&](Rows rows) {
      if (rows.first().value() < kInner) first_rows.push_back(rows.first().value());
      for (const weft::LocalRow row : rows) ++executed[row.index()];
      if (rows.last().value() <= kInner) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      } else {
        ring.v(LongRing::kRows - 1, 0) = ring.u(LongRing::kRows, 0);
      }
    });
    Plan plan = g.compile(threads);
    Trace trace;
    plan.run(1, &trace);
    EXPECT_THAT(executed, testing::Each(1));
    EXPECT_EQ(std::ssize(first_rows), kPieces);
    EXPECT_TRUE(std::ranges::is_sorted(first_rows));
    const int before = (ring.comm.rank().value() + ring.comm.size() - 1) % ring.comm.size();
    EXPECT_EQ(ring.v(LongRing::kRows - 1, 0), before + 1);
    // The exchange of 8 bytes ends before the inner rows of 400 ms do.
    const std::string text = trace.summary(ring.comm);
    if (ring.comm.is_root()) {
      std::smatch flight;
      ASSERT_TRUE(std::regex_search(text, flight, std::regex("\n  pull u +([0-9.]+) +[0-9.]+ +[0-9.]+\n"))) << text;
      EXPECT_LT(std::stod(flight[1]), 350) << text;
    }
  }
}

}  // namespace
}  // namespace executor_test

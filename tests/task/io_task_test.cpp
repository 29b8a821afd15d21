// I/O tasks: snapshots that a thread of the plan writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"
#include "weft/task/writer.hpp"

#include "support/refused_threads.hpp"
#include "support/time_limit.hpp"
#include "task/ring.hpp"

namespace weft::task::test::io_task_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// An array that each iteration increments, on the host or a device, after an I/O task has read it.
struct Counting {
  explicit Counting(Backend backend = Backend::host, Layout layout = Layout::aos)
      : u(ring.plan, 2, layout, backend), id(g.add_array("u", u)) {
    for (int i = 0; i < kRows; ++i) u(i, 0) = i, u(i, 1) = 10 * i;
  }
  void add_increment() {
    if (u.backend() == Backend::host) {
      g.add_task("increment", {reads_writes(id)}, [this] {
        for (int i = 0; i < kRows; ++i) u(i, 0) += 100;
        ++increments;
      });
    } else {
      g.add_task("increment", {reads_writes(id)}, on(device), [this](Stream&) {
        for (int i = 0; i < kRows; ++i) u.view<Aos, space::mirror>().data()[2 * i] += 100;
        ++increments;
      });
    }
  }
  Ring ring;
  Graph g{ring.comm};
  ArrayPair<double, Dynamic> u;
  DataId id;
  std::atomic<int> increments{0};
};

TEST(IoTasks, WriteTheValuesOfTheirPlaceInTheOrder) {
  for (const Backend backend : {Backend::host, Backend::mirror}) {
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      if (backend == Backend::mirror && layout == Layout::soa) continue;
      Counting c(backend, layout);
      std::vector<std::vector<double>> written;
      c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot& snapshot) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::span<const double> entries = snapshot.entries<double>(c.id);
        EXPECT_EQ(snapshot.iteration(), std::ssize(written) + 1);
        written.emplace_back(entries.begin(), entries.end());
      });
      c.add_increment();
      c.g.compile(2).run(5);
      ASSERT_EQ(written.size(), 5U);
      EXPECT_THAT(written[0], ElementsAre(0, 0, 1, 10, 2, 20, 3, 30));
      EXPECT_THAT(written[4], ElementsAre(400, 0, 401, 10, 402, 20, 403, 30));
    }
  }
}

TEST(IoTasks, WriteTheRowsOfSubsets) {
  for (const Backend backend : {Backend::host, Backend::mirror}) {
    Counting c(backend);
    const SubsetId odd = c.g.add_subset(c.id, "odd", std::vector{LocalRow(1), LocalRow(3)});
    const SubsetId first = c.g.add_subset(c.id, "first", std::vector{LocalRow(0), LocalRow(1)});
    std::vector<double> of_one, of_both;
    c.g.add_task("one", {reads(c.id, odd)}, io, [&](const Snapshot& snapshot) {
      const std::span<const double> entries = snapshot.entries<double>(c.id);
      of_one.assign(entries.begin(), entries.end());
    });
    c.g.add_task("both", {reads(c.id, odd), reads(c.id, first)}, io, [&](const Snapshot& snapshot) {
      const std::span<const double> entries = snapshot.entries<double>(c.id);
      of_both.assign(entries.begin(), entries.end());
    });
    c.add_increment();
    c.g.compile(2).run(2);
    EXPECT_THAT(of_one, ElementsAre(101, 10, 103, 30));
    EXPECT_THAT(of_both, ElementsAre(100, 0, 101, 10, 103, 30)) << "rows in their order, each once";
  }
}

TEST(IoTasks, TasksThatChangeTheDataWaitForTheCopyOnly) {
  Counting c;
  bool overlapped = false;
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot& snapshot) {
    if (snapshot.iteration() > 1) return;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (c.increments < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    overlapped = c.increments >= 2;
  });
  c.add_increment();
  c.g.compile().run(3);
  EXPECT_TRUE(overlapped) << "an increment waited for the end of the write";
}

TEST(IoTasks, ASnapshotCanBeKeptAfterItsBody) {
  Counting c;
  std::vector<std::shared_ptr<const Snapshot>> kept;
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot& s) { kept.push_back(s.shared_from_this()); });
  c.add_increment();
  c.g.compile().run(3);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_THAT(kept[0]->entries<double>(c.id), ElementsAre(0, 0, 1, 10, 2, 20, 3, 30));
  EXPECT_THAT(kept[2]->entries<double>(c.id), ElementsAre(200, 0, 201, 10, 202, 20, 203, 30));
}

TEST(IoTasks, AreExecutedInSomeIterationsOverAllRuns) {
  Counting c;
  std::vector<std::int64_t> iterations;
  double time = 0.5;
  const DataId t = c.g.add_number("time", time);
  c.g.add_task("write", {reads(c.id, Part::owned), reads(t)}, io_every(3), [&](const Snapshot& snapshot) {
    iterations.push_back(snapshot.iteration());
    EXPECT_THAT(snapshot.entries<double>(t), ElementsAre(0.5));
  });
  Plan plan = c.g.compile();
  plan.run(4);
  EXPECT_THAT(iterations, ElementsAre(3));
  plan.run(5);
  EXPECT_THAT(iterations, ElementsAre(3, 6, 9));
}

TEST(IoTasks, RowsAreCopiedToTheHostWhenTheyAreWritten) {
  Counting c(Backend::mirror);
  const double* const host = &c.u(2, 0);
  c.add_increment();
  std::vector<double> written, seldom;
  c.g.add_task("write", {reads(c.id, Part::owned)}, io_every(3),
               [&](const Snapshot& s) { written.push_back(s.entries<double>(c.id)[4]); });
  c.g.add_task("write seldom", {reads(c.id, Part::owned)}, io_every(6),
               [&](const Snapshot& s) { seldom.push_back(s.entries<double>(c.id)[4]); });
  Plan plan = c.g.compile();
  EXPECT_THAT(plan.text(), HasSubstr("in one of 3 iterations"));
  EXPECT_THAT(plan.text(), Not(HasSubstr("in one of 6 iterations"))) << "the copy of one in three serves";
  plan.run(4);
  EXPECT_EQ(*host, 302) << "copied in iteration 3, and not in iteration 4";
  EXPECT_THAT(error_of<Error>([&] { (void)c.u(2, 0); }), HasSubstr("the host side is stale"));
  c.u.to_host(After(), IdRange(LocalRow(0), LocalRow(kRows))).wait();
  EXPECT_EQ(c.u(2, 0), 402);
  plan.run(3);
  EXPECT_THAT(written, ElementsAre(302, 602));
  EXPECT_THAT(seldom, ElementsAre(602));
}

TEST(IoTasks, RowsThatDoNotChangeAreCopiedOnce) {
  Counting c(Backend::mirror);
  Field fixed(c.ring.plan, Layout::aos, Backend::mirror);
  for (int i = 0; i < kRows; ++i) fixed(i) = i + 0.5;
  const DataId f = c.g.add_array("fixed", fixed);
  c.g.add_task("write", {reads(f, Part::owned), reads(c.id, Part::owned)}, io_every(2), [&](const Snapshot& s) {
    EXPECT_EQ(s.entries<double>(f)[2], 2.5);
    EXPECT_EQ(s.entries<double>(c.id)[4], 102);
  });
  c.g.add_task("use", {reads(f, Part::owned)}, on(device), [](Stream&) {});
  c.add_increment();
  Plan plan = c.g.compile();
  const auto copies = [&](const Stage& stage) {
    return std::ranges::count_if(stage.nodes,
                                 [&](const Node& node) { return node.kind == Kind::copy && node.index == f.value(); });
  };
  EXPECT_EQ(copies(plan.schedule().first), 1);
  EXPECT_EQ(copies(plan.schedule().repeated), 0);
  plan.run(3);
  EXPECT_EQ(fixed(2), 2.5) << "its host side is up to date";
}

TEST(IoTasks, RowsThatNoTaskOfTheDeviceUsesStayOnTheHost) {
  Counting c(Backend::mirror);
  c.g.add_task("write", {reads(c.id, Part::owned)}, io_every(2), [](const Snapshot&) {});
  c.g.add_task("step", {reads_writes(c.id, Part::border)}, on(device), [](Stream&) {});
  Plan plan = c.g.compile();
  const Residence& end = plan.schedule().end[c.id.index()];
  EXPECT_EQ(end.of(Part::border), bit(Side::device));
  EXPECT_NE(end.of(Part::inner), bit(Side::device));
}

TEST(IoTasks, AnotherTaskOfTheHostHasACopyOfItsOwn) {
  for (const bool io_first : {true, false}) {
    Counting c(Backend::mirror);
    std::vector<double> written, read;
    double last = 0;
    const DataId n = c.g.add_number("last", last);
    const auto add_io = [&] {
      c.g.add_task("write", {reads(c.id, Part::owned)}, io_every(2),
                   [&](const Snapshot& s) { written.push_back(s.entries<double>(c.id)[4]); });
    };
    if (io_first) add_io();
    c.add_increment();
    if (!io_first) add_io();
    c.g.add_task("read", {reads(c.id, Part::owned), writes(n)}, [&] { read.push_back(c.u(2, 0)); });
    Plan plan = c.g.compile();
    plan.run(3);
    for (int i = 0; i < 2; ++i) plan.enqueue(host_stream());
    plan.finish();
    EXPECT_THAT(read, ElementsAre(102, 202, 302, 402, 502));
    EXPECT_THAT(written, io_first ? ElementsAre(102, 302) : ElementsAre(202, 402));
  }
}

TEST(IoTasks, AnErrorOfOneRankReachesAll) {
  weft::test::limit_present_test();
  Counting c;
  bool fails = true;
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot&) {
    if (fails && c.ring.comm.rank().value() == c.ring.comm.size() - 1) throw IoError("the disk is full", "delete files");
  });
  c.add_increment();
  Plan plan = c.g.compile();
  EXPECT_THAT(error_of<IoError>([&] { plan.run(3); }), HasSubstr("task 'write': the disk is full"));
  fails = false;
  plan.run(1);
}

TEST(IoTasks, AThreadThatCannotBeStartedOnOneRankIsAnErrorOnAll) {
  weft::test::limit_present_test();
  if (!weft::test::RefusedThreads::possible()) GTEST_SKIP() << "threads cannot be refused";
  Counting c;
  std::atomic<int> written{0};
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot&) { ++written; });
  Plan plan = c.g.compile();
  {
    std::optional<weft::test::RefusedThreads> refused;
    if (c.ring.comm.rank().value() == c.ring.comm.size() - 1) refused.emplace();
    EXPECT_THAT(error_of<LimitError>([&] { plan.run(2); }), HasSubstr("task 'write': the thread of the I/O tasks could not"));
  }
  written = 0;
  plan.run(2);
  EXPECT_EQ(written, 2);
}

TEST(IoTasks, EnqueuedIterationsWriteToo) {
  Counting c(Backend::mirror);
  int written = 0;
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++written;
  });
  c.add_increment();
  Plan plan = c.g.compile();
  for (int i = 0; i < 4; ++i) plan.enqueue(host_stream());
  plan.finish();
  EXPECT_EQ(written, 4);
}

TEST(IoTasks, ClosingAPlanWaitsForBodies) {
  Counting c(Backend::mirror);
  std::atomic<int> written{0};
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++written;
  });
  c.add_increment();
  Plan plan = c.g.compile();
  plan.enqueue(host_stream());
  plan.close();
  EXPECT_EQ(written, 1);
}

TEST(IoTasks, RefusesOtherAccessesAndTypes) {
  Counting c;
  const auto ignored = [](const Snapshot&) {};
  EXPECT_THAT(error_of<ContractError>([&] { c.g.add_task("write", {writes(c.id)}, io, ignored); }),
              HasSubstr("the I/O task 'write' changes data of the graph"));
  EXPECT_THAT(error_of<ContractError>([&] { c.g.add_task("write", {reads(c.id)}, io_every(0), ignored); }),
              HasSubstr("in every 0-th iteration"));
  double number = 0;
  const DataId other = c.g.add_number("number", number);
  c.g.add_task("write", {reads(c.id, Part::owned)}, io, [&](const Snapshot& snapshot) {
    EXPECT_THAT(error_of<ContractError>([&] { (void)snapshot.entries<double>(other); }), HasSubstr("does not state to read"));
    struct Large {
      double values[3];
    };
    EXPECT_THAT(error_of<ContractError>([&] { (void)snapshot.entries<Large>(c.id); }), HasSubstr("rows of 16 bytes"));
  });
  c.g.compile(1, Check::accesses).run();
  c.g.add_task("write again", {reads(c.id, Part::inner), reads(c.id, Part::ghost)}, io, ignored);
  EXPECT_THAT(error_of<ContractError>([&] { (void)c.g.compile(); }), HasSubstr("'write again' and 'u': is listed twice"));
}

TEST(Writer, BoundsWhatIsPending) {
  std::atomic<int> ended{0}, most{0}, added{0};
  Writer writer;
  for (int i = 0; i < 20; ++i) {
    writer.add([&] {
      most = std::max<int>(most, added - ended);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++ended;
    });
    ++added;
  }
  writer.wait();
  EXPECT_EQ(ended, 20);
  EXPECT_LE(most, static_cast<int>(Writer::kMostPending) + 1);  // one may have ended before it is counted
}

TEST(Writer, DoesNotAddAFunctionWithoutAThread) {
  weft::test::limit_present_test();
  if (!weft::test::RefusedThreads::possible()) GTEST_SKIP() << "threads cannot be refused";
  int refused_calls = 0, calls = 0;
  Writer writer;
  {
    const weft::test::RefusedThreads refused;
    EXPECT_THROW(writer.add([&] { ++refused_calls; }), LimitError);
    writer.wait();  // nothing is pending
  }
  writer.add([&] { ++calls; });
  writer.wait();
  EXPECT_EQ(refused_calls, 0);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace weft::task::test::io_task_test

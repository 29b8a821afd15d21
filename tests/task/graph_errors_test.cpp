// Errors of graphs on one to four ranks: they reach every rank, name the task, and nothing hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"

#include "support/refused_threads.hpp"
#include "support/time_limit.hpp"
#include "task/ring.hpp"

namespace graph_errors_test {
namespace {

using namespace weft::task;
using test::error_of, test::kRows, test::Ring, test::Field;
using testing::HasSubstr;
using weft::GhostPlan;
using weft::GlobalRow;
using weft::Reduce;

TEST(GraphErrors, AnErrorOfOneRankReachesAllAndNamesTheTask) {
  weft::test::limit_present_test();
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  int later = 0;
  double sum = 0;
  const DataId s = g.add_number("s", sum);
  bool fails = true;
  g.add_task("flux", {reads(u), writes(v)}, [&] {
    if (fails && ring.comm.rank().value() == ring.comm.size() - 1)
      throw weft::PhysicsError("the density of cell 7 is negative", "use a smaller CFL");
  });
  g.add_task("measure", {reads(v, Part::owned), reduces(s, Reduce::add)}, [&] { sum += 1; });
  g.add_task("update", {reads(s), reads(v), reads_writes(u)}, [&] { ++later; });
  for (const int threads : {1, 2}) {
    Plan plan = g.compile(threads);
    fails = true;
    later = 0;
    EXPECT_THAT(error_of<weft::PhysicsError>([&] { plan.run(3); }),
                HasSubstr("task 'flux': the density of cell 7 is negative; use a smaller CFL"));
    if (ring.comm.rank().value() == ring.comm.size() - 1) {
      EXPECT_EQ(later, 0);
    }
    fails = false;
    plan.run(2);  // the plan remains usable
    EXPECT_EQ(sum, ring.comm.size());
  }
}

TEST(GraphErrors, ThreadsThatCannotBeStartedOnOneRankAreAnErrorOnAll) {
  weft::test::limit_present_test();
  if (!weft::test::RefusedThreads::possible()) GTEST_SKIP() << "threads cannot be refused";
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("flux", {reads(u), writes(v)}, [] {});
  {
    std::optional<weft::test::RefusedThreads> refused;
    if (ring.comm.rank().value() == ring.comm.size() - 1) refused.emplace();
    EXPECT_THAT(error_of<weft::LimitError>([&] { (void)g.compile(2); }), HasSubstr("only 1 of 2 threads could be started"));
  }
  g.compile(2).run(2);
}

TEST(GraphErrors, AFailedExchangeOfOneRankEndsThePlanOnAll) {
  weft::test::limit_present_test();
  for (const weft::Backend backend : {weft::Backend::host, weft::Backend::mirror}) {
    Ring ring(backend);
    if (ring.comm.size() == 1) GTEST_SKIP() << "needs ranks that wait for each other";
    Graph g(ring.comm);
    std::optional<Field> gone(std::in_place, ring.plan, weft::Layout::aos, backend);
    double sum = 0;
    const DataId u = g.add_array("u", ring.u), v = g.add_array("v", *gone), s = g.add_number("sum", sum);
    int iteration = 0;
    g.add_task("destroys", {reads(u, Part::owned), writes(v)}, [&] {
      if (++iteration == 2 && ring.comm.rank().value() == 1) gone.reset();
    });
    g.add_task("reads", {reads(v), reads_writes(u)}, [] {});
    g.add_task("measures", {reads(u), reduces(s, Reduce::add)}, [] {});
    Plan plan = g.compile(2);
    EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(5); }), HasSubstr("an array of an exchange was destroyed"));
    EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(1); }), HasSubstr("failed before"));
  }
}

TEST(GraphErrors, AnErrorOfOneRankStaysThereIfRequested) {
  weft::test::limit_present_test();
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  bool fails = true;
  g.add_task("parse", {reads(u), writes(v)}, [&] {
    if (fails && ring.comm.is_root()) throw std::out_of_range("stoi");
  });
  g.add_task("copy", {reads(v), writes(u)}, [] {});
  Plan plan = g.compile();
  const auto run = [&] { plan.run(3, nullptr, Errors::on_this_rank); };
  EXPECT_THAT(error_of<weft::ContractError>(run), ring.comm.is_root() ? HasSubstr("task 'parse': stoi") : HasSubstr(""));
  EXPECT_EQ(error_of<weft::ContractError>(run).empty(), !ring.comm.is_root());
  fails = false;
  EXPECT_NO_THROW(run()) << "the exchanges of all ranks are complete";
}

TEST(GraphErrors, AFailedExchangeReachesNeighboursWithoutAgreement) {
  weft::test::limit_present_test();
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs ranks that wait for each other";
  Graph g(ring.comm);
  std::optional<Field> gone(std::in_place, ring.plan);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", *gone);
  g.add_task("destroys", {reads(u, Part::owned), writes(v)}, [&] {
    if (ring.comm.rank().value() == 1) gone.reset();
  });
  g.add_task("reads", {reads(v), reads_writes(u)}, [] {});
  Plan plan = g.compile();
  const std::string problem = error_of<weft::Error>([&] { plan.run(1, nullptr, Errors::on_this_rank); });
  const int rank = ring.comm.rank().value();
  if (rank == 1) {
    EXPECT_THAT(problem, HasSubstr("an array of an exchange was destroyed"));
  } else if (rank == 0 || rank == 2) {  // others may have received their ghost rows before
    EXPECT_THAT(problem, HasSubstr("a rank with which this one exchanges rows has failed"));
  }
  ring.comm.barrier();
}

TEST(GraphErrors, ForeignExceptionsBecomeErrorsWithTheNameOfTheTask) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("parse", {reads_writes(u)}, [&] {
    if (ring.comm.is_root()) throw std::out_of_range("stoi");
  });
  Plan plan = g.compile();
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(); }), HasSubstr("task 'parse': stoi"));
}

TEST(GraphErrors, RefusesDestroyedAndResizedArrays) {
  Ring ring;
  Graph g(ring.comm);
  std::optional<Field> gone(std::in_place, ring.plan);
  const DataId u = g.add_array("u", *gone), v = g.add_array("v", ring.v);
  g.add_task("copy", {reads(u), writes(v)}, [] {});
  Plan plan = g.compile();
  plan.run();
  gone.reset();
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(); }), HasSubstr("destroyed"));
}

TEST(GraphErrors, CompilesNoDestroyedArrays) {
  Ring ring;
  std::optional<Field> gone(std::in_place, ring.plan);
  Graph g(ring.comm);
  g.add_task("use", {reads(g.add_array("gone", *gone))}, [] {});
  if (ring.comm.rank().value() == ring.comm.size() - 1) gone.reset();
  EXPECT_THAT(error_of<weft::ContractError>([&] { (void)g.compile(); }), HasSubstr("array 'gone' was destroyed"));
  gone.reset();
  EXPECT_THAT(
      error_of<weft::ContractError>([&] { (void)g.dry(2, [](DataId, const weft::PairRef&) { return PretendedRows{}; }); }),
      HasSubstr("array 'gone' was destroyed"));
}

TEST(GraphErrors, RefusesWrongArguments) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.add_array("again", ring.u); }), HasSubstr("was added before as 'u'"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.add_array("v", ring.v, kRows + 1); }),
              HasSubstr("4 owned rows, but 5 inner rows"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.add_array("v", ring.v, -1); }), HasSubstr("-1 inner rows"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { (void)g.compile(0); }), HasSubstr("0 threads"));
  Plan plan = g.compile();
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(-1); }), HasSubstr("-1 iterations"));
  double number = 0;
  const DataId n = g.add_number("n", number);
  g.add_task("rows of nothing", {reads_writes(n)}, [](Rows) {});
  EXPECT_THAT(error_of<weft::ContractError>([&] { (void)g.compile(); }),
              HasSubstr("'rows of nothing' has a body that takes rows, but accesses no array"));
  Graph h(ring.comm);
  const GhostPlan longer = GhostPlan::build(ring.comm, kRows + 1, std::vector<GlobalRow>{});
  Field w(longer);
  const DataId a = h.add_array("a", ring.u), b = h.add_array("b", w);
  h.add_task("both", {writes(a), writes(b)}, [](Rows) {});
  EXPECT_THAT(error_of<weft::ContractError>([&] { (void)h.compile(); }), HasSubstr("task 'both' writes 'a' with 4 owned rows"));
  (void)u;
}

TEST(GraphErrors, ReportsRanksThatRequestDifferentNumbersOfIterations) {
  weft::test::limit_present_test();
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs two ranks that can differ";
  Graph g(ring.comm);
  double sum = 0, other = 0;
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v), s = g.add_number("sum", sum);
  const DataId o = g.add_number("other", other);
  g.add_task("smooth", {reads(u), writes(v)}, [] {});
  g.add_task("copy", {reads(v), reads_writes(u), reduces(s, Reduce::add), writes(o)}, [&] { sum += 1; });
  Plan plan = g.compile();
  const int rank = ring.comm.rank().value(), most = 1 + ring.comm.size();
  const std::string numbers = "the ranks request different numbers of iterations of a plan: 2 to " + std::to_string(most);
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(2 + rank); }), HasSubstr(numbers + "; pass the same number to run()"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(rank); }), HasSubstr(": 0 to "));
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                (void)plan.repeat_until(
                    s, [](double) { return false; }, 2 + rank);
              }),
              HasSubstr(numbers + "; pass the same largest number to repeat_until()"));
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                (void)plan.repeat_until(
                    rank == 0 ? s : o, [](double) { return false; }, 2);
              }),
              HasSubstr("the condition of a plan is on 'sum' on one rank and on 'other' on another"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { plan.run(rank == 1 ? -1 : 2); }), HasSubstr("-1 iterations"));
  plan.run(2);  // the plan remains usable
  EXPECT_EQ(sum, ring.comm.size());
}

TEST(GraphErrors, ReportsRanksThatCompileWithDifferentOptions) {
  weft::test::limit_present_test();
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs two ranks that can differ";
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("smooth", {reads(u), writes(v)}, [] {});
  const bool differs = ring.comm.rank().value() == 1;
  using weft::Transport;
  const auto launch = differs ? Launch::by_bodies : Launch::as_graphs;
  EXPECT_THAT(
      error_of<weft::CommError>([&] { (void)g.compile(1, Check::none, Transport::automatic, launch); }),
      HasSubstr("rank 1 compiles a graph with other options than rank 0: check of accesses 'none', transport 'automatic', "
                "launch 'by_bodies' instead of check of accesses 'none', transport 'automatic', launch 'as_graphs'"));
  const auto transport = differs ? Transport::host : Transport::shared;
  EXPECT_THAT(error_of<weft::CommError>([&] { (void)g.compile(1, Check::none, transport); }), HasSubstr("transport 'host', "));
  EXPECT_THAT(error_of<weft::CommError>([&] { (void)g.compile(1, differs ? Check::accesses : Check::none); }),
              HasSubstr("check of accesses 'accesses', "));
  g.compile(differs ? 2 : 1).run(1);  // the number of threads may differ
}

TEST(GraphErrors, ReportsRanksThatRecordDifferentTasks) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs two ranks that can differ";
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("same", {reads(u), writes(v)}, [] {});
  if (ring.comm.rank().value() == 1) {
    g.add_task("other", {reads(v), writes(u)}, [] {});
  } else {
    g.add_task("one", {reads(v), writes(u)}, [] {});
  }
  const std::string message = error_of<weft::CommError>([&] { (void)g.compile(); });
  EXPECT_THAT(message, HasSubstr("rank 1 recorded another graph than rank 0: task 'other'"));
  EXPECT_THAT(message, HasSubstr("instead of task 'one'"));
  Graph shorter(ring.comm);
  const DataId w = shorter.add_array("u", ring.u);
  if (ring.comm.is_root()) shorter.add_task("last", {reads_writes(w)}, [] {});
  EXPECT_THAT(error_of<weft::CommError>([&] { (void)shorter.compile(); }), HasSubstr("nothing more instead of task 'last'"));
}

}  // namespace
}  // namespace graph_errors_test

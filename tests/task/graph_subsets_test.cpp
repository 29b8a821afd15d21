// Graphs with named subsets of arrays: order, communication, copies between the sides, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"

#include "task/ring.hpp"

namespace graph_subsets_test {
namespace {

using namespace weft::task;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using weft::Backend;
using weft::ContractError;
using weft::LocalRow;
using weft::Reduce;
using weft::Side;
using weft::Stream;
using weft::task::test::error_of;
using weft::task::test::Field;
using weft::task::test::Ring;

[[nodiscard]] std::vector<LocalRow> rows_of(const std::vector<int>& list) {
  std::vector<LocalRow> rows;
  for (const int row : list) rows.emplace_back(row);
  return rows;
}

/// Arrays u and v of a ring, in which ranks send rows 0 and 3, with subsets of u: end (row 3, sent), middle (rows 1 and 2), both
/// (rows 2 and 3), and last (row 2 of the last rank).
struct Program {
  Ring ring;
  Graph g{ring.comm};
  DataId u, v;
  SubsetId end, middle, both, last;

  explicit Program(Backend backend = Backend::host, int inner = 0)
      : ring(backend), u(g.add_array("u", ring.u, inner)), v(g.add_array("v", ring.v, inner)) {
    end = g.add_subset(u, "end", rows_of({3}));
    middle = g.add_subset(u, "middle", std::vector<Rows>{{LocalRow(1), LocalRow(3)}});
    both = g.add_subset(u, "both", rows_of({2, 3}));
    const bool is_last = ring.comm.rank().value() + 1 == ring.comm.size();
    last = g.add_subset(u, "last", is_last ? rows_of({2}) : rows_of({}));
    for (int i = 0; i < ring.plan.rows(); ++i) ring.u(i, 0) = ring.v(i, 0) = i;
  }
};

[[nodiscard]] std::vector<std::string> names(const Stage& stage) {
  std::vector<std::string> list;
  for (const Node& node : stage.nodes) list.push_back(node.name);
  return list;
}
[[nodiscard]] bool follows(const Stage& stage, int a, int b) {
  if (a == b) return true;
  return std::ranges::any_of(stage.successors_of(a), [&](int next) { return follows(stage, next, b); });
}
[[nodiscard]] bool follows(const Stage& stage, const std::string& a, const std::string& b) {
  const std::vector<std::string> list = names(stage);
  const auto at = [&](const std::string& name) {
    const auto found = std::ranges::find(list, name);
    EXPECT_NE(found, list.end()) << name;
    return static_cast<int>(found - list.begin());
  };
  return follows(stage, at(a), at(b));
}

TEST(GraphSubsets, OrderTasksThatShareRows) {
  Program p;
  p.g.add_task("end", {reads_writes(p.u, p.end)}, [] {});
  p.g.add_task("middle", {reads_writes(p.u, p.middle)}, [] {});
  p.g.add_task("both", {reads(p.u, p.both)}, [] {});
  p.g.add_task("last", {writes(p.u, p.last)}, [] {});
  p.g.add_task("rest", {writes(p.u, without(Part::owned, p.both))}, [] {});
  const Plan plan = p.g.compile();
  const Stage& stage = plan.schedule().repeated;
  EXPECT_THAT(names(stage), ElementsAre("end", "middle", "both", "last", "rest")) << "no task reads ghost rows";
  EXPECT_FALSE(follows(stage, "end", "middle"));
  EXPECT_TRUE(follows(stage, "end", "both") && follows(stage, "middle", "both"));
  EXPECT_TRUE(follows(stage, "both", "last") && follows(stage, "middle", "last")) << "on every rank, as on the last one";
  EXPECT_TRUE(follows(stage, "middle", "rest")) << "row 1";
  EXPECT_FALSE(follows(stage, "both", "rest") || follows(stage, "last", "rest") || follows(stage, "end", "rest"));
}

TEST(GraphSubsets, PullAfterAChangeOfRowsThatAreSent) {
  Program p;
  if (p.ring.comm.size() == 1) GTEST_SKIP() << "one rank sends nothing";
  p.g.add_task("end", {reads_writes(p.u, p.end)}, [&] { p.ring.u(3, 0) += 100; });
  p.g.add_task("middle", {reads_writes(p.u, p.middle)}, [&] { p.ring.u(1, 0) += 7; });
  p.g.add_task("use", {reads(p.u), writes(p.v)}, [&] {
    const int before = p.ring.plan.find(weft::GlobalRow(p.ring.before())).value();
    for (int i = 0; i < Ring::kRows; ++i) p.ring.v(i, 0) = std::as_const(p.ring.u)(before, 0);
  });
  Plan plan = p.g.compile(2);
  const Stage& stage = plan.schedule().repeated;
  EXPECT_TRUE(follows(stage, "end", "start pull u"));
  EXPECT_FALSE(follows(stage, "middle", "start pull u")) << "the pull starts after the last change of rows that are sent";
  EXPECT_TRUE(follows(stage, "middle", "use"));
  plan.run(2);
  EXPECT_EQ(std::as_const(p.ring.v)(0, 0), 203);
  EXPECT_THAT(plan.text(), HasSubstr("'end' of 'u': border rows; some rank sends such rows"));
  EXPECT_THAT(plan.text(), HasSubstr("'middle' of 'u': border rows; no rank sends such rows"));
  EXPECT_THAT(plan.text(), HasSubstr("middle  reads and writes 'middle' of 'u'"));
}

TEST(GraphSubsets, GhostRowsStayFreshIfNoRankSendsTheRows) {
  Program p;
  if (p.ring.comm.size() == 1) GTEST_SKIP() << "one rank sends nothing";
  p.g.add_task("middle", {reads_writes(p.u, p.middle)}, [] {});
  p.g.add_task("use", {reads(p.u), writes(p.v)}, [](Rows) {});
  EXPECT_THAT(names(p.g.compile().schedule().repeated), ElementsAre("middle", "use"));
  Program q;
  q.g.add_task("rest", {reads_writes(q.u, without(Part::owned, q.middle))}, [] {});
  q.g.add_task("use", {reads(q.u), writes(q.v)}, [](Rows) {});
  EXPECT_THAT(names(q.g.compile().schedule().repeated), ElementsAre("rest", "start pull u", "finish pull u", "use"));
}

TEST(GraphSubsets, RowsThatOneRankSendsCountOnAll) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "one rank sends nothing";
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  const SubsetId some = g.add_subset(u, "some", ring.comm.is_root() ? rows_of({1}) : rows_of({0}));
  g.add_task("some", {reads_writes(u, some)}, [] {});
  g.add_task("use", {reads(u), writes(v)}, [] {});
  EXPECT_THAT(names(g.compile().schedule().repeated), Contains("start pull u"));
}

TEST(GraphSubsets, DividedTasksReadThem) {
  Program p(Backend::host, 2);
  p.g.add_task("end", {writes(p.u, p.end)}, [] {});
  p.g.add_task("middle", {writes(p.u, p.middle)}, [] {});
  p.g.add_task("divided", {reads(p.u, p.middle), reads(p.u, p.last), writes(p.v)}, [](Rows) {});
  p.g.add_task("all", {reads_writes(p.u)}, [](Rows) {});
  const Plan plan = p.g.compile();
  const Stage& stage = plan.schedule().repeated;
  EXPECT_TRUE(follows(stage, "middle", "divided (inner)") && follows(stage, "middle", "divided (border)"));
  EXPECT_FALSE(follows(stage, "end", "divided (inner)"));
  EXPECT_FALSE(follows(stage, "end", "all (inner)")) << "row 3 is a border row";
  EXPECT_TRUE(follows(stage, "middle", "all (inner)") && follows(stage, "end", "all (border)"));
}

TEST(GraphSubsets, CopyTheirRowsAlone) {
  Program p(Backend::mirror);
  // The device changes the end, the host the middle, on two memories.
  p.g.add_task("end", {reads_writes(p.u, p.end)}, on(device),
               [&](Stream&) { p.ring.u.view<weft::Aos, weft::space::mirror>().data()[3] += 100; });
  p.g.add_task("middle", {reads_writes(p.u, p.middle)}, [&] { p.ring.u(2, 0) += 10; });
  double on_host = 0, on_device = 0;
  p.g.add_task("host", {reads(p.u, p.both)}, [&] { on_host = std::as_const(p.ring.u)(2, 0) + std::as_const(p.ring.u)(3, 0); });
  p.g.add_task("device", {reads(p.u, p.both)}, on(device), [&](Stream&) {
    const double* const u = std::as_const(p.ring.u).view<weft::Aos, weft::space::mirror>().data();
    on_device = u[2] + u[3];
  });
  Plan plan = p.g.compile(2);
  EXPECT_THAT(names(plan.schedule().repeated), Contains("copy u (end) to the host"));
  EXPECT_THAT(names(plan.schedule().repeated), Not(Contains("copy u (middle) to the device"))) << "row 1 is not needed there";
  plan.run(3);
  EXPECT_EQ(on_host, 5 + 330);
  EXPECT_EQ(on_device, 5 + 330);
  weft::PairRef(p.ring.u).bring(Side::host, p.ring.u.space().owned());
  for (const auto& [row, value] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 32), std::pair(3, 303)}) {
    EXPECT_EQ(std::as_const(p.ring.u)(row, 0), value) << row;
  }
}

TEST(GraphSubsets, LeaveRowsOnDifferentSides) {
  Program p(Backend::mirror);
  p.g.add_task("end", {reads_writes(p.u, p.end)}, on(device),
               [&](Stream&) { p.ring.u.view<weft::Aos, weft::space::mirror>().data()[3] += 100; });
  p.g.compile().run(2);
  EXPECT_EQ(std::as_const(p.ring.u)(2, 0), 2) << "fresh on the host";
  EXPECT_THROW((void)std::as_const(p.ring.u)(3, 0), weft::DeviceError);
  p.ring.u(1, 0) = 50;  // stale on the device
  Graph other(p.ring.comm);
  double sum = 0;
  const DataId u = other.add_array("u", p.ring.u);
  other.add_task("sum", {reads(u, Part::owned)}, on(device), [&](Stream&) {
    sum = 0;
    for (int i = 0; i < Ring::kRows; ++i) sum += std::as_const(p.ring.u).view<weft::Aos, weft::space::mirror>().data()[i];
  });
  other.compile().run();
  EXPECT_EQ(sum, 0 + 50 + 2 + 203);
}

TEST(GraphSubsets, HaveBoundaryRows) {
  Ring ring;
  const weft::IndexSpace space(ring.plan, 2);
  Field w(space);
  Graph g(ring.comm);
  const DataId id = g.add_array("w", w);
  const int first = ring.plan.rows();
  const SubsetId wall = g.add_subset(id, "wall", rows_of({1, first})), inlet = g.add_subset(id, "inlet", rows_of({first + 1}));
  g.add_task("wall", {writes(id, wall)}, [&] { w(1, 0) = w(first, 0) = 1; });
  g.add_task("inlet", {writes(id, inlet)}, [&] { w(first + 1, 0) = 2; });
  g.add_task("boundary", {reads(id, Part::boundary)}, [] {});
  g.add_task("owned", {reads(id, Part::owned)}, [] {});
  Plan plan = g.compile(1, Check::accesses);
  const Stage& stage = plan.schedule().repeated;
  EXPECT_FALSE(follows(stage, "wall", "inlet"));
  EXPECT_TRUE(follows(stage, "inlet", "boundary") && follows(stage, "wall", "boundary") && follows(stage, "wall", "owned"));
  EXPECT_FALSE(follows(stage, "inlet", "owned"));
  plan.run(2);
  EXPECT_EQ(std::as_const(w)(first + 1, 0), 2);
}

TEST(GraphSubsets, ARankWithoutRowsHasTheSameSchedule) {
  Program p;
  p.g.add_task("last", {reads_writes(p.u, p.last)}, [] {});
  p.g.add_task("rest", {reads_writes(p.u, without(Part::owned, p.last))}, [] {});
  p.g.add_task("both", {reads(p.u, p.both)}, [] {});
  const Plan plan = p.g.compile();
  const std::string text = plan.text();
  std::string of_root = text;
  p.ring.comm.broadcast(of_root);
  EXPECT_EQ(text, of_root);
}

TEST(GraphSubsets, WithoutRowsOrderNothing) {
  Ring ring;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  const SubsetId none = g.add_subset(u, "none", rows_of({}));
  g.add_task("all", {reads_writes(u)}, [] {});
  g.add_task("none", {reads_writes(u, none)}, [] {});
  Plan plan = g.compile();
  EXPECT_FALSE(follows(plan.schedule().repeated, "all", "none"));
  EXPECT_THAT(plan.text(), HasSubstr("'none' of 'u': no rank has rows in it"));
  plan.run(2);
}

TEST(GraphSubsets, AreShownInPlans) {
  Program p(Backend::mirror);
  p.g.add_task("inflow", {writes(p.u, p.end), reads(p.u, without(Part::owned, p.both))}, [] {});
  const Plan plan = p.g.compile();
  const std::string shown = "writes 'end' of 'u', reads 'u' (owned) without 'both'";
  EXPECT_THAT(plan.text(), HasSubstr("inflow  " + shown));
  EXPECT_THAT(plan.dot(), HasSubstr("label = \"inflow: " + shown + "\""));
  EXPECT_THAT(plan.json(), HasSubstr("\"subsets\": \"" + shown + "\""));
  EXPECT_THAT(plan.json(), HasSubstr("\"subsets\": [\"'end' of 'u': "));
  EXPECT_THAT(plan.svg(), HasSubstr("writes 'end' of 'u',</tspan>"));
}

TEST(GraphSubsets, RefuseWrongRowsOnAllRanks) {
  const auto error = [](const std::vector<int>& rows, const std::string& text) {
    Ring ring;
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u);
    const bool wrong = ring.comm.rank().value() + 1 == ring.comm.size();
    (void)g.add_subset(u, "inlet", wrong ? rows_of(rows) : rows_of({}));
    g.add_task("task", {reads(u)}, [] {});
    EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }), HasSubstr("subset 'inlet' of array 'u': " + text));
  };
  error({0, 1, 1}, "row 1 is listed twice");
  error({2, 0}, "row 0 follows row 2");
  error({-2}, "row -2 is none of the");
  error({1000}, "row 1000 is none of the");
  if (Ring().comm.size() > 1) error({3, 4}, "row 4 is a ghost row");
}

TEST(GraphSubsets, RefuseWrongArguments) {
  Program p;
  double number = 0;
  const DataId n = p.g.add_number("n", number), m = p.g.add_memory("m");
  const auto add = [&](DataId id, const std::string& name) {
    return error_of<ContractError>([&] { (void)p.g.add_subset(id, name, rows_of({0})); });
  };
  EXPECT_THAT(add(p.u, "end"), HasSubstr("array 'u' has a subset 'end' already"));
  EXPECT_EQ(add(p.v, "end"), "");
  EXPECT_THAT(add(n, "a"), HasSubstr("subset 'a' is one of the number 'n', which has no rows"));
  EXPECT_THAT(add(m, "a"), HasSubstr("subset 'a' is one of the memory 'm', which has no rows"));
  EXPECT_THAT(add(DataId(99), "a"), HasSubstr("data that the graph does not have"));
  EXPECT_THAT(add(DataId(), "a"), HasSubstr("data that the graph does not have"));
  EXPECT_THAT(add(p.u, "inner"), HasSubstr("the name 'inner', which is that of a part"));
  EXPECT_THAT(add(p.u, ""), HasSubstr("has the name ''"));
  for (int k = 4; k < 60; ++k) EXPECT_EQ(add(p.u, "s" + std::to_string(k)), "");
  EXPECT_THAT(add(p.u, "one more"), HasSubstr("array 'u' has 60 subsets already, when 'one more' is added"));
  EXPECT_EQ(p.g.subset(p.u, "end"), p.end);
  EXPECT_THAT(error_of<ContractError>([&] { (void)p.g.subset(p.u, "no"); }), HasSubstr("'u' has no subset 'no'"));
  EXPECT_THAT(error_of<ContractError>([&] { (void)p.g.subset(DataId(99), "no"); }), HasSubstr("does not have"));
}

TEST(GraphSubsets, RefuseWrongAccesses) {
  const auto error = [](auto accesses_of, auto body) {
    Program p;
    p.g.add_task("task", accesses_of(p), body);
    return error_of<ContractError>([&] { (void)p.g.compile(); });
  };
  const auto whole = [] {};
  const auto by_rows = [](Rows) {};
  using List = std::vector<Access>;
  EXPECT_THAT(error([](Program& p) { return List{reads(p.v, p.end)}; }, whole),
              HasSubstr("task 'task' and 'v': the subset 'end' is one of 'u'"));
  EXPECT_THAT(error([](Program& p) { return List{reads(p.v, SubsetId(99))}; }, whole),
              HasSubstr("an access is to a subset that the graph does not have"));
  EXPECT_THAT(error([](Program& p) { return List{reads(p.u, without(Part::owned, SubsetId()))}; }, whole),
              HasSubstr("outside of no subset"));
  EXPECT_THAT(
      error([](Program& p) { return List{{.data = p.u, .mode = Mode::reduce, .op = Reduce::add, .subset = p.end}}; }, whole),
      HasSubstr("contributions to a subset cannot be combined separately"));
  EXPECT_THAT(error([](Program& p) { return List{writes(p.u, p.end)}; }, by_rows),
              HasSubstr("a task that is divided by rows writes all owned rows and no others"));
  EXPECT_THAT(error([](Program& p) { return List{reads(p.u, p.end), writes(p.u)}; }, by_rows), HasSubstr("is listed twice"));
  EXPECT_THAT(error([](Program& p) { return List{reads(p.u), reads(p.u)}; }, whole), HasSubstr("is listed twice"));
  EXPECT_EQ(error([](Program& p) { return List{reads(p.u, p.end), reads(p.u, p.both), writes(p.u, p.middle)}; }, whole), "");
  double number = 0;
  Program q;
  const DataId n = q.g.add_number("n", number);
  q.g.add_task("task", {reads(n, q.end)}, whole);
  EXPECT_THAT(error_of<ContractError>([&] { (void)q.g.compile(); }),
              HasSubstr("task 'task' and 'n': the subset 'end' is one of 'u'"));
}

TEST(GraphSubsets, RanksThatRecordOthersAreReported) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs two ranks that can differ";
  const bool other = ring.comm.rank().value() == 1;
  {
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u);
    (void)g.add_subset(u, other ? "outlet" : "inlet", rows_of({0}));
    EXPECT_THAT(error_of<weft::CommError>([&] { (void)g.compile(); }),
                HasSubstr("rank 1 recorded another graph than rank 0: subset 'outlet' of array 'u' instead of subset 'inlet'"));
  }
  {
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u);
    if (!other) (void)g.add_subset(u, "inlet", rows_of({0}));
    EXPECT_THAT(error_of<weft::CommError>([&] { (void)g.compile(); }), HasSubstr("instead of subset 'inlet' of array 'u'"));
  }
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  const SubsetId a = g.add_subset(u, "a", rows_of({0})), b = g.add_subset(u, "b", rows_of({1}));
  g.add_task("task", {reads(u, other ? b : a)}, [] {});
  EXPECT_THAT(error_of<weft::CommError>([&] { (void)g.compile(); }), HasSubstr("reads 'u' (15, sum) in 'b' instead of"));
}

}  // namespace
}  // namespace graph_subsets_test

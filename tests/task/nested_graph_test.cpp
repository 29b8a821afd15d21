// Graphs in graphs: Graph::add_graph() and add_data_of().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"

#include "task/ring.hpp"

namespace nested_graph_test {
namespace {

using namespace weft::task;
using test::error_of, test::kRows, test::Ring;
using testing::HasSubstr;
using weft::Backend;
using weft::ContractError;
using weft::LocalRow;
using weft::Reduce;

/// Two tasks on the arrays of a ring: v = left + right neighbour of u (modulo 11), u = v.
struct Smoothing {
  Graph graph;
  DataId u, v;

  explicit Smoothing(Ring& ring, std::int32_t inner = 0) : graph(ring.comm), u(graph.add_array("u", ring.u, inner)) {
    v = graph.add_array("v", ring.v, inner);
    graph.add_task("smooth", {reads(u), writes(v)}, [&ring] { smooth(ring); });
    graph.add_task("copy", {reads(v, Part::owned), writes(u)}, [&ring](Rows rows) {
      for (const LocalRow row : rows) ring.u(row, 0) = std::as_const(ring.v)(row, 0);
    });
  }
  static void smooth(Ring& ring) {
    const auto value = [&](std::int64_t global) { return std::as_const(ring.u)(ring.plan.find(weft::GlobalRow(global)), 0); };
    for (int i = 0; i < kRows; ++i) {
      const double left = i == 0 ? value(ring.before()) : value(ring.first() + i - 1);
      const double right = i == kRows - 1 ? value(ring.behind()) : value(ring.first() + i + 1);
      ring.v(i, 0) = static_cast<double>(static_cast<std::int64_t>(left + 2 * right) % 11);
    }
  }
};

void number_rows(Ring& ring) {
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = static_cast<double>(ring.first() + i);
}

[[nodiscard]] std::vector<double> rows_of(const Ring& ring) {
  std::vector<double> list;
  for (int i = 0; i < kRows; ++i) list.push_back(ring.u(i, 0));
  return list;
}

[[nodiscard]] std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> list;
  for (const Node& node : plan.schedule().repeated.nodes) list.push_back(node.name);
  return list;
}

TEST(NestedGraph, MeansTheTasksInItsPlace) {
  Ring nested_ring, flat_ring;
  number_rows(nested_ring);
  number_rows(flat_ring);
  const auto add_one = [](Ring& ring) {
    for (int i = 0; i < kRows; ++i) ring.u(i, 0) += 1;
  };
  Smoothing flat(flat_ring);
  flat.graph.add_task("add one", {reads_writes(flat.u)}, [&] { add_one(flat_ring); });
  Plan expected = flat.graph.compile();
  expected.run(5);

  Smoothing smoothing(nested_ring);
  Graph outer(nested_ring.comm);
  const auto ids = outer.add_graph("smoothing", smoothing.graph);
  outer.add_task("add one", {reads_writes(ids[smoothing.u])}, [&] { add_one(nested_ring); });
  Plan plan = outer.compile(2);
  plan.run(5);
  EXPECT_EQ(rows_of(nested_ring), rows_of(flat_ring));
  EXPECT_EQ(names(plan).size(), names(expected).size());
  EXPECT_THAT(names(plan), testing::Contains("smoothing/smooth"));
  if (nested_ring.comm.size() > 1) {
    EXPECT_THAT(names(plan), testing::Contains("start pull smoothing/u"));
  }
}

TEST(NestedGraph, SharesDataAndMayBeAddedSeveralTimes) {
  Ring ring;
  number_rows(ring);
  Smoothing smoothing(ring);
  double steps = 0, more = 0;
  const DataId counted = smoothing.graph.add_number("steps", steps);
  smoothing.graph.add_task("count", {reads_writes(counted)}, [&] { ++steps; });

  Graph outer(ring.comm);
  const DataId u = outer.add_array("state", ring.u);
  const auto first = outer.add_graph("first", smoothing.graph);
  EXPECT_EQ(first[smoothing.u], u);
  outer.add_task("between", {reads_writes(u), reads(first[counted]), reads_writes(outer.add_number("more", more))},
                 [&] { more += steps; });
  const auto second = outer.add_graph("second", smoothing.graph);
  EXPECT_EQ(second[smoothing.v], first[smoothing.v]);
  EXPECT_EQ(second[counted], first[counted]);
  // The outer graph does not have tasks that are added to the inner one later.
  smoothing.graph.add_task("later", {reads_writes(counted)}, [&] { steps = 1000; });
  Plan plan = outer.compile();
  plan.run(2);
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(more, 1 + 3);
  EXPECT_THAT(names(plan), testing::IsSupersetOf({"first/copy", "between", "second/copy", "second/count"}));

  Graph outermost(ring.comm);
  outermost.add_graph("all", outer);
  EXPECT_THAT(names(outermost.compile()), testing::IsSupersetOf({"all/first/copy", "all/between", "all/second/count"}));
}

TEST(NestedGraph, IsRepeatedUntilANumberFulfilsACondition) {
  Ring ring;
  number_rows(ring);
  double largest = 0;
  std::optional<Plan> plan;
  DataId to_largest;
  {
    Graph inner(ring.comm);
    const DataId u = inner.add_array("u", ring.u), in = inner.add_number("largest", largest);
    inner.add_task("halve", {reads_writes(u)}, [&](Rows rows) {
      for (const LocalRow row : rows) ring.u(row, 0) /= 2;
    });
    inner.add_task("measure", {reads(u, Part::owned), reduces(in, Reduce::max)}, [&] {
      for (int i = 0; i < kRows; ++i) largest = std::max(largest, std::as_const(ring.u)(i, 0));
    });
    Graph outer(ring.comm);
    to_largest = outer.add_graph("inner", inner)[in];
    plan.emplace(outer.compile());
  }  // the plan does not need the graphs
  const Plan::Repeated repeated = plan->repeat_until(
      to_largest, [](double value) { return value < 1; }, 100);
  EXPECT_TRUE(repeated.fulfilled);
  EXPECT_LT(largest, 1);
  EXPECT_GE(2 * largest, 1);
}

TEST(NestedGraph, HasDeviceTasksAndMemoryByName) {
  Ring ring(Backend::mirror);
  Graph inner(ring.comm), outer(ring.comm);
  const DataId u = inner.add_array("u", ring.u), cells = inner.add_memory("cells");
  int calls = 0;
  inner.add_task("kernel", {reads_writes(u), writes(cells)}, on(device), [&](weft::Stream&) { ++calls; });
  const DataId here = outer.add_memory("cells");
  const auto ids = outer.add_graph("inner", inner);
  EXPECT_EQ(ids[cells], here);
  outer.add_task("io", {reads(ids[u], Part::owned)}, io, [](const Snapshot&) {});
  Plan plan = outer.compile();
  plan.run(3);
  EXPECT_EQ(calls, 3);
}

TEST(NestedGraph, HasSubsetsByName) {
  Ring ring;
  Graph sub(ring.comm), g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  const SubsetId first = g.add_subset(u, "first", std::vector{LocalRow(0)});
  const SubsetId mine = g.add_subset(u, "shared", std::vector{LocalRow(1), LocalRow(2)});
  const DataId theirs_v = sub.add_array("v", ring.v), theirs_u = sub.add_array("u", ring.u);
  const SubsetId end = sub.add_subset(theirs_v, "end", std::vector{LocalRow(3)});
  const SubsetId shared = sub.add_subset(theirs_u, "shared", std::vector{Rows(LocalRow(1), LocalRow(3))});
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = ring.v(i, 0) = i;
  sub.add_task("add", {reads(theirs_u, shared), reads_writes(theirs_v, end)},
               [&] { ring.v(3, 0) += std::as_const(ring.u)(1, 0) + std::as_const(ring.u)(2, 0); });
  g.add_task("first", {writes(u, first)}, [&] { ring.u(0, 0) = 100; });
  const auto ids = g.add_graph("a", sub);
  g.add_graph("b", sub);
  EXPECT_EQ(g.subset(u, "shared"), mine);
  EXPECT_TRUE(g.subset(ids[theirs_v], "end").valid());
  Plan plan = g.compile(1, Check::accesses);
  EXPECT_THAT(plan.text(), HasSubstr("a/add  reads 'shared' of 'u', reads and writes 'end' of 'a/v'"));
  EXPECT_EQ(std::ranges::count(plan.schedule().repeated.predecessors, 0), 2) << "b/add alone waits, for a/add";
  plan.run(2);
  EXPECT_EQ(std::as_const(ring.v)(3, 0), 3 + 2 * 2 * 3);
  Graph other(ring.comm);
  (void)other.add_subset(other.add_array("u", ring.u), "shared", std::vector{LocalRow(1)});
  EXPECT_THAT(error_of<ContractError>([&] { g.add_graph("c", other); }),
              HasSubstr("subset 'shared' of array 'u' has other rows in graph 'c'"));
  Graph many(ring.comm);
  const DataId same = many.add_array("u", ring.u);
  for (int k = 0; k < 59; ++k) (void)many.add_subset(same, "s" + std::to_string(k), std::vector{LocalRow(0)});
  EXPECT_THAT(error_of<ContractError>([&] { g.add_graph("d", many); }),
              HasSubstr("array 'u' has 61 subsets with those of graph 'd'"));
  EXPECT_THROW((void)g.subset(u, "s0"), ContractError) << "the graph is unchanged";
}

TEST(NestedGraph, RefusesWhatCannotBeAdded) {
  Ring ring;
  Smoothing smoothing(ring, 1);
  Graph outer(ring.comm);
  EXPECT_THAT(error_of<ContractError>([&] { outer.add_graph("outer", outer); }), HasSubstr("graph 'outer' is added to itself"));

  Graph other_ranks(ring.comm.split(ring.comm.rank().value()));
  if (ring.comm.size() > 1) {
    EXPECT_THAT(error_of<ContractError>([&] { other_ranks.add_graph("smoothing", smoothing.graph); }),
                HasSubstr("graph 'smoothing' has the ranks of another communicator"));
  }

  const DataId u = outer.add_array("state", ring.u, 2);
  EXPECT_THAT(error_of<ContractError>([&] { outer.add_graph("smoothing", smoothing.graph); }),
              HasSubstr("array 'state' has 2 inner rows, but as 'u' of graph 'smoothing' it has 1"));

  double number = 0;
  auto gone = std::make_unique<Ring>();
  Smoothing of_gone(*gone);
  gone.reset();
  EXPECT_THAT(error_of<ContractError>([&] { outer.add_graph("gone", of_gone.graph); }),
              HasSubstr("array 'u' of graph 'gone' was destroyed"));

  Graph moved(ring.comm);
  const Graph now = std::move(moved);
  EXPECT_THAT(error_of<ContractError>([&] { outer.add_graph("moved", moved); }),
              HasSubstr("graph 'moved' was moved to another variable"));

  // Nothing was added.
  outer.add_task("alone", {reads_writes(u), reads_writes(outer.add_number("number", number))}, [] {});
  EXPECT_EQ(names(outer.compile()), std::vector<std::string>{"alone"});

  Graph wrong(ring.comm), around(ring.comm);
  wrong.add_task("wrong", {reads(DataId(7))}, [] {});
  around.add_graph("inner", wrong);
  EXPECT_THAT(error_of<ContractError>([&] { (void)around.compile(); }), HasSubstr("access 0 of task 'inner/wrong'"));
}

}  // namespace
}  // namespace nested_graph_test

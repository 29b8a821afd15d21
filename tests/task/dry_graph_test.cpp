// Dry graphs: the counts of one pretended rank are those of a plan on that rank.
#include "weft/task/dry_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace {

using namespace weft::task;
using testing::HasSubstr;
using weft::GhostPlan;
using weft::Reduce;
using weft::Traffic;
using weft::task::test::error_of;
using weft::task::test::Ring;

[[nodiscard]] PretendedRows rows_of(const GhostPlan& plan) {
  PretendedRows rows{
      .owned = plan.owned_rows(), .inner = 0, .inner_is_sent = false, .has_ghosts = plan.comm().size() > 1, .neighbours = {}};
  for (const GhostPlan::Neighbour& neighbour : plan.neighbours()) {
    rows.neighbours.push_back({neighbour.rank, std::ssize(neighbour.send_rows), neighbour.ghosts.size()});
  }
  return rows;
}

/// Records the same program in a graph of arrays and in a dry one.
template <class AnyGraph, class AddTask>
void record(AnyGraph& graph, DataId u, DataId v, DataId dt, const AddTask& add_task) {
  add_task(graph, "limit", {reads(u, Part::owned), reduces(dt, Reduce::min)});
  add_task(graph, "smooth", {reads(u), writes(v)});
  add_task(graph, "scatter", {reads(v, Part::owned), reduces(u, Reduce::add)});
  add_task(graph, "step", {reads(dt), reads(v), reads_writes(u)});
}

TEST(DryGraph, CountsWhatAPlanSends) {
  Ring ring;
  Graph g(ring.comm);
  double number = 0;
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v), dt = g.add_number("dt", number);
  record(g, u, v, dt, [](Graph& to, const char* name, std::vector<Access> accesses) { to.add_task(name, accesses, [] {}); });
  Plan plan = g.compile();
  Trace once, again;
  plan.run(1, &once);
  plan.run(2, &again);

  DryGraph dry;
  const int rows = dry.add_rows(rows_of(ring.plan));
  const DataId du = dry.add_array("u", rows, 8), dv = dry.add_array("v", rows, 8), ddt = dry.add_number("dt");
  record(dry, du, dv, ddt, [](DryGraph& to, const char* name, std::vector<Access> accesses) { to.add_task(name, accesses); });
  const DryPlan counted = dry.compile();

  EXPECT_EQ(counted.schedule.repeated.nodes.size(), plan.schedule().repeated.nodes.size());
  Traffic first, both;
  for (const auto& [to, traffic] : once.sent()) first += traffic;
  for (const auto& [to, traffic] : again.sent()) both += traffic;
  EXPECT_EQ(counted.first, first);
  EXPECT_EQ(counted.repeated, both - first);
  EXPECT_EQ(counted.sent.size(), once.sent().size());
  EXPECT_EQ(counted.reductions, 1);
  EXPECT_EQ(counted.array_bytes, 2 * 8 * ring.plan.rows());
  EXPECT_THAT(counted.text(), HasSubstr("1 reductions over ranks"));
}

TEST(DryGraph, RefusesImpossibleRows) {
  DryGraph g;
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.add_rows({.owned = 3, .inner = 4, .neighbours = {}}); }),
              HasSubstr("a rank of 3 owned rows with 4 inner rows"));
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                g.add_rows({.owned = 3, .neighbours = {{weft::Rank(1), 4, 0}}});
              }),
              HasSubstr("4 of 3 owned rows are sent to rank 1"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { g.add_array("u", 0, 8); }), HasSubstr("array 'u' has rows number 0"));
}

}  // namespace

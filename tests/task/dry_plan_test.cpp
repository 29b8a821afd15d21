// Dry plans: the counts of one pretended rank are those of a plan on that rank.
#include "weft/task/dry_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace dry_plan_test {
namespace {

using namespace weft::task;
using testing::HasSubstr;
using weft::Communicator;
using weft::ContractError;
using weft::GhostPlan;
using weft::LocalRow;
using weft::Rank;
using weft::Reduce;
using weft::Traffic;
using weft::task::test::error_of;
using weft::task::test::Ring;

[[nodiscard]] PretendedRows rows_of(const GhostPlan& plan, std::int32_t inner) {
  PretendedRows rows{.owned = plan.owned_rows(), .inner = inner, .others_have_ghosts = plan.comm().size() > 1, .neighbours = {}};
  for (const GhostPlan::Neighbour& neighbour : plan.neighbours()) {
    rows.neighbours.push_back({neighbour.rank, std::ssize(neighbour.send_rows), neighbour.ghosts.size()});
    for (const weft::LocalRow row : neighbour.send_rows) rows.inner_is_sent = rows.inner_is_sent || row.value() < inner;
  }
  return rows;
}

/// A program with pulls, a push and a reduction over the ranks.
struct Program {
  Graph graph;
  DataId u, v, dt;
  double number = 0;

  explicit Program(Ring& ring, std::int32_t inner = 0) : graph(ring.comm), u(graph.add_array("u", ring.u, inner)) {
    v = graph.add_array("v", ring.v, inner);
    dt = graph.add_number("dt", number);
    graph.add_task("limit", {reads(u, Part::owned), reduces(dt, Reduce::min)}, [] {});
    graph.add_task("smooth", {reads(u), writes(v)}, [](Rows) {});
    graph.add_task("scatter", {reads(v, Part::owned), reduces(u, Reduce::add)}, [] {});
    graph.add_task("step", {reads(dt), reads(v), reads_writes(u)}, [] {});
  }
};

TEST(DryPlan, CountsWhatAPlanSends) {
  for (const std::int32_t inner : {0, 2}) {
    Ring ring;
    Program program(ring, inner);
    Plan plan = program.graph.compile();
    Trace once, again;
    plan.run(1, &once);
    plan.run(2, &again);

    const DryPlan counted =
        program.graph.dry(ring.comm.size(), [&](DataId, const weft::PairRef&) { return rows_of(ring.plan, inner); });
    ASSERT_EQ(counted.schedule.repeated.nodes.size(), plan.schedule().repeated.nodes.size());
    for (std::size_t i = 0; i < counted.schedule.repeated.nodes.size(); ++i) {
      EXPECT_EQ(counted.schedule.repeated.nodes[i].name, plan.schedule().repeated.nodes[i].name);
    }
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
}

/// Each rank pretends to be all of them, from a program that is recorded on one rank.
TEST(DryPlan, OfOneRankCountsWhatManySend) {
  Ring ring;
  Program program(ring);
  Plan plan = program.graph.compile();
  Trace trace;
  plan.run(1, &trace);
  Traffic sent;
  for (const auto& [to, traffic] : trace.sent()) sent += traffic;

  const Communicator self = Communicator::self();
  const GhostPlan small = GhostPlan::build(self, 1, std::span<const weft::GlobalRow>());
  weft::ArrayPair<double> u(small), v(small);
  double number = 0;
  Graph alone(self);
  const DataId to_u = alone.add_array("u", u), to_v = alone.add_array("v", v), dt = alone.add_number("dt", number);
  alone.add_task("limit", {reads(to_u, Part::owned), reduces(dt, Reduce::min)}, [] {});
  alone.add_task("smooth", {reads(to_u), writes(to_v)}, [](Rows) {});
  alone.add_task("scatter", {reads(to_v, Part::owned), reduces(to_u, Reduce::add)}, [] {});
  alone.add_task("step", {reads(dt), reads(to_v), reads_writes(to_u)}, [] {});
  const std::vector<PretendedRows> all = [&] {
    std::vector<PretendedRows> list;
    const int ranks = ring.comm.size();
    for (int r = 0; r < ranks; ++r) {
      PretendedRows rows{.owned = Ring::kRows, .others_have_ghosts = ranks > 1, .neighbours = {}};
      const int before = (r + ranks - 1) % ranks, behind = (r + 1) % ranks;
      if (ranks == 2) rows.neighbours = {{Rank(before), 2, 2}};
      if (ranks > 2) rows.neighbours = {{Rank(before), 1, 1}, {Rank(behind), 1, 1}};
      list.push_back(std::move(rows));
    }
    return list;
  }();
  Traffic counted;
  for (const PretendedRows& rows : all) {
    const DryPlan dry = alone.dry(ring.comm.size(), [&](DataId, const weft::PairRef&) { return rows; });
    counted += dry.first;
    EXPECT_EQ(dry.array_bytes, 2 * 8 * (rows.owned + rows.ghosts()));
  }
  EXPECT_EQ(counted.messages, ring.comm.sum(sent.messages));
  EXPECT_EQ(counted.bytes, ring.comm.sum(sent.bytes));
}

TEST(DryPlan, CountsBytesOfRowsAndImages) {
  const GhostPlan plan = GhostPlan::build(Communicator::self(), 1, std::span<const weft::GlobalRow>());
  weft::ArrayPair<float, 3> u(plan);
  Graph g(Communicator::self());
  const DataId id = g.add_array("u", u);
  g.add_task("pull", {reads(id)}, [] {});
  g.add_task("change", {reads_writes(id)}, [] {});
  const DryPlan dry = g.dry(100, [](DataId, const weft::PairRef&) {
    return PretendedRows{.owned = 10, .boundary = 4, .images = 3, .neighbours = {{Rank(99), 5, 6}}};
  });
  EXPECT_EQ(dry.repeated, (Traffic{1, 5 * 12}));
  EXPECT_EQ(dry.array_bytes, (10 + 4 + 3 + 6) * 12);
  EXPECT_EQ(dry.message_bytes, (5 + 6) * 12);
}

/// A graph in which a task changes a subset before another one reads ghost rows.
struct WithSubset {
  Ring ring;
  Graph g{ring.comm};
  DataId u = g.add_array("u", ring.u, 1), v = g.add_array("v", ring.v, 1);
  SubsetId inlet = g.add_subset(u, "inlet", std::vector{LocalRow(0), LocalRow(2)});

  WithSubset() {
    g.add_task("inflow", {writes(u, inlet)}, [] {});
    g.add_task("smooth", {reads(u), writes(v)}, [](Rows) {});
  }
  [[nodiscard]] DryPlan dry(const std::vector<PretendedRows::InSubsets>& sets) const {
    return g.dry(100, [&](DataId id, const weft::PairRef& /*array*/) {
      PretendedRows rows{.owned = 1000, .inner = 900, .others_have_ghosts = true, .neighbours = {{Rank(7), 10, 10}}};
      if (id == u) rows.in_subsets = sets;
      return rows;
    });
  }
};

TEST(DryPlan, HasSubsets) {
  WithSubset w;
  const DryPlan here = w.dry({});  // row 2 is a border row
  EXPECT_EQ(here.repeated.messages, 1);
  EXPECT_THAT(here.text(), HasSubstr("subset 'inlet' of 'u': inner, border rows; some rank sends such rows"));
  const DryPlan inner = w.dry({{Part::inner, {w.inlet}}, {Part::boundary, {w.inlet}}});
  EXPECT_EQ(inner.repeated.messages, 0);
  EXPECT_THAT(inner.text(), HasSubstr("subset 'inlet' of 'u': inner, boundary rows; no rank sends such rows"));
  EXPECT_EQ(w.dry({{Part::border, {w.inlet}, true}}).repeated.messages, 1);
  EXPECT_EQ(w.dry({{Part::border, {w.inlet}, false}}).repeated.messages, 0);
}

TEST(DryPlan, RefusesImpossibleSubsets) {
  WithSubset w;
  const auto error = [&](const std::vector<PretendedRows::InSubsets>& sets) {
    return error_of<ContractError>([&] { (void)w.dry(sets); });
  };
  const std::string impossible = "array 'u' has pretended rows of subsets that are impossible";
  EXPECT_THAT(error({{Part::ghost, {w.inlet}}}), HasSubstr(impossible));
  EXPECT_THAT(error({{Part::owned, {w.inlet}}}), HasSubstr(impossible));
  EXPECT_THAT(error({{Part::boundary, {w.inlet}, true}}), HasSubstr(impossible));
  EXPECT_THAT(error({{Part::inner, {}}}), HasSubstr(impossible));
  EXPECT_THAT(error({{Part::inner, {SubsetId(9)}}}), HasSubstr(impossible));
  EXPECT_THAT(error({{Part::inner, {w.inlet}}, {Part::inner, {w.inlet}, true}}),
              HasSubstr("a set of pretended rows of subsets twice"));
  WithSubset wrong;
  (void)wrong.g.add_subset(wrong.v, "wrong", std::vector{LocalRow(1), LocalRow(0)});
  EXPECT_THAT(error_of<ContractError>([&] { (void)wrong.dry({}); }),
              HasSubstr("subset 'wrong' of array 'v': row 0 follows row 1"));
}

TEST(DryPlan, RefusesImpossibleRows) {
  const GhostPlan plan = GhostPlan::build(Communicator::self(), 1, std::span<const weft::GlobalRow>());
  weft::ArrayPair<double> u(plan), v(plan);
  Graph g(Communicator::self());
  const DataId first = g.add_array("u", u);
  g.add_array("v", v);
  const auto refusal = [&](const PretendedRows& rows, int ranks = 2) {
    return error_of<ContractError>([&] { (void)g.dry(ranks, [&](DataId, const weft::PairRef&) { return rows; }); });
  };
  EXPECT_THAT(refusal({.owned = 3, .inner = 4, .neighbours = {}}), HasSubstr("array 'u' on a rank of 3 owned rows with 4 inner"));
  EXPECT_THAT(refusal({.owned = 3, .neighbours = {{Rank(1), 4, 0}}}), HasSubstr("4 of 3 owned rows are sent to rank 1"));
  EXPECT_THAT(refusal({.owned = 3, .neighbours = {{Rank(2), 1, 1}}}), HasSubstr("rank 2 of 2 as a neighbour"));
  EXPECT_THAT(refusal({.owned = 3, .neighbours = {{Rank(1), 1, 1}, {Rank(1), 1, 1}}}), HasSubstr("rank 1 of 2 as a neighbour"));
  EXPECT_THAT(refusal({.owned = 3, .neighbours = {}}, 0), HasSubstr("0 ranks are pretended"));
  EXPECT_THAT(error_of<ContractError>([&] {
                (void)g.dry(2, [&](DataId id, const weft::PairRef&) {
                  return PretendedRows{.owned = 3, .neighbours = {{Rank(1), id == first ? 1 : 2, 1}}};
                });
              }),
              HasSubstr("arrays 'u' and 'v' of one ghost plan have different neighbours"));
}

TEST(DryPlan, RefusesRowsOfDifferentSizes) {
  const GhostPlan plan = GhostPlan::build(Communicator::self(), 1, std::span<const weft::GlobalRow>());
  weft::ArrayPair<double, weft::NonUniform> csr(plan, weft::Array<double, weft::NonUniform>(plan.owned_rows()));
  Graph g(Communicator::self());
  g.add_array("csr", csr);
  EXPECT_THAT(error_of<ContractError>([&] { (void)g.dry(2, [](DataId, const weft::PairRef&) { return PretendedRows{}; }); }),
              HasSubstr("the rows of array 'csr' have different sizes"));
}

}  // namespace
}  // namespace dry_plan_test

#include "weft/flow/app/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace weft::flow::verdict_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Case steady() {
  Case c;
  c.numerics.local_time_step = true;
  c.stop.steps = 1000;
  c.stop.residual = 1e-6;
  return c;
}

Case transient() {
  Case c;
  c.free_stream = Primitive{1, {2, 0, 0}, 1};
  c.stop.time = 3.0;
  return c;
}

ForceSpec force(const char* name, double length = 1) {
  ForceSpec spec;
  spec.name = name;
  spec.length = length;
  return spec;
}

TEST(Verdict, SteadyCasesAreGoodOnlyWhereTheyConverged) {
  Case c = steady();
  const Verdict cut = judge(c, {.reason = StopReason::steps, .steps = 1000, .residual = 1e-4});
  EXPECT_FALSE(cut.good);
  EXPECT_EQ(cut.headline, "not converged: the number of steps is reached before the case's criterion of convergence");
  ASSERT_EQ(cut.criteria.size(), 2U);
  EXPECT_FALSE(cut.criteria[0].met);
  EXPECT_EQ(cut.criteria[0].key + " " + cut.criteria[0].wanted + " " + cut.criteria[0].reached, "stop.residual 1e-06 1.00e-04");
  EXPECT_TRUE(cut.criteria[1].met);
  EXPECT_THAT(describe(cut), Contains("  [ ] stop.residual: not met (wanted 1e-06, reached 1.00e-04)"));

  const Verdict fell = judge(c, {.reason = StopReason::residual, .steps = 700, .residual = 9e-7});
  EXPECT_TRUE(fell.good);
  EXPECT_EQ(fell.headline, "converged: the residual has fallen");
  EXPECT_TRUE(fell.criteria[0].met);
  EXPECT_FALSE(fell.criteria[1].met);

  c.stop.residual.reset();
  EXPECT_THAT(judge(c, {.reason = StopReason::steps, .steps = 1000}).headline, HasSubstr("has no criterion of convergence"));
  c.stop.force_change = 1e-4;
  EXPECT_TRUE(judge(c, {.reason = StopReason::force_change}).good);
  const Verdict early = judge(c, {.reason = StopReason::steps, .force_change = std::numeric_limits<double>::infinity()});
  EXPECT_EQ(early.criteria[0].reached, "not yet that many steps");
  EXPECT_FALSE(early.criteria[0].met);
  EXPECT_FALSE(judge(c, {.reason = StopReason::wall_time}).good);
  EXPECT_FALSE(judge(c, {.reason = StopReason::interrupted}).good);
}

TEST(Verdict, TransientCasesAreGoodWhereTheFlowTimeIsReached) {
  Case c = transient();
  EXPECT_TRUE(judge(c, {.reason = StopReason::time}).good);
  c.stop.steps = 10;
  const Verdict cut = judge(c, {.reason = StopReason::steps, .steps = 10});
  EXPECT_FALSE(cut.good);
  EXPECT_EQ(cut.headline, "incomplete: the number of steps is reached before the flow time of the case");
  EXPECT_FALSE(judge(c, {.reason = StopReason::wall_time}).good);
  EXPECT_FALSE(judge(c, {.reason = StopReason::interrupted}).good);
  c.stop.time.reset();
  EXPECT_TRUE(judge(c, {.reason = StopReason::steps, .steps = 10}).good);
  EXPECT_FALSE(judge(c, {.reason = StopReason::interrupted}).good);
  const Verdict slow = judge(c, {.reason = StopReason::wall_time, .steps = 9});
  EXPECT_FALSE(slow.good);
  EXPECT_EQ(slow.headline, "incomplete: the wall-clock time is used up before the steps of the case");
  c.stop.steps.reset();
  EXPECT_TRUE(judge(c, {.reason = StopReason::wall_time}).good);
}

TEST(Verdict, CountsDecadesOfEachVariable) {
  const RunEnd end{.largest_norms = {10, 0, 1, 1, 2}, .norms = {1e-3, 0, 1, 0, 0.2}};
  std::vector<std::string> found;
  for (const Verdict::Decades& each : judge(steady(), end).decades)
    found.push_back(each.variable + " " + std::to_string(each.dropped).substr(0, 4));
  EXPECT_THAT(found, ::testing::ElementsAre("density 4.00", "momentum_y 0.00", "momentum_z 16.0", "energy 1.00"));
  EXPECT_TRUE(judge(transient(), end).decades.empty());
}

TEST(Verdict, ForcesSettleWhereTheLastFifthIsConstant) {
  Case c = steady();
  c.forces = {force("wing"), force("tail")};
  RunEnd end{.steps = 100};
  for (const std::int64_t step : {0, 50, 80, 90, 100}) {
    const double early = step < 80 ? 1 : 0, late = step == 90 ? 1 : 0;
    // The wing's drag varies by 1e-4 of itself and its lift, which is zero, by rounding; the tail's lift varies by 1 %.
    end.forces.push_back({step, {0.02 * (1 + 1e-4 * late) + early, 1e-9 * late + early, 0.02, 0.3 * (1 + 0.01 * late)}});
  }
  const Verdict verdict = judge(c, end);
  ASSERT_EQ(verdict.drifts.size(), 2U);
  EXPECT_EQ(verdict.drifts[0].since_step, 80);
  EXPECT_NEAR(verdict.drifts[0].drag, 1e-4, 1e-6);
  EXPECT_TRUE(verdict.drifts[0].settled());
  EXPECT_NEAR(verdict.drifts[1].lift, 0.01, 1e-3);
  EXPECT_FALSE(verdict.drifts[1].settled());
  EXPECT_THAT(describe(verdict), Contains("  forces on tail still moving, since step 80: Cd by 0 %, Cl by 0.99 %"));
  end.forces.erase(end.forces.begin() + 2);
  EXPECT_TRUE(judge(c, end).drifts.empty());  // too few rows
}

TEST(Verdict, SteadyCasesWhoseForcesStillMoveAreNotGood) {
  Case c = steady();
  c.forces = {force("wing")};
  c.stop.force_change = 1e-4;
  c.stop.force_window = 20;
  RunEnd end{.reason = StopReason::force_change, .steps = 100, .force_change = 5e-9};
  // Coefficients so small that every change of them is below stop.force_change; drag moves by a quarter.
  for (int step = 0; step <= 100; step += 10) end.forces.push_back({step, {2e-8 * (1 - 0.0025 * (100 - step)), 1e-8}});
  const auto all_lines = [&] {
    std::string text;
    for (const std::string& line : describe(judge(c, end))) text += line + "\n";
    return text;
  };
  EXPECT_FALSE(judge(c, end).good);
  EXPECT_THAT(all_lines(), HasSubstr("verdict: not converged: the forces have settled, but forces are still moving\n"));
  EXPECT_THAT(all_lines(),
              HasSubstr("[ ] stop.force_change: not met (wanted 0.0001 over 20 steps, reached 5.00e-09, still moving)"));
  EXPECT_THAT(all_lines(), HasSubstr("forces on wing still moving, since step 80: Cd by 5 %, Cl by 0 %"));
  end.reason = StopReason::residual;
  EXPECT_FALSE(judge(c, end).good);
  EXPECT_THAT(all_lines(), HasSubstr("verdict: not converged: the residual has fallen, but forces are still moving\n"));
  // The window may be longer than the last fifth of the steps.
  c.stop.force_window = 50;
  EXPECT_EQ(judge(c, end).drifts.at(0).since_step, 50);
  // In a flow that is not steady, forces may vary.
  c.numerics.local_time_step = false;
  c.stop = StopCriteria();
  c.stop.time = 1.0;
  end.reason = StopReason::time;
  EXPECT_TRUE(judge(c, end).good);
  EXPECT_THAT(all_lines(), HasSubstr("forces on wing vary, since step 80: Cd by 5 %"));
}

TEST(Verdict, CoefficientsNearZeroAreComparedWithTheLargestOfTheRun) {
  Case c = steady();
  c.forces = {force("body")};
  RunEnd end{.reason = StopReason::residual, .steps = 100};
  // The drag falls to nothing from 0.2 at the start: changes below 0.5 % of 2e-4 do not count.
  for (int step = 0; step <= 100; step += 5) end.forces.push_back({step, {step == 0 ? 0.2 : 1e-7 * (step % 2), 0.0}});
  EXPECT_TRUE(judge(c, end).good);
  for (ForceRecord& row : end.forces) row.coefficients[0] = row.step == 0 ? 0.2 : 1e-5 * static_cast<double>(row.step % 2);
  EXPECT_FALSE(judge(c, end).good);
}

TEST(Verdict, ReportsTheDistanceOfTheStream) {
  Case c = transient();
  c.forces = {force("wing", 0.5)};
  const RunEnd end{.time = 3, .domain_length = 12};
  const Verdict verdict = judge(c, end);
  EXPECT_DOUBLE_EQ(verdict.reference_lengths.value(), 12);
  EXPECT_DOUBLE_EQ(verdict.domain_lengths.value(), 0.5);
  EXPECT_THAT(describe(verdict), Contains("  the free stream went 12 reference lengths, 0.5 times through the domain"));
  c.numerics.local_time_step = true;  // there is no flow time
  EXPECT_FALSE(judge(c, end).reference_lengths || judge(c, end).domain_lengths);
  c.numerics.local_time_step = false;
  c.free_stream.reset();
  EXPECT_FALSE(judge(c, end).reference_lengths || judge(c, end).domain_lengths);
}

}  // namespace
}  // namespace weft::flow::verdict_test

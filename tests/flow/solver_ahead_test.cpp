// Sequences of steps equal single steps, on the host and on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/device/cuda_call_counts.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_ahead_test {
namespace {

using test::gathered;
using test::generated;

class StepsAheadTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() != Backend::host) WEFT_NEEDS_GPU();
  }
  [[nodiscard]] std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Numerics numerics = {.cfl = 0.5}) const {
    auto solver = std::make_unique<Solver>(
        mesh, SolverOptions{.boundary = test::conditions(mesh), .numerics = numerics, .backend = GetParam()});
    solver->initialise([](Vec3 x) { return test::wavy(x, 2); });
    return solver;
  }
  [[nodiscard]] static mesh::Mesh box() {
    return generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{16}}, {"elements", "mixed"}}, {});
  }
};

/// Makes steps until a time, `count` at a time.
std::vector<StepReport> go(Solver& solver, double until, int count) {
  std::vector<StepReport> all;
  while (solver.time() < until * (1 - 1e-13)) {
    solver.start_steps({.count = count, .until = until, .rates_interval = 3});
    const std::vector<StepReport> some = solver.finish_steps();
    EXPECT_LE(some.size(), static_cast<std::size_t>(count));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST_P(StepsAheadTest, AreTheStepsOneByOne) {
  const mesh::Mesh m = box();
  const auto single = solver_on(m), many = solver_on(m);
  const std::vector<StepReport> one = go(*single, 0.25, 1), some = go(*many, 0.25, 7);
  ASSERT_EQ(one.size(), some.size());
  EXPECT_GT(one.size(), 14U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].step, some[i].step);
    EXPECT_EQ(one[i].time, some[i].time);
    EXPECT_EQ(one[i].dt, some[i].dt);
    if (one[i].step % 3 != 0) continue;
    EXPECT_EQ(one[i].rate_squared, some[i].rate_squared);
    EXPECT_TRUE(m.owned_cells == 0 || one[i].rate_squared[0] > 0);
  }
  EXPECT_NEAR(many->time(), 0.25, 1e-13);
  EXPECT_EQ(single->residual_norms(), many->residual_norms());
  EXPECT_EQ(single->evaluations(), many->evaluations());
  EXPECT_EQ(gathered(*single), gathered(*many));
  // The last two are halves of the remaining time, not a whole step and a very short one.
  EXPECT_GT(some.back().dt, 0.4 * some.front().dt);
}

TEST_P(StepsAheadTest, EvaluateTheStateAtWhichTheyHalt) {
  const mesh::Mesh m = box();
  const auto single = solver_on(m), many = solver_on(m);
  (void)go(*single, 0.1, 1);
  many->start_steps({.count = Solver::kMostAhead, .until = 0.1});  // most of them are halted
  EXPECT_LT(many->finish_steps().size(), static_cast<std::size_t>(Solver::kMostAhead));
  single->refresh();
  many->refresh();
  const std::vector<CellGradient> expected = single->gradients(), gradients = many->gradients();
  ASSERT_EQ(gradients.size(), expected.size());
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    EXPECT_EQ(many->primitive(c).pressure, single->primitive(c).pressure);
    EXPECT_EQ(many->cell_state(c, x).pressure, single->cell_state(c, x).pressure);
    EXPECT_EQ(gradients[c.index()].of[4].x, expected[c.index()].of[4].x);
  }
}

TEST_P(StepsAheadTest, OfMoreTilesThanOneBlockAddsUp) {
  constexpr std::int64_t kCells = full_or_sanitized(240, 64);  // along an axis; on a host sums have 1024 cells
  const mesh::Mesh m = generated("box", {{"nx", kCells}, {"ny", kCells}}, {});
  const auto single = solver_on(m), many = solver_on(m);
  for (int i = 0; i < 10; ++i) single->step(1.0);
  many->start_steps({.count = 10, .until = 1.0, .rates_interval = 1000});  // the sums are first computed in steps of a graph
  EXPECT_EQ(many->finish_steps().size(), 10U);
  many->start_steps({.count = 1, .until = 1.0, .rates_interval = 1});
  (void)many->finish_steps();
  single->step(1.0);
  EXPECT_EQ(single->residual_norms(), many->residual_norms());
  EXPECT_EQ(gathered(*single), gathered(*many));
}

TEST(StepsAheadOnCuda, NeedOneLaunchEach) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{64}}, {"ny", std::int64_t{48}}, {"elements", "mixed"}}, {});
  Solver solver(m, {.boundary = test::conditions(m), .numerics = {.cfl = 0.5}, .backend = Backend::cuda});
  solver.initialise([](Vec3 x) { return test::wavy(x, 2); });
  if (!solver.works_ahead())
    GTEST_SKIP() << "needs a GPU for each rank: ranks that share one stage their messages, and the host takes part in each step";
  const auto steps = [&](int count) {
    solver.start_steps({.count = count, .until = 1e9});
    EXPECT_EQ(solver.finish_steps().size(), static_cast<std::size_t>(count));
  };
  steps(8);  // graphs are created in these steps
  steps(8);
  for (const int count : {1, 20}) {
    const weft::detail::CudaCallCounts before = weft::detail::cuda_call_counts();
    steps(count);
    const auto spent = weft::detail::cuda_call_counts() - before;
    EXPECT_EQ(spent.graphs, count);
    EXPECT_EQ(spent.kernels, 0);
    EXPECT_EQ(spent.allocations, 0);
    EXPECT_EQ(spent.copies, 2);  // results of the steps, to page-locked memory
    EXPECT_LE(spent.waits, 3);   // for pending work, and twice for the end
  }
}

TEST(StepsAheadOnCuda, AllocateNothingWhereSumsHaveManyTiles) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{480}}, {"ny", std::int64_t{480}}}, {});
  Solver solver(m, {.boundary = test::conditions(m), .numerics = {.cfl = 0.5}, .backend = Backend::cuda});
  solver.initialise([](Vec3 x) { return test::wavy(x, 2); });
  if (!solver.works_ahead())
    GTEST_SKIP() << "needs a GPU for each rank: ranks that share one stage their messages, and the host takes part in each step";
  solver.step(1e9);
  const weft::detail::CudaCallCounts before = weft::detail::cuda_call_counts();
  solver.start_steps({.count = 8, .until = 1e9});  // single steps at first, then captured in graphs
  EXPECT_EQ(solver.finish_steps().size(), 8U);
  EXPECT_EQ((weft::detail::cuda_call_counts() - before).allocations, 0);
}

TEST_P(StepsAheadTest, WithLocalTimeStepsToo) {
  const mesh::Mesh m = box();
  const Numerics numerics{.rk_stages = 1, .cfl = 0.4, .local_time_step = true};
  const auto single = solver_on(m, numerics), many = solver_on(m, numerics);
  for (int i = 0; i < 30; ++i) single->step(1e300);
  for (int i = 0; i < 3; ++i) {
    many->start_steps({.count = 10, .until = 1e300});
    EXPECT_EQ(many->finish_steps().size(), 10U);
  }
  EXPECT_EQ(single->time(), many->time());
  EXPECT_EQ(gathered(*single), gathered(*many));
}

TEST_P(StepsAheadTest, WithRampsToo) {
  const mesh::Mesh m = box();
  for (const bool local : {false, true}) {
    const Numerics numerics{.cfl = 0.5, .order_ramp = {0, 6}, .cfl_ramp = {0.1, 9}, .local_time_step = local};
    const auto single = solver_on(m, numerics), many = solver_on(m, numerics);
    for (int i = 0; i < 20; ++i) single->step(1e9);
    while (many->steps() < 20) {
      many->start_steps({.count = static_cast<int>(std::min<std::int64_t>(5, 20 - many->steps())), .until = 1e9});
      (void)many->finish_steps();
    }
    EXPECT_EQ(single->time(), many->time());
    EXPECT_EQ(gathered(*single), gathered(*many));
  }
}

TEST_P(StepsAheadTest, BoundariesAreEvaluatedAtTheTimeReached) {
  const mesh::Mesh m = box();
  double latest = 0;
  const BoundaryCondition waving{{.kind = BoundaryKind::far_field}, [&](Vec3 x, double t) {
                                   latest = std::max(latest, t);
                                   return Primitive{1 + 0.1 * std::sin(x.x + t), {0.5, 0.1, 0}, 1};
                                 }};
  Solver solver(m, {.boundary = BoundaryConditions(m.boundary.size(), waving),
                    .numerics = {.cfl = 0.4, .local_time_step = true},
                    .backend = GetParam()});
  solver.initialise([&](Vec3 x) { return waving.prescribed(x, 0); });
  latest = 0;
  for (int i = 0; i < 5; ++i) solver.step(std::numeric_limits<double>::infinity());
  EXPECT_LE(latest, solver.time());
  EXPECT_TRUE(std::isfinite(solver.time()));
}

TEST_P(StepsAheadTest, DoNotChangeTheCopyOfTheState) {
  const mesh::Mesh m = box();
  const auto solver = solver_on(m);
  solver->start_steps({.count = 4, .until = 1});
  (void)solver->finish_steps();
  const std::vector<double> before(solver->conserved().begin(), solver->conserved().end());
  const double time = solver->time();
  for (int i = 0; i < 3; ++i) {
    const auto again = solver_on(m);
    again->restore(before, time, 4);
    again->keep_state();
    again->start_steps({.count = 4 + i, .until = 1});
    EXPECT_EQ(again->time(), time);
    EXPECT_EQ(again->steps(), 4);
    if (again->on_gpu()) {  // on the host no step has been computed yet
      EXPECT_TRUE(std::equal(before.begin(), before.end(), again->conserved().begin(), again->conserved().end()));
    }
    EXPECT_EQ(again->finish_steps().size(), static_cast<std::size_t>(4 + i));
    EXPECT_EQ(again->steps(), 8 + i);
    EXPECT_TRUE(m.owned_cells == 0 || !std::equal(before.begin(), before.end(), again->conserved().begin()));
  }
}

TEST_P(StepsAheadTest, EndWhereAStepIsRepeated) {
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, test::periodic_box(2, 1));
  const Numerics numerics{.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0};
  const auto torn = [](Vec3 x) { return Primitive{1, {x.x < 0.5 ? -4.5 : 4.5, 0, 0}, 1}; };
  Solver single(m, {.numerics = numerics, .backend = GetParam()});
  Solver many(m, {.numerics = numerics, .backend = GetParam()});
  for (Solver* solver : {&single, &many}) solver->initialise(torn);
  int retries = 0;
  std::size_t steps = 0;
  while (steps < 80) {
    many.start_steps({.count = 9, .until = 1e9});
    for (const StepReport& step : many.finish_steps()) {
      const StepReport alone = single.step(1e9);
      EXPECT_EQ(alone.retries, step.retries) << step.step;
      EXPECT_EQ(alone.time, step.time) << step.step;
      retries += step.retries;
      ++steps;
    }
    EXPECT_EQ(gathered(single), gathered(many));
  }
  EXPECT_GT(retries, 0);
}

TEST_P(StepsAheadTest, MisuseIsRefused) {
  const mesh::Mesh m = box();
  const auto solver = solver_on(m);
  EXPECT_BREACH((void)solver->finish_steps());
  EXPECT_BREACH(solver->start_steps({.count = 0, .until = 1}));
  EXPECT_BREACH(solver->start_steps({.count = Solver::kMostAhead + 1, .until = 1}));
  EXPECT_BREACH(solver->start_steps({.count = 1, .until = solver->time()}));
  solver->start_steps({.count = 1, .until = 1});
  EXPECT_BREACH(solver->start_steps({.count = 1, .until = 1}));
  EXPECT_BREACH(solver->step(1));
  EXPECT_EQ(solver->finish_steps().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Flow, StepsAheadTest, ::testing::Values(Backend::host, Backend::cuda),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace weft::flow::solver_ahead_test

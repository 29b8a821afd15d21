// Ramps of the Courant number and of the spatial order.
#include <gtest/gtest.h>

#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_ramp_test {
namespace {

using test::conditions;
using test::everywhere;
using test::gathered;
using test::generated;
using test::Setting;
using test::settings;
using test::wavy;

TEST(Ramp, GrowsEvenlyToOne) {
  constexpr Ramp kRamp{0.2, 4};
  EXPECT_EQ(kRamp.at(0), 0.2);
  EXPECT_DOUBLE_EQ(kRamp.at(1), 0.4);
  EXPECT_DOUBLE_EQ(kRamp.at(3), 0.8);
  EXPECT_EQ(kRamp.at(4), 1);
  EXPECT_EQ(kRamp.at(1'000'000), 1);
  EXPECT_EQ(Ramp{}.at(0), 1);
}

class SolverRamp : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Numerics numerics) const {
    numerics.limiter = GetParam().limiter;
    auto solver = std::make_unique<Solver>(
        mesh, SolverOptions{.boundary = conditions(mesh), .numerics = numerics, .stencil = GetParam().options.stencil});
    solver->initialise([dim = GetParam().dim](Vec3 x) { return wavy(x, dim); });
    return solver;
  }
};

TEST_P(SolverRamp, OfTheOrderBeginsWithTheFirstAndEndsWithTheSecond) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const auto first = solver_on(m, {.gradient = GradientKind::none, .cfl = 0.5});
  const auto growing = solver_on(m, {.cfl = 0.5, .order_ramp = {0, 3}});
  const auto second = solver_on(m, {.cfl = 0.5});
  first->step(1);
  growing->step(1);
  second->step(1);
  EXPECT_EQ(gathered(*first), gathered(*growing));
  EXPECT_NE(gathered(*second), gathered(*growing));
  for (int i = 0; i < 2; ++i) growing->step(1);
  second->restore(growing->conserved(), growing->time(), growing->steps());
  for (int i = 0; i < 3; ++i) {
    growing->step(1);
    second->step(1);
    EXPECT_EQ(gathered(*second), gathered(*growing));
  }
}

TEST_P(SolverRamp, GoesOnWhereARestartFindsIt) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  for (const bool local : {false, true}) {
    const Numerics numerics{.cfl = 0.5, .order_ramp = {0, 6}, .cfl_ramp = {0.1, 8}, .local_time_step = local};
    const auto one = solver_on(m, numerics), two = solver_on(m, numerics);
    for (int i = 0; i < 4; ++i) one->step(1);
    two->restore(one->conserved(), one->time(), one->steps());
    for (int i = 0; i < 6; ++i) {
      const double stable = one->stable_dt();
      const StepReport step = one->step(1);
      EXPECT_DOUBLE_EQ(step.dt, std::min(0.5 * numerics.cfl_ramp.at(step.step - 1) * stable, 1.0));
      two->step(1);
    }
    EXPECT_EQ(one->time(), two->time());
    EXPECT_EQ(gathered(*one), gathered(*two));
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, SolverRamp, ::testing::ValuesIn(settings()), [](const auto& s) { return s.param.name; });

TEST(SolverRamp, StartsAFlowThatTheSchemeCannotStartAtOnce) {
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{64}}, {"radial", std::int64_t{24}}, {"radius", 5.0}});
  const Primitive stream{1.4, {20, 2, 0}, 1};
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = stream});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name != "farfield") boundary[z].params.kind = BoundaryKind::slip_wall;
  }
  const auto retries = [&](const Numerics& numerics) {
    Solver solver(m, {.boundary = boundary, .numerics = numerics});
    solver.initialise([&](Vec3) { return stream; });
    int sum = 0;
    for (int i = 0; i < (kSanitized ? 40 : 400); ++i) sum += solver.step(1e9).retries;
    return sum;
  };
  Numerics numerics{.limiter = LimiterKind::venkatakrishnan, .cfl = 0.8, .local_time_step = true};
  const int at_once = retries(numerics);
  numerics.order_ramp = {0, 200};
  numerics.cfl_ramp = {0.1, 200};
  const int growing = retries(numerics);
  EXPECT_GT(at_once, 0);
  EXPECT_EQ(growing, 0);
}

}  // namespace
}  // namespace weft::flow::solver_ramp_test

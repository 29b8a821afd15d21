// The flow does not depend on the SIMD width, to the last bit.
#include <gtest/gtest.h>

#include "weft/flow/host/loops.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow::solver_simd_width_test {
namespace {

using test::conditions;
using test::every_flux;
using test::generated;
using test::Setting;
using test::settings;
using test::wavy;

struct Outcome {
  std::vector<double> conserved;
  std::array<double, Solver::kVars> rate_squared{};
  double stable_dt = 0;
};

class SimdWidth : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] Outcome after_steps(const mesh::Mesh& mesh, const Numerics& numerics, int width) const {
    detail::limit_simd_width(width);
    Solver solver(mesh, {.boundary = conditions(mesh), .numerics = numerics, .stencil = GetParam().options.stencil});
    solver.initialise([dim = GetParam().dim](Vec3 x) { return wavy(x, dim); });
    Outcome outcome;
    for (int i = 0; i < 10; ++i) outcome.rate_squared = solver.step(1.0).rate_squared;
    outcome.conserved.assign(solver.conserved().begin(), solver.conserved().end());
    outcome.stable_dt = solver.stable_dt();

    // The stable step of the last stage is that which is computed from the state.
    Solver restarted(mesh, {.boundary = conditions(mesh), .numerics = numerics, .stencil = GetParam().options.stencil});
    restarted.restore(outcome.conserved, solver.time(), solver.steps());
    EXPECT_EQ(restarted.stable_dt(), outcome.stable_dt);
    detail::limit_simd_width(8);
    return outcome;
  }
};

TEST_P(SimdWidth, DoesNotChangeABit) {
  const mesh::Mesh mesh = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  for (const FluxKind flux : every_flux()) {
    for (const bool local : {false, true}) {
      const Numerics numerics{.flux = flux, .limiter = GetParam().limiter, .cfl = 0.5, .local_time_step = local};
      const Outcome four = after_steps(mesh, numerics, 4), eight = after_steps(mesh, numerics, 8);
      EXPECT_EQ(four.conserved, eight.conserved);
      EXPECT_EQ(four.rate_squared, eight.rate_squared);
      EXPECT_EQ(four.stable_dt, eight.stable_dt);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, SimdWidth, ::testing::ValuesIn(settings()),
                         [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace weft::flow::solver_simd_width_test

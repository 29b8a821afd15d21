// The flow is the same to the last bit however many numbers are computed with at once.
#include <gtest/gtest.h>

#include "weft/flow/host/loops.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
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

class Lanes : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] Outcome after_steps(const mesh::Mesh& mesh, const Numerics& numerics, int lanes) const {
    detail::limit_simd_width(lanes);
    Solver solver(mesh, {.boundary = conditions(mesh), .numerics = numerics, .stencil = GetParam().options.ghosts});
    solver.initialise([dim = GetParam().dim](Vec3 x) { return wavy(x, dim); });
    Outcome outcome;
    for (int i = 0; i < 10; ++i) outcome.rate_squared = solver.step(1.0).rate_squared;
    outcome.conserved.assign(solver.conserved().begin(), solver.conserved().end());
    outcome.stable_dt = solver.stable_dt();

    // What the last stage says of the next step is what somebody finds who looks at the state.
    Solver restarted(mesh, {.boundary = conditions(mesh), .numerics = numerics, .stencil = GetParam().options.ghosts});
    restarted.restore(outcome.conserved, solver.time(), solver.steps());
    EXPECT_EQ(restarted.stable_dt(), outcome.stable_dt);
    detail::limit_simd_width(8);
    return outcome;
  }
};

TEST_P(Lanes, DoNotChangeABit) {
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

INSTANTIATE_TEST_SUITE_P(Flow, Lanes, ::testing::ValuesIn(settings()), [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace weft::flow

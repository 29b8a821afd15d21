// Sources may take a flow far beyond its start, also within a step; a flow that diverges in spite of its sources is stopped.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/exact_fields.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::limits_with_sources_test {
namespace {

using test::common_error;
using test::everywhere;
using test::generated;
using test::periodic_box;
using ::testing::HasSubstr;

constexpr double kForever = std::numeric_limits<double>::infinity();

/// Returns the largest density, p + rho u^2 and |u| + c.  @collective
std::array<double, 3> largest_state(const Solver& solver) {
  std::array<double, 3> largest{};
  for (const mesh::LocalCellId c : solver.mesh().owned()) {
    const Primitive w = solver.primitive(c);
    largest[0] = std::max(largest[0], w.density);
    largest[1] = std::max(largest[1], w.pressure + w.density * dot(w.velocity, w.velocity));
    largest[2] = std::max(largest[2], norm(w.velocity) + solver.scheme().gas().sound_speed(w));
  }
  solver.mesh().comm.max(std::span<double>(largest));
  return largest;
}

mesh::Mesh vessel() { return generated("box", {{"nx", std::int64_t{16}}, {"ny", std::int64_t{4}}, {"ymax", 0.25}}); }

/// A gas at rest of density and pressure 1 between slip walls.
struct AtRest {
  AtRest(const mesh::Mesh& m, const SourceTerm& source, const Numerics& numerics = {.cfl = 0.4})
      : solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}), .numerics = numerics, .source = source}) {
    solver.initialise([](Vec3) { return Primitive{1, {}, 1}; });
  }
  Solver solver;
};

/// Heats some cells of the vessel so that their pressure grows by about a half in each step, until it is 1e11.
SourceTerm spark() {
  return {[gas = IdealGas()](Vec3 x, double, const Primitive& w) {
    const double per_second = gas.sound_speed(w) * 12 / 0.4;
    return Conserved{0, {}, x.x < 0.2 && w.pressure < 1e11 ? per_second * w.pressure / (gas.gamma - 1) : 0};
  }};
}

TEST(LimitsWithSources, ASparkIsNoDivergence) {
  // The blast goes to and fro between the walls.
  const mesh::Mesh m = vessel();
  for (const bool local : {false, true}) {
    AtRest gas(m, spark(), {.cfl = 0.4, .local_time_step = local});
    for (int i = 0; i < 120; ++i) gas.solver.step(kForever);
    EXPECT_GT(largest_state(gas.solver)[1], 1e10) << local;
  }
}

TEST(LimitsWithSources, HeatInAFewCellsIsNoDivergence) {
  // In proportion to pressure and stable step: a percentage of the energy of the cell in each step, for ever.
  const mesh::Mesh m = vessel();
  const IdealGas gas;
  for (const double share : {0.08, 0.015}) {
    if (share < 0.08 && m.comm.size() > 1) continue;  // 1,500 steps
    AtRest heated(m, SourceTerm([=](Vec3 x, double, const Primitive& w) {
                    const double per_second = share * gas.sound_speed(w) / (1.0 / 32 * 0.4);
                    return Conserved{0, {}, x.x < 0.2 ? per_second * w.pressure / (gas.gamma - 1) : 0};
                  }));
    Solver& solver = heated.solver;
    std::array<double, 3> largest{};
    while (largest[1] < 1e10 && solver.steps() < 5000) {
      for (int i = 0; i < 50; ++i) solver.step(kForever);
      largest = largest_state(solver);
    }
    EXPECT_GE(largest[1], 1e10) << share;
  }
}

TEST(LimitsWithSources, MassThatIsAddedIsNoDivergence) {
  // Mass, its momentum and its energy at the state of the gas: the density alone grows, by a factor of 2 a step.
  const mesh::Mesh m = vessel();
  const IdealGas gas;
  const double dt = AtRest(m, {}).solver.stable_dt() * 0.4;
  AtRest filled(m, SourceTerm([=](Vec3, double, const Primitive& w) { return 1 / dt * gas.conserved(w); }),
                {.rk_stages = 1, .cfl = 0.5});
  for (int i = 0; i < 60; ++i) filled.solver.step(dt);
  EXPECT_NEAR(largest_state(filled.solver)[0], std::pow(2.0, 60), 1e-8 * std::pow(2.0, 60));
}

TEST(LimitsWithSources, ABodyForceThatIsRampedIsNoDivergence) {
  // In each step speed and sound grow by about a tenth: a third of the work becomes heat.
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}}, periodic_box(2, 1));
  Solver solver(m, {.numerics = {.cfl = 0.4}, .source = SourceTerm([gas = IdealGas()](Vec3, double, const Primitive& w) {
                                                const double speed = w.velocity.x + gas.sound_speed(w),
                                                             force = 2 * w.density * speed * speed;
                                                return Conserved{0, {force, 0, 0}, 1.5 * force * w.velocity.x};
                                              })});
  solver.initialise([](Vec3) { return Primitive{1, {0, 0, 0}, 1}; });
  std::array<double, 3> largest{};
  while (largest[2] < 1e12 && solver.steps() < 2000) {
    for (int i = 0; i < 50; ++i) solver.step(kForever);
    largest = largest_state(solver);
  }
  EXPECT_GE(largest[2], 1e12);
  EXPECT_LT(solver.steps(), 2000);
}

TEST(LimitsWithSources, ABoundaryStateThatGrowsIsNoDivergence) {
  const mesh::Mesh m = vessel();
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
  for (const mesh::BoundaryZoneId z : boundary.ids()) {
    if (m.boundary[z].name != "xmin") continue;
    boundary[z] = {};
    boundary[z].params.kind = BoundaryKind::supersonic_inflow;
    boundary[z].prescribed = [](Vec3, double t) {  // by about a fifth in each step
      const double p = std::pow(std::max(3e-5, 1 - t / 0.02), -2);
      return Primitive{1, {10 * std::sqrt(p), 0, 0}, p};
    };
  }
  Solver solver(m, {.boundary = boundary, .numerics = {.cfl = 0.4}});
  solver.initialise([](Vec3) { return Primitive{1, {}, 1}; });
  for (int i = 0; i < 250; ++i) solver.step(kForever);
  EXPECT_GT(largest_state(solver)[1], 1e10);
}

/// Expects that the flow of SolverFailure.StopsAFlowThatDivergesWithinSteps, which grows by a factor of 1.4 a step, is stopped
/// within 40 steps from 1e3 times the start, whatever the source, and that the cell is named.
void expect_stop(const char* name, const SourceTerm& source) {
  SCOPED_TRACE(name);
  const mesh::Mesh m = generated("vortex_box", {{"n", std::int64_t{24}}, {"elements", "triangles"}}, periodic_box(2, 10));
  Solver solver(
      m, {.numerics = {.stabilize_simplices = false, .rk_stages = 1, .cfl = 1.5, .local_time_step = true}, .source = source});
  solver.initialise([](Vec3 x) { return IsentropicVortex{}(x, 0); });
  std::int64_t onset = 0;
  double last = 0;
  const std::string text = common_error<PhysicsError>(m.comm, [&] {
    for (int i = 0; i < 600; ++i) {
      solver.step(kForever);
      const std::array<double, 3> largest = largest_state(solver);
      last = std::max(largest[0], largest[1]);
      if (onset == 0 && last > 1e3) onset = solver.steps();
    }
  });
  EXPECT_THAT(text, HasSubstr("the flow diverged beyond all states of its start, boundaries and sources at step"));
  EXPECT_THAT(text, ::testing::ContainsRegex("element [0-9]+: .* in the cell at \\("));
  EXPECT_GT(onset, 0);
  EXPECT_LE(solver.steps() - onset, 40);
  EXPECT_LT(last, 1e10);
  // The state that is left is that of the failed step.
  const std::array<double, 3> failed = largest_state(solver);
  EXPECT_GT(std::max(failed[0], failed[1]), last);
}

TEST(LimitsWithSources, AFlowThatDivergesIsStopped) {
  expect_stop("nothing", SourceTerm([](Vec3, double, const Primitive&) { return Conserved{}; }));
  expect_stop("constant heat", SourceTerm([](Vec3, double, const Primitive&) { return Conserved{0, {}, 0.1}; }));
  expect_stop(
      "drag and heat in proportion to the state", SourceTerm([](Vec3, double, const Primitive& w) {
        return Conserved{0, -0.05 * w.density * w.velocity, 0.02 * w.pressure - 0.05 * w.density * dot(w.velocity, w.velocity)};
      }));
}

TEST(LimitsWithSources, AStateOfASparkIsARestart) {
  const mesh::Mesh m = vessel();
  AtRest first(m, spark());
  Solver& whole = first.solver;
  for (int i = 0; i < 60; ++i) whole.step(kForever);
  Solver resumed(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}), .numerics = {.cfl = 0.4}, .source = spark()});
  resumed.refer_to([](Vec3) { return Primitive{1, {}, 1}; });
  resumed.restore(whole.conserved(), whole.time(), whole.steps());
  for (int i = 0; i < 20; ++i) {
    whole.step(kForever);
    resumed.step(kForever);
  }
  EXPECT_TRUE(std::ranges::equal(whole.conserved(), resumed.conserved()));
}

}  // namespace
}  // namespace weft::flow::limits_with_sources_test

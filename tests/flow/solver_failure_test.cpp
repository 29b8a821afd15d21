// A step in which a state becomes unphysical is repeated; otherwise the error names the cell, equal on every rank.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/scheme/reference.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/exact_fields.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::solver_failure_test {
namespace {

using test::common_error;
using test::everywhere;
using test::generated;
using test::periodic_box;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

mesh::Mesh tube() { return generated("box", {{"nx", std::int64_t{20}}, {"ny", std::int64_t{2}}, {"ymax", 0.1}}); }

/// Returns gas whose halves move apart at x = 0.5.
Primitive torn(Vec3 x, double speed) { return {1, {x.x < 0.5 ? -speed : speed, 0, 0}, 1}; }

TEST(SolverFailure, NamesCellPlaceNeighboursAndZoneOnEveryRank) {
  const mesh::Mesh m = tube();
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::supersonic_outflow}), .numerics = {.flux = FluxKind::roe}});
  solver.initialise([](Vec3 x) { return torn(x, 40); });
  const std::string text = common_error<PhysicsError>(m.comm, [&] {
    for (int i = 0; i < 200; ++i) solver.step(1.0);
  });
  // Roe's solver cannot represent a vacuum: it fails at once, in the cells on both sides; the one with the lowest id is reported.
  EXPECT_THAT(text, HasSubstr("step 0"));
  EXPECT_THAT(text, HasSubstr("element 9"));
  EXPECT_THAT(text, HasSubstr("cell at (0.475, 0.025, 0)"));
  EXPECT_THAT(text, HasSubstr("neighbour 8:"));
  EXPECT_THAT(text, HasSubstr("neighbour 10:"));
  EXPECT_THAT(text, HasSubstr("neighbour 29:"));
  EXPECT_THAT(text, HasSubstr("at boundary \"ymin\""));
  EXPECT_THAT(text, HasSubstr("lower cfl"));
}

TEST(SolverFailure, RejectsAnUnphysicalStart) {
  const mesh::Mesh m = tube();
  Solver solver(m, {.boundary = everywhere(m, {})});
  for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto start = [&](bool density) {
      return common_error<PhysicsError>(m.comm, [&] {
        solver.initialise([&](Vec3 x) {
          Primitive w{1, {}, 1};
          if (std::abs(x.x - 0.975) < 0.01 && x.y > 0.05) (density ? w.density : w.pressure) = bad;
          return w;
        });
      });
    };
    EXPECT_THAT(start(true), HasSubstr("element 39"));
    EXPECT_THAT(start(true), HasSubstr("the initial state is not physical"));
    EXPECT_THAT(start(false), HasSubstr("(0.975, 0.075, 0)"));
  }
  // The next start succeeds again.
  EXPECT_NO_THROW(solver.initialise([](Vec3) { return Primitive{1, {}, 1}; }));
  EXPECT_NO_THROW(solver.step(1.0));
}

TEST(SolverFailure, PassesOnTheErrorOfAStateOnOneRankAlone) {
  const mesh::Mesh m = tube();
  Solver solver(m, {.boundary = everywhere(m, {})});
  const std::string text = common_error<InputError>(m.comm, [&] {
    solver.initialise([](Vec3 x) -> Primitive {
      if (x.x > 0.95) throw InputError("no flow here");
      return {1, {}, 1};
    });
  });
  EXPECT_EQ(text, "no flow here");
  EXPECT_NE(common_error<InputError>(
                m.comm, [&] { solver.restore(std::vector<double>(m.comm.is_root() ? 3 : solver.conserved().size()), 0, 0); }),
            "");
}

TEST(SolverFailure, KeepsItsStateIfThatToRestoreIsUnphysical) {
  const mesh::Mesh m = tube();
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([](Vec3 x) { return Primitive{1 + 0.1 * x.x, {}, 1}; });
  solver.step(1.0);
  const std::vector<double> before(solver.conserved().begin(), solver.conserved().end());
  const double time = solver.time();
  for (const double energy : {-1.0, 0.0, std::numeric_limits<double>::infinity()}) {
    std::vector<double> state = before;
    for (const mesh::LocalCellId c : m.owned()) {
      if (m.cell_file_id[c] == 27) state[c.index() * Solver::kVars + 4] = energy;
    }
    const std::string text = common_error<PhysicsError>(m.comm, [&] { solver.restore(state, 0, 7); });
    EXPECT_THAT(text, HasSubstr("the state to restore is not physical in the cell at (0.375, 0.075, 0): density 1.0"));
    EXPECT_THAT(text, HasSubstr("element 27"));
    EXPECT_THAT(solver.conserved(), ElementsAreArray(before));
    EXPECT_EQ(solver.time(), time);
    EXPECT_EQ(solver.steps(), 1);
  }
  EXPECT_NO_THROW(solver.step(1.0));
}

TEST(SolverFailure, RejectsAStateOutsideTheLimits) {
  const mesh::Mesh m = tube();
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([](Vec3) { return Primitive{1, {}, 1}; });
  EXPECT_NO_THROW(solver.step(1.0));
  for (const double density : {1e8, 1e-293}) {
    std::vector<double> state(solver.conserved().begin(), solver.conserved().end());
    for (const mesh::LocalCellId c : m.owned()) {
      const std::size_t first = c.index() * Solver::kVars;
      if (m.cell_file_id[c] != 27) continue;
      for (std::size_t k = 1; k < 4; ++k) state[first + k] = 0;
      state[first] = density;
    }
    const std::string text = common_error<PhysicsError>(m.comm, [&] {
      Solver other(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
      other.refer_to([](Vec3) { return Primitive{1, {}, 1}; });
      other.restore(state, 0, 3);
    });
    EXPECT_THAT(text, HasSubstr("the flow diverged beyond all states of its start, boundaries and sources at step 3"));
    EXPECT_THAT(text, HasSubstr("element 27"));
    EXPECT_THAT(text, HasSubstr("density 1e"));
  }
}

/// The cell whose density or pressure is the largest in relation to the largest at the start.
struct LargestState {
  double growth = 0;       ///< that relation
  std::int64_t cell = -1;  ///< number in the file
};
/// @collective
LargestState largest_state(const Solver& solver, double density, double pressure) {
  const mesh::Mesh& m = solver.mesh();
  LargestState largest;
  for (const mesh::LocalCellId c : m.owned()) {
    const Primitive w = solver.primitive(c);
    const double growth = std::max(w.density / density, w.pressure / pressure);
    if (growth > largest.growth) largest = {growth, m.cell_file_id[c]};
  }
  const double growth = m.comm.max(largest.growth);
  return {growth, m.comm.max(largest.growth == growth ? largest.cell : std::int64_t{-1})};
}

TEST(SolverFailure, StopsAFlowThatDivergesWithinSteps) {
  // One stage of second order is unstable at this step length, which damped jumps would shorten. Local steps do not conserve, so
  // that mass and energy grow while they stay positive: without limits until they are infinite.
  const mesh::Mesh m = generated("vortex_box", {{"n", std::int64_t{24}}, {"elements", "triangles"}}, periodic_box(2, 10));
  Solver solver(m, {.numerics = {.stabilize_simplices = false, .rk_stages = 1, .cfl = 1.5, .local_time_step = true}});
  solver.initialise([](Vec3 x) { return IsentropicVortex{}(x, 0); });  // density and pressure are at most 1
  std::int64_t onset = 0;                                              // the first step whose state is beyond 1e3 times the start
  LargestState last;                                                   // in the last state that was accepted
  const std::string text = common_error<PhysicsError>(m.comm, [&] {
    for (int i = 0; i < 600; ++i) {
      solver.step(std::numeric_limits<double>::infinity());
      last = largest_state(solver, 1, 1);
      if (onset == 0 && last.growth > 1e3) onset = solver.steps();
    }
  });
  EXPECT_THAT(text, HasSubstr("the flow diverged"));
  // A factor of 1.4 a step: 18 steps from 1e3 to 1e6.
  EXPECT_GT(onset, 0);
  EXPECT_LE(solver.steps() - onset, 20);
  EXPECT_LT(last.growth, kMostGrowth);
  // The runaway moves by a cell or two in a step: the cell that is named is next to the largest state before the step, or has it.
  EXPECT_THAT(text, HasSubstr("element 423"));
  EXPECT_THAT(text, ::testing::AnyOf(HasSubstr(fmt::format("element {}:", last.cell)),
                                     HasSubstr(fmt::format("neighbour {}:", last.cell))));
}

TEST(SolverFailure, ARepeatedStepConserves) {
  // Two streams that separate in a periodic box: a near vacuum opens and later closes again.
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, periodic_box(2, 1));
  Solver solver(m, {.numerics = {.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0}});
  solver.initialise([](Vec3 x) { return torn(x, 4.5); });
  const auto before = totals(solver);
  int retries = 0;
  for (int i = 0; i < 40; ++i) {
    const double time = solver.time();
    const StepReport report = solver.step(1.0);
    retries += report.retries;
    EXPECT_EQ(report.step, i + 1);
    EXPECT_DOUBLE_EQ(report.time, time + report.dt);
  }
  EXPECT_GT(retries, 0);
  const auto after = totals(solver);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * before[4]) << k;
  for (const mesh::LocalCellId c : m.owned()) EXPECT_TRUE(solver.scheme().gas().physical(solver.primitive(c)));
}

TEST(SolverFailure, ARestartDuringTheFirstOrderFallbackIsBitwise) {
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, periodic_box(2, 1));
  const Numerics numerics{.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0};
  Solver whole(m, {.numerics = numerics});
  whole.initialise([](Vec3 x) { return torn(x, 4.5); });
  while (whole.fallback_cells().until == 0) whole.step(1.0);
  whole.step(1.0);
  const FallbackCells fallback = whole.fallback_cells();
  EXPECT_GT(m.comm.sum(std::int64_t(fallback.cells.size())), 0);
  EXPECT_GT(fallback.until, whole.steps());
  Solver resumed(m, {.numerics = numerics});
  resumed.restore(whole.conserved(), whole.time(), whole.steps(), fallback);
  Solver careless(m, {.numerics = numerics});
  careless.restore(whole.conserved(), whole.time(), whole.steps());
  for (int i = 0; i < 3; ++i) {
    whole.step(1.0);
    resumed.step(1.0);
    careless.step(1.0);
  }
  EXPECT_TRUE(std::equal(whole.conserved().begin(), whole.conserved().end(), resumed.conserved().begin()));
  EXPECT_NE(m.comm.sum(std::equal(whole.conserved().begin(), whole.conserved().end(), careless.conserved().begin()) ? 0 : 1), 0);
  EXPECT_EQ(resumed.fallback_cells().cells, whole.fallback_cells().cells);
}

}  // namespace
}  // namespace weft::flow::solver_failure_test

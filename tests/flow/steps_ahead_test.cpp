// The number of steps between two checks of a program.
#include "weft/flow/app/steps_ahead.hpp"

#include <gtest/gtest.h>

#include "flow/solver_settings.hpp"

namespace weft::flow::steps_ahead_test {
namespace {

TEST(StepsAheadOfPrograms, AreWhatAGpuComputesInATime) {
  EXPECT_EQ(steps_in(0.1, 1'000'000, 1), 64);
  EXPECT_EQ(steps_in(0.1, 1'000'000, 2), 128);
  EXPECT_EQ(steps_in(1.0, 10'000'000, 1), 64);
}

TEST(StepsAheadOfPrograms, HaveBounds) {
  EXPECT_EQ(steps_in(0.1, 0, 1), Solver::kMostAhead);
  EXPECT_EQ(steps_in(0.1, 100, 1), Solver::kMostAhead);
  EXPECT_EQ(steps_in(0.1, 1'000'000'000'000, 1), 1);
  EXPECT_EQ(steps_in(1e300, 1, 1'000'000), Solver::kMostAhead);
}

TEST(StepsAheadOfPrograms, AreOneOnTheHost) {
  const mesh::Mesh m = test::generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}}, {});
  const Solver solver(m, SolverOptions{.boundary = test::conditions(m)});
  EXPECT_EQ(most_steps_ahead(solver), 1);
}

TEST(StepsAheadOfPrograms, HistoriesOfTheStateAreThoseOfForcesProbesMonitorsAndIntegrals) {
  const Case none;
  EXPECT_FALSE(records_state(none));
  Case forces = none, probes = none, monitors = none, integrals = none;
  forces.forces.resize(1);
  probes.probes.resize(1);
  monitors.monitors.resize(1);
  integrals.integrals = true;
  for (const Case& with : {forces, probes, monitors, integrals}) EXPECT_TRUE(records_state(with));
}

}  // namespace
}  // namespace weft::flow::steps_ahead_test

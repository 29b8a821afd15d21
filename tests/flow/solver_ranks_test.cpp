// The same flow on any number of ranks, in any run, and after a restart.
#include <gtest/gtest.h>

#include "weft/flow/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
namespace {

using test::conditions;
using test::gathered;
using test::generated;
using test::Setting;
using test::settings;
using test::wavy;

class OnRanks : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] mesh::Mesh mesh_on(const Communicator& comm) const {
    return generated(GetParam().generator, GetParam().parameters, GetParam().options, comm);
  }
  [[nodiscard]] Solver solver_on(const mesh::Mesh& mesh, LimiterKind limiter) const {
    return {mesh, IdealGas{}, conditions(mesh), {.limiter = limiter, .cfl = 0.5}, GetParam().options.ghosts};
  }
  void start(Solver& solver) const {
    const int dim = GetParam().dim;
    solver.initialise([dim](Vec3 x) { return wavy(x, dim); });
  }
  static void go(Solver& solver, int steps) {
    for (int i = 0; i < steps; ++i) solver.step(1.0);
  }
};

TEST_P(OnRanks, IsTheFlowOnOneRank) {
  const mesh::Mesh alone = mesh_on(Communicator::self()), shared = mesh_on(Communicator::world());
  Solver one = solver_on(alone, GetParam().limiter), many = solver_on(shared, GetParam().limiter);
  for (Solver* solver : {&one, &many}) {
    start(*solver);
    go(*solver, 100);
  }
  EXPECT_NEAR(one.time(), many.time(), 1e-12 * one.time());
  EXPECT_LE(test::relative_difference(IdealGas{}, gathered(one), gathered(many)), 1e-12);
}

TEST_P(OnRanks, IsBitwiseTheSameAgainAndAfterARestart) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  Solver first = solver_on(m, GetParam().limiter);
  start(first);
  go(first, 8);
  const std::vector<double> saved(first.conserved().begin(), first.conserved().end());
  Solver restarted = solver_on(m, GetParam().limiter);
  restarted.restore(saved, first.time(), first.steps());
  go(first, 8);
  go(restarted, 8);

  const mesh::Mesh m2 = mesh_on(Communicator::world());
  Solver second = solver_on(m2, GetParam().limiter);
  start(second);
  go(second, 16);
  for (const Solver* other : {&restarted, &second}) {
    EXPECT_EQ(first.time(), other->time());
    EXPECT_EQ(first.steps(), other->steps());
    EXPECT_EQ(gathered(first), gathered(*other));
    EXPECT_EQ(first.residual_norms(), other->residual_norms());
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, OnRanks, ::testing::ValuesIn(settings()), [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace weft::flow

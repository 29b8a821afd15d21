// The same flow on any number of ranks, in any run, and after a restart.
#include <gtest/gtest.h>

#include "weft/flow/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
namespace {

using test::gathered;
using test::Setting;
using test::settings;

class OnRanks : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] static Solver solver_on(const mesh::Mesh& mesh) {
    return {mesh, IdealGas{}, GetParam().boundary(mesh), {.limiter = GetParam().limiter, .cfl = 0.5}, GetParam().options.ghosts};
  }
  static void start(Solver& solver) {
    solver.initialise([](Vec3 x) { return GetParam().start(x); });
  }
  static void go(Solver& solver, int steps) {
    for (int i = 0; i < steps; ++i) solver.step(1.0);
  }
  static void expect_the_flow_on_one_rank() {
    const mesh::Mesh alone = GetParam().mesh(Communicator::self()), shared = GetParam().mesh();
    Solver one = solver_on(alone), many = solver_on(shared);
    for (Solver* solver : {&one, &many}) {
      start(*solver);
      go(*solver, 100);
    }
    EXPECT_NEAR(one.time(), many.time(), 1e-12 * one.time());
    EXPECT_LE(test::relative_difference(IdealGas{}, gathered(one), gathered(many)), 1e-12);
  }
};

TEST_P(OnRanks, IsTheFlowOnOneRank) { expect_the_flow_on_one_rank(); }

TEST_P(OnRanks, IsBitwiseTheSameAgainAndAfterARestart) {
  const mesh::Mesh m = GetParam().mesh();
  Solver first = solver_on(m);
  start(first);
  go(first, 8);
  const std::vector<double> saved(first.conserved().begin(), first.conserved().end());
  Solver restarted = solver_on(m);
  restarted.refer_to([](Vec3 x) { return GetParam().start(x); });
  restarted.restore(saved, first.time(), first.steps());
  go(first, 8);
  go(restarted, 8);

  const mesh::Mesh m2 = GetParam().mesh();
  Solver second = solver_on(m2);
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

/// Of each element type with each boundary condition.
class AnyBoundaryOnRanks : public OnRanks {};

TEST_P(AnyBoundaryOnRanks, IsTheFlowOnOneRank) { expect_the_flow_on_one_rank(); }

INSTANTIATE_TEST_SUITE_P(Flow, AnyBoundaryOnRanks, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& setting) { return setting.param.name; });

}  // namespace
}  // namespace weft::flow

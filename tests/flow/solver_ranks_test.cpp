// A flow is the same on any number of ranks, in any run, and after a restart.
#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "weft/flow/scheme/solver.hpp"

#include "flow/scalar_support.hpp"

namespace weft::flow::solver_ranks_test {
namespace {

using test::gathered;
using test::go;
using test::Setting;
using test::settings;

class OnRanks : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] static Solver solver_on(const mesh::Mesh& mesh) {
    return Solver(mesh, {.boundary = GetParam().boundary(mesh),
                         .numerics = {.limiter = GetParam().limiter, .cfl = 0.5},
                         .stencil = GetParam().options.stencil});
  }
  static void start(Solver& solver) {
    solver.initialise([](Vec3 x) { return GetParam().start(x); });
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

/// Every element type with every boundary condition.
class AnyBoundaryOnRanks : public OnRanks {};

TEST_P(AnyBoundaryOnRanks, IsTheFlowOnOneRank) { expect_the_flow_on_one_rank(); }

INSTANTIATE_TEST_SUITE_P(Flow, AnyBoundaryOnRanks, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& setting) { return setting.param.name; });

/// Periodic boxes so small that a cell is its own neighbour, or a neighbour twice, with stencils by node and scalars.
TEST(SmallPeriodicBoxOnRanks, IsTheFlowOnOneRank) {
  using Box = std::tuple<const char*, int, int, int>;
  for (const auto& [elements, nx, ny, nz] : {Box{"hexahedra", 2, 2, 1}, Box{"hexahedra", 2, 1, 3}, Box{"tetrahedra", 3, 2, 2}}) {
    mesh::BuildOptions options = test::periodic_box(2, 1);
    options.stencil = mesh::Neighbours::node;
    const mesh::GeneratorParameters box{
        {"nx", std::int64_t{nx}}, {"ny", std::int64_t{ny}}, {"nz", std::int64_t{nz}}, {"elements", std::string(elements)}};
    const auto after_60_steps = [&](const Communicator& comm) {
      const mesh::Mesh m = test::generated("box", box, options, comm);
      BoundaryConditions boundary(2);
      boundary[mesh::BoundaryZoneId(0)].params = {.kind = BoundaryKind::symmetry};
      boundary[mesh::BoundaryZoneId(1)].params = {.kind = BoundaryKind::far_field, .state = {1, {}, 0.8}};
      const auto solver = test::carrying(m, test::three_scalars(), {.limiter = LimiterKind::venkatakrishnan, .cfl = 0.5},
                                         boundary, options.stencil);
      solver->initialise([](Vec3 x) { return test::wavy(x, 3); });
      for (int i = 0; i < 60; ++i) solver->step(1.0);
      return std::pair(gathered(*solver), test::gathered_amounts(*solver));
    };
    const auto one = after_60_steps(Communicator::self()), many = after_60_steps(Communicator::world());
    EXPECT_LE(test::relative_difference(IdealGas{}, one.first, many.first), 1e-12) << elements << nx;
    for (std::size_t i = 0; i < one.second.size(); ++i) EXPECT_NEAR(one.second[i], many.second[i], 1e-12) << elements << nx;
  }
}

}  // namespace
}  // namespace weft::flow::solver_ranks_test

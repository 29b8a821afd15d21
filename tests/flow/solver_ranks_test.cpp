// The same flow on any number of ranks, in any run, and after a restart.
#include <gtest/gtest.h>

#include <numbers>

#include "weft/flow/solver.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow {
namespace {

using test::gathered;
using test::generated;
using test::periodic_box;

struct Setting {
  std::string name, generator;
  mesh::GeneratorParameters parameters;
  mesh::BuildOptions options{};
  int dim = 2;
  LimiterKind limiter = LimiterKind::barth_jespersen;
};

std::vector<Setting> settings() {
  constexpr auto n = [](std::int64_t value) { return mesh::GeneratorValue(value); };
  mesh::BuildOptions half = periodic_box(2, 1);
  half.periodic.pop_back();  // y stays a wall
  mesh::BuildOptions by_node;
  by_node.ghosts = mesh::Neighbours::node;
  constexpr auto kBarth = LimiterKind::barth_jespersen, kVenkat = LimiterKind::venkatakrishnan;
  return {{"quads_periodic", "box", {{"nx", n(10)}, {"ny", n(10)}, {"warp", 0.03}}, periodic_box(2, 1), 2, kVenkat},
          {"mixed_periodic_and_walls", "box", {{"nx", n(8)}, {"ny", n(6)}, {"elements", "mixed"}}, half, 2, kBarth},
          {"triangles_by_node", "box", {{"nx", n(8)}, {"ny", n(6)}, {"elements", "triangles"}}, by_node, 2, kVenkat},
          {"wedge", "wedge", {{"nx", n(12)}, {"ny", n(8)}}, {}, 2, kBarth},
          {"aerofoil", "naca", {{"around", n(24)}, {"radial", n(6)}, {"radius", 5.0}}, {}, 2, kVenkat},
          {"hexahedra", "box", {{"nx", n(5)}, {"ny", n(4)}, {"nz", n(4)}, {"elements", "hexahedra"}}, {}, 3, kBarth},
          {"tetrahedra",
           "box",
           {{"nx", n(3)}, {"ny", n(3)}, {"nz", n(3)}, {"elements", "tetrahedra"}},
           periodic_box(3, 1),
           3,
           kBarth},
          {"mixed_3d", "box", {{"nx", n(3)}, {"ny", n(3)}, {"nz", n(6)}, {"elements", "mixed"}}, {}, 3, kVenkat}};
}

constexpr Primitive kStream{1.2, {0.6, 0.1, 0}, 0.9};

Primitive wavy(Vec3 x, int dim) {
  const double wave = std::sin(2 * std::numbers::pi * (x.x + 0.3)) * std::cos(2 * std::numbers::pi * x.y);
  return {1.2 + 0.2 * wave, {0.6 + 0.1 * wave, 0.1, dim == 3 ? 0.05 * wave : 0.0}, 0.9 + 0.1 * wave};
}

/// Inflow, outflow, walls and far field, by the names of the zones.
std::vector<BoundaryCondition> conditions(const mesh::Mesh& mesh) {
  std::vector<BoundaryCondition> all;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    BoundaryParams params{.kind = BoundaryKind::slip_wall};
    if (zone.name == "inlet") params = {.kind = BoundaryKind::supersonic_inflow, .state = {1.4, {2, 0, 0}, 1}};
    if (zone.name == "outlet") params = {.kind = BoundaryKind::supersonic_outflow};
    if (zone.name == "upper" || zone.name == "farfield" || zone.name == "ymax")
      params = {.kind = BoundaryKind::far_field, .state = kStream};
    if (zone.name == "xmin")
      params = {.kind = BoundaryKind::total_pressure_inflow, .total_pressure = 1.2, .total_temperature = 0.9};
    if (zone.name == "xmax") params = {.kind = BoundaryKind::static_pressure_outflow, .pressure = 0.9};
    if (zone.name == "zmin") params = {.kind = BoundaryKind::symmetry};
    all.push_back({params, {}});
  }
  return all;
}

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

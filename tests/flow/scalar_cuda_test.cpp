// Passive scalars on a GPU are those of the host.
#include <gtest/gtest.h>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/scalar_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::scalar_cuda_test {
namespace {

using test::amounts_difference;
using test::bringing_scalars;
using test::carrying;
using test::gathered;
using test::gathered_amounts;
using test::generated;
using test::go;
using test::kAgreement;
using test::Setting;
using test::three_scalars;
using test::wavy;

/// Walls with a periodic direction, stencils by node, and a box in 3-D with inflow, outflow and walls.
std::vector<Setting> some_settings() {
  std::vector<Setting> some;
  for (const Setting& setting : test::settings()) {
    for (const char* name : {"mixed_periodic_and_walls", "triangles_by_node", "hexahedra"}) {
      if (setting.name == name) some.push_back(setting);
    }
  }
  return some;
}

class ScalarsOnCuda : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
  [[nodiscard]] mesh::Mesh mesh_of() const { return generated(GetParam().generator, GetParam().parameters, GetParam().options); }
  [[nodiscard]] std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Backend backend, const Numerics& numerics,
                                                  bool varying = false) const {
    auto solver = carrying(mesh, three_scalars(), numerics, bringing_scalars(mesh, varying), GetParam().options.stencil, backend);
    const int dim = GetParam().dim;
    solver->initialise([dim](Vec3 x) { return wavy(x, dim); });
    return solver;
  }
  [[nodiscard]] Numerics numerics() const { return {.limiter = GetParam().limiter, .cfl = 0.5}; }
};

TEST_P(ScalarsOnCuda, AreThoseOfTheHost) {
  const mesh::Mesh m = mesh_of();
  std::vector<Numerics> all(4, numerics());
  all[1].rk_stages = 2;
  all[1].local_time_step = true;
  all[2].gradient = GradientKind::none;
  all[3].order_ramp = {0, 12};
  if (GetParam().options.stencil == mesh::Neighbours::face) {
    all.push_back(numerics());
    all.back().gradient = GradientKind::green_gauss;
  }
  for (const Numerics& numerics : all) {
    const auto host = solver_on(m, Backend::host, numerics), cuda = solver_on(m, Backend::cuda, numerics);
    go(*host, few_if_checked(20));
    go(*cuda, few_if_checked(20));
    EXPECT_LE(test::relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
    EXPECT_LE(amounts_difference(*host, *cuda), kAgreement);
  }
}

TEST_P(ScalarsOnCuda, AreThoseOfTheHostWhereForcesActAndMassIsAdded) {
  const mesh::Mesh m = mesh_of();
  const int dim = GetParam().dim;
  SourceTerm source;
  source.acceleration = {0.2, -0.5, dim == 3 ? 0.1 : 0.0};
  for (const bool adds_mass : {false, true}) {
    if (adds_mass) source.function = [](Vec3, double t, const Primitive& w) { return Conserved{0.2 * w.density, {}, t}; };
    const auto solver_on = [&](Backend backend) {
      auto solver = carrying(m, three_scalars(), numerics(), bringing_scalars(m), GetParam().options.stencil, backend, source);
      solver->initialise([dim](Vec3 x) { return wavy(x, dim); });
      go(*solver, few_if_checked(20));
      return solver;
    };
    const auto host = solver_on(Backend::host), cuda = solver_on(Backend::cuda);
    EXPECT_LE(test::relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement) << adds_mass;
    EXPECT_LE(amounts_difference(*host, *cuda), kAgreement) << adds_mass;
  }
}

TEST_P(ScalarsOnCuda, UseTimeDependentInflowValues) {
  const mesh::Mesh m = mesh_of();
  const auto host = solver_on(m, Backend::host, numerics(), true), cuda = solver_on(m, Backend::cuda, numerics(), true);
  go(*host, few_if_checked(20));
  go(*cuda, few_if_checked(20));
  EXPECT_LE(amounts_difference(*host, *cuda), kAgreement);
}

TEST_P(ScalarsOnCuda, AreTheSameBitsInTwoRunsAndInStepsAhead) {
  const mesh::Mesh m = mesh_of();
  const auto one = solver_on(m, Backend::cuda, numerics()), two = solver_on(m, Backend::cuda, numerics());
  const int steps = few_if_checked(20);
  go(*one, steps);
  go(*two, steps);
  EXPECT_EQ(gathered_amounts(*one), gathered_amounts(*two));
  const auto ahead = solver_on(m, Backend::cuda, numerics());
  for (int done = 0; done < steps;) {
    ahead->start_steps({.count = steps - done, .until = 1e300});
    done += static_cast<int>(ahead->finish_steps().size());
  }
  EXPECT_EQ(gathered(*one), gathered(*ahead));
  EXPECT_EQ(gathered_amounts(*one), gathered_amounts(*ahead));
}

TEST_P(ScalarsOnCuda, LeaveAUniformOneAsItIsAndTheFlowToo) {
  const mesh::Mesh m = mesh_of();
  for (const auto& [precision, nearly] : {std::pair{Precision::fp64, 1e-13}, std::pair{Precision::mixed, 1e-13}}) {
    Numerics numerics = this->numerics();
    numerics.precision = precision;
    const auto cuda = solver_on(m, Backend::cuda, numerics);
    Solver without(
        m,
        {.boundary = test::conditions(m), .numerics = numerics, .stencil = GetParam().options.stencil, .backend = Backend::cuda});
    const int dim = GetParam().dim;
    without.initialise([dim](Vec3 x) { return wavy(x, dim); });
    go(*cuda, few_if_checked(30));
    go(without, few_if_checked(30));
    EXPECT_EQ(gathered(*cuda), gathered(without));
    for (const mesh::LocalCellId c : m.owned()) EXPECT_NEAR(cuda->scalar(1, c), 1, nearly) << c.value();
  }
}

TEST_P(ScalarsOnCuda, LoseNothingBetweenWalls) {
  const mesh::Mesh m = mesh_of();
  const auto cuda = carrying(m, three_scalars(), numerics(), test::everywhere(m, {.kind = BoundaryKind::slip_wall}),
                             GetParam().options.stencil, Backend::cuda);
  const int dim = GetParam().dim;
  cuda->initialise([dim](Vec3 x) { return wavy(x, dim); });
  const std::vector<double> before = scalar_totals(*cuda);
  go(*cuda, few_if_checked(50));
  const std::vector<double> after = scalar_totals(*cuda);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * (1 + std::abs(before[k]))) << k;
}

TEST_P(ScalarsOnCuda, GoOnWhereTheHostStoppedAndTheOtherWayRound) {
  const mesh::Mesh m = mesh_of();
  const auto all = solver_on(m, Backend::host, numerics());
  go(*all, 20);
  for (const auto& [first, second] : {std::pair{Backend::cuda, Backend::host}, std::pair{Backend::host, Backend::cuda}}) {
    const auto begun = solver_on(m, first, numerics()), ended = solver_on(m, second, numerics());
    go(*begun, 10);
    ended->restore(begun->conserved(), begun->time(), begun->steps(), begun->fallback_cells(), begun->scalar_amounts());
    go(*ended, 10);
    EXPECT_LE(amounts_difference(*all, *ended), kAgreement) << to_string(second);
  }
}

TEST_P(ScalarsOnCuda, AreSeenByProbes) {
  const mesh::Mesh m = mesh_of();
  const auto host = solver_on(m, Backend::host, numerics()), cuda = solver_on(m, Backend::cuda, numerics());
  for (Solver* solver : {host.get(), cuda.get()}) {
    go(*solver, 10);
    solver->refresh();
  }
  Vec3 at;
  if (m.comm.is_root()) {
    const Vec3 first = m.cell_centroid[mesh::LocalCellId(0)], second = m.cell_centroid[mesh::LocalCellId(1)];
    at = first + 0.1 * (second - first);
  }
  at = m.comm.broadcast(at);
  const std::vector<double> a = Probe(m, at).read_scalars(*host), b = Probe(m, at).read_scalars(*cuda);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], kAgreement);
}

TEST_P(ScalarsOnCuda, AddUpToTheDigitsOfTheHost) {
  const mesh::Mesh m = mesh_of();
  const auto host = solver_on(m, Backend::host, numerics()), cuda = solver_on(m, Backend::cuda, numerics());
  for (int steps = 0; steps < 3; ++steps) {
    go(*cuda, steps);
    const std::vector<double> on_gpu = scalar_totals(*cuda);
    host->restore(cuda->conserved(), cuda->time(), cuda->steps(), {}, cuda->scalar_amounts());
    EXPECT_EQ(on_gpu, scalar_totals(*host)) << steps;
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, ScalarsOnCuda, ::testing::ValuesIn(some_settings()),
                         [](const auto& setting) { return setting.param.name; });

TEST(ScalarsOnCudaAlso, AreConservedWhereStepsAreRepeated) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, test::periodic_box(2, 1));
  const Numerics numerics{.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0};
  const auto host = carrying(m, three_scalars(), numerics);
  const auto cuda = carrying(m, three_scalars(), numerics, {}, mesh::Neighbours::face, Backend::cuda);
  int retries = 0;
  for (Solver* solver : {host.get(), cuda.get()}) {
    solver->initialise([](Vec3 x) { return Primitive{1, {x.x < 0.5 ? -4.5 : 4.5, 0, 0}, 1}; });
  }
  const std::vector<double> before = scalar_totals(*cuda);
  for (int i = 0; i < 40; ++i) {
    host->step(1.0);
    retries += cuda->step(1.0).retries;
  }
  EXPECT_GT(retries, 0);
  EXPECT_LE(amounts_difference(*host, *cuda), 1e-9);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(scalar_totals(*cuda)[k], before[k], 1e-12 * before[1]) << k;
}

TEST(ScalarsOnCudaAlso, TurnAboutAnAxis) {
  WEFT_NEEDS_GPU();
  mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}});
  mesh::revolve(m);
  const auto host =
      carrying(m, three_scalars(), {.limiter = LimiterKind::venkatakrishnan, .cfl = 0.5}, bringing_scalars(m, false));
  const auto cuda = carrying(m, three_scalars(), {.limiter = LimiterKind::venkatakrishnan, .cfl = 0.5},
                             bringing_scalars(m, false), mesh::Neighbours::face, Backend::cuda);
  for (Solver* solver : {host.get(), cuda.get()}) {
    solver->initialise([](Vec3 x) { return wavy(x, 2); });
    go(*solver, 20);
  }
  EXPECT_LE(amounts_difference(*host, *cuda), kAgreement);
}

}  // namespace
}  // namespace weft::flow::scalar_cuda_test

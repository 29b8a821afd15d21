// The flow on a GPU equals the flow on the host.
#include <gtest/gtest.h>

#include <limits>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/exact_fields.hpp"
#include "weft/flow/solutions/manufactured.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/solver_settings.hpp"
#include "support/gpu.hpp"

namespace weft::flow {
namespace {

using test::conditions;
using test::gathered;
using test::generated;
using test::relative_difference;
using test::Setting;
using test::settings;
using test::wavy;

constexpr double kAgreement = 1e-12;

void go(Solver& solver, int steps) {
  for (int i = 0; i < steps; ++i) solver.step(1.0);
}

class OnCuda : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
  [[nodiscard]] static mesh::Mesh mesh_of() { return GetParam().mesh(); }
  /// Creates a solver by hand from its parts.
  [[nodiscard]] static std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Backend backend, Numerics numerics,
                                                         Transport transport = Transport::automatic, SourceTerm source = {}) {
    auto solver = std::make_unique<Solver>(mesh, SolverOptions{.boundary = GetParam().boundary(mesh),
                                                               .numerics = numerics,
                                                               .stencil = GetParam().options.ghosts,
                                                               .source = std::move(source),
                                                               .backend = backend,
                                                               .transport = transport});
    solver->initialise([](Vec3 x) { return GetParam().start(x); });
    return solver;
  }
  static void expect_the_flow_on_the_host() {
    const mesh::Mesh m = mesh_of();
    std::vector<Numerics> all = test::every_numerics(GetParam());
    // Ranks that share a GPU take turns, which is slow: one of the settings, chosen by the length of the name.
    if (m.comm.size() > 1) all = {all[GetParam().name.size() % all.size()]};
    for (const Numerics& numerics : all) {
      SCOPED_TRACE(test::described(numerics));
      const auto host = solver_on(m, Backend::host, numerics), cuda = solver_on(m, Backend::cuda, numerics);
      go(*host, 100);
      go(*cuda, 100);
      EXPECT_NEAR(host->time(), cuda->time(), kAgreement * host->time());
      EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
      for (int k = 0; k < Solver::kVars; ++k) {
        const auto i = static_cast<std::size_t>(k);
        EXPECT_NEAR(host->residual_norms()[i], cuda->residual_norms()[i], 1e-9 * (1 + host->residual_norms()[i])) << k;
      }
    }
  }
  static void expect_that_all_ranks_compute_the_flow_of_one_on_the_host() {
    const mesh::Mesh parted = mesh_of(), whole = GetParam().mesh(Communicator::self());
    const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
    const auto host = solver_on(whole, Backend::host, numerics), cuda = solver_on(parted, Backend::cuda, numerics);
    go(*host, 100);
    go(*cuda, 100);
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
  }
};

TEST_P(OnCuda, IsTheFlowOnTheHost) { expect_the_flow_on_the_host(); }

TEST_P(OnCuda, IsNearlyTheFlowOnTheHostInOtherPrecisions) {
  const mesh::Mesh m = mesh_of();
  Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics);
  go(*host, 50);
  for (const auto& [precision, nearly] : {std::pair{Precision::mixed, 2e-5}, std::pair{Precision::fp32, 2e-4}}) {
    numerics.precision = precision;
    const auto cuda = solver_on(m, Backend::cuda, numerics), again = solver_on(m, Backend::cuda, numerics);
    go(*cuda, 50);
    go(*again, 50);
    EXPECT_NEAR(host->time(), cuda->time(), nearly * host->time());
    const double difference = relative_difference(IdealGas{}, gathered(*host), gathered(*cuda));
    EXPECT_LE(difference, nearly);
    EXPECT_GE(difference, 1e-10) << "would be fp64";
    EXPECT_EQ(gathered(*cuda), gathered(*again));
    // Started from the values of the host: equal to the last digit that the state stores.
    cuda->restore(host->conserved(), host->time(), host->steps());
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), precision == Precision::mixed ? 0 : 1e-6);
  }
}

TEST_P(OnCuda, ConservesInMixedPrecisionAsInDouble) {
  if (!GetParam().name.ends_with("_periodic") && GetParam().name != "tetrahedra") return;
  const mesh::Mesh m = mesh_of();
  const auto cuda = solver_on(m, Backend::cuda, {.limiter = GetParam().limiter, .cfl = 0.5, .precision = Precision::mixed});
  const auto before = totals(*cuda);
  go(*cuda, 100);
  const auto then = totals(*cuda);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(before[k], then[k], 1e-13 * (1 + std::abs(before[k]))) << k;
}

TEST_P(OnCuda, AllRanksTogetherComputeTheFlowOfOneOnTheHost) { expect_that_all_ranks_compute_the_flow_of_one_on_the_host(); }

TEST_P(OnCuda, EveryTransportGivesTheSameBits) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto staged = solver_on(m, Backend::cuda, numerics, Transport::staged);
  go(*staged, 20);
  for (const Transport transport : {Transport::nccl, Transport::peer}) {
    std::unique_ptr<Solver> other;
    try {
      other = solver_on(m, Backend::cuda, numerics, transport);
    } catch (const InputError&) {
      continue;  // not available on this machine; tests/array/transport_test.cpp reports why
    }
    go(*other, 20);
    EXPECT_EQ(gathered(*staged), gathered(*other)) << to_string(transport);
  }
}

TEST_P(OnCuda, TwoRunsGiveTheSameBits) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto one = solver_on(m, Backend::cuda, numerics), two = solver_on(m, Backend::cuda, numerics);
  go(*one, 50);
  go(*two, 50);
  EXPECT_EQ(gathered(*one), gathered(*two));
  EXPECT_EQ(one->residual_norms(), two->residual_norms());
}

TEST_P(OnCuda, StepsWithEveryKernel) {
  const mesh::Mesh m = mesh_of();
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::green_gauss}) {
    if (gradient == GradientKind::green_gauss && !GetParam().takes_green_gauss()) continue;
    for (const Precision precision : {Precision::fp64, Precision::mixed, Precision::fp32}) {
      const auto cuda =
          solver_on(m, Backend::cuda, {.gradient = gradient, .limiter = GetParam().limiter, .cfl = 0.5, .precision = precision});
      go(*cuda, 1);
      cuda->refresh();
      EXPECT_GT(cuda->time(), 0);
    }
  }
}

TEST_P(OnCuda, SourcesOfPlaceTimeAndStateAreThoseOfTheHost) {
  const mesh::Mesh m = mesh_of();
  const auto moving = [](Vec3 x, double t, const Primitive& w) {
    const double wave = std::sin(3 * x.x - 2 * x.y + x.z + 40 * t);
    return Conserved{0.1 * wave, {0.2 * w.density, -0.3 * wave, 0}, 0.5 - 0.1 * w.pressure};
  };
  for (const bool local : {false, true}) {
    const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5, .local_time_step = local};
    const auto host = solver_on(m, Backend::host, numerics, Transport::automatic, moving);
    const auto cuda = solver_on(m, Backend::cuda, numerics, Transport::automatic, moving);
    const int steps = local ? 20 : 100;
    go(*host, steps);
    go(*cuda, steps);
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
    for (int k = 0; k < Solver::kVars; ++k) {
      const auto i = static_cast<std::size_t>(k);
      EXPECT_NEAR(host->residual_norms()[i], cuda->residual_norms()[i], 1e-9 * (1 + host->residual_norms()[i])) << k;
    }
  }
}

TEST_P(OnCuda, BodyForcesAreThoseOfTheHost) {
  const mesh::Mesh m = mesh_of();
  SourceTerm falling;
  falling.acceleration = {0.2, -0.5, GetParam().dim == 3 ? 0.1 : 0.0};
  for (const bool heated : {false, true}) {
    if (heated) falling.function = [](Vec3, double t, const Primitive& w) { return Conserved{0, {}, w.density * t}; };
    const auto host = solver_on(m, Backend::host, {.limiter = GetParam().limiter, .cfl = 0.5}, Transport::automatic, falling);
    const auto cuda = solver_on(m, Backend::cuda, {.limiter = GetParam().limiter, .cfl = 0.5}, Transport::automatic, falling);
    go(*host, 20);
    go(*cuda, 20);
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
  }
}

TEST_P(OnCuda, GoesOnWhereTheHostStoppedAndTheOtherWayRound) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto all = solver_on(m, Backend::host, numerics);
  go(*all, 20);
  for (const auto& [first, second] : {std::pair{Backend::cuda, Backend::host}, std::pair{Backend::host, Backend::cuda}}) {
    const auto begun = solver_on(m, first, numerics), ended = solver_on(m, second, numerics);
    go(*begun, 10);
    ended->restore(begun->conserved(), begun->time(), begun->steps(), begun->fallback_cells());
    go(*ended, 10);
    EXPECT_EQ(ended->steps(), 20);
    EXPECT_NEAR(ended->time(), all->time(), kAgreement * all->time());
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*all), gathered(*ended)), kAgreement) << to_string(second);
  }
}

TEST_P(OnCuda, MonitorsSeeTheSameFlow) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics), cuda = solver_on(m, Backend::cuda, numerics);
  for (const int steps : {7, 3}) {
    for (Solver* solver : {host.get(), cuda.get()}) {
      go(*solver, steps);
      solver->refresh();
    }
    for (std::size_t z = 0; z < m.boundary.size(); ++z) {
      const mesh::BoundaryZone& zone = m.boundary[z];
      const ForceSpec spec{.name = zone.name, .zones = {zone.name}, .reference = test::kStream, .moment_centre = {0.3, 0.2, 0.1}};
      const Forces a = forces(*host, spec), b = forces(*cuda, spec);
      EXPECT_LE(norm(a.force - b.force), 1e-12 * (1 + norm(a.force))) << zone.name;
      EXPECT_LE(norm(a.moment - b.moment), 1e-12 * (1 + norm(a.moment))) << zone.name;
      for (const mesh::LocalFaceId face : zone.faces) {
        const Conserved difference = host->boundary_flux(z, face.value()) - cuda->boundary_flux(z, face.value());
        for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(difference[k], 0, 1e-11) << zone.name << ", face " << face.value();
      }
    }
  }
  Vec3 at;
  if (m.comm.is_root()) at = m.cell_centroid[0] + 0.1 * (m.cell_centroid[1] - m.cell_centroid[0]);
  at = m.comm.broadcast(at);
  const Primitive difference = Probe(m, at).read(*host) - Probe(m, at).read(*cuda);
  for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(difference[k], 0, 1e-12);
}

// From the same state; also after sequences of steps, which end in either buffer.
TEST_P(OnCuda, IntegralsHaveTheDigitsOfTheHost) {
  const mesh::Mesh m = mesh_of();
  Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics);
  for (const Precision precision : {Precision::fp64, Precision::mixed, Precision::fp32}) {
    numerics.precision = precision;
    const auto cuda = solver_on(m, Backend::cuda, numerics);
    for (const int steps : {0, 1, 1, 3}) {
      if (steps == 1) go(*cuda, 1);
      if (steps == 3) {
        cuda->start_steps({.count = steps, .until = 1e9});
        (void)cuda->finish_steps();
      }
      const auto on_gpu = totals(*cuda);
      host->restore(cuda->conserved(), cuda->time(), cuda->steps());
      EXPECT_EQ(on_gpu, totals(*host)) << static_cast<int>(precision) << ", step " << cuda->steps();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, OnCuda, ::testing::ValuesIn(settings()), [](const auto& test) { return test.param.name; });

/// Every element type with every boundary condition.
class AnyBoundaryOnCuda : public OnCuda {};

TEST_P(AnyBoundaryOnCuda, IsTheFlowOnTheHost) { expect_the_flow_on_the_host(); }
TEST_P(AnyBoundaryOnCuda, AllRanksTogetherComputeTheFlowOfOneOnTheHost) {
  expect_that_all_ranks_compute_the_flow_of_one_on_the_host();
}

INSTANTIATE_TEST_SUITE_P(Flow, AnyBoundaryOnCuda, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& test) { return test.param.name; });

/// Every branch of an opening: waves into the domain, shocks and fans out of it, choked or not, every kind of inflow, and no
/// inflow.
TEST(SolverCuda, OpeningsAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  using Kind = BoundaryKind;
  const Primitive rest{1.4, {0, 0.1, 0}, 1}, slow{1.4, {0.5, 0.1, 0}, 1}, fast{1.4, {2, 0.1, 0}, 1}, away{1.4, {-7, 0.1, 0}, 1};
  const BoundaryParams openings[] = {
      {.kind = Kind::static_pressure_outflow, .pressure = 0.7},
      {.kind = Kind::static_pressure_outflow, .pressure = 0.01},
      {.kind = Kind::static_pressure_outflow, .pressure = 1.4},
      {.kind = Kind::static_pressure_outflow, .pressure = 6},
      {.kind = Kind::total_pressure_inflow, .total_pressure = 0.8, .total_temperature = 1},
      {.kind = Kind::total_pressure_inflow, .total_pressure = 1.3, .total_temperature = 0.9, .direction = {-0.8, 0.6, 0}},
      {.kind = Kind::total_pressure_inflow, .total_pressure = 4, .total_temperature = 3, .direction = {0.8, 0.6, 0}},
      {.kind = Kind::far_field, .state = {0.1, {0, 0, 0}, 0.02}},
      {.kind = Kind::far_field, .state = {1.2, {-0.3, 0, 0}, 1.3}},
      {.kind = Kind::far_field, .state = {1.4, {30, 0, 0}, 1}}};
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}, {"elements", "mixed"}});
  const Numerics numerics{.limiter = LimiterKind::none, .rk_stages = 1, .cfl = 0.2};
  for (const BoundaryParams& opening : openings) {
    for (const Primitive& inside : {rest, slow, fast, away}) {
      std::vector<BoundaryCondition> all = test::everywhere(m, {.kind = Kind::symmetry});
      for (std::size_t z = 0; z < all.size(); ++z) {
        if (m.boundary[z].name == "xmax") all[z].params = opening;
        if (m.boundary[z].name == "xmin") all[z].params = {.kind = Kind::supersonic_outflow};
      }
      Solver host(m, {.boundary = all, .numerics = numerics});
      Solver cuda(m, {.boundary = all, .numerics = numerics, .backend = Backend::cuda});
      for (Solver* solver : {&host, &cuda}) {
        solver->initialise([&](Vec3) { return inside; });
        go(*solver, 2);
      }
      EXPECT_LE(relative_difference(IdealGas{}, gathered(host), gathered(cuda)), kAgreement)
          << name_of(opening.kind) << " " << opening.pressure + opening.total_pressure << " " << inside.velocity.x;
    }
  }
}

/// Steps that were captured as a graph before the circulation changes use the new one.
TEST(SolverCuda, VorticesInFarFieldsAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{32}}, {"radial", std::int64_t{8}}, {"radius", 3.0}});
  const Primitive stream{1.4, {0.5, 0.03, 0}, 1};
  std::vector<BoundaryCondition> boundary = test::everywhere(m, {.kind = BoundaryKind::slip_wall});
  std::size_t far = 0, wall = 0;
  for (std::size_t z = 0; z < m.boundary.size(); ++z) (m.boundary[z].name == "farfield" ? far : wall) = z;
  boundary[far].params = {.kind = BoundaryKind::far_field, .state = stream, .vortex = {0.1, {0.25, 0, 0}}};
  const Numerics numerics{.limiter = LimiterKind::none, .cfl = 0.5};
  Solver host(m, {.boundary = boundary, .numerics = numerics});
  Solver cuda(m, {.boundary = boundary, .numerics = numerics, .backend = Backend::cuda});
  boundary[far].params.vortex = {};
  Solver plain(m, {.boundary = boundary, .numerics = numerics});
  for (Solver* solver : {&host, &cuda, &plain}) {
    solver->initialise([&](Vec3) { return stream; });
    go(*solver, 6);
    if (solver == &plain) continue;
    solver->set_circulation(far, 0.4);
    go(*solver, 6);
    solver->set_circulation(far, -0.2);
    solver->refresh();
  }
  go(plain, 6);
  plain.refresh();
  EXPECT_LE(relative_difference(IdealGas{}, gathered(host), gathered(cuda)), kAgreement);
  EXPECT_GE(relative_difference(IdealGas{}, gathered(host), gathered(plain)), 1e-4);
  for (const std::size_t zone : {far, wall}) {
    EXPECT_LE(norm(host.force_on(zone, 1, {}).force - cuda.force_on(zone, 1, {}).force), kAgreement);
  }
}

TEST(SolverCuda, RepeatsAStepAndRestartsAsTheHostDoes) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, test::periodic_box(2, 1));
  const Numerics numerics{.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0};
  const auto torn = [](Vec3 x) { return Primitive{1, {x.x < 0.5 ? -4.5 : 4.5, 0, 0}, 1}; };
  Solver host(m, {.numerics = numerics});
  Solver cuda(m, {.numerics = numerics, .backend = Backend::cuda});
  host.initialise(torn);
  cuda.initialise(torn);
  const auto before = totals(cuda);
  int retries = 0;
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(host.step(1.0).retries, cuda.step(1.0).retries) << i;
    retries += host.fallback_cells().until > 0 ? 1 : 0;
  }
  EXPECT_GT(retries, 0);
  EXPECT_LE(relative_difference(IdealGas{}, gathered(host), gathered(cuda)), 1e-9);
  const auto after = totals(cuda);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * before[4]) << k;

  Solver resumed(m, {.numerics = numerics, .backend = Backend::cuda});
  resumed.restore(cuda.conserved(), cuda.time(), cuda.steps(), cuda.fallback_cells());
  go(cuda, 3);
  go(resumed, 3);
  EXPECT_EQ(gathered(cuda), gathered(resumed));
}

TEST(SolverCuda, AxisymmetricFlowsAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  for (const char* elements : {"quads", "triangles"}) {
    for (const mesh::Neighbours stencil : {mesh::Neighbours::face, mesh::Neighbours::node}) {
      mesh::BuildOptions options;
      options.ghosts = stencil;
      mesh::Mesh m = generated("box", {{"nx", std::int64_t{10}}, {"ny", std::int64_t{8}}, {"elements", elements}}, options);
      mesh::revolve(m);
      const auto state_of = [&](Backend backend, Precision precision) {
        const Numerics numerics{.limiter = LimiterKind::venkatakrishnan, .cfl = 0.5, .precision = precision};
        Solver solver(m, {.boundary = conditions(m), .numerics = numerics, .stencil = stencil, .backend = backend});
        solver.initialise([](Vec3 x) { return wavy(x, 2); });
        go(solver, 20);
        return gathered(solver);
      };
      const auto host = state_of(Backend::host, Precision::fp64);
      for (const auto& [precision, nearly] :
           {std::pair{Precision::fp64, kAgreement}, std::pair{Precision::mixed, 2e-5}, std::pair{Precision::fp32, 2e-4}}) {
        const double difference = relative_difference(IdealGas{}, host, state_of(Backend::cuda, precision));
        EXPECT_LE(difference, nearly) << elements << ", " << static_cast<int>(precision);
        EXPECT_GE(difference, precision == Precision::fp64 ? 0 : 1e-10) << "would be fp64";
      }
    }
  }
}

TEST(SolverCuda, BoundariesMayBePrescribedInTime) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"elements", "triangles"}}, {});
  const BoundaryCondition waving{{.kind = BoundaryKind::far_field}, [](Vec3 x, double t) {
                                   return Primitive{1 + 0.1 * std::sin(x.x + t), {0.5, 0.1, 0}, 1};
                                 }};
  const std::vector<BoundaryCondition> everywhere(m.boundary.size(), waving);
  Solver host(m, {.boundary = everywhere, .numerics = {.cfl = 0.5}});
  Solver cuda(m, {.boundary = everywhere, .numerics = {.cfl = 0.5}, .backend = Backend::cuda});
  for (Solver* solver : {&host, &cuda}) {
    solver->initialise([&](Vec3 x) { return waving.prescribed(x, 0); });
    go(*solver, 100);
  }
  EXPECT_LE(relative_difference(IdealGas{}, gathered(host), gathered(cuda)), kAgreement);
}

TEST(SolverCuda, SteadyPrescribedStatesAreNotEvaluatedAgain) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"elements", "triangles"}}, {});
  /// Conditions that count their evaluations by zone; zones from `varying` on are declared time-dependent.
  const auto after_steps = [&](Backend backend, std::size_t varying) {
    std::vector<std::int64_t> asked(m.boundary.size());
    std::vector<BoundaryCondition> everywhere(m.boundary.size(), {.params = {.kind = BoundaryKind::far_field}});
    for (std::size_t z = 0; z < everywhere.size(); ++z) {
      everywhere[z].depends_on_time = z >= varying;
      everywhere[z].prescribed = [&asked, z](Vec3 x, double) {
        ++asked[z];
        return wavy(x, 2);
      };
    }
    Solver solver(m, {.boundary = everywhere, .numerics = {.cfl = 0.5}, .backend = backend});
    solver.initialise([&](Vec3 x) { return wavy(x, 2); });
    go(solver, 10);
    solver.restore(std::vector<double>(solver.conserved().begin(), solver.conserved().end()), solver.time(), solver.steps());
    go(solver, 10);
    for (std::size_t z = 0; z < asked.size(); ++z) {
      const std::int64_t faces = m.boundary[z].faces.size();
      EXPECT_GE(asked[z], z < varying ? faces : 60 * faces) << z;
      if (z < varying) {
        EXPECT_EQ(asked[z], 2 * faces) << z << ": for the reference states, and for the first stage";
      }
    }
    if (backend == Backend::cuda) {
      EXPECT_EQ(solver.works_ahead(), varying == asked.size() && solver.transport() != "staged");
    }
    return gathered(solver);
  };
  const std::vector<double> constant = after_steps(Backend::cuda, m.boundary.size());
  EXPECT_LE(relative_difference(IdealGas{}, constant, after_steps(Backend::host, m.boundary.size())), kAgreement);
  EXPECT_EQ(constant, after_steps(Backend::cuda, 0));
  EXPECT_EQ(constant, after_steps(Backend::cuda, 1));
}

TEST(SolverCuda, MonitorsOfManyBlocksAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4000}}, {"ny", std::int64_t{10}}, {"xmax", 40.0}}, {});
  Solver host(m, {.boundary = conditions(m), .numerics = {.cfl = 0.5}});
  Solver cuda(m, {.boundary = conditions(m), .numerics = {.cfl = 0.5}, .backend = Backend::cuda});
  cuda.initialise([](Vec3 x) { return wavy(x, 2); });
  go(cuda, 3);
  const auto on_gpu = totals(cuda);
  cuda.refresh();
  host.restore(cuda.conserved(), cuda.time(), cuda.steps());
  EXPECT_EQ(on_gpu, totals(host));
  host.refresh();
  for (const mesh::BoundaryZone& zone : m.boundary) {  // two of 4000 faces
    const ForceSpec spec{.name = zone.name, .zones = {zone.name}, .reference = test::kStream};
    const Forces a = forces(host, spec), b = forces(cuda, spec);
    EXPECT_LE(norm(a.force - b.force), kAgreement * (1 + norm(a.force))) << zone.name;
    EXPECT_LE(norm(a.moment - b.moment), kAgreement * (1 + norm(a.moment))) << zone.name;
  }
}

TEST(SolverCuda, NamesTheCellThatBecomesUnphysical) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{20}}, {"ny", std::int64_t{2}}, {"ymax", 0.1}}, {}, Communicator::self());
  Solver cuda(m, {.boundary = test::everywhere(m, {.kind = BoundaryKind::supersonic_outflow}),
                  .numerics = {.flux = FluxKind::roe},
                  .backend = Backend::cuda});
  cuda.initialise([](Vec3 x) { return Primitive{1, {x.x < 0.5 ? -40.0 : 40.0, 0, 0}, 1}; });
  const std::string text = test::common_error<PhysicsError>(m.comm, [&] { go(cuda, 200); });
  EXPECT_NE(text.find("element 9"), std::string::npos) << text;
  EXPECT_NE(text.find("cell at (0.475, 0.025, 0)"), std::string::npos) << text;
}

TEST(SolverCuda, StopsAFlowThatDivergesWhereTheHostDoes) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("vortex_box", {{"n", std::int64_t{24}}, {"elements", "triangles"}}, test::periodic_box(2, 10),
                                 Communicator::self());
  std::vector<std::int64_t> steps;
  for (const Backend backend : {Backend::host, Backend::cuda}) {
    Solver solver(
        m, {.numerics = {.stabilize_simplices = false, .rk_stages = 1, .cfl = 1.5, .local_time_step = true}, .backend = backend});
    solver.initialise([](Vec3 x) { return IsentropicVortex{}(x, 0); });
    const std::string text = test::common_error<PhysicsError>(m.comm, [&] {
      for (int i = 0; i < 600; ++i) solver.step(std::numeric_limits<double>::infinity());
    });
    EXPECT_NE(text.find("the flow diverged beyond all states"), std::string::npos) << text;
    steps.push_back(solver.steps());
    // A state that is outside the limits from the beginning is rejected, too.
    std::vector<double> state(solver.conserved().size());
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = i % 5 == 0 ? 1 : i % 5 == 4 ? 2.5 : 0;
    state[5 * 7] = 1e8;
    const std::string refused = test::common_error<PhysicsError>(m.comm, [&] { solver.restore(state, 0, 0); });
    EXPECT_NE(refused.find("the flow diverged beyond all states"), std::string::npos) << refused;
    EXPECT_NE(refused.find("density 1e+08"), std::string::npos) << refused;
  }
  EXPECT_NEAR(static_cast<double>(steps[1]), static_cast<double>(steps[0]), 20);
}

TEST(SolverCuda, ComputesTheManufacturedSolutionOfTheHost) {
  WEFT_NEEDS_GPU();
  const IdealGas gas;
  for (const int dim : {2, 3}) {
    auto solution = ManufacturedSolution::periodic(dim, 1);
    solution.frequency = 1.5;
    mesh::GeneratorParameters box{{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"elements", "mixed"}};
    if (dim == 3) box["nz"] = std::int64_t{6};
    const mesh::Mesh m = generated("box", box, test::periodic_box(dim, 1));
    const SourceTerm source = [=](Vec3 x, double t, const Primitive&) { return solution.source(gas, x, t); };
    Solver host(m, {.gas = gas, .numerics = {.limiter = LimiterKind::none, .cfl = 0.5}, .source = source});
    Solver cuda(m,
                {.gas = gas, .numerics = {.limiter = LimiterKind::none, .cfl = 0.5}, .source = source, .backend = Backend::cuda});
    for (Solver* solver : {&host, &cuda}) {
      solver->initialise([&](Vec3 x) { return solution(x); });
      go(*solver, 100);
    }
    EXPECT_LE(relative_difference(gas, gathered(host), gathered(cuda)), kAgreement) << dim;
    const auto error = errors(cuda, [&](Vec3 x) { return solution(x, cuda.time()); })[0].l2;
    EXPECT_NEAR(error, errors(host, [&](Vec3 x) { return solution(x, host.time()); })[0].l2, kAgreement) << dim;
  }
}

TEST(SolverWithoutGpu, SaysThatThereIsNone) {
  if (device_count() > 0) GTEST_SKIP() << "there is one";
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, {}, Communicator::self());
  EXPECT_THROW(Solver(m, {.boundary = test::everywhere(m, {}), .backend = Backend::cuda}), DeviceError);
}

}  // namespace
}  // namespace weft::flow

// Single cases whose flow on a GPU is the flow on the host: openings, vortices, axes, prescribed states, failures.
#include <gtest/gtest.h>

#include <limits>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/exact_fields.hpp"
#include "weft/flow/solutions/manufactured.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/function_error.hpp"
#include "flow/solver_settings.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_cuda_cases_test {
namespace {

using test::conditions;
using test::gathered;
using test::generated;
using test::go;
using test::kAgreement;
using test::relative_difference;
using test::wavy;

/// Every branch of an opening: a wave that goes in and one that goes out as a shock or as a fan, choked or not, inflow of each
/// kind, and nothing that comes in.
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
      BoundaryConditions all = test::everywhere(m, {.kind = Kind::symmetry});
      for (const mesh::BoundaryZoneId z : all.ids()) {
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

/// Steps that were captured as a graph before the circulation changes have the new one.
TEST(SolverCuda, VorticesInFarFieldsAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{32}}, {"radial", std::int64_t{8}}, {"radius", 3.0}});
  const Primitive stream{1.4, {0.5, 0.03, 0}, 1};
  BoundaryConditions boundary = test::everywhere(m, {.kind = BoundaryKind::slip_wall});
  mesh::BoundaryZoneId far, wall;
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) (m.boundary[z].name == "farfield" ? far : wall) = z;
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
  for (const mesh::BoundaryZoneId zone : {far, wall}) {
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
      options.stencil = stencil;
      mesh::Mesh m = generated("box", {{"nx", std::int64_t{10}}, {"ny", std::int64_t{8}}, {"elements", elements}}, options);
      mesh::revolve(m);
      const auto state_of = [&](Backend backend, Precision precision) {
        const Numerics numerics{.limiter = LimiterKind::venkatakrishnan, .cfl = 0.5, .precision = precision};
        Solver solver(m, {.boundary = conditions(m), .numerics = numerics, .stencil = stencil, .backend = backend});
        solver.initialise([](Vec3 x) { return wavy(x, 2); });
        go(solver, few_if_checked(20));
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
  const BoundaryConditions everywhere(m.boundary.size(), waving);
  Solver host(m, {.boundary = everywhere, .numerics = {.cfl = 0.5}});
  Solver cuda(m, {.boundary = everywhere, .numerics = {.cfl = 0.5}, .backend = Backend::cuda});
  for (Solver* solver : {&host, &cuda}) {
    solver->initialise([&](Vec3 x) { return waving.prescribed(x, 0); });
    go(*solver, few_if_checked(100));
  }
  EXPECT_LE(relative_difference(IdealGas{}, gathered(host), gathered(cuda)), kAgreement);
}

TEST(SolverCuda, AnErrorOfAFunctionEndsTheStepOnEveryRank) {
  WEFT_NEEDS_GPU();
  test::expect_error_of_function_ends_step(Backend::cuda);
}

TEST(SolverCuda, AnExceptionOfAFunctionEndsTheStepOnEveryRank) {
  WEFT_NEEDS_GPU();
  test::expect_exception_of_function_ends_step(Backend::cuda);
}

TEST(SolverCuda, SteadyPrescribedStatesAreNotEvaluatedAgain) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"elements", "triangles"}}, {});
  /// Conditions that count how often each zone is asked, zones from `varying` on as if they changed with time.
  const auto after_steps = [&](Backend backend, mesh::BoundaryZoneId varying) {
    IdVector<mesh::BoundaryZoneId, std::int64_t> asked(m.boundary.size());
    BoundaryConditions everywhere(m.boundary.size(), {.params = {.kind = BoundaryKind::far_field}});
    for (const mesh::BoundaryZoneId z : everywhere.ids()) {
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
    for (const mesh::BoundaryZoneId z : asked.ids()) {
      const std::int64_t faces = m.boundary[z].faces.size();
      EXPECT_GE(asked[z], z < varying ? faces : 60 * faces) << z.value();
      if (z < varying) {
        EXPECT_EQ(asked[z], 2 * faces) << z.value() << ": for the reference states, and for the first stage";
      }
    }
    if (backend == Backend::cuda) {
      EXPECT_EQ(solver.works_ahead(), varying == asked.ids().last() && solver.transport() != "staged");
    }
    return gathered(solver);
  };
  const mesh::BoundaryZoneId none = m.boundary.ids().last();
  const std::vector<double> constant = after_steps(Backend::cuda, none);
  EXPECT_LE(relative_difference(IdealGas{}, constant, after_steps(Backend::host, none)), kAgreement);
  EXPECT_EQ(constant, after_steps(Backend::cuda, mesh::BoundaryZoneId(0)));
  EXPECT_EQ(constant, after_steps(Backend::cuda, mesh::BoundaryZoneId(1)));
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
    // A state that is outside the limits from the beginning is refused, too.
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
      go(*solver, few_if_checked(100));
    }
    EXPECT_LE(relative_difference(gas, gathered(host), gathered(cuda)), kAgreement) << dim;
    const auto error = errors(cuda, [&](Vec3 x) { return solution(x, cuda.time()); })[0].l2;
    EXPECT_NEAR(error, errors(host, [&](Vec3 x) { return solution(x, host.time()); })[0].l2, kAgreement) << dim;
  }
}

}  // namespace
}  // namespace weft::flow::solver_cuda_cases_test

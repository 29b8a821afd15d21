// Numerics::well_balanced: a stationary state is preserved, deviations evolve correctly, and misuse is rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "weft/base/error.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/case/case_reader.hpp"

#include "flow/scalar_support.hpp"
#include "flow/well_balanced_support.hpp"
#include "io/support/scratch.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::well_balanced_test {
namespace {

using test::Atmosphere;
using test::ClosedBox;
using test::common_error;
using test::falling;
using test::gathered;
using test::gathered_amounts;
using test::generated;
using test::go;
using test::largest_mach;
using ::testing::HasSubstr;

class ColumnAtRest : public ::testing::TestWithParam<ClosedBox> {
 protected:
  [[nodiscard]] std::unique_ptr<Solver> solver_in(const mesh::Mesh& mesh, const Numerics& numerics,
                                                  std::vector<Scalar> scalars = {}, int threads = 1) const {
    return test::carrying(mesh, std::move(scalars), numerics, ClosedBox::boundary(mesh), mesh::Neighbours::face, Backend::host,
                          falling(GetParam().atmosphere().acceleration), threads);
  }
  [[nodiscard]] Numerics numerics(bool keeps) const { return {.limiter = GetParam().limiter, .well_balanced = keeps}; }
};

TEST_P(ColumnAtRest, StaysAtRestToRounding) {
  const mesh::Mesh m = GetParam().mesh();
  const auto kept = solver_in(m, numerics(true)), left = solver_in(m, numerics(false));
  for (Solver* solver : {kept.get(), left.get()}) solver->initialise(GetParam().atmosphere());
  go(*left, 10);
  EXPECT_GE(largest_mach(*left), 1e-6);  // the scheme without the option
  go(*kept, full_or_sanitized(500, 50));
  EXPECT_LE(largest_mach(*kept), 1e-12);
}

TEST_P(ColumnAtRest, StaysWithEveryScheme) {
  const mesh::Mesh m = GetParam().mesh();
  constexpr auto kNone = GradientKind::none;
  const std::vector<Numerics> all{
      {.gradient = kNone, .rk_stages = 1, .cfl = 0.4, .well_balanced = true},
      {.flux = FluxKind::roe, .gradient = kNone, .rk_stages = 1, .cfl = 0.4, .well_balanced = true},
      {.flux = FluxKind::ausm_plus_up, .rk_stages = 2, .cfl = 0.4, .local_time_step = true, .well_balanced = true},
      {.flux = FluxKind::rusanov, .cfl_ramp = {0.1, 20}, .well_balanced = true}};
  for (const Numerics& numerics : all) {
    const auto solver = solver_in(m, numerics);
    solver->initialise(GetParam().atmosphere());
    go(*solver, 50);
    EXPECT_LE(largest_mach(*solver), 1e-13) << name_of(numerics.flux);
  }
}

// The mass flux of the scheme in the column is subtracted from that which transports them.
TEST_P(ColumnAtRest, ScalarsStayAsTheGasDoes) {
  const mesh::Mesh m = GetParam().mesh();
  const auto solver = solver_in(m, numerics(true), test::three_scalars());
  solver->initialise(GetParam().atmosphere());
  const std::vector<double> before = gathered_amounts(*solver);
  go(*solver, full_or_sanitized(200, 20));
  const std::vector<double> after = gathered_amounts(*solver);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-12) << i;
}

TEST_P(ColumnAtRest, ThreadsChangeNoBit) {
  const mesh::Mesh m = GetParam().mesh();
  const auto one = solver_in(m, numerics(true), test::three_scalars()),
             three = solver_in(m, numerics(true), test::three_scalars(), 3);
  for (Solver* solver : {one.get(), three.get()}) {
    solver->set_stationary(GetParam().atmosphere());
    solver->initialise([&](Vec3 x) {
      Primitive w = GetParam().atmosphere()(x);
      w.pressure *= x.x < 0.5 ? 1.1 : 1;
      return w;
    });
    go(*solver, 10);
  }
  EXPECT_EQ(gathered(*one), gathered(*three));
  EXPECT_EQ(gathered_amounts(*one), gathered_amounts(*three));
}

// No effect of the steps before: neither a reduced order nor subtracted rates.
TEST_P(ColumnAtRest, AStartIsKeptAtFullOrder) {
  const mesh::Mesh m = GetParam().mesh();
  const auto fresh = solver_in(m, numerics(true)), used = solver_in(m, numerics(true));
  const auto pushed = [&](Vec3 x) {
    Primitive w = GetParam().atmosphere()(x);
    w.pressure *= x.x < 0.5 ? 1.1 : 1;
    return w;
  };
  used->set_stationary(GetParam().atmosphere());
  used->initialise(pushed);
  std::vector<mesh::LocalCellId> some;
  for (std::int32_t c = 0; c < m.owned_cells; c += 3) some.push_back(mesh::LocalCellId(c));
  const std::vector<double> state(used->conserved().begin(), used->conserved().end());
  used->restore(state, 0, 0, {some, 50});
  go(*used, 5);
  EXPECT_EQ(used->fallback_cells().cells, some);
  used->set_stationary({});
  for (Solver* solver : {fresh.get(), used.get()}) {
    solver->initialise(GetParam().atmosphere());
    go(*solver, 20);
  }
  EXPECT_EQ(gathered(*fresh), gathered(*used));
}

INSTANTIATE_TEST_SUITE_P(Flow, ColumnAtRest, ::testing::ValuesIn(test::closed_boxes()),
                         [](const auto& test) { return test.param.name; });

TEST(WellBalanced, SmallWavesHaveTheAmplitudeOfTheLinearSolution) {
  const double coarse = test::wave_error(16, "quads", true), fine = test::wave_error(32, "quads", true);
  EXPECT_LE(fine, 1e-3);
  EXPECT_GE(test::order(coarse, fine), 1.8) << coarse << " to " << fine;
  EXPECT_LE(test::wave_error(32, "triangles", true), 1e-3);
  EXPECT_GE(test::wave_error(32, "quads", false), 1000);  // truncation errors of the column
}

TEST(WellBalanced, AStreamWithoutForcesStaysUniform) {
  const Primitive stream{1.2, {0.7, 0.2, 0}, 0.9};
  for (const char* elements : {"quads", "triangles"}) {
    const mesh::Mesh m =
        generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}, {"elements", elements}, {"warp", 0.04}});
    Solver solver(m, {.boundary = test::everywhere(m, {.kind = BoundaryKind::far_field, .state = stream}),
                      .numerics = {.well_balanced = true}});
    solver.initialise([&](Vec3) { return stream; });
    go(solver, 100);
    for (const mesh::LocalCellId c : m.owned()) {
      for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(solver.primitive(c)[k], stream[k], 1e-13);
    }
  }
}

/// A column with oscillating inflow at the top.
constexpr const char* kOscillating = R"toml(
[mesh]
generator = "box"
nx = 5
ny = 8
elements = "triangles"
[initial]
kind = "expression"
density_expression = "exp(-y)"
pressure_expression = "exp(-y)"
[body_force]
acceleration = [0.0, -1.0]
[boundary.ymax]
kind = "prescribed"
state = "expression"
density_expression = "exp(-y)"
pressure_expression = "exp(-y)*(1 + 0.01*sin(20*t))"
[boundary.ymin]
kind = "slip_wall"
[boundary.xmin]
kind = "symmetry"
[boundary.xmax]
kind = "symmetry"
[numerics]
well_balanced = true
[stop]
steps = 1
)toml";

Case beaten(const std::vector<std::string>& changed = {}) {
  return read_case(io::CaseReader(io::CaseFile::from_text(kOscillating, "case.toml", changed)));
}

TEST(WellBalanced, ABoundaryThatVariesMovesTheGas) {
  const Case c = beaten(), still = beaten({"boundary.ymax.pressure_expression=exp(-y)"});
  const mesh::Mesh m = load_mesh(Communicator::world(), c.mesh);
  const auto moved = make_solver(m, c), rests = make_solver(m, still);
  for (Solver* solver : {moved.get(), rests.get()}) {
    solver->initialise(InitialState(c.initial));
    go(*solver, 50);
  }
  EXPECT_GE(largest_mach(*moved), 1e-4);
  EXPECT_LE(largest_mach(*rests), 1e-13);
}

TEST(WellBalanced, ARestoredRunHasTheSameBits) {
  const Case c = beaten();
  const mesh::Mesh m = load_mesh(Communicator::world(), c.mesh);
  const auto whole = make_solver(m, c), resumed = make_solver(m, c);
  whole->initialise(InitialState(c.initial));
  go(*whole, 15);
  resumed->refer_to(InitialState(c.initial));
  resumed->restore(whole->conserved(), whole->time(), whole->steps());
  for (Solver* solver : {whole.get(), resumed.get()}) go(*solver, 15);
  EXPECT_EQ(whole->time(), resumed->time());
  EXPECT_EQ(gathered(*whole), gathered(*resumed));
}

TEST(WellBalanced, ARunThatIsResumedHasTheSameBits) {
  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
  const auto run_to = [&](int steps, Existing existing, const char* folder) {
    const std::vector<std::string> changed{"stop.steps=" + std::to_string(steps), "scalars.dye.initial=x",
                                           "output.history_steps=5"};
    const io::CaseReader reader(io::CaseFile::from_text(kOscillating, "case.toml", changed));
    Case c = read_case(reader);
    c.output.directory = scratch / folder;
    RunObserver nobody;
    (void)run(comm, c, reader.effective_toml(), existing, nobody, [] { return false; });
    const mesh::Mesh m = load_mesh(comm, c.mesh);
    return Results(comm, c, reader.effective_toml(), Existing::resume).read_checkpoint(m);
  };
  const Resumed whole = run_to(24, Existing::refuse, "whole");
  (void)run_to(11, Existing::refuse, "parts");
  const Resumed parts = run_to(24, Existing::resume, "parts");
  EXPECT_EQ(whole.step, 24);
  EXPECT_EQ(whole.time, parts.time);
  EXPECT_EQ(whole.conserved, parts.conserved);
  EXPECT_EQ(whole.scalar_amounts, parts.scalar_amounts);
}

TEST(WellBalanced, MisuseIsRefused) {
  const auto refused = [](const std::vector<std::string>& changed) -> std::string {
    try {
      (void)beaten(changed);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused({"numerics.order_ramp_steps=10"}), HasSubstr("numerics.order_ramp_steps"));
  EXPECT_THAT(refused({"initial.pressure_expression=exp(-y) + t"}), HasSubstr("numerics.well_balanced"));
  EXPECT_THAT(refused({"numerics.well_balanced=1"}), HasSubstr("numerics.well_balanced"));
}

TEST(WellBalanced, AStateThatIsNotStationaryIsRefused) {
  const Communicator comm = Communicator::world();
  const mesh::Mesh airfoil = generated("naca", {{"around", std::int64_t{72}}, {"radial", std::int64_t{18}}, {"radius", 5.0}});
  const Primitive stream{1.4, {0.5, 0, 0}, 1};
  BoundaryConditions boundary = test::everywhere(airfoil, {.kind = BoundaryKind::far_field, .state = stream});
  for (const mesh::BoundaryZoneId z : boundary.ids()) {
    if (airfoil.boundary[z].name != "farfield") boundary[z].params = {.kind = BoundaryKind::slip_wall};
  }
  Solver around(airfoil, {.boundary = boundary, .numerics = {.well_balanced = true}});
  const std::string message = common_error<PhysicsError>(comm, [&] { around.initialise([&](Vec3) { return stream; }); });
  EXPECT_THAT(message, HasSubstr("numerics.well_balanced keeps is not stationary"));
  EXPECT_THAT(message, HasSubstr("cell at ("));

  const mesh::Mesh m = load_mesh(comm, beaten().mesh);
  const auto solver = make_solver(m, beaten());
  solver->set_stationary([](Vec3) { return Primitive{1, {}, -1}; });
  EXPECT_THAT(common_error<PhysicsError>(comm, [&] { solver->initialise([](Vec3) {
                                                       return Primitive{1, {}, 1};
                                                     }); }),
              HasSubstr("the state that numerics.well_balanced keeps is not physical"));
  const auto falls = make_solver(m, beaten({"body_force.acceleration=[0, -9]"}));
  EXPECT_THAT(common_error<PhysicsError>(comm, [&] { falls->initialise(Atmosphere{{0, -1, 0}}); }), HasSubstr("not stationary"));
}

}  // namespace
}  // namespace weft::flow::well_balanced_test

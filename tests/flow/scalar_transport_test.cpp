// Passive scalars: transported exactly as the mass is, within their bounds, on any number of ranks.
#include "weft/flow/host/scalar_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/exact_fields.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/scalar_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::scalar_transport_test {
namespace {

using test::amounts_difference;
using test::bringing_scalars;
using test::carrying;
using test::common_error;
using test::conditions;
using test::gathered;
using test::gathered_amounts;
using test::generated;
using test::go;
using test::Setting;
using test::settings;
using test::three_scalars;
using test::wavy;
using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

/// Returns the smallest and largest value of scalar k over all ranks.
std::pair<double, double> range(const Solver& solver, int k) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const mesh::LocalCellId c : solver.mesh().owned()) {
    low = std::min(low, solver.scalar(k, c));
    high = std::max(high, solver.scalar(k, c));
  }
  return {solver.mesh().comm.min(low), solver.mesh().comm.max(high)};
}

/// Returns the root mean square of the error of scalar 0.
double error(const Solver& solver, const std::function<double(Vec3)>& exact) {
  const mesh::Mesh& m = solver.mesh();
  double sum = 0, volume = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    const double off = solver.scalar(0, c) - exact(m.cell_centroid[c]);
    sum += m.cell_volume[c] * off * off;
    volume += m.cell_volume[c];
  }
  return std::sqrt(m.comm.sum(sum) / m.comm.sum(volume));
}

// --- accuracy

TEST(ScalarTransport, CarriesASmoothScalarWithSecondOrder) {
  const Vec3 velocity{1, 0.5, 0};
  const auto wave = [](Vec3 x) { return std::sin(2 * kPi * x.x) * std::cos(2 * kPi * x.y); };
  for (const char* elements : {"quads", "triangles"}) {
    std::vector<double> errors;
    for (const std::int64_t n : {full_or_sanitized(32, 16), full_or_sanitized(64, 32)}) {
      const mesh::Mesh m = generated("box", {{"nx", n}, {"ny", n}, {"elements", elements}}, test::periodic_box(2, 1));
      const auto solver = carrying(m, {{.name = "dye", .initial = wave}}, {.limiter = LimiterKind::none, .cfl = 0.8});
      solver->initialise([&](Vec3) { return Primitive{1.4, velocity, 1}; });
      test::advance(*solver, 0.2);
      errors.push_back(error(*solver, [&](Vec3 x) { return wave(x - 0.2 * velocity); }));
    }
    EXPECT_GT(test::order(errors[0], errors[1]), 1.9) << elements << " " << errors[0] << " " << errors[1];
  }
}

TEST(ScalarTransport, CarriesAScalarThroughAVortexWithSecondOrder) {
  const IsentropicVortex vortex;
  // A function of the distance from the centre alone rotates into itself.
  const auto blob = [](Vec3 x, double t) {
    const Vec3 r = x - Vec3{5 + t, 5 + t, 0};
    return std::exp(-0.5 * dot(r, r));
  };
  std::vector<double> errors;
  for (const std::int64_t n : {32, 64}) {
    const mesh::Mesh m = generated("vortex_box", {{"n", n}}, test::periodic_box(2, 10));
    const auto solver =
        carrying(m, {{.name = "dye", .initial = [&](Vec3 x) { return blob(x, 0); }}}, {.limiter = LimiterKind::none, .cfl = 0.8});
    solver->initialise([&](Vec3 x) { return vortex(x, 0); });
    test::advance(*solver, 1);
    errors.push_back(error(*solver, [&](Vec3 x) { return blob(x, solver->time()); }));
  }
  EXPECT_GT(test::order(errors[0], errors[1]), 1.9) << errors[0] << " " << errors[1];
}

TEST(ScalarTransport, UsesTimeDependentInflowValues) {
  // A slope that moves with a supersonic stream, and enters at x = 0.
  const auto slope = [](Vec3 x, double t) { return 3 - 2 * (x.x - 2 * t) + 0.5 * x.y; };
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{32}}, {"ny", std::int64_t{4}}, {"ymax", 0.125}});
  BoundaryConditions boundary;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    BoundaryCondition condition{{.kind = BoundaryKind::supersonic_outflow}};
    if (zone.name == "xmin") {
      condition = {.params = {.kind = BoundaryKind::supersonic_inflow, .state = {1.4, {2, 0, 0}, 1}},
                   .scalars = {{.value = slope, .depends_on_time = true}, {.value = [](Vec3, double) { return 0.7; }}}};
    }
    boundary.push_back(condition);
  }
  const auto solver = carrying(m, {{.name = "slope", .initial = [&](Vec3 x) { return slope(x, 0); }}, {.name = "dye"}},
                               {.limiter = LimiterKind::none, .cfl = 0.5}, boundary);
  solver->initialise([](Vec3) { return Primitive{1.4, {2, 0, 0}, 1}; });
  test::advance(*solver, 1);
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    EXPECT_NEAR(solver->scalar(1, c), 0.7, 1e-6);
    // Next to the other boundaries gradients contain the interior value at the face; the effect upstream decreases to a quarter
    // in each cell.
    if (x.x > 0.4 || x.y < 0.04 || x.y > 0.09) continue;
    EXPECT_NEAR(solver->scalar(0, c), slope(x, 1), 1e-10);
  }
}

TEST(ScalarTransport, FallsWithTheGas) {
  const Vec3 velocity{1, 0.5, 0};
  SourceTerm falling;
  falling.acceleration = {3, -10, 0};
  const auto wave = [](Vec3 x) { return std::sin(2 * kPi * x.x) * std::cos(2 * kPi * x.y); };
  std::vector<double> errors;
  for (const std::int64_t n : {16, 32}) {
    const mesh::Mesh m = generated("box", {{"nx", n}, {"ny", n}, {"elements", "triangles"}}, test::periodic_box(2, 1));
    const auto solver = carrying(m, {{.name = "dye", .initial = wave}}, {.limiter = LimiterKind::none, .cfl = 0.8}, {},
                                 mesh::Neighbours::face, Backend::host, falling);
    solver->initialise([&](Vec3) { return Primitive{1.4, velocity, 1}; });
    const double before = scalar_totals(*solver)[0], t = 0.2;
    test::advance(*solver, t);
    EXPECT_NEAR(scalar_totals(*solver)[0], before, 1e-14);
    errors.push_back(error(*solver, [&](Vec3 x) { return wave(x - t * velocity - 0.5 * t * t * falling.acceleration); }));
  }
  EXPECT_GT(test::order(errors[0], errors[1]), 1.8) << errors[0] << " " << errors[1];
}

// --- what holds exactly

class ScalarsIn : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] mesh::Mesh mesh_on(const Communicator& comm) const {
    return generated(GetParam().generator, GetParam().parameters, GetParam().options, comm);
  }
  [[nodiscard]] std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Numerics numerics) const {
    auto solver = carrying(mesh, three_scalars(), numerics, bringing_scalars(mesh), GetParam().options.stencil);
    const int dim = GetParam().dim;
    solver->initialise([dim](Vec3 x) { return wavy(x, dim); });
    return solver;
  }
  [[nodiscard]] Numerics numerics() const { return {.limiter = GetParam().limiter, .cfl = 0.5}; }
};

TEST_P(ScalarsIn, LeavesTheFlowAndAUniformScalarAsTheyAre) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  const auto with = solver_on(m, numerics());
  Solver without(m, {.boundary = conditions(m), .numerics = numerics(), .stencil = GetParam().options.stencil});
  const int dim = GetParam().dim;
  without.initialise([dim](Vec3 x) { return wavy(x, dim); });
  go(*with, 30);
  go(without, 30);
  EXPECT_EQ(gathered(*with), gathered(without));
  const auto [low, high] = range(*with, 1);
  EXPECT_NEAR(low, 1, 1e-13);
  EXPECT_NEAR(high, 1, 1e-13);
}

TEST_P(ScalarsIn, LosesNothing) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  const auto solver = carrying(m, three_scalars(), numerics(), test::everywhere(m, {.kind = BoundaryKind::slip_wall}),
                               GetParam().options.stencil);
  const int dim = GetParam().dim;
  solver->initialise([dim](Vec3 x) { return wavy(x, dim); });
  const std::vector<double> before = scalar_totals(*solver);
  go(*solver, 50);
  const std::vector<double> after = scalar_totals(*solver);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * (1 + std::abs(before[k]))) << k;
}

TEST_P(ScalarsIn, AreThoseOfOneRank) {
  const mesh::Mesh alone = mesh_on(Communicator::self()), shared = mesh_on(Communicator::world());
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::green_gauss, GradientKind::none}) {
    if (gradient == GradientKind::green_gauss && GetParam().options.stencil == mesh::Neighbours::node) continue;
    Numerics numerics = this->numerics();
    numerics.gradient = gradient;
    const auto one = solver_on(alone, numerics), many = solver_on(shared, numerics);
    go(*one, 40);
    go(*many, 40);
    EXPECT_LE(amounts_difference(*one, *many), 1e-12);
  }
}

TEST_P(ScalarsIn, AreBitwiseTheSameAgainAndAfterARestart) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  const auto first = solver_on(m, numerics()), second = solver_on(m, numerics()), restarted = solver_on(m, numerics());
  go(*first, 8);
  restarted->restore(first->conserved(), first->time(), first->steps(), first->fallback_cells(), first->scalar_amounts());
  go(*first, 8);
  go(*restarted, 8);
  go(*second, 16);
  EXPECT_EQ(gathered_amounts(*first), gathered_amounts(*restarted));
  EXPECT_EQ(gathered_amounts(*first), gathered_amounts(*second));
  for (Solver* solver : {first.get(), restarted.get()}) solver->refresh();
  if (m.owned_cells == 0) return;
  for (int k = 0; k < 3; ++k) {
    const mesh::LocalCellId cell(0);
    const Vec3 x = m.cell_centroid[cell];
    EXPECT_EQ(first->scalar_at(k, cell, x), first->scalar(k, cell));
    EXPECT_EQ(first->scalar_at(k, cell, x + Vec3{0.01, 0.01, 0}), restarted->scalar_at(k, cell, x + Vec3{0.01, 0.01, 0}));
  }
}

TEST_P(ScalarsIn, KeepTheirAmountsWhereForcesActAndMassIsAdded) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  for (const bool adds_mass : {false, true}) {
    SourceTerm source;
    source.acceleration = {0.2, -0.5, GetParam().dim == 3 ? 0.1 : 0.0};
    if (adds_mass) {
      source.function = [](Vec3, double, const Primitive& w) { return Conserved{0.2 * w.density, {}, 0.5 * w.density}; };
    }
    const BoundaryConditions walls = test::everywhere(m, {.kind = BoundaryKind::slip_wall});
    const auto solver = carrying(m, three_scalars(), numerics(), walls, GetParam().options.stencil, Backend::host, source);
    Solver without(m, {.boundary = walls, .numerics = numerics(), .stencil = GetParam().options.stencil, .source = source});
    for (Solver* each : {solver.get(), &without}) each->initialise([&](Vec3 x) { return wavy(x, GetParam().dim); });
    const std::vector<double> before = scalar_totals(*solver);
    const double mass = totals(*solver)[0];
    go(*solver, 30);
    go(without, 30);
    EXPECT_EQ(gathered(*solver), gathered(without));
    const std::vector<double> after = scalar_totals(*solver);
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * (1 + std::abs(before[k]))) << k;
    const auto [low, high] = range(*solver, 1);
    if (adds_mass) {  // the added mass contains none of them
      EXPECT_NEAR(totals(*solver)[0], mass * std::exp(0.2 * solver->time()), 1e-6 * mass);
      EXPECT_LT(high, 1);
    } else {
      EXPECT_NEAR(low, 1, 1e-13);
      EXPECT_NEAR(high, 1, 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, ScalarsIn, ::testing::ValuesIn(settings()),
                         [](const auto& setting) { return setting.param.name; });

TEST(ScalarTransport, EndsWhereAnInflowValueIsNotFinite) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{16}}, {"ny", std::int64_t{4}}});
  BoundaryConditions boundary;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    BoundaryCondition condition{{.kind = BoundaryKind::supersonic_outflow}};
    if (zone.name == "xmin") {
      // On the lower faces, which belong to one rank.
      const auto root = [](Vec3 x, double t) { return x.y < 0.25 ? std::sqrt(0.03 - t) : 1; };
      condition = {.params = {.kind = BoundaryKind::supersonic_inflow, .state = {1.4, {2, 0, 0}, 1}},
                   .scalars = {{.value = root, .depends_on_time = true, .where = {.key = "the key"}}}};
    }
    boundary.push_back(condition);
  }
  const auto solver = carrying(m, {{.name = "dye"}}, {.limiter = LimiterKind::none, .cfl = 0.5}, boundary);
  solver->initialise([](Vec3) { return Primitive{1.4, {2, 0, 0}, 1}; });
  try {
    test::advance(*solver, 1);
    FAIL() << "took in what is no number";
  } catch (const PhysicsError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the key: the scalar \"dye\" that comes in through \"xmin\" is"));
  }
  EXPECT_LT(solver->time(), 0.03);
}

TEST(ScalarTransport, KeepsALimitedSlabWithinItsBounds) {
  const IsentropicVortex vortex;
  const auto slab = [](Vec3 x) { return std::abs(x.y - 5) < 1 ? 1.0 : 0.0; };
  struct Way {
    const char* elements;
    GradientKind gradient;
    mesh::Neighbours stencil;
    LimiterKind limiter = LimiterKind::barth_jespersen;  ///< limiter of the flow
  };
  for (const Way& way : {Way{"quads", GradientKind::least_squares, mesh::Neighbours::face},
                         Way{"quads", GradientKind::green_gauss, mesh::Neighbours::face},
                         Way{"triangles", GradientKind::least_squares, mesh::Neighbours::face},
                         Way{"triangles", GradientKind::least_squares, mesh::Neighbours::node},
                         Way{"quads", GradientKind::least_squares, mesh::Neighbours::face, LimiterKind::venkatakrishnan},
                         Way{"triangles", GradientKind::least_squares, mesh::Neighbours::face, LimiterKind::venkatakrishnan}}) {
    mesh::BuildOptions options = test::periodic_box(2, 10);
    options.stencil = way.stencil;
    const mesh::Mesh m = generated("vortex_box", {{"n", std::int64_t{32}}, {"elements", way.elements}}, options);
    const auto solver = carrying(m, {{.name = "slab", .initial = slab}},
                                 {.gradient = way.gradient, .limiter = way.limiter, .cfl = 0.8}, {}, way.stencil);
    solver->initialise([&](Vec3 x) { return vortex(x, 0); });
    const double before = scalar_totals(*solver)[0];
    for (int i = 0; i < (kSanitized ? 1 : 10); ++i) {
      go(*solver, 10);
      const auto [low, high] = range(*solver, 0);
      EXPECT_GE(low, -1e-13) << way.elements << i;
      EXPECT_LE(high, 1 + 1e-13) << way.elements << i;
    }
    EXPECT_GT(range(*solver, 0).second, 0.9);
    EXPECT_NEAR(scalar_totals(*solver)[0], before, 1e-12 * before);
  }
}

TEST(ScalarTransport, IsConservedWhereStepsAreRepeated) {
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{24}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}}, test::periodic_box(2, 1));
  const auto solver = carrying(m,
                               {{.name = "one", .initial = [](Vec3) { return 1.0; }},
                                {.name = "half", .initial = [](Vec3 x) { return x.y < 0.5 ? 1.0 : 0.0; }}},
                               {.limiter = LimiterKind::none, .rk_stages = 2, .cfl = 1.0});
  solver->initialise([](Vec3 x) { return Primitive{1, {x.x < 0.5 ? -4.5 : 4.5, 0, 0}, 1}; });
  const std::vector<double> before = scalar_totals(*solver);
  int retries = 0;
  for (int i = 0; i < 40; ++i) retries += solver->step(1.0).retries;
  EXPECT_GT(retries, 0);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(scalar_totals(*solver)[k], before[k], 1e-12);
  EXPECT_NEAR(range(*solver, 0).first, 1, 1e-12);
  EXPECT_NEAR(range(*solver, 0).second, 1, 1e-12);
}

TEST(ScalarTransport, GrowsItsOrderWithTheFlow) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{12}}, {"ny", std::int64_t{8}}}, test::periodic_box(2, 1));
  const std::vector<Scalar> scalars{{.name = "wave", .initial = [](Vec3 x) { return std::sin(2 * kPi * x.x); }}};
  const auto grown = carrying(m, scalars, {.cfl = 0.5, .order_ramp = {0, 5}}),
             first = carrying(m, scalars, {.gradient = GradientKind::none, .cfl = 0.5}),
             second = carrying(m, scalars, {.cfl = 0.5});
  for (Solver* solver : {grown.get(), first.get(), second.get()}) {
    solver->initialise([](Vec3 x) { return wavy(x, 2); });
    go(*solver, 1);
  }
  EXPECT_EQ(gathered_amounts(*grown), gathered_amounts(*first));
  EXPECT_NE(gathered_amounts(*grown), gathered_amounts(*second));
}

TEST(ScalarTransport, TurnsAboutAnAxisWithTheFlow) {
  mesh::Mesh m = generated("box", {{"nx", std::int64_t{10}}, {"ny", std::int64_t{8}}, {"elements", "mixed"}});
  mesh::revolve(m);
  const auto solver =
      carrying(m, {{.name = "one", .initial = [](Vec3) { return 1.0; }}, {.name = "x", .initial = [](Vec3 x) { return x.x; }}},
               {.cfl = 0.5}, test::everywhere(m, {.kind = BoundaryKind::slip_wall}));
  solver->initialise([](Vec3 x) { return wavy(x, 2); });
  const std::vector<double> before = scalar_totals(*solver);
  go(*solver, 30);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(scalar_totals(*solver)[k], before[k], 1e-12 * before[k]);
  EXPECT_NEAR(range(*solver, 0).first, 1, 1e-13);
  EXPECT_NEAR(range(*solver, 0).second, 1, 1e-13);
}

// --- misuse

TEST(ScalarTransport, RefusesTooManyTwoOfANameAndWhatIsNotFinite) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, test::periodic_box(2, 1));
  std::vector<Scalar> nine;
  for (int k = 0; k < 9; ++k) nine.push_back({.name = "s" + std::to_string(k)});
  EXPECT_THAT(common_error<InputError>(m.comm, [&] { (void)carrying(m, nine, {}); }),
              HasSubstr("9 scalars are more than the 8 that a flow carries; leave out some of them"));
  nine.pop_back();
  EXPECT_EQ(carrying(m, nine, {})->scalars().size(), 8U);
  nine[7].name = "s3";
  EXPECT_THAT(common_error<InputError>(m.comm, [&] { (void)carrying(m, nine, {}); }), HasSubstr("two scalars are called \"s3\""));
  const auto infinite = carrying(m, {{.name = "dye", .initial = [](Vec3 x) { return 1 / (x.x > 0.8 ? 0.0 : 1.0); }}}, {});
  EXPECT_THAT(common_error<InputError>(m.comm, [&] { infinite->initialise([](Vec3 x) { return wavy(x, 2); }); }),
              HasSubstr("the scalar \"dye\" is inf at (0.875"));
}

TEST(ScalarTransport, RefusesARestartWithoutItsAmounts) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, test::periodic_box(2, 1));
  const auto solver = carrying(m, {{.name = "dye"}}, {});
  solver->initialise([](Vec3 x) { return wavy(x, 2); });
  const std::vector<double> state(solver->conserved().begin(), solver->conserved().end());
  EXPECT_THAT(common_error<InputError>(m.comm, [&] { solver->restore(state, 0, 0); }),
              HasSubstr("pass the amounts of all scalars in the owned cells of each rank"));
}

}  // namespace
}  // namespace weft::flow::scalar_transport_test

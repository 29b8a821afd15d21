// Forces, probes, totals and errors with known results.
#include "weft/flow/app/monitors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "weft/base/error.hpp"
#include "weft/flow/solutions/shock_relations.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/solver_support.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::flow::monitors_test {
namespace {

using test::everywhere;
using test::generated;
using ::testing::HasSubstr;

TEST(Forces, OnAClosedBodyInUniformPressureAreZero) {
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{32}}, {"radial", std::int64_t{6}}});
  const Primitive rest{1, {0, 0, 0}, 1.3};
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([&](Vec3) { return rest; });
  solver.refresh();
  const Forces f = forces(solver, {.name = "body", .zones = {"airfoil"}, .reference = {1, {1, 0, 0}, 0}});
  EXPECT_LE(norm(f.force), 1e-14);
  EXPECT_LE(norm(f.moment), 1e-14);
}

TEST(Forces, OnAWedgeAreThePressureBehindTheShockTimesTheArea) {
  constexpr double kAngle = 10 * std::numbers::pi / 180, kMach = 2;
  const IdealGas gas;
  const mesh::Mesh m = generated("wedge", {{"nx", std::int64_t{12}}, {"ny", std::int64_t{4}}});
  const Primitive ahead{1.4, {kMach, 0, 0}, 1};
  const Jump shock = oblique_shock(gas.gamma, kMach, kAngle);
  Primitive behind{ahead.density * shock.density_ratio, {}, ahead.pressure * shock.pressure_ratio};
  behind.velocity = shock.mach * gas.sound_speed(behind) * Vec3{std::cos(kAngle), std::sin(kAngle), 0};
  Solver solver(
      m,
      {.gas = gas, .boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}), .numerics = {.gradient = GradientKind::none}});
  solver.initialise([&](Vec3 x) { return x.x < 0 ? ahead : behind; });
  solver.refresh();

  // The floor is level for 0.5 m, then rises over 1 m of x.
  const double rise = std::tan(kAngle);
  const auto expect_force = [&](double reference_pressure) {
    const Forces f =
        forces(solver, {.name = "wall", .zones = {"wall"}, .reference = {1.4, {kMach, 0, 0}, reference_pressure}, .area = 2});
    const double low = ahead.pressure - reference_pressure, high = behind.pressure - reference_pressure;
    EXPECT_NEAR(f.force.x, high * rise, 1e-13);
    EXPECT_NEAR(f.force.y, -(0.5 * low + high), 1e-13);
    const double q = 0.5 * 1.4 * kMach * kMach;
    EXPECT_NEAR(f.drag, f.force.x / (q * 2), 1e-15);
    EXPECT_NEAR(f.lift, f.force.y / (q * 2), 1e-15);
    // Moment arms of the level part and of the ramp, to their centres.
    EXPECT_NEAR(f.moment.z, 0.25 * 0.5 * low - (0.5 * high + 0.5 * rise * high * rise), 1e-13);
  };
  expect_force(0);
  expect_force(1);
}

TEST(Forces, TurnTheNoseDownWhereTheMomentAboutZIsPositive) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([](Vec3) { return Primitive{1, {}, 3}; });
  solver.refresh();
  // The gas pushes the lid of the box up, in its centre: downstream of a moment centre at x = 0.2, upstream of one at 0.9.
  ForceSpec spec{.name = "lid", .zones = {"ymax"}, .reference = {2, {1, 0, 0}, 0}};
  for (const auto& [centre, nose_down] : {std::pair{0.2, true}, std::pair{0.9, false}}) {
    spec.moment_centre = {centre, 0, 0};
    const Forces f = forces(solver, spec);
    EXPECT_NEAR(f.lift, 3, 1e-13);
    EXPECT_NEAR(f.moment_coefficient.z, 3 * (0.5 - centre), 1e-13);
    EXPECT_EQ(f.moment_coefficient.z > 0, nose_down);
    EXPECT_EQ(f.pitch, -f.moment_coefficient.z);
    EXPECT_EQ(f.pitch < 0, nose_down);
  }
  // With z up, a force downwards behind the moment centre pushes the tail down and the nose up, about y.
  const mesh::Mesh deep = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{3}}, {"nz", std::int64_t{3}}});
  Solver in_depth(deep, {.boundary = everywhere(deep, {.kind = BoundaryKind::slip_wall})});
  in_depth.initialise([](Vec3) { return Primitive{1, {}, 3}; });
  in_depth.refresh();
  const ForceSpec floor{.name = "floor", .zones = {"zmin"}, .reference = {2, {1, 0, 0}, 0}, .lift_direction = {0, 0, 1}};
  const Forces f = forces(in_depth, floor);
  EXPECT_NEAR(f.lift, -3, 1e-13);
  EXPECT_NEAR(f.pitch, 1.5, 1e-13);
  EXPECT_EQ(f.pitch, f.moment_coefficient.y);
  // Not perpendicular: the axis across both is the same.
  ForceSpec inclined = floor;
  inclined.lift_direction = {-0.6, 0, 0.8};
  EXPECT_NEAR(forces(in_depth, inclined).pitch, 1.5, 1e-13);
}

TEST(Forces, HaveNoCoefficientsWithoutAStream) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([](Vec3) { return Primitive{1, {}, 3}; });
  solver.refresh();
  const ForceSpec lid{.name = "lid", .zones = {"ymax"}, .reference = {0, {}, 1}};
  EXPECT_FALSE(lid.has_coefficients());
  const Forces f = forces(solver, lid);
  EXPECT_NEAR(f.force.y, 2, 1e-13);
  EXPECT_NEAR(f.moment.z, 1, 1e-13);
  EXPECT_EQ(f.drag, 0);
  EXPECT_EQ(f.lift, 0);
  EXPECT_EQ(f.pitch, 0);
}

/// A flow through a box that is linear in y, so that averages by area and by mass differ.
class ZoneMonitor : public ::testing::Test {
 protected:
  [[nodiscard]] static Primitive at(Vec3 x) { return {1 + x.y, {2, 0, 0}, 3 - x.y}; }
  static void expect_averages(Backend backend) {
    const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{40}}});
    const BoundaryCondition given{{.kind = BoundaryKind::supersonic_outflow}, [](Vec3 x, double) { return at(x); }};
    const IdealGas gas{1.4, 2};
    Solver solver(m, {.gas = gas,
                      .boundary = BoundaryConditions(m.boundary.size(), given),
                      .numerics = {.limiter = LimiterKind::none},
                      .backend = backend});
    solver.initialise([](Vec3 x) { return at(x); });
    solver.refresh();
    MonitorSpec spec{
        .name = "outlet",
        .zones = {"xmax"},
        .quantities = {ZoneQuantity::mass_flow, ZoneQuantity::pressure, ZoneQuantity::density, ZoneQuantity::temperature,
                       ZoneQuantity::mach, ZoneQuantity::total_pressure, ZoneQuantity::total_temperature}};
    // Sums over the faces, from which averages are computed.
    const auto mean = [&](const std::function<double(const Primitive&)>& value, bool by_mass) {
      double sum = 0, weights = 0;
      for (int k = 0; k < 40; ++k) {
        const Primitive w = at({1, (k + 0.5) / 40, 0});
        const double weight = by_mass ? w.density * w.velocity.x : 1;
        sum += weight * value(w);
        weights += weight;
      }
      return sum / weights;
    };
    for (const bool by_mass : {false, true}) {
      spec.mass_weighted = by_mass;
      const std::vector<double> values = monitor(solver, spec);
      ASSERT_EQ(values.size(), 7U);
      EXPECT_NEAR(values[0], 3, 1e-12);
      EXPECT_NEAR(values[1], by_mass ? 3 - (0.5 + 1.0 / 3) / 1.5 : 2.5, by_mass ? 1e-4 : 1e-12);
      EXPECT_NEAR(values[1], mean([](const Primitive& w) { return w.pressure; }, by_mass), 1e-12);
      EXPECT_NEAR(values[2], mean([](const Primitive& w) { return w.density; }, by_mass), 1e-12);
      EXPECT_NEAR(values[3], mean([&](const Primitive& w) { return gas.temperature(w); }, by_mass), 1e-12);
      EXPECT_NEAR(values[4], mean([&](const Primitive& w) { return gas.mach(w); }, by_mass), 1e-12);
      EXPECT_NEAR(values[5], mean([&](const Primitive& w) { return gas.total_pressure(w); }, by_mass), 1e-12);
      EXPECT_NEAR(values[6], mean([&](const Primitive& w) { return gas.total_temperature(w); }, by_mass), 1e-12);
    }
    spec.zones = {"xmin"};
    EXPECT_NEAR(monitor(solver, spec)[0], -3, 1e-12);
    spec.zones = {"xmin", "xmax"};
    EXPECT_NEAR(monitor(solver, spec)[0], 0, 1e-12);
    EXPECT_NEAR(monitor(solver, spec)[1], 3 - (0.5 + 1.0 / 3) / 1.5, 1e-4);  // flow in either direction counts
  }
};

TEST_F(ZoneMonitor, GivesMassFlowAndAverages) { expect_averages(Backend::host); }
TEST_F(ZoneMonitor, GivesMassFlowAndAveragesOnCuda) {
  WEFT_NEEDS_GPU();
  expect_averages(Backend::cuda);
}

TEST_F(ZoneMonitor, WeighsByAreaWhereNothingFlows) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall})});
  solver.initialise([](Vec3) { return Primitive{1, {}, 3}; });
  solver.refresh();
  const MonitorSpec wall{
      .name = "wall", .zones = {"ymin"}, .quantities = {ZoneQuantity::pressure, ZoneQuantity::mass_flow}, .mass_weighted = true};
  EXPECT_NEAR(monitor(solver, wall)[0], 3, 1e-13);
  EXPECT_EQ(monitor(solver, wall)[1], 0);
  const std::string text =
      test::common_error<InputError>(m.comm, [&] { (void)monitor(solver, {.name = "x", .zones = {"ymn"}, .quantities = {}}); });
  EXPECT_THAT(text, HasSubstr("monitors.x.zones"));
  EXPECT_THAT(text, HasSubstr("did you mean \"ymin\""));
}

TEST(Forces, NameAnUnknownZoneOnEveryRank) {
  const mesh::Mesh m = generated("wedge", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {})});
  const std::string text = test::common_error<InputError>(m.comm, [&] {
    (void)forces(solver, {.name = "body", .zones = {"wall", "uper"}, .reference = {1, {1, 0, 0}, 1}});
  });
  EXPECT_THAT(text, HasSubstr("forces.body.zones"));
  EXPECT_THAT(text, HasSubstr("\"uper\""));
  EXPECT_THAT(text, HasSubstr("did you mean \"upper\""));
}

TEST(Probe, ReadsALinearFieldExactlyAndAlikeOnEveryRank) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{9}}, {"ny", std::int64_t{7}}});
  const auto field = [](Vec3 x) { return Primitive{1 + x.x, {x.y, 2 * x.x, 0}, 2 - x.y}; };
  const BoundaryCondition given{{.kind = BoundaryKind::supersonic_inflow}, [&](Vec3 x, double) { return field(x); }};
  Solver solver(m, {.boundary = BoundaryConditions(m.boundary.size(), given), .numerics = {.limiter = LimiterKind::none}});
  solver.initialise(field);
  solver.refresh();
  for (const Vec3 at : {Vec3{0.5, 0.5, 0}, Vec3{0.01, 0.99, 0}, Vec3{0.77, 0.31, 0}}) {
    const Probe probe(m, at);
    const Primitive difference = probe.read(solver) - field(at);
    for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(difference[k], 0, 1e-14) << k;
  }
}

TEST(Probe, OnAFaceReadsTheCellWithTheLowestIdOnAnyNumberOfRanks) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}});
  Solver solver(m, {.boundary = everywhere(m, {}), .numerics = {.gradient = GradientKind::none}});
  solver.initialise([&](Vec3 x) { return Primitive{1 + x.x + 10 * x.y, {}, 1}; });
  solver.refresh();
  EXPECT_NEAR(Probe(m, {0.5, 0.5, 0}).read(solver).density, 1 + 0.4375 + 4.375, 1e-14);
}

TEST(Probe, OutsideTheMeshIsAnErrorOnEveryRank) {
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{64}}, {"radial", std::int64_t{16}}});
  EXPECT_NO_THROW(Probe(m, {0.3, 0.0601, 0}));  // slightly above the plane faces of the curved wall
  for (const Vec3 at : {Vec3{0.3, 0, 0}, Vec3{0.3, 0.04, 0}, Vec3{0, 120, 0}}) {
    const std::string text = test::common_error<InputError>(m.comm, [&] { (void)Probe(m, at, "tip"); });
    EXPECT_THAT(text, HasSubstr("\"tip\""));
    EXPECT_THAT(text, HasSubstr("outside the mesh"));
    EXPECT_THAT(text, HasSubstr("probes.tip.at"));
  }
}

TEST(Totals, OfAUniformStateAreItTimesTheVolume) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"xmax", 3.0}, {"ymax", 0.5}});
  const IdealGas gas;
  const Primitive w{1.2, {0.3, -0.4, 0}, 0.9};
  Solver solver(m, {.gas = gas, .boundary = everywhere(m, {})});
  solver.initialise([&](Vec3) { return w; });
  const auto sums = totals(solver);
  for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(sums[static_cast<std::size_t>(k)], 1.5 * gas.conserved(w)[k], 1e-14) << k;
}

/// 128 x 96 cells of 1 m^2, over which momenta along x alternate between 1e16, 1 and -1e16.
class LargeMomenta : public ::testing::Test {
 protected:
  static constexpr std::array<double, 3> kTurns{1e16, 1, -1e16};

  [[nodiscard]] static mesh::Mesh mesh_of(const Communicator& comm) {
    return generated("box", {{"nx", std::int64_t{128}}, {"ny", std::int64_t{96}}, {"xmax", 128.0}, {"ymax", 96.0}}, {}, comm);
  }
  /// Sets the numbers in `column` of `rows` to those of kTurns.
  static void set_turns(std::vector<double>& rows, std::size_t width, std::size_t column) {
    for (std::size_t i = 0; i < rows.size() / width; ++i) rows[i * width + column] = kTurns[i % kTurns.size()];
  }
  [[nodiscard]] static std::vector<double> conserved_on(const mesh::Mesh& m) {
    std::vector<double> rows;
    for (std::int32_t c = 0; c < m.owned_cells; ++c) rows.insert(rows.end(), {1, 0, 0, 0, 1e33});
    set_turns(rows, Solver::kVars, 1);
    return rows;
  }
  /// Checks all digits, also those of scalars.
  static void expect_every_digit(Backend backend) {
    const mesh::Mesh m = mesh_of(Communicator::self());
    Solver solver(m, {.boundary = everywhere(m, {}), .scalars = {{.name = "small"}, {.name = "large"}}, .backend = backend});
    std::vector<double> amounts(static_cast<std::size_t>(m.owned_cells) * 2, 0.1);
    set_turns(amounts, 2, 1);
    solver.restore(conserved_on(m), 0, 0, {}, amounts);
    EXPECT_EQ(totals(solver)[1], 128 * 96 / 3);
    const std::vector<double> sums = scalar_totals(solver);
    EXPECT_EQ(sums[0], 128 * 96 * 0.1);
    EXPECT_EQ(sums[1], 128 * 96 / 3);
  }
};

TEST_F(LargeMomenta, AreAddedUpToTheLastDigitOnARank) { expect_every_digit(Backend::host); }
TEST_F(LargeMomenta, AreAddedUpToTheLastDigitOnCuda) {
  WEFT_NEEDS_GPU();
  expect_every_digit(Backend::cuda);
}

TEST_F(LargeMomenta, OfRanksAreAddedUpInTheirOrder) {
  const mesh::Mesh m = mesh_of(Communicator::world());
  Solver solver(m, {.boundary = everywhere(m, {})});
  solver.restore(conserved_on(m), 0, 0);
  // The expected sum of a rank: one large number may remain, and a 1 for each completed turn.
  const auto of_rank = [](std::int64_t cells) { return static_cast<double>((cells + 1) / 3) + (cells % 3 == 0 ? 0 : 1e16); };
  double sum = 0;
  for (const std::int64_t cells : m.comm.all_gather(static_cast<std::int64_t>(m.owned_cells))) sum += of_rank(cells);
  EXPECT_EQ(totals(solver)[1], sum);
}

TEST(Totals, AreOfASolverThatStandsStill) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {})});
  solver.initialise([](Vec3) { return Primitive{1, {}, 1}; });
  solver.start_steps({.until = 1});
  EXPECT_BREACH((void)totals(solver));
  EXPECT_BREACH((void)scalar_totals(solver));
  (void)solver.finish_steps();
  EXPECT_NEAR(totals(solver)[0], 1, 1e-14);
}

TEST(AxisymmetricFlow, IsPushedAlongItsAxisAloneAndDoesNotTurn) {
  mesh::Mesh m = generated("wedge", {{"nx", std::int64_t{12}}, {"ny", std::int64_t{8}}});
  mesh::revolve(m);
  const Primitive stream{1.4, {2, 0, 0}, 1};
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = stream}), .numerics = {.cfl = 0.5}});
  solver.initialise([&](Vec3) { return stream; });
  for (int i = 0; i < 10; ++i) solver.step(1.0);
  solver.refresh();
  const Forces pushed = forces(solver, {.name = "inlet", .zones = {"inlet"}, .reference = stream});
  EXPECT_NE(pushed.drag, 0);
  EXPECT_EQ(pushed.lift, 0);
  EXPECT_EQ(pushed.force.y, 0);
  EXPECT_EQ(pushed.moment, Vec3{});

  const auto turning = [](Vec3) { return Primitive{1, {2, 0, 0.5}, 1}; };
  EXPECT_THAT(test::common_error<InputError>(m.comm, [&] { solver.initialise(turning); }), HasSubstr("velocity along z"));
  BoundaryConditions wind = everywhere(m, {.kind = BoundaryKind::far_field, .state = {1, {2, 0, 0.5}, 1}});
  EXPECT_THAT(test::common_error<InputError>(m.comm, [&] { Solver(m, {.boundary = wind}); }), HasSubstr("boundary zone"));
}

// A cell far from the axis is as large as in the plane, so a point outside is as far away.
TEST(AxisymmetricFlow, HasProbesWhereThePlaneHasThem) {
  mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"ymin", 10.0}, {"ymax", 11.0}});
  EXPECT_THROW(Probe(m, {0.5, 11.09, 0}, "outside"), InputError);
  mesh::revolve(m);
  EXPECT_THROW(Probe(m, {0.5, 11.09, 0}, "outside"), InputError);
  EXPECT_NO_THROW(Probe(m, {0.5, 10.5, 0}, "inside"));
}

TEST(Errors, AreVolumeWeightedMeansAndTheLargest) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}});
  Solver solver(m, {.boundary = everywhere(m, {})});
  solver.initialise([&](Vec3 x) { return Primitive{x.x < 0.5 ? 1.0 : 1.2, {}, 1}; });
  const auto norms = errors(solver, [](Vec3) { return Primitive{1, {}, 1}; });
  EXPECT_NEAR(norms[0].l1, 0.1, 1e-15);
  EXPECT_NEAR(norms[0].l2, std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(norms[0].linf, 0.2, 1e-15);
  EXPECT_LE(norms[4].linf, 1e-15);
}

}  // namespace
}  // namespace weft::flow::monitors_test

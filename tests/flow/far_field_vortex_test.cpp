// The point vortex of a far field: its state, the circulation of a force, and flows with it.
#include "weft/flow/physics/far_field_vortex.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "flow/solver_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::far_field_vortex_test {
namespace {

using test::everywhere;
using test::gathered;
using test::generated;

constexpr IdealGas kGas{};
constexpr Vec3 kCentre{0.25, -0.1, 0};

/// Returns Mach 0.7 at 20 degrees, with a spanwise velocity, which has no effect.
Primitive stream() {
  const double angle = std::numbers::pi / 9;
  return {1.4, {0.7 * std::cos(angle), 0.7 * std::sin(angle), 0.2}, 1};
}

Vec3 at(double radius, double angle) { return kCentre + Vec3{radius * std::cos(angle), radius * std::sin(angle), 0}; }

TEST(FarFieldVortex, KeepsEntropyAndTotalEnthalpyOfTheStream) {
  const Primitive free = stream();
  const auto enthalpy = [&](const Primitive& w) {
    return kGas.gamma / (kGas.gamma - 1) * w.pressure / w.density + 0.5 * dot(w.velocity, w.velocity);
  };
  for (int i = 0; i < 12; ++i) {
    const Primitive w = vortex_state(kGas, free, {0.8, kCentre}, at(1.5, 0.5 * i));
    EXPECT_GT(norm(w.velocity - free.velocity), 0.05);
    EXPECT_NEAR(enthalpy(w), enthalpy(free), 1e-14);
    EXPECT_NEAR(w.pressure / std::pow(w.density, kGas.gamma), free.pressure / std::pow(free.density, kGas.gamma), 1e-15);
    EXPECT_EQ(w.velocity.z, free.velocity.z);
  }
}

/// The circulation around every circle is that of the vortex, and the disturbance satisfies the equation of Prandtl and Glauert:
/// (1 - M^2) du/ds + dv/dn = 0 along and across the stream.
TEST(FarFieldVortex, HasTheVelocityOfLinearisedFlow) {
  const Primitive free = stream();
  const PointVortex vortex{0.8, kCentre};
  const auto velocity = [&](Vec3 x) { return vortex_state(kGas, free, vortex, x).velocity - free.velocity; };
  for (const double radius : {0.7, 20.0}) {
    constexpr int kPoints = 200;
    double around = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double angle = 2 * std::numbers::pi * i / kPoints;
      around -= dot(velocity(at(radius, angle)), {-std::sin(angle), std::cos(angle), 0});
    }
    EXPECT_NEAR(2 * std::numbers::pi * radius / kPoints * around, vortex.circulation, 1e-12);
  }
  const Vec3 plane{free.velocity.x, free.velocity.y, 0};
  const Vec3 s = plane / norm(plane), n{-s.y, s.x, 0};
  const double mach = norm(plane) / kGas.sound_speed(free), h = 1e-4;
  for (int i = 0; i < 12; ++i) {
    const Vec3 x = at(2, 0.5 * i);
    const double along = dot(velocity(x + h * s) - velocity(x - h * s), s) / (2 * h);
    const double across = dot(velocity(x + h * n) - velocity(x - h * n), n) / (2 * h);
    EXPECT_NEAR((1 - mach * mach) * along + across, 0, 1e-9);
  }
  // Lift towards y in a stream along x: upwash upstream, downwash downstream, faster above than below.
  const auto change = [&](Vec3 x) {
    const Primitive along_x{1.4, {0.5, 0, 0}, 1};
    return vortex_state(kGas, along_x, vortex, kCentre + x).velocity - along_x.velocity;
  };
  EXPECT_GT(change({-2, 0, 0}).y, 0);
  EXPECT_LT(change({2, 0, 0}).y, 0);
  EXPECT_GT(change({0, 2, 0}).x, 0);
  EXPECT_LT(change({0, -2, 0}).x, 0);
}

TEST(FarFieldVortex, LeavesTheStreamWhereItHasNoState) {
  const Primitive free = stream();
  EXPECT_EQ(vortex_state(kGas, free, {0.8, kCentre}, kCentre), free);
  EXPECT_EQ(vortex_state(kGas, free, {0.8, kCentre}, at(1e-3, 1)), free);  // faster than expansion into vacuum
  const BoundaryParams far{.kind = BoundaryKind::far_field, .state = free, .vortex = {0, kCentre}};
  EXPECT_EQ(outside_state(kGas, far, at(2, 1)), free);
}

/// Kutta and Joukowski: the lift, across the stream, is density * speed * circulation; drag has no effect.
TEST(FarFieldVortex, CirculationIsThatOfTheLift) {
  const Primitive free = stream();
  const Vec3 u = free.velocity, lift_direction = Vec3{-u.y, u.x, 0} / std::hypot(u.x, u.y);
  const Vec3 force = 0.3 * lift_direction + 0.05 * u;
  EXPECT_NEAR(circulation_of(force, free), 0.3 / (free.density * std::hypot(u.x, u.y)), 1e-15);
}

/// The steady flow in a box next to the vortex, with far fields on all sides. The disturbance is a solution of the linearised
/// equations, so the remaining error is of second order in the circulation.
TEST(FarFieldVortex, CreatesTheFlowOfTheVortexInADomain) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{16}}, {"ny", std::int64_t{16}}});
  const Primitive free{1.4, {0.5 * std::cos(0.3), 0.5 * std::sin(0.3), 0}, 1};
  const Vec3 centre{0.4, -2, 0};
  const Numerics numerics{.limiter = LimiterKind::none, .cfl = 0.8, .local_time_step = true};
  const auto error = [&](double circulation, bool corrected) {
    Solver solver(m, {.gas = kGas,
                      .boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = free, .vortex = {0, centre}}),
                      .numerics = numerics});
    solver.initialise([&](Vec3) { return free; });
    if (corrected) {
      for (const mesh::BoundaryZoneId z : m.boundary.ids()) solver.set_circulation(z, circulation);
    }
    for (int i = 0; i < 400; ++i) (void)solver.step(1);
    const auto norms = errors(solver, [&](Vec3 x) { return vortex_state(kGas, free, {circulation, centre}, x); });
    return norms[2].l2;  // norm of the velocity along y
  };
  const double without = error(1.2, false), with = error(1.2, true), half = error(0.6, true);
  EXPECT_LT(with, 0.05 * without);
  EXPECT_GT(with / half, 3.5);
  EXPECT_LT(with / half, 4.5);
}

TEST(FarFieldVortex, WithoutCirculationChangesNoBit) {
  const mesh::Mesh m = generated("naca", {{"around", std::int64_t{32}}, {"radial", std::int64_t{8}}, {"radius", 4.0}});
  const Primitive free{1.4, {0.5, 0.02, 0}, 1};
  const auto flow = [&](const PointVortex& vortex, bool set_and_reset) {
    BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = free, .vortex = vortex});
    mesh::BoundaryZoneId far;
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      if (m.boundary[z].name == "farfield") far = z;
      if (m.boundary[z].name != "farfield") boundary[z].params = {.kind = BoundaryKind::slip_wall};
    }
    Solver solver(m, {.gas = kGas, .boundary = boundary, .numerics = {.cfl = 0.5}});
    solver.initialise([&](Vec3) { return free; });
    if (set_and_reset) {
      solver.set_circulation(far, 0.3);
      solver.refresh();
      solver.set_circulation(far, 0);
    }
    for (int i = 0; i < 10; ++i) (void)solver.step(1);
    return gathered(solver);
  };
  const std::vector<double> plain = flow({}, false);
  EXPECT_EQ(flow({0, kCentre}, true), plain);
  EXPECT_NE(flow({0.1, kCentre}, false), plain);
}

/// Lift depends on the distance of the far field, less so with the vortex.
TEST(FarFieldVortex, MakesTheLiftOfAnAirfoilIndependentOfTheFarField) {
  const Primitive free{1.4, {0.5 * std::cos(0.035), 0.5 * std::sin(0.035), 0}, 1};
  const auto lift = [&](double radius, std::int64_t radial, bool corrected) {
    const mesh::Mesh m = generated("naca", {{"around", std::int64_t{32}}, {"radial", radial}, {"radius", radius}});
    BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
    mesh::BoundaryZoneId far(0);
    while (m.boundary[far].name != "farfield") ++far;
    boundary[far].params = {.kind = BoundaryKind::far_field, .state = free, .vortex = {0, {0.25, 0, 0}}};
    Solver solver(
        m, {.gas = kGas, .boundary = boundary, .numerics = {.limiter = LimiterKind::none, .cfl = 1.2, .local_time_step = true}});
    const ForceSpec airfoil{.name = "airfoil", .zones = {"airfoil"}, .reference = free};
    solver.initialise([&](Vec3) { return free; });
    for (int i = 1; i <= (kSanitized ? 120 : 1200); ++i) {
      (void)solver.step(1e9);
      if (!corrected || i % 20 != 0) continue;
      solver.refresh();
      solver.set_circulation(far, circulation_of(forces(solver, airfoil).force, free));
    }
    solver.refresh();
    return forces(solver, airfoil).lift;
  };
  const double near = lift(4, 10, false), away = lift(20, 16, false);
  const double near_corrected = lift(4, 10, true), away_corrected = lift(20, 16, true);
  if (kSanitized) return;
  EXPECT_GT(std::abs(away / near - 1), 0.05);
  EXPECT_LT(std::abs(away_corrected / near_corrected - 1), 0.005);
}

}  // namespace
}  // namespace weft::flow::far_field_vortex_test

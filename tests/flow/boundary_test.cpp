#include "weft/flow/physics/boundary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/flow/solutions/riemann.hpp"

namespace weft::flow::boundary_test {
namespace {

constexpr IdealGas kGas;
constexpr Vec3 kNormals[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0.6, -0.8, 0}, {0.48, 0.6, -0.64}};
constexpr Primitive kSubsonic{1.4, {0.5, 0.1, 0.05}, 1}, kSupersonic{1.4, {3, 0.2, 0}, 1};

BoundaryParams with_state(BoundaryKind kind, const Primitive& state) { return {.kind = kind, .state = state}; }

double riemann_out(const Primitive& w, Vec3 n) { return dot(w.velocity, n) + 2 * kGas.sound_speed(w) / (kGas.gamma - 1); }
double riemann_in(const Primitive& w, Vec3 n) { return dot(w.velocity, n) - 2 * kGas.sound_speed(w) / (kGas.gamma - 1); }

void expect_near(const Primitive& a, const Primitive& b, double tolerance) {
  for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << IdealGas::primitive_name(k);
}

TEST(Boundary, FarFieldReproducesTheFreeStreamBitwise) {
  for (const Primitive& free : {kSubsonic, kSupersonic}) {
    for (const Vec3 n : kNormals) {
      const BoundaryParams far = with_state(BoundaryKind::far_field, free);
      EXPECT_EQ(boundary_state(kGas, far, free, n), free);
      EXPECT_EQ(boundary_flux(kGas, far, free, n), physical_flux(kGas, free, n));
    }
  }
}

/// Returns `w` after an isentropic change to this pressure.
Primitive at_pressure(Primitive w, double pressure) {
  w.density *= std::pow(pressure / w.pressure, 1 / kGas.gamma);
  w.pressure = pressure;
  return w;
}

TEST(Boundary, SubsonicFarFieldKeepsTheInvariantsOfBothSides) {
  // A perturbation of the kind that a vortex causes, in gas of the entropy of the stream and in a hot wake.
  for (const double density : {1.4 * std::pow(0.93, 1 / 1.4), 1.1}) {
    const Primitive inside{density, {0.45, 0.25, -0.1}, 0.93};
    for (const Vec3 n : kNormals) {
      const Primitive w = boundary_state(kGas, with_state(BoundaryKind::far_field, kSubsonic), inside, n);
      const double q = dot(w.velocity, n);
      const Primitive& upwind = q > 0 ? inside : kSubsonic;
      Primitive beyond = kSubsonic;  // gas outside, which has left where gas leaves
      if (q > 0) beyond.density = at_pressure(inside, kSubsonic.pressure).density;
      EXPECT_NEAR(q + 5 * kGas.sound_speed(at_pressure(inside, w.pressure)), riemann_out(inside, n), 1e-14);
      EXPECT_NEAR(q - 5 * kGas.sound_speed(at_pressure(beyond, w.pressure)), riemann_in(beyond, n), 1e-14);
      EXPECT_NEAR(kGas.entropy(w), kGas.entropy(upwind), 1e-15);
      const Vec3 tangential = w.velocity - q * n, expected = upwind.velocity - dot(upwind.velocity, n) * n;
      EXPECT_NEAR(norm(tangential - expected), 0, 1e-15);
    }
  }
}

TEST(Boundary, FluxThroughAFarFieldIsContinuousAtFlowReversal) {
  const Vec3 n{1, 0, 0};
  for (const double density : {0.3, 1.4, 5.0}) {
    const BoundaryParams far = with_state(BoundaryKind::far_field, {density, {0.1, 0, 0}, 1.1});
    double mass = 0, push = 0;
    constexpr int kSteps = 4000;
    for (int i = 0; i <= kSteps; ++i) {
      const Primitive inside{1.4, {-0.9 + 1.8 * i / kSteps, 0, 0}, 1};
      const Conserved flux = boundary_flux(kGas, far, inside, n);
      if (i > 0) {
        EXPECT_NEAR(flux.density, mass, 5e-3) << density << ' ' << i;
        EXPECT_NEAR(flux.momentum.x, push, 5e-3) << density << ' ' << i;
      }
      mass = flux.density;
      push = flux.momentum.x;
    }
    EXPECT_GT(mass, 0.5);
  }
}

TEST(Boundary, ContactsPassThroughAFarFieldUnchanged) {
  const BoundaryParams far = with_state(BoundaryKind::far_field, kSubsonic);
  for (const double density : {0.3, 1.0, 7.0}) {
    const Primitive inside{density, kSubsonic.velocity, kSubsonic.pressure};
    for (const Vec3 n : kNormals)
      expect_near(boundary_state(kGas, far, inside, n), dot(inside.velocity, n) > 0 ? inside : kSubsonic, 1e-14);
  }
}

TEST(Boundary, SupersonicFarFieldTakesOneSide) {
  const Primitive inside{1.2, {2.7, 0.3, 0}, 0.8};
  const BoundaryParams far = with_state(BoundaryKind::far_field, kSupersonic);
  EXPECT_EQ(boundary_state(kGas, far, inside, {1, 0, 0}), inside);
  EXPECT_EQ(boundary_state(kGas, far, inside, {-1, 0, 0}), kSupersonic);
}

TEST(Boundary, FarFieldSurvivesVacuumBetweenBothSides) {
  const Primitive free{1.4, {0, 0, 0}, 1}, inside{1.4, {-30, 0, 0}, 1};
  EXPECT_TRUE(kGas.physical(boundary_state(kGas, with_state(BoundaryKind::far_field, free), inside, {1, 0, 0})));
}

TEST(Boundary, FarFieldChokesOnEitherBranch) {
  const Vec3 n{1, 0, 0};
  // Gas at rest at a far field of low pressure: the sonic point of its own expansion fan, whatever that pressure is.
  const Primitive rest{1.4, {0, 0.3, 0}, 1};
  for (const double pressure : {0.02, 1e-3, 1e-6}) {
    for (const double density : {0.5, 1.4 * pressure}) {  // another and the same temperature
      const Primitive far{density, {0, 0, 0}, pressure};
      const Primitive w = boundary_state(kGas, with_state(BoundaryKind::far_field, far), rest, n);
      EXPECT_NEAR(dot(w.velocity, n), kGas.sound_speed(w), 1e-14) << pressure;
      EXPECT_NEAR(riemann_out(w, n), riemann_out(rest, n), 1e-14);
      EXPECT_NEAR(kGas.entropy(w), kGas.entropy(rest), 1e-15);
      EXPECT_EQ(w.velocity.y, 0.3);
    }
    // The reverse: subsonic gas outside that expands into a near vacuum inside enters at its own speed of sound.
    const Primitive in = boundary_state(kGas, with_state(BoundaryKind::far_field, rest), {0.5, {-1, 0, 0}, pressure}, n);
    EXPECT_NEAR(-dot(in.velocity, n), kGas.sound_speed(in), 1e-14) << pressure;
    EXPECT_NEAR(riemann_in(in, n), riemann_in(rest, n), 1e-14);
    EXPECT_NEAR(kGas.entropy(in), kGas.entropy(rest), 1e-15);
  }
}

TEST(Boundary, FarFieldHasAlmostNoFluxBetweenSeparatingStates) {
  const Primitive inside{1.4, {-30, 0, 0}, 1}, outside{1.4, {30, 0, 0}, 1};
  const BoundaryParams far = with_state(BoundaryKind::far_field, outside);
  EXPECT_TRUE(kGas.physical(boundary_state(kGas, far, inside, {1, 0, 0})));
  EXPECT_NEAR(boundary_flux(kGas, far, inside, {1, 0, 0}).density, 0, 1e-12);
}

TEST(Boundary, SupersonicInflowAndOutflow) {
  const Primitive inside{1.1, {2.5, 0.1, 0}, 0.7};
  EXPECT_EQ(boundary_flux(kGas, with_state(BoundaryKind::supersonic_inflow, kSupersonic), inside, {-1, 0, 0}),
            physical_flux(kGas, kSupersonic, {-1, 0, 0}));
  EXPECT_EQ(boundary_flux(kGas, {.kind = BoundaryKind::supersonic_outflow}, inside, {1, 0, 0}),
            physical_flux(kGas, inside, {1, 0, 0}));
}

TEST(Boundary, WallsLetOnlyMomentumThrough) {
  for (const BoundaryKind kind : {BoundaryKind::slip_wall, BoundaryKind::symmetry}) {
    for (const Vec3 n : kNormals) {
      const Conserved f = boundary_flux(kGas, {.kind = kind}, kSubsonic, n);
      EXPECT_EQ(f.density, 0);
      EXPECT_EQ(f.energy, 0);
      EXPECT_NEAR(norm(cross(f.momentum, n)), 0, 4e-16);
      const Primitive w = boundary_state(kGas, {.kind = kind}, kSubsonic, n);
      EXPECT_NEAR(dot(w.velocity, n), 0, 1e-16);
      EXPECT_NEAR(norm(cross(w.velocity, n) - cross(kSubsonic.velocity, n)), 0, 1e-16);
      EXPECT_EQ(w.pressure, kSubsonic.pressure);
    }
  }
}

TEST(Boundary, GhostStatesAtWallsHaveTheOppositeNormalVelocity) {
  const Primitive extrapolated{1.5, {0.3, -0.2, 0.1}, 1.1};
  for (const Vec3 n : kNormals) {
    for (const BoundaryKind kind : {BoundaryKind::slip_wall, BoundaryKind::symmetry}) {
      const Primitive behind = boundary_ghost_state(kGas, {.kind = kind}, kSubsonic, extrapolated, n);
      EXPECT_EQ(behind.density, extrapolated.density);
      EXPECT_EQ(behind.pressure, extrapolated.pressure);
      EXPECT_NEAR(dot(behind.velocity, n), -dot(kSubsonic.velocity, n), 1e-15);
      EXPECT_NEAR(norm(cross(behind.velocity - extrapolated.velocity, n)), 0, 1e-15);
    }
  }
}

TEST(Boundary, GhostStatesElsewhereAreBoundaryStates) {
  constexpr Primitive kExtrapolated{1.5, {3.3, -0.2, 0.1}, 1.1};
  for (const Vec3 n : kNormals) {
    for (const BoundaryKind kind : {BoundaryKind::far_field, BoundaryKind::supersonic_inflow, BoundaryKind::supersonic_outflow,
                                    BoundaryKind::static_pressure_outflow}) {
      BoundaryParams params = with_state(kind, kSubsonic);
      params.pressure = 0.9;
      const double mach = dot(kSupersonic.velocity, n) / kGas.sound_speed(kSupersonic);
      const Primitive meets = mach >= 1 ? kExtrapolated : kSupersonic;
      if (mach > 0 && mach < 1) continue;
      expect_near(boundary_ghost_state(kGas, params, kSupersonic, kExtrapolated, n), boundary_state(kGas, params, meets, n),
                  1e-15);
    }
  }
}

TEST(Boundary, SubsonicOutflowIsExtrapolatedByItsMachNumber) {
  const BoundaryParams outflow{.kind = BoundaryKind::supersonic_outflow};
  const Primitive extrapolated{1.6, {0.7, 0.1, 0.05}, 1.2};
  expect_near(boundary_ghost_state(kGas, outflow, kSubsonic, extrapolated, {1, 0, 0}), {1.5, {0.6, 0.1, 0.05}, 1.1}, 1e-15);
}

TEST(Boundary, WallPressureIsTheExactReflection) {
  const Primitive at_rest{1.4, {0, 2, 0}, 1};
  EXPECT_EQ(wall_pressure(kGas, at_rest, {1, 0, 0}), 1);
  // A Mach 3 shock (p2/p1 = 31/3, downstream velocity 20/9) that is reflected: p3/p2 = ((3 gamma-1) p2 - (gamma-1) p1) /
  // ((gamma-1) p2 + (gamma+1) p1) with p1 = 1.
  const double p2 = 31.0 / 3;
  const Primitive behind{5.4, {20.0 / 9, 0, 0}, p2};
  EXPECT_NEAR(wall_pressure(kGas, behind, {1, 0, 0}), p2 * (3.2 * p2 - 0.4) / (0.4 * p2 + 2.4), 1e-12);
  // A piston withdrawn at speed c: p = (1 - 0.2)^7.
  EXPECT_NEAR(wall_pressure(kGas, {1.4, {-1, 0, 0}, 1}, {1, 0, 0}), std::pow(0.8, 7), 1e-15);
  // Escape speed and above: vacuum.
  EXPECT_EQ(wall_pressure(kGas, {1.4, {-6, 0, 0}, 1}, {1, 0, 0}), 0);
  // Smooth where both branches meet: slope rho c.
  const double h = 1e-6, slope = (wall_pressure(kGas, {1.4, {h, 0, 0}, 1}, {1, 0, 0}) -
                                  wall_pressure(kGas, {1.4, {-h, 0, 0}, 1}, {1, 0, 0})) /
                                 (2 * h);
  EXPECT_NEAR(slope, 1.4, 1e-6);
}

BoundaryParams reservoir(const Primitive& w, Vec3 direction) {
  return {.kind = BoundaryKind::total_pressure_inflow,
          .total_pressure = kGas.total_pressure(w),
          .total_temperature = kGas.total_temperature(w),
          .direction = direction};
}

TEST(Boundary, TotalPressureInflowReproducesItsOwnState) {
  const Vec3 n{-0.8, 0, 0.6};
  const Vec3 direction = (1 / norm(kSubsonic.velocity)) * kSubsonic.velocity;
  expect_near(boundary_state(kGas, reservoir(kSubsonic, direction), kSubsonic, n), kSubsonic, 1e-14);
  // Without a direction the flow enters along the normal.
  const Primitive normal{1.4, -0.4 * n, 1};
  expect_near(boundary_state(kGas, reservoir(normal, {}), normal, n), normal, 1e-14);
}

/// Checks that the interior state and a boundary state are on one wave curve of the exact Riemann solution: no wave enters the
/// boundary state.
void expect_on_wave_curve(const Primitive& inside, const Primitive& w, double tolerance) {
  const RiemannSolution exact(kGas, {.left = inside, .right = w});
  EXPECT_NEAR(exact.star_pressure(), w.pressure, tolerance);
  EXPECT_NEAR(exact.star_velocity(), w.velocity.x, tolerance);
}

TEST(Boundary, TotalPressureInflowKeepsTotalsAndMatchesTheWaveIntoTheDomain) {
  const Vec3 n{-0.8, 0, 0.6}, direction{0.6, 0.64, -0.48};
  const BoundaryParams inflow = reservoir(kSubsonic, direction);
  const double p0 = inflow.total_pressure;
  const Primitive same_entropy{1.4 * std::pow(0.8, 1 / 1.4), {0.2, 0.3, 0}, 0.8}, hotter{0.8, {0.42, 0.2, 0}, 0.97};
  for (const Primitive& inside : {same_entropy, hotter, Primitive{1.4, {0.1, 0, 0}, 1.05 * p0}}) {
    const Primitive w = boundary_state(kGas, inflow, inside, n);
    EXPECT_LT(dot(w.velocity, n), 0);
    EXPECT_NEAR(kGas.total_pressure(w), p0, 1e-14);
    EXPECT_NEAR(kGas.total_temperature(w), inflow.total_temperature, 1e-14);
    EXPECT_NEAR(norm(cross(w.velocity, direction)), 0, 1e-15);
    // One wave: along n, and exact if it is a rarefaction.
    const auto turned = [&](const Primitive& v) { return Primitive{v.density, {dot(v.velocity, n), 0, 0}, v.pressure}; };
    expect_on_wave_curve(turned(inside), turned(w), inside.pressure > p0 ? 1e-13 : 2e-3);
  }
}

TEST(Boundary, TotalPressureInflowAllowsOutflowChokesAndDefaultsToTheNormal) {
  const Vec3 n{-1, 0, 0};
  const BoundaryParams inflow = reservoir(kSubsonic, {1, 0, 0});
  const double p0 = inflow.total_pressure;
  const Primitive out = boundary_state(kGas, inflow, {1.4, {0, 0.2, 0}, 1.2 * p0}, n);
  EXPECT_NEAR(out.pressure, p0, 1e-14);
  EXPECT_LT(out.velocity.x, 0);
  EXPECT_EQ(out.velocity.y, 0.2);
  expect_on_wave_curve({1.4, {0, 0, 0}, 1.2 * p0}, {out.density, {-out.velocity.x, 0, 0}, out.pressure}, 1e-13);
  const Primitive choked = boundary_state(kGas, inflow, {1.4, {0, 0, 0}, 9}, n);
  EXPECT_NEAR(-choked.velocity.x, kGas.sound_speed(choked), 1e-14);
  for (const double speed : {1.0, 5.0, 50.0})
    EXPECT_NEAR(kGas.mach(boundary_state(kGas, inflow, {0.1, {speed, 0, 0}, 0.01}, n)), 1, 1e-14);
  EXPECT_EQ(boundary_state(kGas, inflow, {1.4, {-3, 0, 0}, 1}, n), (Primitive{1.4, {-3, 0, 0}, 1}));
  const Primitive turned = boundary_state(kGas, reservoir(kSubsonic, {-0.6, 0.8, 0}), kSubsonic, n);
  EXPECT_GT(turned.velocity.x, 0);
  EXPECT_EQ(turned.velocity.y, 0);
  // At rest with its reservoir: exact to rounding, without the root of a rounding error.
  const Primitive rest{inflow.total_pressure / inflow.total_temperature, {1e-13, 0, 0}, p0};
  EXPECT_LT(norm(boundary_state(kGas, inflow, rest, n).velocity), 1e-12);
}

TEST(Boundary, StaticPressureOutflow) {
  const Vec3 n{1, 0, 0};
  const BoundaryParams outflow{.kind = BoundaryKind::static_pressure_outflow, .pressure = 0.9};
  const Primitive w = boundary_state(kGas, outflow, kSubsonic, n);
  EXPECT_NEAR(w.pressure, 0.9, 1e-15);
  EXPECT_NEAR(kGas.entropy(w), kGas.entropy(kSubsonic), 1e-15);
  EXPECT_NEAR(riemann_out(w, n), riemann_out(kSubsonic, n), 1e-14);
  EXPECT_EQ(w.velocity.y, kSubsonic.velocity.y);
  BoundaryParams same = outflow;
  same.pressure = kSubsonic.pressure;
  EXPECT_EQ(boundary_state(kGas, same, kSubsonic, n), kSubsonic);
  EXPECT_EQ(boundary_state(kGas, outflow, kSupersonic, n), kSupersonic);
  // A pressure above the interior one enters as a shock.
  const Primitive moving{1.4, {0.9, 0, 0}, 0.6};
  const Primitive shocked = boundary_state(kGas, outflow, moving, n);
  expect_on_wave_curve(moving, shocked, 1e-13);
  EXPECT_NEAR(shocked.density, RiemannSolution(kGas, {.left = moving, .right = shocked}).star_density_left(), 1e-13);
}

TEST(Boundary, StaticPressureOutflowChokes) {
  const Vec3 n{0.6, -0.8, 0};
  for (const double speed : {-0.5, 0.0, 0.5, 0.99}) {
    const Primitive inside{1.4, speed * n + Vec3{0, 0, 0.2}, 1};
    const auto state = [&](double pressure) {
      return boundary_state(kGas, {.kind = BoundaryKind::static_pressure_outflow, .pressure = pressure}, inside, n);
    };
    const Primitive sonic = state(1e-3);
    EXPECT_NEAR(dot(sonic.velocity, n), kGas.sound_speed(sonic), 1e-14);
    EXPECT_NEAR(riemann_out(sonic, n), riemann_out(inside, n), 1e-14);
    EXPECT_NEAR(kGas.entropy(sonic), kGas.entropy(inside), 1e-15);
    for (const double pressure : {1e-30, 1e-6, 0.9 * sonic.pressure}) EXPECT_EQ(state(pressure), sonic) << pressure;
    EXPECT_LT(dot(state(1.01 * sonic.pressure).velocity, n), kGas.sound_speed(state(1.01 * sonic.pressure)));
  }
}

TEST(Boundary, AShockEntersThroughAnOutletOnlyAboveItsPressure) {
  const Vec3 n{1, 0, 0};
  const Primitive inside{1.4, {2, 0.1, 0}, 1};  // Mach 2: a normal shock has p2/p1 = 4.5
  const auto state = [&](double pressure) {
    return boundary_state(kGas, {.kind = BoundaryKind::static_pressure_outflow, .pressure = pressure}, inside, n);
  };
  EXPECT_EQ(state(4.499), inside);
  const Primitive behind = state(4.501);
  EXPECT_LT(kGas.mach(behind), 1);
  const Conserved before = physical_flux(kGas, inside, n), after = physical_flux(kGas, behind, n);
  for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(after[k], before[k], 2e-3 * std::abs(before[k])) << k;
}

TEST(Boundary, BackflowThroughAnOutletIsThatOfAReservoirAtItsPressure) {
  const Vec3 n{1, 0, 0};
  const double p0 = 1.3;
  const BoundaryParams outflow{.kind = BoundaryKind::static_pressure_outflow, .pressure = p0};
  const Primitive inside{1.4, {-0.1, 0.5, 0}, 1.4};
  const Primitive w = boundary_state(kGas, outflow, {1.4, {-0.3, 0.5, 0}, 1.4}, n);
  EXPECT_LT(w.velocity.x, 0);
  EXPECT_EQ(w.velocity.y, 0);
  EXPECT_NEAR(kGas.total_pressure(w), p0, 1e-14);
  EXPECT_NEAR(kGas.entropy(w), kGas.entropy(inside), 1e-15);
  for (const double speed : {-1.0, -5.0, -50.0})
    EXPECT_LE(kGas.mach(boundary_state(kGas, outflow, {1.4, {speed, 0, 0}, 1}, n)), 1 + 1e-14);
}

TEST(Boundary, OpeningsAreContinuousAndNotSupersonicAtAnySpeed) {
  const Vec3 n{1, 0, 0};
  constexpr double kStep = 1e-3;
  const BoundaryParams kinds[] = {
      {.kind = BoundaryKind::static_pressure_outflow, .pressure = 1},
      {.kind = BoundaryKind::total_pressure_inflow, .total_pressure = 1, .total_temperature = 1},
      {.kind = BoundaryKind::total_pressure_inflow, .total_pressure = 1, .total_temperature = 9},
      {.kind = BoundaryKind::total_pressure_inflow, .total_pressure = 1, .total_temperature = 0.2, .direction = {-0.6, 0.8, 0}}};
  for (const BoundaryParams& params : kinds) {
    for (const double pressure : {1e-3, 0.3, 0.99, 1.0, 1.01, 3.0, 100.0}) {
      const double c = std::sqrt(1.4 * pressure);
      Conserved last;
      for (int i = 0; i <= 16000; ++i) {
        const double mach = -12 + kStep * i;
        const Primitive inside{1, {mach * c, 0.1, 0}, pressure};
        const Primitive w = boundary_state(kGas, params, inside, n);
        ASSERT_TRUE(kGas.physical(w)) << mach << " " << pressure;
        const double fastest = w == inside ? std::abs(mach) : 1 + 1e-12;
        ASSERT_LE(std::abs(w.velocity.x), fastest * kGas.sound_speed(w)) << mach << " " << pressure;
        const Conserved flux = boundary_flux(kGas, params, inside, n);
        // Slopes: those of the largest flux of a state on the face, divided by its largest speed.
        const double top = std::max(pressure, 1.0) * (1 + mach * mach);
        const double slopes[] = {std::sqrt(top), top, 8 * top * std::max(c, 3.0) * std::max(std::abs(mach), 1.0)};
        if (i > 0) {
          ASSERT_LE(std::abs(flux.density - last.density), 30 * kStep * slopes[0]) << mach << " " << pressure;
          ASSERT_LE(std::abs(flux.momentum.x - last.momentum.x), 30 * kStep * slopes[1]) << mach << " " << pressure;
          ASSERT_LE(std::abs(flux.energy - last.energy), 30 * kStep * slopes[2]) << mach << " " << pressure;
        }
        last = flux;
      }
    }
  }
}

TEST(Boundary, RowsGiveTheGasOutside) {
  const IdealGas gas{1.4, 287};
  const BoundaryParams params{.state = {1.2, {30, 0, 0}, 1e5}, .total_pressure = 2e5, .total_temperature = 300, .pressure = 9e4};
  for (const BoundaryRow& row : kBoundaries.rows) {
    SCOPED_TRACE(row.name);
    ASSERT_NE(row.outside, nullptr);
    const GasOutside given = row.outside(gas, params);
    EXPECT_EQ(given.state.has_value(), row.value == BoundaryKind::far_field || row.value == BoundaryKind::supersonic_inflow);
    EXPECT_EQ(given.reservoir.has_value(), row.value == BoundaryKind::total_pressure_inflow);
    EXPECT_EQ(given.pressure.has_value(), row.value == BoundaryKind::static_pressure_outflow);
    EXPECT_EQ(row.mirrors, !given.state && !given.reservoir && !given.pressure);
    EXPECT_EQ(row.brings_scalars, given.state || given.reservoir);
    EXPECT_EQ(is_wall(row.value), is_solid(row.value) || is_symmetry_plane(row.value));
    EXPECT_EQ(is_solid(row.value), row.value == BoundaryKind::slip_wall);
    EXPECT_EQ(row.is_undisturbed, row.value == BoundaryKind::far_field);
    const Primitive reservoir{2e5 / (287 * 300.0), {}, 2e5};
    EXPECT_EQ(given.state.value_or(params.state), params.state);
    EXPECT_EQ(given.reservoir.value_or(reservoir), reservoir);
    EXPECT_EQ(given.pressure.value_or(9e4), 9e4);
  }
}

TEST(Boundary, ChosenByName) {
  for (const std::string_view name : names<BoundaryKind>()) EXPECT_EQ(name_of(kind_named<BoundaryKind>(name)), name);
  EXPECT_EQ(kind_named<BoundaryKind>("static_pressure_outflow"), BoundaryKind::static_pressure_outflow);
  try {
    (void)kind_named<BoundaryKind>("slipwall");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "unknown boundary condition \"slipwall\"; did you mean \"slip_wall\"?");
  }
}

}  // namespace
}  // namespace weft::flow::boundary_test

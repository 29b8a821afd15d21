#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"
#include "weft/flow/physics/physical_flux.hpp"
#include "weft/flow/solutions/exact.hpp"

namespace weft::flow::exact_fields_test {
namespace {

constexpr IdealGas kGas;
constexpr Vec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// Returns the fourth-order central difference of f at 0.
template <class F>
Conserved slope(const F& f, double h) {
  return (1 / (12 * h)) * (f(-2 * h) - 8.0 * f(-h) + 8.0 * f(h) - f(2 * h));
}

/// Returns dU/dt + div F(U) of a field w(x, t), by differences.
template <class Field>
Conserved euler_residual(const Field& w, Vec3 x, double t, double h) {
  Conserved sum = slope([&](double s) { return kGas.conserved(w(x, t + s)); }, h);
  for (const Vec3 axis : kAxes) sum += slope([&](double s) { return physical_flux(kGas, w(x + s * axis, t), axis); }, h);
  return sum;
}

void expect_near(const Conserved& a, const Conserved& b, double tolerance) {
  for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << IdealGas::conserved_name(k);
}

constexpr Vec3 kPoints[] = {{0.1, 0.2, 0.3}, {0.77, 0.41, 0.93}, {0.5, 0.02, 0.66}, {0.31, 0.85, 0.12}};

TEST(ExactField, VortexSolvesTheEulerEquations) {
  const IsentropicVortex vortex;
  for (const Vec3 x : kPoints) expect_near(euler_residual(vortex, Vec3{4.5, 5.2, 0} + x, 0.3, 1e-3), {}, 1e-9);
}

TEST(ExactField, VortexGoldens) {
  const IsentropicVortex vortex;
  // At the core: T = 1 - 0.4 * 25 e / (8 * 1.4 pi^2), no swirl.
  const Primitive core = vortex({5, 5, 0}, 0);
  const double temperature = 1 - 10 * std::numbers::e / (11.2 * std::numbers::pi * std::numbers::pi);
  EXPECT_NEAR(core.density, std::pow(temperature, 2.5), 1e-15);
  EXPECT_NEAR(core.pressure, std::pow(temperature, 3.5), 1e-15);
  EXPECT_EQ(core.velocity, (Vec3{1, 1, 0}));
  // At r = 1 on the x axis: swirl 5 / (2 pi) along +y.
  EXPECT_NEAR(vortex({6, 5, 0}, 0).velocity.y, 1 + 5 / (2 * std::numbers::pi), 1e-15);
  EXPECT_NEAR(vortex({6, 5, 0}, 0).velocity.x, 1, 1e-15);
}

TEST(ExactField, VortexIsPeriodicInSpaceAndTime) {
  const IsentropicVortex vortex;
  const Vec3 x{4.3, 6.1, 0.7};
  for (int k = 0; k < IdealGas::kVars; ++k) {
    EXPECT_NEAR(vortex(x, 10)[k], vortex(x, 0)[k], 1e-13);
    EXPECT_NEAR(vortex(x + Vec3{10, -20, 3}, 0)[k], vortex(x, 0)[k], 1e-13);
    EXPECT_NEAR(vortex(x + Vec3{2, 2, 0}, 2)[k], vortex(x, 0)[k], 1e-14);
  }
}

TEST(ExactField, EntropyWaveSolvesTheEulerEquations) {
  const EntropyWave wave;
  for (const Vec3 x : kPoints) expect_near(euler_residual(wave, x, 0.2, 1e-3), {}, 1e-7);
  EXPECT_NEAR(wave({0.1, 0.1, 0.05}, 0).density, 1.2, 1e-15);
  EXPECT_NEAR(wave({0.4, 0.1, 0.05}, 0.1).density, 1.2, 1e-15);  // 3 t later along x
}

TEST(ExactField, DoubleMachIsAMachTenShockAtSixtyDegrees) {
  const DoubleMach flow;
  const Primitive b = DoubleMach::behind(), a = DoubleMach::ahead();
  EXPECT_NEAR(b.velocity.x, 8.25 * std::cos(std::numbers::pi / 6), 1e-14);
  EXPECT_NEAR(b.velocity.y, -8.25 * std::sin(std::numbers::pi / 6), 1e-14);
  // In the frame of the shock the fluxes are equal.
  const Vec3 n{std::cos(std::numbers::pi / 6), -std::sin(std::numbers::pi / 6), 0};
  Primitive moving_a = a, moving_b = b;
  moving_a.velocity -= 10 * n;
  moving_b.velocity -= 10 * n;
  expect_near(physical_flux(kGas, moving_a, n), physical_flux(kGas, moving_b, n), 1e-11);
  EXPECT_EQ(flow({0.16, 0, 0}, 0), b);
  EXPECT_EQ(flow({0.17, 0, 0}, 0), a);
  // At the top of the domain (y = 1), t = 0.2: x = 1/6 + (1 + 20 t) / sqrt(3).
  EXPECT_EQ(flow({3.053, 1, 0}, 0.2), b);
  EXPECT_EQ(flow({3.054, 1, 0}, 0.2), a);
}

TEST(ExactField, RinglebInvertsItsHodograph) {
  const Ringleb flow;
  for (const double k : {0.7, 0.9, 1.2, 1.5}) {
    for (const double fraction : {0.4, 0.6, 0.8, 0.95, 1.0}) {
      const double q = fraction * k;
      if (q < 0.3) continue;
      Vec3 x = Ringleb::place(q, k);
      const Primitive up = flow(x);
      x.y = -x.y;
      const Primitive down = flow(x);
      EXPECT_NEAR(norm(up.velocity), q, 1e-12);
      EXPECT_NEAR(up.density, std::pow(1 - 0.2 * q * q, 2.5), 1e-12);
      EXPECT_NEAR(up.velocity.y, q * q / k, 1e-12);
      EXPECT_NEAR(kGas.entropy(up), 1 / 1.4, 1e-14);
      EXPECT_NEAR(kGas.total_enthalpy(up), 2.5, 1e-14);
      EXPECT_NEAR(down.velocity.y, up.velocity.y, 1e-12);
      EXPECT_NEAR(down.velocity.x, -up.velocity.x, 1e-12);
    }
  }
}

TEST(ExactField, RinglebSolvesTheEulerEquations) {
  const Ringleb flow;
  const auto steady = [&](Vec3 x, double) { return flow(x); };
  for (const double k : {0.75, 1.0, 1.4}) {
    for (const double fraction : {0.55, 0.75, 0.9}) {
      const Vec3 x = Ringleb::place(fraction * k, k);
      expect_near(euler_residual(steady, x, 0, 1e-3), {}, 2e-7);
      expect_near(euler_residual(steady, Vec3{x.x, -x.y, 0}, 0, 1e-3), {}, 2e-7);
    }
  }
}

TEST(ExactField, RinglebHasAnEdge) { EXPECT_THROW((void)Ringleb{}({-1.5, 0, 0}), InputError); }

TEST(ExactField, ManufacturedSourceIsTheResidualOfItsSolution) {
  for (const int dim : {2, 3}) {
    for (const double frequency : {0.0, 1.5}) {
      ManufacturedSolution m = ManufacturedSolution::periodic(dim, 2);
      m.frequency = frequency;
      for (const Vec3 x : kPoints) {
        const Conserved source = m.source(kGas, x, 0.4);
        expect_near(source, euler_residual(m, x, 0.4, 1e-3), 1e-7);
        EXPECT_GT(std::abs(source.energy), 1e-3);
        if (dim == 2) {
          EXPECT_EQ(source.momentum.z, 0);
        }
      }
    }
  }
}

TEST(ExactField, ManufacturedSolutionIsPeriodicAndPhysical) {
  const ManufacturedSolution m = ManufacturedSolution::periodic(3, 2);
  for (const Vec3 x : kPoints) {
    EXPECT_TRUE(kGas.physical(m(x)));
    for (const Vec3 axis : kAxes) {
      for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(m(x + 2.0 * axis)[k], m(x)[k], 1e-14);
    }
  }
  const ManufacturedSolution flat = ManufacturedSolution::periodic(2, 2);
  EXPECT_EQ(flat({0.3, 0.4, 0}), flat({0.3, 0.4, 7}));
  EXPECT_EQ(flat({0.3, 0.4, 0}).velocity.z, 0);
}

}  // namespace
}  // namespace weft::flow::exact_fields_test

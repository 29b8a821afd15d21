// Damping of jumps at faces, and the exchange flux, which both act on small differences of two states.
#include "weft/flow/physics/jump_damping.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/flow/physics/flux.hpp"

namespace weft::flow::jump_damping_test {
namespace {

TEST(JumpDamping, WidensSmallJumpsAndLeavesShocksAlone) {
  const Primitive mean{1.2, {0.3, -0.4, 0.5}, 0.9};
  Primitive left = mean, right = mean;
  damp_jump(0.3, left, right);
  EXPECT_EQ(left, mean);
  EXPECT_EQ(right, mean);

  left.velocity.x -= 0.5, right.velocity.x += 0.5;  // a shear is no shock, however strong
  damp_jump(0.3, left, right);
  EXPECT_DOUBLE_EQ(right.velocity.x - left.velocity.x, 1.6);
  EXPECT_DOUBLE_EQ(right.velocity.x + left.velocity.x, 2 * mean.velocity.x);

  const Primitive before{1, {1, 0, 0}, 1}, behind{2, {0, 0, 0}, 3};
  left = before, right = behind;
  damp_jump(0.3, left, right);
  EXPECT_EQ(left, before);
  EXPECT_EQ(right, behind);
}

TEST(JumpDamping, ReturnsTheFactorThatRemains) {
  Primitive left{1, {1, 0, 0}, 1}, right = left;
  EXPECT_DOUBLE_EQ(damp_jump(0.3, left, right), 0.3);
  right = {2, {0, 0, 0}, 3};
  EXPECT_EQ(damp_jump(0.3, left, right), 0);
}

TEST(ExchangeFlux, DampsAShear) {
  const IdealGas gas;
  const Primitive left{1.2, {0.3, -0.4, 0.5}, 0.9}, right{1.2, {0.2, -0.1, 0.6}, 0.9};
  const Conserved flux = exchange_flux(gas, 0.3, left, right), opposite = exchange_flux(gas, 0.3, right, left);
  const Vec3 jump = left.velocity - right.velocity;
  const double rate = 0.06 * std::sqrt(0.5 + 0.41);
  EXPECT_EQ(flux.density, 0);
  EXPECT_LE(norm(flux.momentum - rate * 1.2 * jump), 1e-16);
  EXPECT_NEAR(flux.energy, rate * 1.2 * dot(0.5 * (left.velocity + right.velocity), jump), 1e-16);
  EXPECT_EQ(opposite, -1.0 * flux);
}

TEST(ExchangeFlux, HasNoMassAndEnergyWhereEntropyAndTotalEnthalpyAreUniform) {
  const IdealGas gas;
  const double total = 3.5 * 1.3 + 0.5 * 0.49;
  const auto state = [&](double density) {  // p = 1.3 density^1.4
    const double pressure = 1.3 * std::pow(density, 1.4);
    return Primitive{density, {std::sqrt(2 * (total - 3.5 * pressure / density)), 0, 0}, pressure};
  };
  for (const double jump : {1e-2, 1e-3}) {
    const Conserved flux = exchange_flux(gas, 0.3, state(1 + 0.5 * jump), state(1 - 0.5 * jump));
    EXPECT_LE(std::abs(flux.density), 0.01 * jump * jump);
    EXPECT_LE(std::abs(flux.energy), 0.01 * jump * jump);
    EXPECT_LE(flux.momentum.x, -0.05 * jump);
  }
}

TEST(ExchangeFlux, IsZeroBetweenEqualStatesAtRestAndInShocks) {
  const IdealGas gas;
  const Primitive moving{1.2, {0.3, -0.4, 0.5}, 0.9}, at_rest{1, {0, 0, 0}, 1}, denser{1.1, {0, 0, 0}, 1};
  const Conserved none{};
  EXPECT_EQ(exchange_flux(gas, 0.3, moving, moving), none);
  EXPECT_LE(std::abs(exchange_flux(gas, 0.3, at_rest, denser).density), 1e-150);  // a contact at rest remains
  EXPECT_EQ(exchange_flux(gas, 0.0, moving, at_rest), none);
}

TEST(ExchangeFlux, KeepsPressureAndVelocityOfAContact) {
  const IdealGas gas;
  const Primitive left{1.2, {0.3, -0.4, 0.5}, 0.9}, right{1.0, {0.3, -0.4, 0.5}, 0.9};
  const Conserved flux = exchange_flux(gas, 0.3, left, right);
  EXPECT_GT(flux.density, 0.005);
  const Primitive after = gas.primitive(gas.conserved(left) + -1.0 * flux);
  EXPECT_LT(after.density, 1.2 - 0.005);
  EXPECT_NEAR(after.pressure, 0.9, 1e-15);
  EXPECT_LE(norm(after.velocity - left.velocity), 1e-15);
}

TEST(ExchangeFlux, IsTheSameInUnitsThatArePowersOfTwo) {
  const IdealGas gas;
  const double speed = 0x1p6, density = 0x1p-2, pressure = 0x1p10;  // p = rho u^2
  for (const double u : {0.3, 1e-9, 1e-20}) {
    const Primitive left{1.2, {u, -u, 0.5 * u}, 0.9}, right{1.1, {0.5 * u, u, u}, 0.8};
    const auto scaled = [&](const Primitive& w) {
      return Primitive{density * w.density, speed * w.velocity, pressure * w.pressure};
    };
    const Conserved flux = exchange_flux(gas, 0.3, left, right), other = exchange_flux(gas, 0.3, scaled(left), scaled(right));
    EXPECT_EQ(other.density, density * speed * flux.density) << u;
    EXPECT_EQ(other.momentum, density * speed * speed * flux.momentum) << u;
    EXPECT_EQ(other.energy, pressure * speed * flux.energy) << u;
  }
}

TEST(JumpDamping, KeepsDensityAndPressurePositive) {
  for (int i = 1; i < 1000; ++i) {
    const double ratio = i / 1000.0;
    Primitive left{1, {0, 0, 0}, 1}, right{ratio, {0, 0, 0}, 1};
    damp_jump(0.3, left, right);
    EXPECT_GE(right.density, ratio - 0.3 / 16 * (1 + ratio));
    EXPECT_GT(right.density, 0);
  }
}

}  // namespace
}  // namespace weft::flow::jump_damping_test

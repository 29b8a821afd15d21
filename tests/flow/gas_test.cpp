#include "weft/flow/physics/gas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace weft::flow::gas_test {
namespace {

static_assert(std::is_trivially_copyable_v<Conserved> && std::is_trivially_copyable_v<Primitive>);
static_assert(std::is_trivially_copyable_v<IdealGas>);
static_assert(sizeof(Conserved) == IdealGas::kVars * sizeof(double) && sizeof(Primitive) == IdealGas::kVars * sizeof(double));

constexpr IdealGas kAir{.gamma = 1.4, .gas_constant = 287.0};
constexpr Primitive kState{1.225, {100, -50, 25}, 101325};

TEST(Gas, ConservedVariablesOfAHandCheckedState) {
  const Conserved u = kAir.conserved(kState);
  EXPECT_DOUBLE_EQ(u.density, 1.225);
  EXPECT_DOUBLE_EQ(u.momentum.x, 122.5);
  EXPECT_DOUBLE_EQ(u.momentum.y, -61.25);
  EXPECT_DOUBLE_EQ(u.momentum.z, 30.625);
  EXPECT_DOUBLE_EQ(u.energy, 101325 / 0.4 + 0.5 * 1.225 * 13125);
}

TEST(Gas, PrimitiveInvertsConserved) {
  const Primitive w = kAir.primitive(kAir.conserved(kState));
  for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(w[k], kState[k], 1e-14 * std::abs(kState[k]));
}

TEST(Gas, IndexAndFieldsAreTheSameStorage) {
  Primitive w{1, {2, 3, 4}, 5};
  Conserved u{1, {2, 3, 4}, 5};
  for (int k = 0; k < IdealGas::kVars; ++k) {
    EXPECT_EQ(w[k], k + 1);
    EXPECT_EQ(u[k], k + 1);
    w[k] *= 2;
    u[k] *= 2;
  }
  EXPECT_EQ(w, (Primitive{2, {4, 6, 8}, 10}));
  EXPECT_EQ(u, (Conserved{2, {4, 6, 8}, 10}));
  EXPECT_EQ(0.5 * w + w - w * 0.5, w);
  EXPECT_EQ(0.5 * u + u - u * 0.5, u);
}

TEST(Gas, DerivedQuantitiesAtMachTwo) {
  // rho = 1.4, p = 1: c = 1. T0/T = 1 + 0.2 M^2 = 1.8, p0/p = 1.8^3.5 = 7.8244491.
  const IdealGas gas;
  const Primitive w{1.4, {1.2, 0, 1.6}, 1};
  EXPECT_NEAR(gas.sound_speed(w), 1, 1e-15);
  EXPECT_NEAR(gas.mach(w), 2, 1e-15);
  EXPECT_NEAR(gas.total_temperature(w), 1.8 / 1.4, 1e-15);
  EXPECT_NEAR(gas.total_pressure(w), 7.824449066, 1e-9);
  EXPECT_NEAR(gas.total_enthalpy(w), 2.5 + 2, 1e-15);
  EXPECT_NEAR(gas.entropy(w), std::pow(1.4, -1.4), 1e-15);
  EXPECT_NEAR(gas.temperature(w), 1 / 1.4, 1e-16);
  EXPECT_NEAR(kAir.density(101325, 288.15), 1.2252256, 1e-7);
}

TEST(Gas, DetectsUnphysicalStates) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const IdealGas gas;
  EXPECT_TRUE(gas.physical(kState));
  EXPECT_TRUE(gas.physical(gas.conserved(kState)));
  EXPECT_FALSE(gas.physical(Primitive{0, {}, 1}));
  EXPECT_FALSE(gas.physical(Primitive{-1, {}, 1}));
  EXPECT_FALSE(gas.physical(Primitive{1, {}, 0}));
  EXPECT_FALSE(gas.physical(Primitive{1, {}, -1e-9}));
  EXPECT_FALSE(gas.physical(Primitive{kInf, {}, 1}));
  for (int k = 0; k < IdealGas::kVars; ++k) {
    Primitive w{1, {1, 1, 1}, 1};
    w[k] = kNan;
    EXPECT_FALSE(gas.physical(w)) << IdealGas::primitive_name(k);
    Conserved u{1, {1, 1, 1}, 9};
    ASSERT_TRUE(gas.physical(u));
    u[k] = kNan;
    EXPECT_FALSE(gas.physical(u)) << IdealGas::conserved_name(k);
  }
  EXPECT_FALSE(gas.physical(Conserved{1, {2, 0, 0}, 1.9}));  // less energy than kinetic energy
}

}  // namespace
}  // namespace weft::flow::gas_test

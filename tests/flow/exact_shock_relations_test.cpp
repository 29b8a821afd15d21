#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "weft/base/error.hpp"
#include "weft/flow/physics/physical_flux.hpp"
#include "weft/flow/solutions/shock_relations.hpp"

namespace weft::flow::exact_shock_relations_test {
namespace {

constexpr double kGamma = 1.4, kDegree = std::numbers::pi / 180;

TEST(ExactShock, NormalShocks) {
  const Jump three = normal_shock(kGamma, 3), ten = normal_shock(kGamma, 10);
  EXPECT_NEAR(three.pressure_ratio, 10.3333, 5e-5);
  EXPECT_NEAR(three.density_ratio, 3.857143, 5e-7);
  EXPECT_NEAR(three.mach, 0.475191, 5e-7);
  EXPECT_NEAR(three.deflection, 0, 1e-15);
  EXPECT_NEAR(ten.pressure_ratio, 116.5, 1e-12);
  EXPECT_NEAR(ten.density_ratio, 5.714286, 5e-7);
  EXPECT_NEAR(normal_shock(kGamma, 1).pressure_ratio, 1, 1e-15);
}

TEST(ExactShock, WedgeAtMachTwo) {
  const Jump jump = oblique_shock(kGamma, 2, 10 * kDegree);
  EXPECT_NEAR(jump.angle / kDegree, 39.3139, 5e-5);
  EXPECT_NEAR(jump.pressure_ratio, 1.706579, 5e-7);
  EXPECT_NEAR(jump.density_ratio, 1.458426, 5e-7);
  EXPECT_NEAR(jump.mach, 1.640522, 5e-7);
  EXPECT_NEAR(jump.deflection, 10 * kDegree, 1e-14);
}

TEST(ExactShock, WedgeAtMachThree) {
  const Jump jump = oblique_shock(kGamma, 3, 15 * kDegree);
  EXPECT_NEAR(jump.angle / kDegree, 32.2404, 5e-5);
  EXPECT_NEAR(jump.pressure_ratio, 2.821562, 5e-7);
  EXPECT_NEAR(jump.mach, 2.254902, 5e-7);
}

// Digits from a computation with 30 digits.
TEST(ExactShock, Reflection) {
  const Jump first = oblique_shock_of_angle(kGamma, 2.9, 29 * kDegree);
  EXPECT_NEAR(first.pressure_ratio, 2.139471076, 5e-10);
  EXPECT_NEAR(first.mach, 2.378071921, 5e-10);
  EXPECT_NEAR(first.deflection / kDegree, 10.940374456, 5e-10);
  const Jump second = oblique_shock(kGamma, first.mach, first.deflection);
  EXPECT_NEAR(second.pressure_ratio, 1.919901090, 5e-10);
  EXPECT_NEAR(second.mach, 1.942419444, 5e-10);
  EXPECT_NEAR(second.angle / kDegree, 34.219474108, 5e-10);
}

TEST(ExactShock, WeakShockOfNoDeflectionIsAMachWave) {
  const Jump jump = oblique_shock(kGamma, 2, 0);
  EXPECT_NEAR(jump.angle / kDegree, 30, 1e-12);
  EXPECT_NEAR(jump.pressure_ratio, 1, 1e-14);
  EXPECT_NEAR(jump.mach, 2, 1e-13);
  EXPECT_NEAR(oblique_shock(kGamma, 2, 1e-6).angle / kDegree, 30, 1e-4);
}

TEST(ExactShock, FluxesBalanceAcrossAnObliqueShock) {
  const IdealGas gas;
  for (const double mach : {1.5, 2.0, 3.0, 8.0}) {
    const Jump jump = oblique_shock(kGamma, mach, 8 * kDegree);
    const Primitive ahead{1.4, {mach, 0, 0}, 1};
    const double sound = std::sqrt(jump.pressure_ratio / jump.density_ratio);
    const Primitive behind{1.4 * jump.density_ratio,
                           jump.mach * sound * Vec3{std::cos(jump.deflection), std::sin(jump.deflection), 0},
                           jump.pressure_ratio};
    const Vec3 n{std::sin(jump.angle), -std::cos(jump.angle), 0};
    const Conserved a = physical_flux(gas, ahead, n), b = physical_flux(gas, behind, n);
    for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(a[k], b[k], 1e-12 * a.energy) << mach;
  }
}

TEST(ExactShock, PrandtlMeyer) {
  EXPECT_NEAR(prandtl_meyer_angle(kGamma, 1), 0, 1e-15);
  EXPECT_NEAR(prandtl_meyer_angle(kGamma, 2) / kDegree, 26.379761, 5e-7);
  const Jump jump = expansion(kGamma, 2, 10 * kDegree);
  EXPECT_NEAR(jump.mach, 2.384887, 5e-7);
  EXPECT_NEAR(jump.pressure_ratio, 0.547969, 5e-7);
  EXPECT_NEAR(jump.density_ratio, 0.650724, 5e-7);
  EXPECT_NEAR(expansion(kGamma, 2, 0).mach, 2, 1e-14);
}

/// Returns the remedy in the InputError that `call` throws.
template <class Call>
std::string remedy_of(const Call& call) {
  try {
    (void)call();
  } catch (const InputError& error) {
    return error.suggestion();
  }
  return "no InputError";
}

TEST(ExactShock, RefusesWhatCannotBe) {
  EXPECT_EQ(remedy_of([] { return normal_shock(kGamma, 0.9); }), "the Mach number must be at least 1");
  EXPECT_EQ(remedy_of([] { return oblique_shock_of_angle(kGamma, 2, 20 * kDegree); }),
            "the angle must be between 30 and 90 degrees");
  EXPECT_EQ(remedy_of([] { return oblique_shock(kGamma, 2, 24 * kDegree); }), "the deflection must be at most 22.9735 degrees");
  EXPECT_NO_THROW((void)oblique_shock(kGamma, 2, 22.9 * kDegree));
  EXPECT_EQ(remedy_of([] { return oblique_shock(kGamma, 2, -1 * kDegree); }),
            "the deflection must be at least 0 and less than 90 degrees");
  EXPECT_THROW((void)expansion(kGamma, 0.5, 5 * kDegree), InputError);
  EXPECT_EQ(remedy_of([] { return expansion(kGamma, 5, 60 * kDegree); }), "the deflection must be less than 53.5339 degrees");
}

}  // namespace
}  // namespace weft::flow::exact_shock_relations_test

#include "weft/flow/solutions/shock_relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"

namespace weft::flow {
namespace {

using std::numbers::pi;

constexpr double kDegree = pi / 180;

void expect_supersonic(double mach) {
  if (!(mach >= 1)) {
    throw InputError(fmt::format("no shock or expansion exists at Mach {:g}", mach), "the Mach number must be at least 1");
  }
}

void expect_turning(double deflection) {
  if (!(deflection >= 0 && deflection < pi / 2)) {
    throw InputError(fmt::format("a flow cannot be turned by {:g} degrees", deflection / kDegree),
                     "the deflection must be at least 0 and less than 90 degrees");
  }
}

}  // namespace

Jump oblique_shock_of_angle(double gamma, double mach, double angle) {
  expect_supersonic(mach);
  const double normal = mach * std::sin(angle), nn = normal * normal;
  if (!(nn >= 1 - 1e-14)) {
    throw InputError(fmt::format("a shock at {:g} degrees is subsonic at Mach {:g}", angle / kDegree, mach),
                     fmt::format("the angle must be between {:g} and 90 degrees", std::asin(1 / mach) / kDegree));
  }
  Jump jump{.angle = angle};
  jump.pressure_ratio = 1 + 2 * gamma / (gamma + 1) * (nn - 1);
  jump.density_ratio = (gamma + 1) * nn / ((gamma - 1) * nn + 2);
  // tan(angle - deflection) = tan(angle) / density_ratio, without evaluating tan(90 degrees).
  jump.deflection = angle - std::atan2(std::sin(angle), jump.density_ratio * std::cos(angle));
  const double normal_behind = std::sqrt((1 + 0.5 * (gamma - 1) * nn) / (gamma * nn - 0.5 * (gamma - 1)));
  jump.mach = normal_behind / std::sin(angle - jump.deflection);
  return jump;
}

Jump normal_shock(double gamma, double mach) { return oblique_shock_of_angle(gamma, mach, pi / 2); }

Jump oblique_shock(double gamma, double mach, double deflection) {
  expect_supersonic(mach);
  expect_turning(deflection);
  // Between the Mach angle and the angle of largest deflection (equation 168) the deflection increases with the angle: bisect.
  const double mm = mach * mach, quarter = 0.25 * (gamma + 1) * mm;
  const double sine2 = (quarter - 1 + std::sqrt((gamma + 1) * (1 + 0.5 * (gamma - 1) * mm + 0.25 * quarter * mm))) / (gamma * mm);
  double weak = std::asin(1 / mach), strong = std::asin(std::min(std::sqrt(sine2), 1.0));
  const double largest = oblique_shock_of_angle(gamma, mach, strong).deflection;
  if (largest < deflection) {
    throw InputError(
        fmt::format("a shock at Mach {:g} cannot turn the flow by {:g} degrees: it detaches", mach, deflection / kDegree),
        fmt::format("the deflection must be at most {:g} degrees", largest / kDegree));
  }
  for (;;) {
    const double middle = 0.5 * (weak + strong);
    if (middle <= weak || middle >= strong) break;
    (oblique_shock_of_angle(gamma, mach, middle).deflection < deflection ? weak : strong) = middle;
  }
  return oblique_shock_of_angle(gamma, mach, weak);
}

double prandtl_meyer_angle(double gamma, double mach) {
  expect_supersonic(mach);
  const double ratio = std::sqrt((gamma + 1) / (gamma - 1)), b = std::sqrt(mach * mach - 1);
  return ratio * std::atan(b / ratio) - std::atan(b);
}

Jump expansion(double gamma, double mach, double deflection) {
  expect_supersonic(mach);
  expect_turning(deflection);
  const double upstream = prandtl_meyer_angle(gamma, mach), target = upstream + deflection;
  const double limit = 0.5 * pi * (std::sqrt((gamma + 1) / (gamma - 1)) - 1);
  if (!(target < limit)) {
    throw InputError(fmt::format("an expansion at Mach {:g} cannot turn the flow by {:g} degrees: it ends in a vacuum", mach,
                                 deflection / kDegree),
                     fmt::format("the deflection must be less than {:g} degrees", (limit - upstream) / kDegree));
  }
  // Bisection in 1 / Mach, in which the angle is monotonic on a bounded interval.
  double slow = 1 / mach, fast = 0;
  for (;;) {
    const double middle = 0.5 * (slow + fast);
    if (middle <= fast || middle >= slow) break;
    (prandtl_meyer_angle(gamma, 1 / middle) < target ? slow : fast) = middle;
  }
  Jump jump{.mach = 1 / slow, .deflection = deflection};
  const double temperature = (1 + 0.5 * (gamma - 1) * mach * mach) / (1 + 0.5 * (gamma - 1) * jump.mach * jump.mach);
  jump.pressure_ratio = std::pow(temperature, gamma / (gamma - 1));
  jump.density_ratio = std::pow(temperature, 1 / (gamma - 1));
  return jump;
}

}  // namespace weft::flow

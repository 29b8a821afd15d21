#include "weft/mesh/generate/generate_ringleb.hpp"

#include <cmath>
#include <numbers>

namespace weft::mesh::detail {

// Source of the formulas: Ringleb, ZAMM 20 (1940); gamma = 1.4, speeds in units of the stagnation speed of sound:
// a^2 = 1 - 0.2 q^2, rho = a^5, J = 1/a + 1/(3 a^3) + 1/(5 a^5) - ln((1 + a) / (1 - a)) / 2,
// x = (2/k^2 - 1/q^2) / (2 rho) - J/2, y = +- sqrt(1 - q^2/k^2) / (k rho q). With q = k sin(angle) the sign is that of the
// cosine.
Vec3 ringleb_node(const RinglebSpec& spec, double along, double across) {
  const double k = 1 / std::lerp(1 / spec.k_inner, 1 / spec.k_outer, across);
  const double first = std::asin(spec.q0 / k);
  const double angle = std::lerp(first, std::numbers::pi - first, along);
  const double q = k * std::sin(angle);
  const double a = std::sqrt(1 - 0.2 * q * q), a3 = a * a * a, rho = a3 * a * a;
  const double j = 1 / a + 1 / (3 * a3) + 1 / (5 * rho) - 0.5 * std::log((1 + a) / (1 - a));
  return {(2 / (k * k) - 1 / (q * q)) / (2 * rho) - 0.5 * j, std::cos(angle) / (k * rho * q), 0};
}

}  // namespace weft::mesh::detail

#pragma once
/// Roe's flux: the exact solution of a linearised Riemann problem.
///
/// P. L. Roe, J. Comput. Phys. 43 (1981) 357-372; entropy fix of A. Harten, J. Comput. Phys. 49 (1983) 357-393, eq. (4.4).
#include "weft/flow/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated shock, contact or shear wave. Not positive by itself in strong expansions: prefer HllcFlux there.
/// @cost 3 square roots, 4 divisions and those of the entropy fix.
struct RoeFlux {
  /// The acoustic speeds |lambda| below delta = entropy_fix * c~ are replaced by (lambda^2 + delta^2) / (2 delta), which keeps
  /// expansions through a sonic point from turning into shocks. 0 is plain Roe. The contact and shear waves are left alone, so
  /// that they stay exact.
  double entropy_fix = 0.2;

  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE Conserved operator()(const IdealGas& gas, const Primitive& left, const Primitive& right,
                                                               Vec3 n) const {
    const double root_l = std::sqrt(left.density), root_r = std::sqrt(right.density);
    const double unit = 1 / (root_l + root_r);
    const double wl = root_l * unit, wr = root_r * unit;
    const Vec3 jump = right.velocity - left.velocity;
    const double pressure_jump = right.pressure - left.pressure;
    const double normal_jump = dot(jump, n);

    // c~^2 = (gamma - 1)(H~ - v~^2 / 2), written as a sum of positive terms.
    const Vec3 velocity = wl * left.velocity + wr * right.velocity;
    const double density = root_l * root_r;
    const double cc = gas.gamma * (wl * left.pressure / left.density + wr * right.pressure / right.density) +
                      0.5 * (gas.gamma - 1) * (wl * wr) * dot(jump, jump);
    const double c = std::sqrt(cc);
    const double kinetic = 0.5 * dot(velocity, velocity);
    const double enthalpy = cc / (gas.gamma - 1) + kinetic;
    const double q = dot(velocity, n);

    // Wave strengths times speeds: q - c, q, q + c, and shear.
    const double unit_cc = 1 / cc;
    const double slow = fixed(q - c, c) * 0.5 * unit_cc * (pressure_jump - density * c * normal_jump);
    const double fast = fixed(q + c, c) * 0.5 * unit_cc * (pressure_jump + density * c * normal_jump);
    const double contact = detail::absolute(q) * (right.density - left.density - pressure_jump * unit_cc);
    const double shear = detail::absolute(q) * density;

    const double mass = slow + contact + fast;
    const Conserved dissipation{
        mass, mass * velocity + ((fast - slow) * c) * n + shear * (jump - normal_jump * n),
        (slow + fast) * enthalpy + (fast - slow) * (q * c) + contact * kinetic + shear * (dot(velocity, jump) - q * normal_jump)};
    return 0.5 * (physical_flux(gas, left, n) + physical_flux(gas, right, n) - dissipation);
  }

 private:
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE double fixed(double lambda, double c) const {
    const double speed = detail::absolute(lambda), delta = entropy_fix * c;
    return speed < delta ? 0.5 * (speed * speed / delta + delta) : speed;
  }
};

}  // namespace weft::flow

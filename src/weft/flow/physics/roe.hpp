#pragma once
/// Roe's flux: the exact solution of a linearised Riemann problem.
///
/// P. L. Roe, J. Comput. Phys. 43 (1981) 357-372; entropy fix of A. Harten, J. Comput. Phys. 49 (1983) 357-393, eq. (4.4).
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated shock, contact or shear wave. Not positive in strong expansions: prefer HllcFlux there.
/// @cost 3 square roots, 4 divisions and those of the entropy fix.
struct RoeFlux {
  static constexpr double kFlops = 191;

  /// The acoustic speeds |lambda| below delta = entropy_fix * c~ are replaced by (lambda^2 + delta^2) / (2 delta), which prevents
  /// expansion shocks at sonic points. 0 is Roe's flux without a fix. The contact and shear waves are not changed, so that they
  /// stay exact.
  double entropy_fix = 0.2;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    const T root_l = detail::root(left.density), root_r = detail::root(right.density);
    const T unit = detail::reciprocal(root_l + root_r);
    const T wl = root_l * unit, wr = root_r * unit;
    const BasicVec3<T> jump = right.velocity - left.velocity;
    const T pressure_jump = right.pressure - left.pressure;
    const T normal_jump = dot(jump, n);

    // c~^2 = (gamma - 1)(H~ - v~^2 / 2), written as a sum of positive terms.
    const BasicVec3<T> velocity = wl * left.velocity + wr * right.velocity;
    const T density = root_l * root_r;
    const T cc =
        gas.gamma * (detail::quotient(wl * left.pressure, left.density) + detail::quotient(wr * right.pressure, right.density)) +
        Real(0.5) * (gas.gamma - 1) * (wl * wr) * dot(jump, jump);
    const T c = detail::root(cc);
    const T kinetic = Real(0.5) * dot(velocity, velocity);
    const T enthalpy = detail::quotient(cc, gas.gamma - 1) + kinetic;
    const T q = dot(velocity, n);

    // Wave strengths times speeds: q - c, q, q + c, and shear.
    const T unit_cc = detail::reciprocal(cc);
    const T slow = fixed<Real>(q - c, c) * Real(0.5) * unit_cc * (pressure_jump - density * c * normal_jump);
    const T fast = fixed<Real>(q + c, c) * Real(0.5) * unit_cc * (pressure_jump + density * c * normal_jump);
    const T contact = detail::absolute(q) * (right.density - left.density - pressure_jump * unit_cc);
    const T shear = detail::absolute(q) * density;

    const T mass = slow + contact + fast;
    const BasicConserved<T> dissipation{
        mass, mass * velocity + ((fast - slow) * c) * n + shear * (jump - normal_jump * n),
        (slow + fast) * enthalpy + (fast - slow) * (q * c) + contact * kinetic + shear * (dot(velocity, jump) - q * normal_jump)};
    return Real(0.5) * (physical_flux(gas, left, n) + physical_flux(gas, right, n) - dissipation);
  }

 private:
  template <class Real, class T>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE T fixed(const T& lambda, const T& c) const {
    const T speed = detail::absolute(lambda), delta = static_cast<Real>(entropy_fix) * c;
    const auto slow = speed < delta;
    return detail::select(slow, Real(0.5) * (detail::divide_where(slow, speed * speed, delta, 0) + delta), speed);
  }
};

}  // namespace weft::flow

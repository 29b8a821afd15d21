#pragma once
/// The AUSM+-up flux, which splits the convective part, carried by the mass flux, from the pressure part.
///
/// M.-S. Liou, J. Comput. Phys. 214 (2006) 137-170.
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated contact, shear wave or stationary shock; accurate at low Mach numbers; free of carbuncles in most cases.
/// Positivity is not proven.
///
/// The interface speed of sound is that of the critical state of the normal velocity: where the flow crosses the face at
/// supersonic speed, the flux is that of the upwind side, whatever the tangential velocity.
/// @cost 3 square roots, 7 divisions, no branch.
struct AusmPlusUpFlux {
  static constexpr double kFlops = 126;

  /// Lower bound of the reference Mach number that scales the low-speed terms, > 0. 1: the compressible scheme everywhere; the
  /// Mach number of the free stream if that is far below 1.
  double cutoff_mach = 1;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    using detail::greater, detail::lesser, detail::quotient, detail::reciprocal, detail::root, detail::select;
    constexpr Real kPressure = 0.25, kVelocity = 0.75;  // K_p, K_u; sigma is 1
    const T ql = dot(left.velocity, n), qr = dot(right.velocity, n);
    const T volume_l = reciprocal(left.density), volume_r = reciprocal(right.density);
    const T critical_l = critical(gas, left.pressure * volume_l, ql), critical_r = critical(gas, right.pressure * volume_r, qr);
    const T c = lesser(quotient(critical_l, greater(root(critical_l), ql)), quotient(critical_r, greater(root(critical_r), -qr)));
    const T unit = reciprocal(c);
    const T ml = ql * unit, mr = qr * unit;
    const T mean = Real(0.5) * (ml * ml + mr * mr);
    const Real cutoff = static_cast<Real>(cutoff_mach);
    const T reference = root(lesser(greater(mean, cutoff * cutoff), 1));
    const T scale = reference * (2 - reference);  // f_a
    const T alpha = Real(0.1875) * (5 * scale * scale - 4);

    const T density = left.density + right.density, pressure_jump = right.pressure - left.pressure;
    const T mach = mach_part(ml) - mach_part(-mr) -
                   quotient((2 * kPressure) * greater(1 - mean, 0) * pressure_jump, scale * density * c * c);
    const T share_l = pressure_part(ml, alpha), share_r = pressure_part(-mr, alpha);
    const T pressure =
        share_l * left.pressure + share_r * right.pressure - kVelocity * share_l * share_r * density * scale * c * (qr - ql);

    const auto from_left = mach > 0;
    const T mass = mach * c * select(from_left, left.density, right.density);
    const BasicVec3<T> velocity{select(from_left, left.velocity.x, right.velocity.x),
                                select(from_left, left.velocity.y, right.velocity.y),
                                select(from_left, left.velocity.z, right.velocity.z)};
    const T temperature = select(from_left, left.pressure * volume_l, right.pressure * volume_r);
    const T enthalpy = gas.gamma / (gas.gamma - 1) * temperature + Real(0.5) * dot(velocity, velocity);
    return {mass, mass * velocity + pressure * n, mass * enthalpy};
  }

 private:
  /// Returns the square of the critical speed of sound of a flow of temperature p / rho and normal velocity q.
  template <class Real, class T>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE T critical(const BasicIdealGas<Real>& gas, const T& temperature, const T& q) {
    return 2 * gas.gamma / (gas.gamma + 1) * temperature + (gas.gamma - 1) / (gas.gamma + 1) * (q * q);
  }
  /// Returns the split Mach number M+ of degree 4, beta = 1/8; M-(m) is -M+(-m).
  template <class T>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE T mach_part(const T& m) {
    const T up = (m + 1) * (m + 1), down = (m - 1) * (m - 1);
    return detail::select(detail::absolute(m) < 1, up * (2 + down) * T(0.125), detail::greater(m, 0));
  }
  /// Returns the split pressure P+ of degree 5; P-(m) is P+(-m).
  template <class T>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE T pressure_part(const T& m, const T& alpha) {
    const T s = detail::lesser(detail::greater(m, -1), 1);
    const T up = (s + 1) * (s + 1), down = (s - 1) * (s - 1);
    return up * ((2 - s) * T(0.25) + alpha * s * down);
  }
};

}  // namespace weft::flow

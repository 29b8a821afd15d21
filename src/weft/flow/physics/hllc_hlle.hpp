#pragma once
/// The HLLC flux, blended with HLLE in shocks, where HLLC is unstable.
///
/// A flux that resolves shear waves exactly makes strong shocks unstable: the carbuncle (J. J. Quirk, Int. J. Numer. Methods
/// Fluids 18 (1994) 555-574). The instability grows through the faces next to a shock that are parallel to the flow, across which
/// the jump is small. Therefore a cell detects a shock in its whole stencil, as in S. Simon, J. C. Mandal, Comput. Fluids 174
/// (2018) 121-136, who reduce the anti-diffusive part of HLLC there: its difference from HLLE.
#include "weft/flow/physics/hllc.hpp"
#include "weft/flow/physics/hlle.hpp"

namespace weft::flow {

/// The shock sensor of a cell: the fraction of HLLE in the fluxes of its faces, from 0 to 1. The product of two factors:
///   - 0 up to a ratio of 1.05 between the largest and smallest pressure in the stencil and 1 from 1.2 on, linear between;
///   - 0 where the velocity does not converge and 1 where -div v is a quarter of |grad v| (the root of the sum of the squares of
///     all derivatives) or more, linear between: 0 in vortices, shear layers and expansions. |grad v| is increased by a hundredth
///     of |grad p| / sqrt(rho p), so that in a gas at rest rounding errors of the velocity do not determine the factor.
/// Around a stationary state (Numerics::well_balanced) only convergence above a threshold of 0.1 |grad p| / sqrt(rho p) counts,
/// so that a pressure gradient that balances a weight does not activate the sensor: a weak shock has 0.85 of it. Without the
/// threshold the sensor of a column at rest grows with its smallest motions, and these with it. In first order it is the first
/// factor alone. Contacts have no pressure jump. docs/notes/2026-11-carbuncle.md has the measurements from which the constants
/// were chosen.
class ShockSensor {
 public:
  /// Returns the pressure factor. @pre 0 < low <= high
  template <class Real>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE Real of_ratio(Real low, Real high) {
    constexpr Real kNone = Real(1.05), kFull = Real(1.2);
    const Real beyond = high - kNone * low;
    return beyond > 0 ? detail::lesser(detail::quotient(beyond, (kFull - kNone) * low), 1) : 0;
  }
  /// Threshold of of_velocity() around a stationary state.
  static constexpr double kThresholdAtRest = 0.1;
  /// Returns the velocity factor. @param velocity_square, pressure_square  |grad v|^2, |grad p|^2
  /// @param threshold  multiple of |grad p| / sqrt(rho p) that the convergence must exceed.
  template <class Real>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE Real of_velocity(Real divergence, Real velocity_square, Real pressure_square,
                                                                  Real density, Real pressure, Real threshold) {
    if (!(divergence < 0)) return 0;
    constexpr Real kFull = Real(0.25), kRest = Real(1e-4);
    const Real of_pressure = detail::quotient(kRest * pressure_square, density * pressure);
    if (threshold > 0) divergence += threshold * detail::root(of_pressure / kRest);
    if (!(divergence < 0)) return 0;
    return detail::lesser(-detail::quotient(divergence, kFull * detail::root(velocity_square + of_pressure)), 1);
  }
};

/// The default flux. Its sensor is the greater one of the two cells; without a sensor, at a boundary, it is HLLC.
/// @cost that of HLLC, and with a sensor that of HLLE in addition: loops pass no sensor for faces where it is 0.
struct HllcHlleFlux {
  static constexpr bool kTakesSensor = true;
  static constexpr double kFlops = HllcFlux::kFlops;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    return HllcFlux{}(gas, left, right, n);
  }
  /// Returns HLLC + sensor * (HLLE - HLLC), bitwise equal to HLLC where the sensor is 0.
  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right, const BasicVec3<T>& n,
                                                                       const T& sensor) const {
    BasicConserved<T> flux = HllcFlux{}(gas, left, right, n);
    const auto away = sensor <= 0;
    const BasicConserved<T> hlle = HlleFlux{}(gas, left, right, n);
    for (int k = 0; k < flux.kVars; ++k) flux[k] = detail::select(away, flux[k], flux[k] + sensor * (hlle[k] - flux[k]));
    return flux;
  }
};

}  // namespace weft::flow

#pragma once
/// The HLLC flux that turns into HLLE in shocks, where HLLC is unstable.
///
/// A flux that resolves shear waves exactly lets strong shocks break up: the carbuncle (J. J. Quirk, Int. J. Numer. Methods
/// Fluids 18 (1994) 555-574). The instability grows through the faces that lie along the flow beside a shock, which see hardly
/// any jump themselves. So a cell decides from its whole stencil whether it is in a shock, as in S. Simon, J. C. Mandal, Comput.
/// Fluids 174 (2018) 121-136, who reduce the anti-diffusive part of HLLC there: its difference from HLLE.
#include "weft/flow/physics/hllc.hpp"
#include "weft/flow/physics/hlle.hpp"

namespace weft::flow {

/// The shock sensor of a cell: how much of HLLE its faces take, from 0 to 1. The product of two factors:
///   - 0 up to a ratio of 1.05 between the greatest and the least pressure in the stencil and 1 from 1.2 on, linear between;
///   - 0 where the velocity does not converge and 1 where -div v is a quarter of |grad v| (the root of the sum of the squares of
///     all derivatives) or more, linear between: 0 in vortices, shear layers and expansions. So that it is not the rounding of
///     velocities that decides in a gas at rest, a hundredth of |grad p| / sqrt(rho p) counts as a part of |grad v|.
/// Around a stationary state (Numerics::well_balanced) only the convergence beyond a threshold of 0.1 |grad p| / sqrt(rho p)
/// counts, so that a pressure gradient that balances a weight is not taken for a shock: a weak shock has 0.85 of it. Without the
/// threshold the sensor of a column at rest grows with its smallest motions, and these with it.
/// In first order it is the first factor alone. Contacts have no jump of pressure. docs/notes/2026-11-carbuncle.md has the
/// measurements that the numbers come from.
class ShockSensor {
 public:
  /// Returns the factor of the pressure, or the same of another variable, from its range in the stencil. @pre 0 < low <= high
  template <class Real>
  [[nodiscard]] static WEFT_HD WEFT_FORCE_INLINE Real of_ratio(Real low, Real high) {
    constexpr Real kNone = Real(1.05), kFull = Real(1.2);
    const Real beyond = high - kNone * low;
    return beyond > 0 ? detail::lesser(detail::quotient(beyond, (kFull - kNone) * low), 1) : 0;
  }
  /// The threshold of of_velocity() around a stationary state.
  static constexpr double kThresholdAtRest = 0.1;
  /// The factor of the velocity. @param velocity_square, pressure_square  |grad v|^2, |grad p|^2
  /// @param threshold  the multiple of |grad p| / sqrt(rho p) that the convergence must exceed.
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

/// The default flux of every case. It is given the greater of the sensors of the two cells; without, at a boundary, it is HLLC.
/// @cost that of HLLC, and with a sensor that of HLLE in addition: loops give none to faces where it is 0.
struct HllcHlleFlux {
  static constexpr bool kTakesSensor = true;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    return HllcFlux{}(gas, left, right, n);
  }
  /// HLLC + sensor * (HLLE - HLLC): HLLC bit by bit where the sensor is 0.
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

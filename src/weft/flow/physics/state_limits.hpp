#pragma once
/// Limits of states outside which a flow has diverged.
#include <limits>

#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Bounds of density, pressure and speed. A state within them is finite and has positive density and pressure, whatever the
/// bounds are: comparisons with NaN are false.
/// @tparam Real  double or float.
template <class Real>
struct BasicStateLimits {
  Real least_density = 0, most_density = std::numeric_limits<Real>::infinity();    ///< kg/m^3, exclusive
  Real least_pressure = 0, most_pressure = std::numeric_limits<Real>::infinity();  ///< Pa, exclusive
  Real most_speed_squared = std::numeric_limits<Real>::infinity();                 ///< m^2/s^2, exclusive

  /// Returns whether `w` is within the bounds, for each state of a SIMD vector by itself.
  /// @cost five comparisons and a dot product.
  template <class T = Real>
  [[nodiscard]] WEFT_HD auto hold(const BasicPrimitive<T>& w) const {
    return w.density > least_density && w.density < most_density && w.pressure > least_pressure && w.pressure < most_pressure &&
           dot(w.velocity, w.velocity) < most_speed_squared;
  }
};

using StateLimits = BasicStateLimits<double>;

}  // namespace weft::flow

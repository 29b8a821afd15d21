#pragma once
/// The Rusanov (local Lax-Friedrichs) flux. V. V. Rusanov, USSR Comput. Math. Math. Phys. 1 (1961) 304-320.
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

/// One wave with the largest wave speed of both sides: the most dissipative and the most robust flux.
/// @cost 2 square roots, 4 divisions.
struct RusanovFlux {
  static constexpr double kFlops = 119;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    const T speed = detail::greater(max_wave_speed(gas, left, n), max_wave_speed(gas, right, n));
    return Real(0.5) *
           (physical_flux(gas, left, n) + physical_flux(gas, right, n) - speed * (gas.conserved(right) - gas.conserved(left)));
  }
};

}  // namespace weft::flow

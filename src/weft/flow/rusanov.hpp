#pragma once
/// The Rusanov (local Lax-Friedrichs) flux. V. V. Rusanov, USSR Comput. Math. Math. Phys. 1 (1961) 304-320.
#include "weft/flow/physical_flux.hpp"

namespace weft::flow {

/// One wave as fast as the fastest of both sides: the most dissipative, the hardest to break.
/// @cost 2 square roots, 4 divisions.
struct RusanovFlux {
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE Conserved operator()(const IdealGas& gas, const Primitive& left, const Primitive& right,
                                                               Vec3 n) const {
    const double speed = detail::greater(max_wave_speed(gas, left, n), max_wave_speed(gas, right, n));
    return 0.5 *
           (physical_flux(gas, left, n) + physical_flux(gas, right, n) - speed * (gas.conserved(right) - gas.conserved(left)));
  }
};

}  // namespace weft::flow

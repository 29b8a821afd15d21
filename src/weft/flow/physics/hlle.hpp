#pragma once
/// The HLLE flux: two acoustic waves and one intermediate state.
///
/// A. Harten, P. D. Lax, B. van Leer, SIAM Review 25 (1983) 35-61, with the wave speeds of B. Einfeldt, SIAM J. Numer. Anal. 25
/// (1988) 294-318; density and pressure stay positive: B. Einfeldt, C. D. Munz, P. L. Roe, B. Sjogreen, J. Comput. Phys. 92
/// (1991) 273-295.
#include "weft/flow/physics/outer_waves.hpp"
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated stationary shock, free of carbuncles; smears contacts and shear waves.
/// @cost 4 square roots, 6 divisions, no branch.
struct HlleFlux {
  static constexpr double kFlops = 152;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    const T volume_l = detail::reciprocal(left.density), volume_r = detail::reciprocal(right.density);
    const auto [sl, sr] = outer_waves(gas, left, dot(left.velocity, n), volume_l, right, dot(right.velocity, n), volume_r);
    // Zero if the face is outside that wave.
    const T bl = detail::lesser(sl, 0), br = detail::greater(sr, 0);
    const T unit = detail::reciprocal(br - bl);
    return br * unit * physical_flux(gas, left, n) - bl * unit * physical_flux(gas, right, n) +
           bl * br * unit * (gas.conserved(right) - gas.conserved(left));
  }
};

}  // namespace weft::flow

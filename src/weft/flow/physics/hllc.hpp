#pragma once
/// The HLLC flux: two acoustic waves and the contact between them.
///
/// E. F. Toro, M. Spruce, W. Speares, Shock Waves 4 (1994) 25-34, with the wave speeds of outer_waves.hpp, for which P. Batten,
/// N. Clarke, C. Lambert, D. M. Causon, SIAM J. Sci. Comput. 18 (1997) 1553-1570, prove that density and pressure stay positive.
#include "weft/flow/physics/outer_waves.hpp"
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated contact or shear wave; free of tuning. Unstable along strong shocks: see HllcHlleFlux.
///
/// The wave speeds see the normal velocity only, as the exact solution does. Differences of speeds are formed without
/// cancellation: equal states give the physical flux bitwise but for the last digit of the energy.
/// @cost 4 square roots, 5 divisions and one by gamma - 1, no branch.
struct HllcFlux {
  static constexpr double kFlops = 89;

  template <class Real, class T = Real>
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> operator()(const BasicIdealGas<Real>& gas,
                                                                       const BasicPrimitive<T>& left,
                                                                       const BasicPrimitive<T>& right,
                                                                       const BasicVec3<T>& n) const {
    using detail::reciprocal, detail::quotient, detail::select;
    const T ql = dot(left.velocity, n), qr = dot(right.velocity, n);
    const T volume_l = reciprocal(left.density), volume_r = reciprocal(right.density);
    const auto [sl, sr] = outer_waves(gas, left, ql, volume_l, right, qr, volume_r);
    const T jump = qr - ql;

    // al and ar are the mass fluxes through the outer waves; below < 0, so the contact speed has the sign of -balance.
    const T al = left.density * (sl - ql), ar = right.density * (sr - qr);
    const T pressure_jump = right.pressure - left.pressure;
    const T balance = pressure_jump + al * ql - ar * qr, below = al - ar;

    // The side of the contact on which the face lies, and its outer wave (clipped: zero if the face is outside that wave).
    const auto from_left = balance <= 0;
    const T density = select(from_left, left.density, right.density);
    const T volume = select(from_left, volume_l, volume_r);
    const T pressure = select(from_left, left.pressure, right.pressure);
    const BasicVec3<T> velocity{select(from_left, left.velocity.x, right.velocity.x),
                                select(from_left, left.velocity.y, right.velocity.y),
                                select(from_left, left.velocity.z, right.velocity.z)};
    const T speed = select(from_left, ql, qr);
    const T through = select(from_left, al, ar);
    // Speed of the contact relative to `speed`.
    const T relative = (pressure_jump - select(from_left, ar, al) * jump) * reciprocal(below);
    const T outer = select(from_left, sl, sr);
    const T clipped = select(from_left, detail::lesser(sl, 0), detail::greater(sr, 0));
    const T contact = speed + relative;

    // F = F_K + S_K (U*_K - U_K), with the common factor of the star state factored out.
    const T shift = relative * clipped * reciprocal(outer - contact);
    const T mass = density * (speed + shift);
    const T energy = quotient(pressure * volume, gas.gamma - 1) + Real(0.5) * dot(velocity, velocity);
    return {mass, mass * velocity + (pressure + through * shift) * n,
            mass * energy + speed * pressure + shift * (through * contact + pressure)};
  }
};

}  // namespace weft::flow

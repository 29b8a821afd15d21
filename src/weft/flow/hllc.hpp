#pragma once
/// The HLLC flux: two acoustic waves and the contact between them.
///
/// E. F. Toro, M. Spruce, W. Speares, Shock Waves 4 (1994) 25-34, with the wave speeds of P. Batten, N. Clarke, C. Lambert,
/// D. M. Causon, SIAM J. Sci. Comput. 18 (1997) 1553-1570, eqs (12)-(13): S_L = min(q_L - c_L, q~ - c~), S_R = max(q_R + c_R,
/// q~ + c~) with Roe's averages, for which they prove that density and pressure stay positive.
#include "weft/flow/physical_flux.hpp"

namespace weft::flow {

/// Exact for an isolated contact or shear wave; free of tuning. Default of every case.
///
/// The wave speeds see the normal velocity only, as the exact solution does. Differences of speeds are formed without
/// cancellation: equal states give the physical flux bitwise but for the last digit of the energy.
/// @cost 5 square roots, 5 divisions and one by gamma - 1, no branch.
struct HllcFlux {
  [[nodiscard]] WEFT_HD WEFT_FORCE_INLINE Conserved operator()(const IdealGas& gas, const Primitive& left, const Primitive& right,
                                                               Vec3 n) const {
    const double ql = dot(left.velocity, n), qr = dot(right.velocity, n);
    const double volume_l = 1 / left.density, volume_r = 1 / right.density;
    const double ccl = gas.gamma * left.pressure * volume_l, ccr = gas.gamma * right.pressure * volume_r;

    // Roe's averages.
    const double root_l = std::sqrt(left.density), root_r = std::sqrt(right.density);
    const double unit = 1 / (root_l + root_r);
    const double wl = root_l * unit, wr = root_r * unit;
    const double jump = qr - ql;
    const double q = wl * ql + wr * qr;
    const double c = std::sqrt(wl * ccl + wr * ccr + 0.5 * (gas.gamma - 1) * (wl * wr) * (jump * jump));
    const double sl = detail::lesser(ql - std::sqrt(ccl), q - c);
    const double sr = detail::greater(qr + std::sqrt(ccr), q + c);

    // al and ar are the mass fluxes through the outer waves; below < 0, so the contact moves as -balance does.
    const double al = left.density * (sl - ql), ar = right.density * (sr - qr);
    const double pressure_jump = right.pressure - left.pressure;
    const double balance = pressure_jump + al * ql - ar * qr, below = al - ar;

    // The side of the contact that the face sees, and its outer wave (clipped: zero where that wave has left the face).
    const bool from_left = balance <= 0;
    const double density = from_left ? left.density : right.density;
    const double volume = from_left ? volume_l : volume_r;
    const double pressure = from_left ? left.pressure : right.pressure;
    const Vec3 velocity{from_left ? left.velocity.x : right.velocity.x, from_left ? left.velocity.y : right.velocity.y,
                        from_left ? left.velocity.z : right.velocity.z};
    const double speed = from_left ? ql : qr;
    const double through = from_left ? al : ar;
    const double relative = (pressure_jump - (from_left ? ar : al) * jump) / below;  // speed of the contact less `speed`
    const double outer = from_left ? sl : sr;
    const double clipped = from_left ? detail::lesser(sl, 0) : detail::greater(sr, 0);
    const double contact = speed + relative;

    // F = F_K + S_K (U*_K - U_K), with the common factor of the star state taken out.
    const double shift = relative * (clipped / (outer - contact));
    const double mass = density * (speed + shift);
    const double energy = pressure * volume / (gas.gamma - 1) + 0.5 * dot(velocity, velocity);
    return {mass, mass * velocity + (pressure + through * shift) * n,
            mass * energy + speed * pressure + shift * (through * contact + pressure)};
  }
};

}  // namespace weft::flow

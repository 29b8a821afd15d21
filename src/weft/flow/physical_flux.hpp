#pragma once
/// The exact Euler flux of one state, and the fastest signal in it.
#include "weft/flow/detail/math.hpp"
#include "weft/flow/gas.hpp"

namespace weft::flow {

/// F(W) . n per unit area, for a unit normal.
[[nodiscard]] WEFT_HD constexpr Conserved physical_flux(const IdealGas& gas, const Primitive& w, Vec3 n) {
  const double speed = dot(w.velocity, n);
  const double mass = w.density * speed;
  return {mass, mass * w.velocity + w.pressure * n, speed * (gas.total_energy(w) + w.pressure)};
}

/// |u . n| + c: bounds the time step.
[[nodiscard]] WEFT_HD inline double max_wave_speed(const IdealGas& gas, const Primitive& w, Vec3 n) {
  return detail::absolute(dot(w.velocity, n)) + gas.sound_speed(w);
}

}  // namespace weft::flow

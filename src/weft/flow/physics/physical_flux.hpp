#pragma once
/// The exact Euler flux of one state, and its largest wave speed.
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// Returns F(W) . n per unit area, for a unit normal.
template <class Real, class T = Real>
[[nodiscard]] WEFT_HD constexpr BasicConserved<T> physical_flux(const BasicIdealGas<Real>& gas, const BasicPrimitive<T>& w,
                                                                const BasicVec3<T>& n) {
  const T speed = dot(w.velocity, n);
  const T mass = w.density * speed;
  return {mass, mass * w.velocity + w.pressure * n, speed * (gas.total_energy(w) + w.pressure)};
}

/// Returns |u . n| + c, which limits the time step.
template <class Real, class T = Real>
[[nodiscard]] WEFT_HD inline T max_wave_speed(const BasicIdealGas<Real>& gas, const BasicPrimitive<T>& w, const BasicVec3<T>& n) {
  return detail::absolute(dot(w.velocity, n)) + gas.sound_speed(w);
}

}  // namespace weft::flow

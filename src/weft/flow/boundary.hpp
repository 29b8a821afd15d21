#pragma once
/// Boundary conditions: the state on a boundary face, and the flux through it.
///
/// Normals point out of the domain. One switch over BoundaryKind serves every face of a zone, so that one kernel serves every
/// zone. Periodic boundaries are not here: the mesh turns them into ghost cells.
#include "weft/flow/physical_flux.hpp"

namespace weft::flow {

enum class BoundaryKind : int {
  slip_wall,                ///< no flow through it
  symmetry,                 ///< the same, under the name of what it stands for
  far_field,                ///< characteristic: Riemann invariants against `state`
  supersonic_inflow,        ///< `state`
  supersonic_outflow,       ///< the inside state
  total_pressure_inflow,    ///< `total_pressure`, `total_temperature`, `direction`; subsonic
  static_pressure_outflow,  ///< `pressure` where the outflow is subsonic
};

/// Whether a boundary lets nothing through.
[[nodiscard]] WEFT_HD constexpr bool is_wall(BoundaryKind kind) {
  return kind == BoundaryKind::slip_wall || kind == BoundaryKind::symmetry;
}

/// Whether a boundary brings no state from outside. Then the row behind it stands at the mirror image of its cell's centroid, so
/// that limiters find as much room towards the boundary as towards a neighbour; else it stands on the face.
[[nodiscard]] WEFT_HD constexpr bool mirrors(BoundaryKind kind) {
  return is_wall(kind) || kind == BoundaryKind::supersonic_outflow;
}

/// What the boundary conditions of one zone need; each kind reads only what its line above names.
template <class Real>
struct BasicBoundaryParams {
  BoundaryKind kind = BoundaryKind::slip_wall;
  BasicPrimitive<Real> state{};  ///< of the far field or the inflow
  Real total_pressure = 0;       ///< Pa
  Real total_temperature = 0;    ///< K
  BasicVec3<Real> direction{};   ///< of the inflow, unit length; zero: against the normal
  Real pressure = 0;             ///< Pa
};
using BoundaryParams = BasicBoundaryParams<double>;

namespace detail {

/// `w` carried isentropically to the sound speed ratio * c(w), with normal speed `speed`.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> along_isentrope(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& w,
                                                                  Real ratio, Real speed, const BasicVec3<Real>& n) {
  const Real compression = std::pow(ratio, 2 / (gas.gamma - 1));
  return {w.density * compression, w.velocity + (speed - dot(w.velocity, n)) * n, w.pressure * compression * (ratio * ratio)};
}

/// Riemann invariants q + 2c/(gamma-1) from inside and q - 2c/(gamma-1) from outside; entropy and tangential velocity from where
/// the flow comes. Where no wave comes in (or out) one side gives everything.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> far_field_state(const BasicIdealGas<Real>& gas,
                                                                  const BasicPrimitive<Real>& inside,
                                                                  const BasicPrimitive<Real>& outside, const BasicVec3<Real>& n) {
  const Real qi = dot(inside.velocity, n), qo = dot(outside.velocity, n);
  const Real ci = gas.sound_speed(inside), co = gas.sound_speed(outside);
  if (qi >= ci) return inside;
  if (qo <= -co) return outside;
  const Real q = Real(0.5) * (qi + qo) + (ci - co) / (gas.gamma - 1);
  const Real c = Real(0.5) * (ci + co) + Real(0.25) * (gas.gamma - 1) * (qi - qo);
  if (c <= 0) return outside;
  return q > 0 ? along_isentrope(gas, inside, c / ci, q, n) : along_isentrope(gas, outside, c / co, q, n);
}

/// A reservoir: the outgoing invariant meets the total conditions, so that with speed V along the direction d
/// q = V d.n, q + 2c/(gamma-1) = R, c^2 = c0^2 - (gamma-1)/2 V^2. Where the flow would turn back the reservoir is at rest; it
/// chokes at Mach 1.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> reservoir_state(const BasicIdealGas<Real>& gas,
                                                                  const BasicBoundaryParams<Real>& boundary,
                                                                  const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  const Real half = Real(0.5) * (gas.gamma - 1);
  const BasicVec3<Real> direction = dot(boundary.direction, boundary.direction) > 0 ? boundary.direction : -n;
  const Real inward = -dot(direction, n);
  const Real cc0 = gas.gamma * gas.gas_constant * boundary.total_temperature;
  const Real invariant = dot(inside.velocity, n) + gas.sound_speed(inside) / half;
  const Real a = 1 + half * inward * inward, b = half * invariant * inward;
  const Real discriminant = b * b - a * (half * invariant * invariant - cc0 / half);
  const Real sonic = std::sqrt(2 * cc0 / (gas.gamma + 1));
  const Real speed = lesser(greater((std::sqrt(greater(discriminant, 0)) - b) / a, 0), sonic);
  const Real ratio = 1 - half * speed * speed / cc0;  // T / T0
  const Real pressure = boundary.total_pressure * std::pow(ratio, gas.gamma / (gas.gamma - 1));
  return {gas.density(pressure, boundary.total_temperature * ratio), speed * direction, pressure};
}

/// Subsonic: the given pressure, with entropy, tangential velocity and the outgoing invariant from inside.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> pressure_outflow_state(const BasicIdealGas<Real>& gas, Real pressure,
                                                                         const BasicPrimitive<Real>& inside,
                                                                         const BasicVec3<Real>& n) {
  const Real qi = dot(inside.velocity, n), ci = gas.sound_speed(inside);
  if (qi >= ci) return inside;
  const Real ratio = std::pow(pressure / inside.pressure, Real(0.5) * (gas.gamma - 1) / gas.gamma);  // c / ci
  return along_isentrope(gas, inside, ratio, qi + 2 * ci * (1 - ratio) / (gas.gamma - 1), n);
}

}  // namespace detail

/// The pressure that the gas exerts on a wall when it runs into it, or away from it, with normal speed q = u.n: the exact
/// solution of the Riemann problem of the state and its mirror image (a shock for q > 0, a rarefaction for q < 0, vacuum past q =
/// -2c/(gamma-1)). E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd ed., section 6.3.3.
template <class Real>
[[nodiscard]] WEFT_HD inline Real wall_pressure(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& inside,
                                                const BasicVec3<Real>& n) {
  const Real mach = dot(inside.velocity, n) / gas.sound_speed(inside);
  if (mach >= 0) {
    const Real strength = Real(0.25) * (gas.gamma + 1) * mach;
    return inside.pressure * (1 + gas.gamma * mach * (strength + std::sqrt(1 + strength * strength)));
  }
  const Real ratio = 1 + Real(0.5) * (gas.gamma - 1) * mach;
  return ratio > 0 ? inside.pressure * std::pow(ratio, 2 * gas.gamma / (gas.gamma - 1)) : Real(0);
}

/// The state on a boundary face. On a wall: the inside state without its normal velocity.
/// @pre inside is physical; n is a unit vector.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> boundary_state(const BasicIdealGas<Real>& gas,
                                                                 const BasicBoundaryParams<Real>& boundary,
                                                                 const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  switch (boundary.kind) {
    case BoundaryKind::slip_wall:
    case BoundaryKind::symmetry:
      return {inside.density, inside.velocity - dot(inside.velocity, n) * n, inside.pressure};
    case BoundaryKind::far_field:
      return detail::far_field_state(gas, inside, boundary.state, n);
    case BoundaryKind::supersonic_inflow:
      return boundary.state;
    case BoundaryKind::total_pressure_inflow:
      return detail::reservoir_state(gas, boundary, inside, n);
    case BoundaryKind::static_pressure_outflow:
      return detail::pressure_outflow_state(gas, boundary.pressure, inside, n);
    case BoundaryKind::supersonic_outflow:
      break;
  }
  return inside;
}

/// The state in the row behind a boundary face, for gradients and limiters. Behind walls: the extrapolated one, with the normal
/// velocity that is zero on the face. Elsewhere: the state on the face that meets the inside state, extrapolated as far as the
/// flow leaves: all of it where it leaves faster than sound, nothing where it comes in (which was not stable).
/// @param extrapolated  the inside state, continued to the place of the row.  @pre as boundary_state, of both states.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> state_behind(const BasicIdealGas<Real>& gas,
                                                               const BasicBoundaryParams<Real>& boundary,
                                                               const BasicPrimitive<Real>& inside,
                                                               const BasicPrimitive<Real>& extrapolated,
                                                               const BasicVec3<Real>& n) {
  if (is_wall(boundary.kind)) {
    BasicPrimitive<Real> behind = extrapolated;
    behind.velocity -= dot(inside.velocity + extrapolated.velocity, n) * n;
    return behind;
  }
  const Real share = detail::lesser(detail::greater(dot(inside.velocity, n) / gas.sound_speed(inside), 0), 1);
  BasicPrimitive<Real> leaving = inside;
  for (int k = 0; k < BasicIdealGas<Real>::kVars; ++k) leaving[k] += share * (extrapolated[k] - inside[k]);
  return boundary_state(gas, boundary, leaving, n);
}

/// The flux out of the domain per unit area: of the boundary state; of the pressure alone on walls and symmetry planes.
/// @pre as boundary_state.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicConserved<Real> boundary_flux(const BasicIdealGas<Real>& gas,
                                                                const BasicBoundaryParams<Real>& boundary,
                                                                const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  if (is_wall(boundary.kind)) return {0, wall_pressure(gas, inside, n) * n, 0};
  return physical_flux(gas, boundary_state(gas, boundary, inside, n), n);
}

}  // namespace weft::flow

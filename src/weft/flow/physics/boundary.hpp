#pragma once
/// Boundary conditions: the state on a boundary face, and the flux through it.
///
/// Normals point out of the domain. The functions select the condition by BoundaryKind at run time, so that one kernel processes
/// all zones. Periodic boundaries are absent: in the mesh they are ghost cells.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weft/base/registry.hpp"
#include "weft/flow/physics/far_field_vortex.hpp"
#include "weft/flow/physics/physical_flux.hpp"

namespace weft::flow {

enum class BoundaryKind : int {
  slip_wall,                ///< no flow through it
  symmetry,                 ///< plane wall with the mirror image of the flow on its other side
  far_field,                ///< waves between the interior state and `state`
  supersonic_inflow,        ///< `state`
  supersonic_outflow,       ///< the interior state
  total_pressure_inflow,    ///< reservoir with `total_pressure`, `total_temperature`, `direction`; may choke, and allows outflow
  static_pressure_outflow,  ///< `pressure` beyond the face; may choke, and allows backflow
};

/// Parameters of the boundary condition of a zone; each kind reads only those that are named at its enumerator.
template <class Real>
struct BasicBoundaryParams {
  BoundaryKind kind = BoundaryKind::slip_wall;
  BasicPrimitive<Real> state{};     ///< state of the far field or the inflow
  Real total_pressure = 0;          ///< Pa
  Real total_temperature = 0;       ///< K
  BasicVec3<Real> direction{};      ///< direction of the inflow, of unit length; zero: opposite to the normal
  Real pressure = 0;                ///< Pa
  BasicPointVortex<Real> vortex{};  ///< vortex that disturbs `state` of a far field
};
using BoundaryParams = BasicBoundaryParams<double>;

/// The gas outside as a boundary condition gives it; what the condition leaves open is absent.
struct GasOutside {
  std::optional<Primitive> state{};      ///< state of a flow
  std::optional<Primitive> reservoir{};  ///< state of gas at rest that enters
  std::optional<double> pressure{};      ///< Pa, beyond an outflow
};

namespace detail {

[[nodiscard]] inline GasOutside no_gas_outside(const IdealGas& /*gas*/, const BoundaryParams& /*boundary*/) { return {}; }
[[nodiscard]] inline GasOutside flow_outside(const IdealGas& /*gas*/, const BoundaryParams& boundary) {
  return {.state = boundary.state};
}
[[nodiscard]] inline GasOutside reservoir_outside(const IdealGas& gas, const BoundaryParams& boundary) {
  const double density = gas.density(boundary.total_pressure, boundary.total_temperature);
  return {.reservoir = Primitive{density, {}, boundary.total_pressure}};
}
[[nodiscard]] inline GasOutside pressure_outside(const IdealGas& /*gas*/, const BoundaryParams& boundary) {
  return {.pressure = boundary.pressure};
}

}  // namespace detail

/// Kinds of walls, through which no gas passes.
enum class WallKind {
  none,            ///< not a wall
  solid,           ///< wall of a body or a channel, which may be curved and whose size is a reference length
  symmetry_plane,  ///< plane beyond which the flow goes on as its mirror image
};

/// The properties of a condition that the host needs; its state on a face is computed on GPUs, too, by boundary_state().
struct BoundaryRow {
  BoundaryKind value;
  std::string_view name, doc;
  WallKind wall;
  bool mirrors;         ///< see mirrors()
  bool is_undisturbed;  ///< the flow beyond it is that without bodies, which should be far away: `weft check` warns of near ones
  bool brings_scalars;  ///< gas that enters has scalar values of its own instead of those of the gas that left
  GasOutside (*outside)(const IdealGas& gas, const BoundaryParams& boundary);
};

inline constexpr Registry kBoundaries{
    "boundary condition",
    std::array{BoundaryRow{BoundaryKind::slip_wall, "slip_wall", "a wall without friction", WallKind::solid, true, false, false,
                           detail::no_gas_outside},
               BoundaryRow{BoundaryKind::symmetry, "symmetry", "a plane behind which the flow is the mirror image",
                           WallKind::symmetry_plane, true, false, false, detail::no_gas_outside},
               BoundaryRow{BoundaryKind::far_field, "far_field", "an undisturbed flow, by Riemann invariants", WallKind::none,
                           false, true, true, detail::flow_outside},
               BoundaryRow{BoundaryKind::supersonic_inflow, "supersonic_inflow", "a given state", WallKind::none, false, false,
                           true, detail::flow_outside},
               BoundaryRow{BoundaryKind::supersonic_outflow, "supersonic_outflow", "the state inside", WallKind::none, true,
                           false, false, detail::no_gas_outside},
               BoundaryRow{BoundaryKind::total_pressure_inflow, "total_pressure_inflow",
                           "a reservoir of given total pressure and temperature", WallKind::none, false, false, true,
                           detail::reservoir_outside},
               BoundaryRow{BoundaryKind::static_pressure_outflow, "static_pressure_outflow", "a given static pressure",
                           WallKind::none, false, false, false, detail::pressure_outside}}};
[[nodiscard]] constexpr const auto& registry_of(BoundaryKind /*tag*/) { return kBoundaries; }
static_assert(is_complete<BoundaryKind>());
static_assert(std::all_of(kBoundaries.rows.begin(), kBoundaries.rows.end(),
                          [](const BoundaryRow& row) { return row.mirrors || row.wall == WallKind::none; }));

namespace detail {

/// Compares `kind` with the walls of the registry. GPUs cannot read a table of the host: its entries are template arguments.
template <std::size_t... k>
[[nodiscard]] WEFT_HD constexpr bool is_one_of_walls(BoundaryKind kind, std::index_sequence<k...> /*rows*/) {
  return ((std::bool_constant<kBoundaries.rows[k].wall != WallKind::none>::value && kind == static_cast<BoundaryKind>(k)) || ...);
}

}  // namespace detail

/// Returns whether no gas passes through a boundary.
[[nodiscard]] WEFT_HD constexpr bool is_wall(BoundaryKind kind) {
  return detail::is_one_of_walls(kind, std::make_index_sequence<kBoundaries.rows.size()>());
}

/// Returns whether a boundary is the wall of a body or a channel.
[[nodiscard]] constexpr bool is_solid(BoundaryKind kind) { return row_of(kind).wall == WallKind::solid; }

/// Returns whether a boundary is a plane of symmetry.
[[nodiscard]] constexpr bool is_symmetry_plane(BoundaryKind kind) { return row_of(kind).wall == WallKind::symmetry_plane; }

/// Returns whether a boundary takes no state from outside. The boundary ghost cell then lies opposite to its cell, at the same
/// distance from the face, so that limiters see the same increment towards the boundary as towards a neighbour; otherwise it lies
/// on the face.
[[nodiscard]] constexpr bool mirrors(BoundaryKind kind) { return row_of(kind).mirrors; }

/// Returns the exterior state of a face at x: `state` of its zone, which in a far field the vortex may disturb.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> outside_state(const BasicIdealGas<Real>& gas,
                                                                const BasicBoundaryParams<Real>& boundary,
                                                                const BasicVec3<Real>& x) {
  if (boundary.vortex.circulation == 0) return boundary.state;
  return vortex_state(gas, boundary.state, boundary.vortex, x);
}

namespace detail {

/// Returns `w` after an isentropic change to the sound speed ratio * c(w), with normal velocity `speed`.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> along_isentrope(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& w,
                                                                  Real ratio, Real speed, const BasicVec3<Real>& n) {
  using std::pow;
  const Real compression = pow(ratio, 2 / (gas.gamma - 1));
  return {w.density * compression, w.velocity + (speed - dot(w.velocity, n)) * n, w.pressure * compression * (ratio * ratio)};
}

/// Returns the far-field state. The wave into the domain conserves q + kc of the interior gas, k = 2 / (gamma - 1); the wave out
/// of it conserves q - kc of the exterior gas, which has the given state where gas enters, and where gas leaves the given
/// pressure and velocity with the entropy of the interior gas, for that gas has already left. The normal velocity is the sum of
/// that outflow, if it is one, and of that inflow, so that mass flux and pressure are continuous at flow reversal. With equal
/// entropies these are the Riemann invariants of both states. Entropy and tangential velocity are from the upwind side.
/// Supersonic outflow (inflow) has the interior (exterior) state. Where the face would have a normal velocity above c, the
/// expansion fan of the upwind side is transonic and the face has its sonic point; where there is a vacuum between both sides,
/// the face has that sonic point or a near-vacuum state.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> far_field_state(const BasicIdealGas<Real>& gas,
                                                                  const BasicPrimitive<Real>& inside,
                                                                  const BasicPrimitive<Real>& outside, const BasicVec3<Real>& n) {
  using std::pow;
  const Real qi = dot(inside.velocity, n), qo = dot(outside.velocity, n);
  const Real ci = gas.sound_speed(inside), co = gas.sound_speed(outside);
  if (qi >= ci) return inside;
  if (qo <= -co) return outside;
  const Real k = 2 / (gas.gamma - 1);
  // Factor of the sound speed of a gas that changes from the exterior to the interior pressure along its isentrope.
  const Real change = pow(inside.pressure / outside.pressure, Real(0.5) * (gas.gamma - 1) / gas.gamma);
  const Real outflow = Real(0.5) * (qi + qo + k * ci * (1 - 1 / change));
  const Real inflow = qi + k * ci * (1 - (qi - qo + k * (ci + co)) / (k * (ci + co * change)));
  const Real q = greater(outflow, 0) + lesser(inflow, 0);
  const bool leaves = q > 0;
  const BasicPrimitive<Real>& from = leaves ? inside : outside;
  const Real side = leaves ? Real(1) : Real(-1), c_from = leaves ? ci : co;
  const Real c = (ci + (qi - q) / k) * (leaves ? Real(1) : co * change / ci);
  const Real invariant = leaves ? qi + k * ci : k * co - qo;  // side * q + k c, constant across the fan of `from`
  const Real least = greater(invariant / (k + 1), Real(1e-3) * c_from);
  if (c >= least) return along_isentrope(gas, from, c / c_from, q, n);
  return along_isentrope(gas, from, least / c_from, side * (invariant - k * least), n);
}

/// Returns the state on a boundary with a given pressure beyond it: the state downstream of the wave that this pressure sends
/// into the domain, which is a shock if it exceeds the interior pressure and otherwise an isentropic rarefaction. If the flow
/// carries the wave out of the domain, it is the interior state. A transonic rarefaction yields its sonic point (q = c, with
/// entropy and q + 2c/(gamma-1) from inside): the outflow is choked, and its flux does not change with lower pressures. F.
/// Dubois, Partial Riemann problem, boundary conditions, and gas dynamics, in Absorbing Boundaries and Layers, Domain
/// Decomposition Methods, Nova Science 2001, 16-77; the waves: E. F. Toro, Riemann Solvers and Numerical Methods for Fluid
/// Dynamics, 3rd ed., sections 3.1.3 and 4.4.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> pressure_outflow_state(const BasicIdealGas<Real>& gas, Real pressure,
                                                                         const BasicPrimitive<Real>& inside,
                                                                         const BasicVec3<Real>& n) {
  using std::pow, std::sqrt;
  const Real qi = dot(inside.velocity, n), ci = gas.sound_speed(inside);
  const Real jump = pressure / inside.pressure;
  if (jump > 1) {
    const Real mach = sqrt(1 + Real(0.5) * (gas.gamma + 1) / gas.gamma * (jump - 1));  // Mach number of the shock
    if (qi >= ci * mach) return inside;
    const Real slope = (gas.gamma - 1) / (gas.gamma + 1);
    return {inside.density * (jump + slope) / (slope * jump + 1), inside.velocity - ci * (jump - 1) / (gas.gamma * mach) * n,
            pressure};
  }
  if (qi >= ci) return inside;
  const Real k = 2 / (gas.gamma - 1);
  const Real sonic = (qi / ci + k) / (k + 1);  // c / ci at the sonic point q = c
  const Real ratio = greater(pow(jump, Real(0.5) * (gas.gamma - 1) / gas.gamma), sonic);
  return along_isentrope(gas, inside, ratio, qi + k * ci * (1 - ratio), n);
}

/// Returns the state on an opening to a large volume of gas at rest with a given pressure and temperature (0: the entropy of the
/// interior gas). Where pressure_outflow_state() at this pressure yields outflow, it is that state. Otherwise gas enters along
/// `direction` (opposite to the normal if that does not point into the domain) with the speed V that is compatible with the
/// reservoir and with an isentropic wave into the domain: with q <= 0 and c of the interior gas after that wave has changed it to
/// the given pressure, and c0 of the reservoir,
///
///     q + k c (1 - x) = -m V,   x = sqrt(1 - V^2 / (k c0^2)),   k = 2 / (gamma - 1),   m = -direction.n
///
/// where x^2 = T / T0 of the reservoir gas expanded to V, and, since the pressures are equal, also of the interior gas expanded
/// from c. The solution is the root of a quadratic. Where V would exceed the speed of sound the inflow is choked. Mass flux,
/// pressure and normal velocity are continuous at flow reversal; density and tangential velocity are those of the upwind side.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> opening_state(const BasicIdealGas<Real>& gas, Real pressure, Real temperature,
                                                                const BasicVec3<Real>& direction,
                                                                const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  using std::pow, std::sqrt;
  const BasicPrimitive<Real> out = pressure_outflow_state(gas, pressure, inside, n);
  if (dot(out.velocity, n) >= 0) return out;
  const Real k = 2 / (gas.gamma - 1);
  const Real ci = gas.sound_speed(inside);
  const Real c = ci * pow(pressure / inside.pressure, Real(0.5) * (gas.gamma - 1) / gas.gamma);
  const Real q = lesser(dot(inside.velocity, n) + k * (ci - c), 0);  // 0: inflow by the shock alone
  const BasicVec3<Real> along = dot(direction, n) < 0 ? direction : -n;
  const Real m = -dot(along, n);
  const Real cc0 = temperature > 0 ? gas.gamma * gas.gas_constant * temperature : c * c;
  const Real invariant = q + k * c;
  Real speed = sqrt(cc0 * k / (k + 1));  // V = c
  if (m * speed + invariant > k * c * sqrt(k / (k + 1))) {
    // Solves V^2 + beta (m V + invariant)^2 = k c0^2 for the larger root without cancellation.
    const Real beta = cc0 / (k * c * c), a = 1 + beta * m * m, b = beta * m * invariant;
    const Real constant = beta * q * (invariant + k * c);
    const Real root = sqrt(greater(b * b - a * constant, 0));
    speed = b > 0 ? -constant / (b + root) : (root - b) / a;
  }
  const Real ratio = 1 - speed * speed / (k * cc0);  // T / T0
  const Real static_pressure = pressure * pow(ratio, gas.gamma / (gas.gamma - 1));
  return {gas.gamma * static_pressure / (cc0 * ratio), speed * along, static_pressure};
}

}  // namespace detail

/// Returns the pressure of a gas that meets a wall with normal velocity q = u.n: the exact solution of the Riemann problem of the
/// state and its mirror image (a shock for q > 0, a rarefaction for q < 0, vacuum for q < -2c/(gamma-1)). E. F. Toro, Riemann
/// Solvers and Numerical Methods for Fluid Dynamics, 3rd ed., section 6.3.3.
template <class Real>
[[nodiscard]] WEFT_HD inline Real wall_pressure(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& inside,
                                                const BasicVec3<Real>& n) {
  using std::pow, std::sqrt;
  const Real mach = dot(inside.velocity, n) / gas.sound_speed(inside);
  if (mach >= 0) {
    const Real strength = Real(0.25) * (gas.gamma + 1) * mach;
    return inside.pressure * (1 + gas.gamma * mach * (strength + sqrt(1 + strength * strength)));
  }
  const Real ratio = 1 + Real(0.5) * (gas.gamma - 1) * mach;
  return ratio > 0 ? inside.pressure * pow(ratio, 2 * gas.gamma / (gas.gamma - 1)) : Real(0);
}

/// Returns the state on a boundary face; on a wall, the interior state without its normal velocity. This is no column of the
/// registry, for GPUs cannot call functions of a table on the host; without a default, compilers report a condition that the
/// switch misses.
/// @param outside  outside_state() of the face.  @pre inside is physical; n is a unit vector.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> boundary_state(const BasicIdealGas<Real>& gas,
                                                                 const BasicBoundaryParams<Real>& boundary,
                                                                 const BasicPrimitive<Real>& outside,
                                                                 const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  switch (boundary.kind) {
    case BoundaryKind::slip_wall:
    case BoundaryKind::symmetry:
      return {inside.density, inside.velocity - dot(inside.velocity, n) * n, inside.pressure};
    case BoundaryKind::far_field:
      return detail::far_field_state(gas, inside, outside, n);
    case BoundaryKind::supersonic_inflow:
      return outside;
    case BoundaryKind::total_pressure_inflow:
      return detail::opening_state(gas, boundary.total_pressure, boundary.total_temperature, boundary.direction, inside, n);
    case BoundaryKind::static_pressure_outflow:
      return detail::opening_state(gas, boundary.pressure, Real(0), BasicVec3<Real>{}, inside, n);
    case BoundaryKind::supersonic_outflow:
      break;
  }
  return inside;
}

/// Returns the state for a zone without a vortex.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> boundary_state(const BasicIdealGas<Real>& gas,
                                                                 const BasicBoundaryParams<Real>& boundary,
                                                                 const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  return boundary_state(gas, boundary, boundary.state, inside, n);
}

/// Returns the state of the boundary ghost cell of a face, for gradients and limiters. At walls it is the extrapolated state with
/// the normal velocity that makes the velocity at the centroid of the face tangential. Elsewhere it is the boundary state of an
/// interior state that is extrapolated in proportion to the outflow: completely for supersonic outflow, not at all for inflow
/// (extrapolation at inflow was unstable).
/// @param extrapolated  interior state extrapolated to the position of the ghost cell.  @pre as boundary_state, of both states.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> boundary_ghost_state(
    const BasicIdealGas<Real>& gas, const BasicBoundaryParams<Real>& boundary, const BasicPrimitive<Real>& outside,
    const BasicPrimitive<Real>& inside, const BasicPrimitive<Real>& extrapolated, const BasicVec3<Real>& n) {
  if (is_wall(boundary.kind)) {
    BasicPrimitive<Real> ghost = extrapolated;
    ghost.velocity -= dot(inside.velocity + extrapolated.velocity, n) * n;
    return ghost;
  }
  const Real share = detail::lesser(detail::greater(dot(inside.velocity, n) / gas.sound_speed(inside), 0), 1);
  BasicPrimitive<Real> leaving = inside;
  for (int k = 0; k < BasicIdealGas<Real>::kVars; ++k) leaving[k] += share * (extrapolated[k] - inside[k]);
  return boundary_state(gas, boundary, outside, leaving, n);
}
/// Returns the state for a zone without a vortex.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> boundary_ghost_state(const BasicIdealGas<Real>& gas,
                                                                       const BasicBoundaryParams<Real>& boundary,
                                                                       const BasicPrimitive<Real>& inside,
                                                                       const BasicPrimitive<Real>& extrapolated,
                                                                       const BasicVec3<Real>& n) {
  return boundary_ghost_state(gas, boundary, boundary.state, inside, extrapolated, n);
}

/// Returns the flux out of the domain per unit area: that of the boundary state; on walls and symmetry planes of the pressure
/// alone. @pre as boundary_state.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicConserved<Real> boundary_flux(const BasicIdealGas<Real>& gas,
                                                                const BasicBoundaryParams<Real>& boundary,
                                                                const BasicPrimitive<Real>& outside,
                                                                const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  if (is_wall(boundary.kind)) return {0, wall_pressure(gas, inside, n) * n, 0};
  return physical_flux(gas, boundary_state(gas, boundary, outside, inside, n), n);
}
/// Returns the flux for a zone without a vortex.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicConserved<Real> boundary_flux(const BasicIdealGas<Real>& gas,
                                                                const BasicBoundaryParams<Real>& boundary,
                                                                const BasicPrimitive<Real>& inside, const BasicVec3<Real>& n) {
  return boundary_flux(gas, boundary, boundary.state, inside, n);
}

}  // namespace weft::flow

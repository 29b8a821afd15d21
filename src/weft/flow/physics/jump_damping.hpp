#pragma once
/// Damping of the jumps between the two reconstructed states of a face, for meshes on which linear reconstruction from face
/// neighbours alone is unstable, and a flux that damps jumps of entropy and velocity at faces along the flow.
#include <limits>

#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// Factor of damp_jump() on meshes with cells other than quads and hexahedra. Of 0, 0.1, 0.2 and 0.3 it is the smallest
/// without a growing eigenvalue on triangles whose nodes are displaced by a fifth of a cell; see
/// docs/notes/2026-11-simplex-gradients.md.
inline constexpr double kJumpDamping = 0.3;

/// Factor of exchange_flux(). An earlier form of it, the exchange of equal masses, had growing eigenvalues in flows along the
/// edges of cubes that are cut into six tetrahedra with 0 and 0.03, and none with 0.06 and 0.09 at Mach 0.2, 0.6 and 1; those of
/// this form are not computed. See docs/notes/2026-11-simplex-gradients.md.
inline constexpr double kExchange = 0.1;

/// Returns the largest Courant number with damped jumps: damping adds to the dissipation that limits it. 0.32 times the stability
/// limit of the Runge-Kutta schemes on the negative real axis; see docs/notes/2026-11-simplex-gradients.md.
[[nodiscard]] constexpr double most_damped_cfl(int rk_stages) { return rk_stages == 3 ? 0.8 : 0.64; }

/// Moves the states on both sides of a face apart by `factor` of their jump each. The mean is unchanged and the jump grows by
/// 1 + 2 factor, and with it the upwind dissipation of any flux, as in the alpha-damping of H. Nishikawa (J. Comput. Phys. 230
/// (2011) 2484-2518). Linear data have no jump and stay exact. The factor decreases with the sum of the relative jumps of density
/// and pressure, |b - a| / (b + a), and is 0 from 1/4 on, so that shocks are not affected and both states stay positive: each
/// moves by less than factor / 16 of the sum of both.
/// @returns that factor.  @cost 1 division.
template <class Real, class T>
WEFT_HD WEFT_FORCE_INLINE T damp_jump(const Real& factor, BasicPrimitive<T>& left, BasicPrimitive<T>& right) {
  const BasicPrimitive<T> jump = right - left;
  const T density = left.density + right.density, pressure = left.pressure + right.pressure;
  const T relative =
      detail::quotient(detail::absolute(jump.density) * pressure + detail::absolute(jump.pressure) * density, density * pressure);
  const T share = T(factor) * detail::greater(1 - 4 * relative, 0);
  const BasicPrimitive<T> shift = share * jump;
  left = left - shift;
  right = right + shift;
  return share;
}

/// Returns the flux, out of the left cell, that damps the jumps of entropy and velocity at a face with the speed
/// a = 2 kExchange share (|u_l|^2 + |u_r|^2)^(1/2): for jumps of density r, velocity v and pressure q, at the mean state
///
///     a (r - q / c^2) (1, u, |u|^2 / 2) + a rho (0, v, u . v + q / rho).
///
/// Upwind fluxes transport entropy and velocity along a face with the gas that crosses it. Where a flow follows the faces of a
/// mesh, the cells between these are tubes that nothing but curvature couples. In the plane the errors of the fluxes through
/// both sides of a tube cancel. In space each row of cubes that are cut into tetrahedra has two tubes, with opposite errors of
/// first order that grow along the flow, and disturbances grow. This flux damps them. Jumps of reconstructed states are of second
/// order, and so is its effect in smooth flows. A contact keeps pressure and velocity, and a flow of uniform entropy and total
/// enthalpy has no flux of mass and energy.
/// @param share  result of damp_jump(), 0 in shocks.  @param left, right  the states that it has changed.
/// @cost 1 square root, 1 division.
template <class Real, class T>
[[nodiscard]] WEFT_HD WEFT_FORCE_INLINE BasicConserved<T> exchange_flux(const BasicIdealGas<Real>& gas, const T& share,
                                                                        const BasicPrimitive<T>& left,
                                                                        const BasicPrimitive<T>& right) {
  const T square_l = dot(left.velocity, left.velocity), square_r = dot(right.velocity, right.velocity);
  const T squares = square_l + square_r, densities = left.density + right.density, pressures = left.pressure + right.pressure;
  // root(0) is not a number on a GPU. A sum with a small number would depend on the unit of velocity.
  const T speed = detail::root(detail::greater(squares, std::numeric_limits<Real>::min()));
  const T rate = Real(2 * kExchange) * share * speed;
  const T pressure = left.pressure - right.pressure;
  const T mass = rate * (left.density - right.density - detail::quotient(pressure * densities, gas.gamma * pressures));
  const T half_mass = Real(0.5) * mass, exchanged = Real(0.5) * rate * densities;
  return {mass, (half_mass + exchanged) * left.velocity + (half_mass - exchanged) * right.velocity,
          Real(0.5) * (half_mass * squares + exchanged * (square_l - square_r)) + rate * pressure};
}

}  // namespace weft::flow

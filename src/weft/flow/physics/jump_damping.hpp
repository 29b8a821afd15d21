#pragma once
/// Damping of the jumps between the two reconstructed states of a face, for meshes on which linear reconstruction from face
/// neighbours alone is unstable.
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// Factor of damp_jump() on meshes with cells other than quads and hexahedra. Of 0, 0.1, 0.2 and 0.3 it is the smallest
/// without a growing eigenvalue on triangles whose nodes are displaced by a fifth of a cell; see
/// docs/notes/2026-11-simplex-gradients.md.
inline constexpr double kJumpDamping = 0.3;

/// Returns the largest Courant number with damped jumps: damping adds to the dissipation that limits it. 0.32 times the stability
/// limit of the Runge-Kutta schemes on the negative real axis; see docs/notes/2026-11-simplex-gradients.md.
[[nodiscard]] constexpr double most_damped_cfl(int rk_stages) { return rk_stages == 3 ? 0.8 : 0.64; }

/// Moves the states on both sides of a face apart by `factor` of their jump each. The mean is unchanged and the jump grows by
/// 1 + 2 factor, and with it the upwind dissipation of any flux, as in the alpha-damping of H. Nishikawa (J. Comput. Phys. 230
/// (2011) 2484-2518). Linear data have no jump and stay exact. The factor decreases with the sum of the relative jumps of density
/// and pressure, |b - a| / (b + a), and is 0 from 1/4 on, so that shocks are not affected and both states stay positive: each
/// moves by less than factor / 16 of the sum of both.
/// @cost 1 division.
template <class Real, class T>
WEFT_HD WEFT_FORCE_INLINE void damp_jump(const Real& factor, BasicPrimitive<T>& left, BasicPrimitive<T>& right) {
  const BasicPrimitive<T> jump = right - left;
  const T density = left.density + right.density, pressure = left.pressure + right.pressure;
  const T relative =
      detail::quotient(detail::absolute(jump.density) * pressure + detail::absolute(jump.pressure) * density, density * pressure);
  const BasicPrimitive<T> shift = T(factor) * detail::greater(1 - 4 * relative, 0) * jump;
  left = left - shift;
  right = right + shift;
}

}  // namespace weft::flow

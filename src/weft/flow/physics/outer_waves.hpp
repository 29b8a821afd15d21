#pragma once
/// Speeds of the outermost waves of a Riemann problem.
///
/// B. Einfeldt, SIAM J. Numer. Anal. 25 (1988) 294-318, with Roe's averages as in P. Batten, N. Clarke, C. Lambert, D. M. Causon,
/// SIAM J. Sci. Comput. 18 (1997) 1553-1570, eqs (12)-(13): S_L = min(q_L - c_L, q~ - c~), S_R = max(q_R + c_R, q~ + c~).
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

template <class T>
struct OuterWaves {
  T left, right;
};

/// Returns the wave speeds, which depend on the normal velocities only.
/// @param ql,qr  normal velocities.  @param volume_l,volume_r  1 / density.
template <class Real, class T = Real>
[[nodiscard]] WEFT_HD WEFT_FORCE_INLINE OuterWaves<T> outer_waves(const BasicIdealGas<Real>& gas, const BasicPrimitive<T>& left,
                                                                  const T& ql, const T& volume_l, const BasicPrimitive<T>& right,
                                                                  const T& qr, const T& volume_r) {
  using detail::reciprocal, detail::root;
  const T ccl = gas.gamma * left.pressure * volume_l, ccr = gas.gamma * right.pressure * volume_r;
  const T root_ratio = root(right.density * volume_l);
  const T wl = reciprocal(1 + root_ratio), wr = root_ratio * wl;
  const T jump = qr - ql;
  const T q = wl * ql + wr * qr;
  const T c = root(wl * ccl + wr * ccr + Real(0.5) * (gas.gamma - 1) * (wl * wr) * (jump * jump));
  return {detail::lesser(ql - root(ccl), q - c), detail::greater(qr + root(ccr), q + c)};
}

}  // namespace weft::flow

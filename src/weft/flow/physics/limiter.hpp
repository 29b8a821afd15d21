#pragma once
/// Limiters of a linear reconstruction, and the first-order fallback that keeps it positive.
///
/// A limiter is a functor `T operator()(delta_max, delta_min, d, eps2)`, T = double, float or a SIMD vector, for one variable and
/// one point on a cell's surface:
///   delta_max >= 0, delta_min <= 0: largest and smallest value among the cell and its neighbours, minus the cell's value;
///   d: the unlimited reconstruction at the point, minus the cell's value;
///   eps2: the result of `eps2(size, scale)` for the cell.
/// `kActive` is false where the result is always 1, kUsesLength true where eps2() uses the size. `kFlops` is the number of
/// operations of eps2() and two results, per variable and cell, without comparisons and divisions that are made in some cells
/// only; kMovesPoints is explained at Venkatakrishnan.
/// A cell scales its gradient with the smallest result over its points. The result is 1 where d is 0.
#include "weft/base/registry.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// The unlimited linear reconstruction, for smooth flows and measurements of the order.
struct NoLimiter {
  static constexpr bool kActive = false, kUsesLength = false, kMovesPoints = false;
  static constexpr double kFlops = 0;
  template <class Real, class T>
  [[nodiscard]] WEFT_HD constexpr T eps2(Real /*size*/, const T& /*scale*/) const {
    return 0;
  }
  template <class T>
  [[nodiscard]] WEFT_HD constexpr T operator()(const T& /*delta_max*/, const std::type_identity_t<T>& /*delta_min*/,
                                               const std::type_identity_t<T>& /*d*/,
                                               const std::type_identity_t<T>& /*eps2*/) const {
    return 1;
  }
};

/// T. J. Barth, D. C. Jespersen, AIAA 89-0366: no new extrema, min(1, delta / d). Not smooth: steady residuals stall.
struct BarthJespersen {
  static constexpr bool kActive = true, kUsesLength = false, kMovesPoints = false;
  static constexpr double kFlops = 0;
  template <class Real, class T>
  [[nodiscard]] WEFT_HD constexpr T eps2(Real /*size*/, const T& /*scale*/) const {
    return 0;
  }
  template <class T>
  [[nodiscard]] WEFT_HD constexpr T operator()(const T& delta_max, const std::type_identity_t<T>& delta_min,
                                               const std::type_identity_t<T>& d, const std::type_identity_t<T>& /*eps2*/) const {
    const T room = detail::select(d > 0, delta_max, delta_min);
    // Computes delta / d < 1 without a division where the result is 1 (d = 0 included).
    const T left = detail::absolute(room), step = detail::absolute(d);
    return detail::divide_where(left < step, left, step, 1);
  }
};

/// V. Venkatakrishnan, J. Comput. Phys. 118 (1995) 120-130, eq. (14): smooth, so that steady residuals converge; slightly above 1
/// where the neighbours allow more than twice the increment, and inactive for variations below sqrt(eps2).
struct Venkatakrishnan {
  static constexpr bool kActive = true, kUsesLength = true;
  static constexpr double kFlops = 5 + 2 * 10;
  /// On stabilized meshes (Numerics::stabilize_simplices) the points lie half-way to the centroids behind the faces where the
  /// flow is smooth: a linear variable leaves twice the step there on any mesh, so that the limiter is 1 (M. J. Berger, M. J.
  /// Aftosmis, S. M. Murman, AIAA 2005-0490). The centroids of the faces of triangles lie so that a linear variable leaves 0.85
  /// to 2 times the step, and the scheme would be of first order. As the ratio between the greatest and the least pressure, or
  /// density, in the stencil grows from 1.05 to 1.2 the points move to the centroids: with points half-way inside of shocks
  /// steady flows with shocks do not converge. docs/notes/2026-11-limiter-points.md has the measurements.
  static constexpr bool kMovesPoints = true;
  /// Larger lets through larger wiggles; 0 limits everywhere.
  double k = 5;

  /// Returns (K size)^3 scale^2, for a cell of length `size` in units of the case's reference length and a variable of magnitude
  /// `scale`, so that the limiter does not depend on the units of the variable.
  template <class Real, class T>
  [[nodiscard]] WEFT_HD constexpr T eps2(Real size, const T& scale) const {
    const Real ratio = static_cast<Real>(k) * size;
    return ratio * ratio * ratio * scale * scale;
  }
  template <class T>
  [[nodiscard]] WEFT_HD constexpr T operator()(const T& delta_max, const std::type_identity_t<T>& delta_min,
                                               const std::type_identity_t<T>& d, const std::type_identity_t<T>& eps2) const {
    const T room = detail::select(d > 0, delta_max, delta_min);
    const T both = room * d, base = room * room + eps2;
    const T below = base + both + 2 * d * d;
    return detail::divide_where(d != 0 && below > 0, base + 2 * both, below, 1);
  }
};

enum class LimiterKind : int { none, barth_jespersen, venkatakrishnan };

/// Parameters of all limiters.
struct LimiterParams {
  double venkatakrishnan_k = Venkatakrishnan{}.k;
};

template <class Limiter>
using LimiterRow = TypeRow<LimiterKind, LimiterParams, Limiter>;

inline constexpr TypeRegistry kLimiters{
    "limiter",
    LimiterRow<NoLimiter>{LimiterKind::none, "none", "the plain linear reconstruction, for smooth flows",
                          [](const LimiterParams& /*params*/) { return NoLimiter{}; }},
    LimiterRow<BarthJespersen>{
        LimiterKind::barth_jespersen, "barth_jespersen",
        "makes no new extremes, but is not smooth, so that steady flows with strong shocks oscillate about "
        "their mean",
        [](const LimiterParams& /*params*/) { return BarthJespersen{}; }},
    LimiterRow<Venkatakrishnan>{LimiterKind::venkatakrishnan, "venkatakrishnan",
                                "smooth, so that steady flows converge, with small overshoots",
                                [](const LimiterParams& params) { return Venkatakrishnan{params.venkatakrishnan_k}; }}};
[[nodiscard]] constexpr const auto& registry_of(LimiterKind /*tag*/) { return kLimiters; }
static_assert(is_complete<LimiterKind>());

/// One of the limiters; loops and kernels are instantiated for each type.
using LimiterChoice = decltype(kLimiters)::Choice;

/// Calls f(NoLimiter{}), f(BarthJespersen{}) or f(Venkatakrishnan{k}).
template <class F>
decltype(auto) visit_limiter(LimiterKind kind, double venkatakrishnan_k, F&& f) {
  return std::visit(std::forward<F>(f), kLimiters.make(kind, {.venkatakrishnan_k = venkatakrishnan_k}));
}

template <class T>
[[nodiscard]] WEFT_HD constexpr auto positive(const BasicPrimitive<T>& w) {
  return w.density > 0 && w.pressure > 0;
}

/// Returns mean + increment if that has positive density and pressure, otherwise the mean: the local first-order fallback.
template <class T = double>
[[nodiscard]] WEFT_HD constexpr BasicPrimitive<T> reconstruct(const BasicPrimitive<T>& mean, const BasicPrimitive<T>& increment) {
  const BasicPrimitive<T> w = mean + increment;
  return positive(w) ? w : mean;
}

}  // namespace weft::flow

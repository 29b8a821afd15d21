#pragma once
/// Limiters of a linear reconstruction, and the fallback that keeps it positive.
///
/// A limiter is a functor `double operator()(delta_max, delta_min, d, eps2)` for one variable and one point of a cell's surface:
///   delta_max >= 0, delta_min <= 0: largest and smallest value among the cell and its neighbours, less the cell's value;
///   d: the unlimited reconstruction at the point, less the cell's value;
///   eps2: what `eps2(size, scale)` returns for the cell.
/// A cell scales its gradient with the smallest result over its points. The result is 1 where d is 0.
#include "weft/flow/detail/math.hpp"
#include "weft/flow/gas.hpp"

namespace weft::flow {

/// The plain linear reconstruction: for smooth flows and for measuring order.
struct NoLimiter {
  static constexpr bool kActive = false;
  [[nodiscard]] WEFT_HD constexpr double eps2(double /*size*/, double /*scale*/) const { return 0; }
  [[nodiscard]] WEFT_HD constexpr double operator()(double /*delta_max*/, double /*delta_min*/, double /*d*/,
                                                    double /*eps2*/) const {
    return 1;
  }
};

/// T. J. Barth, D. C. Jespersen, AIAA 89-0366: no new extrema, min(1, delta / d). Not smooth: steady residuals stall.
struct BarthJespersen {
  static constexpr bool kActive = true;
  [[nodiscard]] WEFT_HD constexpr double eps2(double /*size*/, double /*scale*/) const { return 0; }
  [[nodiscard]] WEFT_HD constexpr double operator()(double delta_max, double delta_min, double d, double /*eps2*/) const {
    const double room = d > 0 ? delta_max : delta_min;
    // room / d < 1 without dividing where the answer is 1 (d = 0 included).
    return detail::absolute(room) < detail::absolute(d) ? room / d : 1.0;
  }
};

/// V. Venkatakrishnan, J. Comput. Phys. 118 (1995) 120-130, eq. (14): smooth, so that steady residuals converge; a little above 1
/// where the neighbours leave more than twice the room, and blind to variations below sqrt(eps2).
struct Venkatakrishnan {
  static constexpr bool kActive = true;
  /// Larger lets through larger wiggles; 0 limits everywhere.
  double k = 5;

  /// (K size)^3 scale^2, for a cell of length `size` in units of the case's reference length and a variable whose values vary by
  /// `scale`: so the limiter does not depend on the units of the variable.
  [[nodiscard]] WEFT_HD constexpr double eps2(double size, double scale) const {
    const double ratio = k * size;
    return ratio * ratio * ratio * scale * scale;
  }
  [[nodiscard]] WEFT_HD constexpr double operator()(double delta_max, double delta_min, double d, double eps2) const {
    const double room = d > 0 ? delta_max : delta_min;
    const double both = room * d, base = room * room + eps2;
    const double below = base + both + 2 * d * d;
    return d != 0 && below > 0 ? (base + 2 * both) / below : 1.0;
  }
};

enum class LimiterKind : int { none, barth_jespersen, venkatakrishnan };

/// Calls f(NoLimiter{}), f(BarthJespersen{}) or f(Venkatakrishnan{k}).
template <class F>
decltype(auto) visit_limiter(LimiterKind kind, double venkatakrishnan_k, F&& f) {
  switch (kind) {
    case LimiterKind::barth_jespersen:
      return f(BarthJespersen{});
    case LimiterKind::venkatakrishnan:
      return f(Venkatakrishnan{venkatakrishnan_k});
    case LimiterKind::none:
      break;
  }
  return f(NoLimiter{});
}

/// mean + increment where that has positive density and pressure, else the mean: first order, locally.
[[nodiscard]] WEFT_HD constexpr Primitive reconstruct(const Primitive& mean, const Primitive& increment) {
  const Primitive w = mean + increment;
  return w.density > 0 && w.pressure > 0 ? w : mean;
}

}  // namespace weft::flow

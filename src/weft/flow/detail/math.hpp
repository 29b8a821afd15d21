#pragma once
/// Arithmetic that g++, clang++ and nvcc compile alike (std::min is no device function, and std::fmin costs a call on x86), for
/// numbers and for packs of them (pack.hpp), whose comparisons yield a mask and whose choices are made lane by lane.
#include <cmath>
#include <type_traits>

#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// a where the mask is true, else b.
template <class Mask, class T>
[[nodiscard]] WEFT_HD constexpr T select(const Mask& mask, const T& a, const std::type_identity_t<T>& b) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? a : b;
  } else {
    return blend(mask, a, b);
  }
}
/// a / b where the mask is true, else c. One number is divided only where that is asked for, and where it is not 0, over which
/// GPUs take long; a pack always. @pre b > 0 where the mask is true
template <class Mask, class T>
[[nodiscard]] WEFT_HD constexpr T divide_where(const Mask& mask, const T& a, const std::type_identity_t<T>& b,
                                               const std::type_identity_t<T>& c) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? (a != T(0) ? a / b : T(0)) : c;
  } else {
    return blend(mask, a / b, c);
  }
}

template <class T>
[[nodiscard]] WEFT_HD constexpr T lesser(const T& a, const std::type_identity_t<T>& b) {
  return select(a < b, a, b);
}
template <class T>
[[nodiscard]] WEFT_HD constexpr T greater(const T& a, const std::type_identity_t<T>& b) {
  return select(a > b, a, b);
}
template <class T>
[[nodiscard]] WEFT_HD constexpr T absolute(const T& a) {
  return select(a < 0, -a, a);
}
template <class T>
[[nodiscard]] WEFT_HD constexpr T square(const T& a) {
  return a * a;
}
template <class T>
[[nodiscard]] WEFT_HD inline auto finite(const T& a) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<bool>(std::isfinite(a));
  } else {
    return a - a <= 0;
  }
}
template <class T>
[[nodiscard]] WEFT_HD inline T root(const T& a) {
  using std::sqrt;
  return sqrt(a);
}

}  // namespace weft::flow::detail

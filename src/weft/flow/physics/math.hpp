#pragma once
/// Arithmetic that g++, clang++ and nvcc compile alike (std::min is no device function, and std::fmin costs a call on x86), for
/// scalars and for SIMD vectors (simd_vector.hpp), whose comparisons yield a mask and whose selections are elementwise.
#include <cmath>
#include <type_traits>

#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// Returns a where the mask is true, otherwise b.
template <class Mask, class T>
[[nodiscard]] WEFT_HD constexpr T select(const Mask& mask, const T& a, const std::type_identity_t<T>& b) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? a : b;
  } else {
    return blend(mask, a, b);
  }
}

// Quotients and square roots. On the host they are those of IEEE 754. On a GPU these take about thirty instructions each, with
// branches for the ends of the exponent range, and were two thirds of a flux; instead an estimate of 20 bits is refined by one
// third-order iteration, to within two units in the last place (an emulation of 20 million values had at most 0.5, 1.5 and 1.8).
// The same applies to roots and their inverses. Zeros and infinities, which no physical state yields, give NaN there.
template <class T>
[[nodiscard]] WEFT_HD constexpr T reciprocal(const T& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) {
    double y = 0;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
    const double error = fma(-b, y, 1.0);
    return fma(fma(error, error, error), y, y);
  } else {
    return __fdividef(1.0F, b);
  }
#else
  return 1 / b;
#endif
}
template <class T>
[[nodiscard]] WEFT_HD inline T inverse_root(const T& a) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, double>) {
    double y = 0;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    const double error = fma(-(a * y), y, 1.0);
    return fma(fma(0.375, error, 0.5), error * y, y);
  } else {
    return __frsqrt_rn(a);
  }
#else
  using std::sqrt;
  return 1 / sqrt(a);
#endif
}
template <class T>
[[nodiscard]] WEFT_HD constexpr T quotient(const T& a, const std::type_identity_t<T>& b) {
#if defined(__CUDA_ARCH__)
  return a * reciprocal(b);
#else
  return a / b;
#endif
}
template <class T>
[[nodiscard]] WEFT_HD inline T root(const T& a) {
#if defined(__CUDA_ARCH__)
  return a * inverse_root(a);
#else
  using std::sqrt;
  return sqrt(a);
#endif
}

/// Returns a b + c, rounded twice on the host and once on a GPU; the compiler contracts nothing by itself.
template <class A, class B, class C>
[[nodiscard]] WEFT_HD constexpr C multiply_add(const A& a, const B& b, const C& c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Returns a / b where the mask is true, otherwise c. A scalar is divided only where the mask is true; a SIMD vector always, by 1
/// where the mask is false, so that 0 / 0 does not set the exception flag for invalid operands.
/// @pre b > 0 where the mask is true
template <class Mask, class T>
[[nodiscard]] WEFT_HD constexpr T divide_where(const Mask& mask, const T& a, const std::type_identity_t<T>& b,
                                               const std::type_identity_t<T>& c) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? quotient(a, b) : c;
  } else {
    return blend(mask, a / blend(mask, b, T(1)), c);
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
    return 0 * a <= 0;
  }
}

}  // namespace weft::flow::detail

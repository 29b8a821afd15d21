#pragma once
/// Compile-time sizes and the arithmetic of the functions of batched_product.hpp.
#include <cmath>
#include <type_traits>
#include <utility>

#include "weft/base/macros.hpp"

namespace weft::kernels::detail {

/// Sizes of factors up to this one are known to the compiler.
inline constexpr int kSmallProductRows = 8;

/// Returns a b + c, rounded once, on hosts and GPUs.
template <class T>
[[nodiscard]] WEFT_HD T fused(T a, T b, T c) {
  return std::fma(a, b, c);
}

/// Calls call(std::integral_constant<int, N>{}), with N = n for 1 <= n <= kSmallProductRows and N = 0 for larger n.
template <class Call>
void with_product_size(int n, const Call& call) {
  const bool small = [&]<int... I>(std::integer_sequence<int, I...>) {
    return ((n == I + 1 && (call(std::integral_constant<int, I + 1>{}), true)) || ...);
  }(std::make_integer_sequence<int, kSmallProductRows>{});
  if (!small) call(std::integral_constant<int, 0>{});
}

}  // namespace weft::kernels::detail

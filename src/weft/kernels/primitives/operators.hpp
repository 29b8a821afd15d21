#pragma once
/// Operators for reductions and scans, on hosts and GPUs.
#include <concepts>
#include <type_traits>

#include "weft/base/macros.hpp"

namespace weft::kernels {

/// Adds. Sums of integers wrap around.
struct Plus {
  template <class T>
  WEFT_HD constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    } else {
      return static_cast<T>(a + b);
    }
  }
};

/// Returns the lesser value, the first one if neither is less. With a number as the identity, NaN entries are ignored.
struct Minimum {
  template <class T>
  WEFT_HD constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

/// Returns the greater value, the first one if neither is greater. With a number as the identity, NaN entries are ignored.
struct Maximum {
  template <class T>
  WEFT_HD constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

namespace detail {
/// True if the combination is exact, so that the order of combination does not affect the result.
template <class T, class Combine>
inline constexpr bool kIsExact = std::integral<T> && std::same_as<Combine, Plus>;
}  // namespace detail

}  // namespace weft::kernels

#pragma once
/// Sums in a fixed order of addition.
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.hpp"

namespace weft::kernels {

/// Returns the sum of all values, T{} if there are none, in the order of weft::reduce(), which depends on the size alone.
template <class T>
[[nodiscard]] T sum(std::span<const T> values) {
  return weft::reduce(
      space::host{}, static_cast<std::int64_t>(values.size()), T{}, [&](std::int64_t i) { return values[i]; },
      [](const T& a, const T& b) { return static_cast<T>(a + b); });
}

/// Computes sums[s] = values[offsets[s]] + ... + values[offsets[s + 1] - 1], added from left to right; T{} for an empty segment.
/// @pre `offsets` has sums.size() + 1 ascending entries between 0 and values.size(). @cost O(n).
template <class T>
void segmented_sum(std::span<const T> values, std::span<const std::int64_t> offsets, std::span<T> sums) {
  WEFT_EXPECTS(offsets.size() == sums.size() + 1);
  WEFT_EXPECTS(offsets.front() >= 0);
  for (std::size_t s = 0; s < sums.size(); ++s) {
    WEFT_EXPECTS(offsets[s] <= offsets[s + 1] && offsets[s + 1] <= static_cast<std::int64_t>(values.size()));
    T total{};
    for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) total = static_cast<T>(total + values[i]);
    sums[s] = total;
  }
}

}  // namespace weft::kernels

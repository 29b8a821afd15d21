#pragma once
/// Selection by predicate, unique values, and runs of equal keys.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/primitives/sort.hpp"

namespace weft::kernels {

/// Returns the indices i of 0 .. n-1 for which predicate(i) is true, ascending. @pre n >= 0.
template <class Predicate>
[[nodiscard]] std::vector<std::int32_t> select(std::int32_t n, Predicate predicate) {
  WEFT_EXPECTS(n >= 0);
  std::vector<std::int32_t> selected;
  for (std::int32_t i = 0; i < n; ++i) {
    if (predicate(i)) selected.push_back(i);
  }
  return selected;
}

/// Sorts in the order of before() and removes repeated values.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end(), [](const T& a, const T& b) { return before(a, b); });  // inlined, unlike before<T>
  const auto equal = [](const T& a, const T& b) {
    if constexpr (std::floating_point<T>) {
      return !before(a, b) && !before(b, a);  // == would make -0 and +0 one value, and keep every NaN
    } else {
      return a == b;
    }
  };
  values.erase(std::unique(values.begin(), values.end(), equal), values.end());
}

/// Returns the start of each run of equal adjacent keys, then the size: one offset more than runs. Sorted keys have one run per
/// distinct key. Example: keys {4, 4, 7, 9, 9, 9} give {0, 2, 3, 6}.
template <class Key>
[[nodiscard]] std::vector<std::int64_t> run_offsets(std::span<const Key> keys) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 1; i <= keys.size(); ++i) {
    if (i == keys.size() || before(keys[i - 1], keys[i]) || before(keys[i], keys[i - 1])) {
      offsets.push_back(static_cast<std::int64_t>(i));
    }
  }
  return offsets;
}

}  // namespace weft::kernels

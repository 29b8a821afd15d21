#pragma once
/// Choosing elements: by predicate, without repetition, and by runs of equal keys.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/sort.hpp"

namespace weft::kernels {

/// The numbers i of 0 .. n-1 with keep(i), ascending. @pre n >= 0.
template <class Keep>
[[nodiscard]] std::vector<std::int32_t> select(std::int32_t n, Keep keep) {
  WEFT_EXPECTS(n >= 0);
  std::vector<std::int32_t> chosen;
  for (std::int32_t i = 0; i < n; ++i) {
    if (keep(i)) chosen.push_back(i);
  }
  return chosen;
}

/// Sorts (in the order of before()) and drops repetitions.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end(), before<T>);
  const auto equal = [](const T& a, const T& b) { return !before(a, b) && !before(b, a); };
  values.erase(std::unique(values.begin(), values.end(), equal), values.end());
}

/// Where each run of equal neighbours starts, and at the end the size: runs + 1 offsets. Sorted keys give one run per key.
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

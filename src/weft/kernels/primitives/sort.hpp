#pragma once
/// Stable sorting by key.
#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/primitives/gather.hpp"

namespace weft::kernels {

/// Returns true if `a` precedes `b` in a total order: `<`, and for floating-point keys -NaN, -inf, ..., -0, +0, ..., +inf, +NaN.
template <class Key>
[[nodiscard]] bool before(const Key& a, const Key& b) {
  if constexpr (std::floating_point<Key>) {
    return std::is_lt(std::strong_order(a, b));
  } else {
    return a < b;
  }
}

/// Returns the permutation that sorts the keys stably: keys[order[0]], keys[order[1]], ... ascend, and equal keys retain their
/// order. Example: keys {7, 3, 7, 1} give {3, 1, 0, 2}. Keys are of any type with `<`: numbers, ids, pairs.
/// @cost O(n log n); one copy of the keys.
/// @throws LimitError for more than 2^31 - 1 keys.
template <class Key>
[[nodiscard]] std::vector<std::int32_t> stable_order(std::span<const Key> keys) {
  struct Numbered {
    Key key;
    std::int32_t number;
  };
  const std::int32_t n = checked_local(static_cast<std::int64_t>(keys.size()), "number of keys to sort");
  std::vector<Numbered> numbered;
  numbered.reserve(keys.size());
  for (std::int32_t i = 0; i < n; ++i) numbered.push_back({keys[to_index(i)], i});
  std::sort(numbered.begin(), numbered.end(), [](const Numbered& a, const Numbered& b) {
    if (before(a.key, b.key)) return true;
    return !before(b.key, a.key) && a.number < b.number;
  });
  std::vector<std::int32_t> order(keys.size());
  std::transform(numbered.begin(), numbered.end(), order.begin(), [](const Numbered& k) { return k.number; });
  return order;
}

/// Sorts the keys stably and permutes the values in the same way. @pre equal sizes. @cost, @throws as stable_order().
template <class Key, class Value>
void stable_sort_by_key(std::span<Key> keys, std::span<Value> values) {
  WEFT_EXPECTS(keys.size() == values.size());
  const std::vector<std::int32_t> order = stable_order(std::span<const Key>(keys));
  const std::vector<Key> old_keys(keys.begin(), keys.end());
  const std::vector<Value> old_values(values.begin(), values.end());
  gather(std::span(old_keys), std::span(order), keys);
  gather(std::span(old_values), std::span(order), values);
}

}  // namespace weft::kernels

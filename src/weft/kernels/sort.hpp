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
#include "weft/kernels/gather.hpp"

namespace weft::kernels {

/// A total order on keys: `<`, and for floating point also between the values that `<` leaves unordered:
/// -NaN, -inf, ..., -0, +0, ..., +inf, +NaN.
template <class Key>
[[nodiscard]] bool before(const Key& a, const Key& b) {
  if constexpr (std::floating_point<Key>) {
    return std::is_lt(std::strong_order(a, b));
  } else {
    return a < b;
  }
}

/// The permutation that sorts: keys[order[0]], keys[order[1]], ... ascend, and equal keys keep their order.
/// Keys: numbers, ids, pairs, anything with <. @cost O(n log n), a copy of the keys.
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

/// Sorts keys, and values along with them; equal keys keep their order. @pre equal sizes. @cost, @throws as stable_order.
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

#pragma once
/// Stable sorting by key. sort.cuh has overloads for GPUs with the same results.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/gather.hpp"
#include "weft/kernels/primitives/key_order.hpp"
#include "weft/kernels/primitives/merge.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// Sorts keys of any type with `<`. @cost O(n log n); with more than one thread a copy of the keys.
template <class Key>
void sort(std::span<Key> keys, Direction direction = Direction::ascending, Team& team = calling_thread()) {
  if (direction == Direction::ascending) {
    detail::merge_sort(
        keys, [](const Key& a, const Key& b) { return before(a, b); }, team);
  } else {
    detail::merge_sort(
        keys, [](const Key& a, const Key& b) { return before(b, a); }, team);
  }
}

namespace detail {

/// Returns the permutation that sorts the keys stably. @tparam Index  holds their number
template <class Index, class Key>
[[nodiscard]] std::vector<Index> stable_order_of(std::span<const Key> keys, Direction direction, Team& team) {
  struct Numbered {
    Key key;
    Index number;
  };
  std::vector<Numbered> numbered;
  numbered.reserve(keys.size());
  for (const Key& key : keys) numbered.push_back({key, static_cast<Index>(numbered.size())});
  const auto sort_by = [&](const auto& precedes) {
    merge_sort(
        std::span(numbered),
        [&](const Numbered& a, const Numbered& b) {
          if (precedes(a.key, b.key)) return true;
          return !precedes(b.key, a.key) && a.number < b.number;
        },
        team);
  };
  if (direction == Direction::ascending) {
    sort_by([](const Key& a, const Key& b) { return before(a, b); });
  } else {
    sort_by([](const Key& a, const Key& b) { return before(b, a); });
  }
  std::vector<Index> order(keys.size());
  std::transform(numbered.begin(), numbered.end(), order.begin(), [](const Numbered& k) { return k.number; });
  return order;
}

template <class Index, class Key, class Value>
void stable_sort_by_key_with(std::span<Key> keys, std::span<Value> values, Direction direction, Team& team) {
  const std::vector<Index> order = stable_order_of<Index>(std::span<const Key>(keys), direction, team);
  const std::vector<Key> old_keys(keys.begin(), keys.end());
  const std::vector<Value> old_values(values.begin(), values.end());
  gather(std::span(old_keys), std::span(order), keys, 1, team);
  gather(std::span(old_values), std::span(order), values, 1, team);
}

}  // namespace detail

/// Returns the permutation that sorts the keys stably: keys[order[0]], keys[order[1]], ... ascend or descend, and equal keys
/// retain their order. Example: keys {7, 3, 7, 1} give {3, 1, 0, 2}, and descending {0, 2, 1, 3}. Keys are of any type with `<`:
/// numbers, ids, pairs.
/// @cost O(n log n); one copy of the keys, two with more than one thread.
/// @throws LimitError for more than 2^31 - 1 keys.
template <class Key>
[[nodiscard]] std::vector<std::int32_t> stable_order(std::span<const Key> keys, Direction direction = Direction::ascending,
                                                     Team& team = calling_thread()) {
  (void)checked_local(static_cast<std::int64_t>(keys.size()), "number of keys to sort");
  return detail::stable_order_of<std::int32_t>(keys, direction, team);
}

/// Sorts the keys stably and permutes the values in the same way. @pre equal sizes; no overlap (checked in every build).
/// @cost O(n log n); copies of keys and values, and of the keys with their positions: 4 bytes each, 8 for more than 2^31 - 1
/// keys.
template <class Key, class Value>
void stable_sort_by_key(std::span<Key> keys, std::span<Value> values, Direction direction = Direction::ascending,
                        Team& team = calling_thread()) {
  WEFT_EXPECTS(keys.size() == values.size());
  detail::refuse_overlap(keys, values, "keys and values of stable_sort_by_key");
  if (keys.size() <= std::numeric_limits<std::int32_t>::max()) {
    detail::stable_sort_by_key_with<std::int32_t>(keys, values, direction, team);
  } else {
    detail::stable_sort_by_key_with<std::int64_t>(keys, values, direction, team);
  }
}

}  // namespace weft::kernels

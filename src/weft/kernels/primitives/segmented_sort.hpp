#pragma once
/// Stable sorting by key within segments. segmented_sort.cuh has overloads for GPUs with the same results.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/key_order.hpp"
#include "weft/kernels/primitives/merge.hpp"
#include "weft/kernels/primitives/segments.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// The order of a sort.
struct Precedes {
  Direction direction;
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    return direction == Direction::ascending ? before(a, b) : before(b, a);
  }
};

/// Sorts each segment by `less`: short segments on one thread each, long ones with all threads together.
template <class T, class Less>
void sort_segments(std::span<T> entries, std::span<const std::int64_t> offsets, const Less& less, Team& team) {
  constexpr std::int64_t kLong = 1 << 14;
  const auto sort_if = [&](std::int64_t s, bool is_long) {
    const std::int64_t first = offsets[s], size = offsets[s + 1] - first;
    if ((size >= kLong) != is_long) return;
    const std::span<T> segment = entries.subspan(first, size);
    if (is_long) {
      merge_sort(segment, less, team);
    } else {
      std::sort(segment.begin(), segment.end(), less);
    }
  };
  const auto n = static_cast<std::int64_t>(entries.size()), segments = static_cast<std::int64_t>(offsets.size()) - 1;
  split(team, n, 4096, [&](std::int64_t begin, std::int64_t end) {  // equal shares of entries: segments differ in length
    const auto segment_at = [&](std::int64_t entry) {
      return std::lower_bound(offsets.begin(), offsets.end() - 1, entry) - offsets.begin();
    };
    for (std::int64_t s = segment_at(begin); s < segment_at(end); ++s) sort_if(s, false);
  });
  if (n < kLong) return;
  for (std::int64_t s = 0; s < segments; ++s) sort_if(s, true);
}

/// Throws if there are too many keys with values.
inline void check_pairs(std::size_t n) {
  if (n > UINT32_MAX) {
    throw LimitError(std::to_string(n) + " keys with values to sort by segments are more than 2^32 - 1",
                     "divide the segments among several calls");
  }
}

}  // namespace detail

/// Sorts the keys of each segment in the order of before(): segment s consists of the keys offsets[s] .. offsets[s + 1] - 1 and
/// may be empty. Keys are of any type with `<`. Example: keys {5, 3, 9, 7, 1}, offsets {0, 2, 2, 5} give {3, 5, 1, 7, 9}.
/// @pre `offsets` ascend from 0 to keys.size() and do not overlap `keys` (checked in every build). @cost O(n log n) for segments
/// of n keys; with more than one thread copies of segments of 2^14 keys or more.
template <class Key>
void segmented_sort(std::span<Key> keys, std::span<const std::int64_t> offsets, Direction direction = Direction::ascending,
                    Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::are_segments(offsets, keys.size()));
  detail::refuse_overlap(keys, offsets, "keys and offsets of segmented_sort");
  detail::sort_segments(keys, offsets, detail::Precedes{direction}, team);
}

/// Sorts the keys of each segment stably and permutes the values in the same way. Example: the values {0, 1, 2, 3, 4} of the keys
/// above become {1, 0, 4, 3, 2}.
/// @pre equal sizes; no overlap (checked in every build); otherwise as segmented_sort(). @cost as segmented_sort(), and copies of
/// keys and values.
/// @throws LimitError for more than 2^32 - 1 keys.
template <class Key, class Value>
void segmented_stable_sort_by_key(std::span<Key> keys, std::span<Value> values, std::span<const std::int64_t> offsets,
                                  Direction direction = Direction::ascending, Team& team = calling_thread()) {
  struct Numbered {
    Key key;
    std::uint32_t number;
  };
  WEFT_EXPECTS(detail::are_segments(offsets, keys.size()) && keys.size() == values.size());
  detail::refuse_overlap(keys, values, "keys and values of segmented_stable_sort_by_key");
  detail::refuse_overlap(keys, offsets, "keys and offsets of segmented_stable_sort_by_key");
  detail::refuse_overlap(values, offsets, "values and offsets of segmented_stable_sort_by_key");
  detail::check_pairs(keys.size());
  std::vector<Numbered> numbered;
  numbered.reserve(keys.size());
  for (const Key& key : keys) numbered.push_back({key, static_cast<std::uint32_t>(numbered.size())});
  const std::vector<Value> old_values(values.begin(), values.end());
  const detail::Precedes precedes{direction};
  detail::sort_segments(
      std::span(numbered), offsets,
      [&](const Numbered& a, const Numbered& b) {
        if (precedes(a.key, b.key)) return true;
        return !precedes(b.key, a.key) && a.number < b.number;
      },
      team);
  detail::split(team, static_cast<std::int64_t>(keys.size()), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      keys[i] = numbered[i].key;
      values[i] = old_values[numbered[i].number];
    }
  });
}

}  // namespace weft::kernels

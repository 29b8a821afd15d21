#pragma once
/// Selection and partition by predicate, unique values, and runs of equal keys. select.cuh has overloads for GPUs.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/macros.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/key_order.hpp"
#include "weft/kernels/primitives/scan_order.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// Counts the selected entries: 1 where the predicate is true, else 0.
template <class T, class Predicate>
struct CountSelected {
  const T* in;
  Predicate predicate;
  WEFT_HD std::int64_t operator()(std::int64_t i) const { return predicate(in[i]) ? 1 : 0; }
};

/// Stores each selected entry at the number of selected entries before it.
template <class T, class Predicate>
struct StoreSelected {
  const T* in;
  Predicate predicate;
  T* out;
  WEFT_HD void operator()(std::int64_t i, std::int64_t before, std::int64_t) const {
    if (predicate(in[i])) out[before] = in[i];
  }
};

/// Stores the selected entries and, after them, the others.
template <class T, class Predicate>
struct StorePartitioned {
  const T* in;
  Predicate predicate;
  T* out;
  WEFT_HD void operator()(std::int64_t i, std::int64_t before, std::int64_t selected) const {
    out[predicate(in[i]) ? before : selected + i - before] = in[i];
  }
};

/// Counts the starts of runs of equal keys.
template <class Key>
struct CountRuns {
  const Key* keys;
  WEFT_HD bool starts(std::int64_t i) const { return i == 0 || !is_same_key(keys[i - 1], keys[i]); }
  WEFT_HD std::int64_t operator()(std::int64_t i) const { return starts(i) ? 1 : 0; }
};

/// Stores the first key of each run, and unless `offsets` is null its position, and the number of keys after the last one.
template <class Key>
struct StoreRuns {
  CountRuns<Key> runs;
  std::int64_t n;
  Key* out;
  std::int64_t* offsets;
  WEFT_HD void operator()(std::int64_t i, std::int64_t before, std::int64_t total) const {
    if (runs.starts(i)) {
      out[before] = runs.keys[i];
      if (offsets != nullptr) offsets[before] = i;
    }
    if (offsets != nullptr && i + 1 == n) offsets[total] = n;
  }
};

/// Returns the indices i of 0 .. n-1 for which predicate(i) is true, ascending.
template <class Integer, class Predicate>
[[nodiscard]] std::vector<Integer> indices_where(std::int64_t n, const Predicate& predicate, Team& team) {
  std::vector<std::vector<Integer>> of_share(static_cast<std::size_t>(shares_of(team, n)));
  for_shares(team, n, [&](LoopShare share) {
    std::vector<Integer> selected;
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      if (predicate(static_cast<Integer>(i))) selected.push_back(static_cast<Integer>(i));
    }
    of_share[static_cast<std::size_t>(share.number)] = std::move(selected);
  });
  std::vector<Integer> all = std::move(of_share.front());
  std::size_t size = all.size();
  for (std::size_t s = 1; s < of_share.size(); ++s) size += of_share[s].size();
  all.reserve(size);
  for (std::size_t s = 1; s < of_share.size(); ++s) all.insert(all.end(), of_share[s].begin(), of_share[s].end());
  return all;
}

}  // namespace detail

/// Returns the indices i of 0 .. n-1 for which predicate(i) is true, ascending. @pre n >= 0.
template <class Predicate>
[[nodiscard]] std::vector<std::int32_t> select(std::int32_t n, const Predicate& predicate, Team& team = calling_thread()) {
  WEFT_EXPECTS(n >= 0);
  return detail::indices_where<std::int32_t>(n, predicate, team);
}

/// Copies the entries for which predicate(entry) is true to the beginning of `out`, in their order, and returns their number.
/// Further entries of `out` are unchanged.
/// @pre equal sizes; no overlap (checked in every build). @cost O(n); two calls of the predicate for each entry.
template <class T, class Predicate>
std::int64_t copy_if(std::span<const T> in, const Predicate& predicate, std::span<T> out, Team& team = calling_thread()) {
  WEFT_EXPECTS(in.size() == out.size());
  detail::refuse_overlap(in, out, "in and out of copy_if");
  return detail::ordered_scan<false>(static_cast<std::int64_t>(in.size()), std::int64_t{0},
                                     detail::CountSelected<T, Predicate>{in.data(), predicate},
                                     detail::StoreSelected<T, Predicate>{in.data(), predicate, out.data()}, Plus{}, team);
}

/// Copies the entries for which predicate(entry) is true, then the others, each in their order, and returns the number of the
/// former. Example: {1, 2, 3, 4, 5} with even numbers selected give {2, 4, 1, 3, 5} and 2. @pre, @cost as copy_if().
template <class T, class Predicate>
std::int64_t partition(std::span<const T> in, const Predicate& predicate, std::span<T> out, Team& team = calling_thread()) {
  WEFT_EXPECTS(in.size() == out.size());
  detail::refuse_overlap(in, out, "in and out of partition");
  return detail::ordered_scan<false>(static_cast<std::int64_t>(in.size()), std::int64_t{0},
                                     detail::CountSelected<T, Predicate>{in.data(), predicate},
                                     detail::StorePartitioned<T, Predicate>{in.data(), predicate, out.data()}, Plus{}, team);
}

/// Copies the first key of each run of equal adjacent keys to the beginning of `out` and returns the number of runs. Keys are
/// equal in the sense of before(): -0 and +0 are not, and NaN of the same bits are. Example: {4, 4, 7, 4} give {4, 7, 4} and 3.
/// @pre equal sizes; no overlap (checked in every build). @cost O(n).
template <class Key>
std::int64_t unique(std::span<const Key> keys, std::span<Key> out, Team& team = calling_thread()) {
  WEFT_EXPECTS(keys.size() == out.size());
  detail::refuse_overlap(keys, out, "keys and out of unique");
  const auto n = static_cast<std::int64_t>(keys.size());
  const detail::CountRuns<Key> runs{keys.data()};
  return detail::ordered_scan<false>(n, std::int64_t{0}, runs, detail::StoreRuns<Key>{runs, n, out.data(), nullptr}, Plus{},
                                     team);
}

/// Encodes runs of equal adjacent keys: unique(), and the position of the first key of each run, then the number of keys, in
/// `offsets`. Example: {4, 4, 7, 9, 9, 9} give keys {4, 7, 9}, offsets {0, 2, 3, 6} and 3.
/// @pre out has keys.size() entries and offsets one more; no overlap (checked in every build). @cost O(n).
template <class Key>
std::int64_t run_length_encode(std::span<const Key> keys, std::span<Key> out, std::span<std::int64_t> offsets,
                               Team& team = calling_thread()) {
  WEFT_EXPECTS(keys.size() == out.size() && offsets.size() == keys.size() + 1);
  detail::refuse_overlap(keys, out, "keys and out of run_length_encode");
  detail::refuse_overlap(keys, offsets, "keys and offsets of run_length_encode");
  detail::refuse_overlap(out, offsets, "out and offsets of run_length_encode");
  const auto n = static_cast<std::int64_t>(keys.size());
  if (n == 0) offsets[0] = 0;
  const detail::CountRuns<Key> runs{keys.data()};
  return detail::ordered_scan<false>(n, std::int64_t{0}, runs, detail::StoreRuns<Key>{runs, n, out.data(), offsets.data()},
                                     Plus{}, team);
}

/// Sorts in the order of before() and removes repeated values.
template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end(), [](const T& a, const T& b) { return before(a, b); });  // inlined, unlike before<T>
  values.erase(std::unique(values.begin(), values.end(), [](const T& a, const T& b) { return detail::is_same_key(a, b); }),
               values.end());
}

/// Returns the start of each run of equal adjacent keys, then the size: one offset more than runs. Sorted keys have one run per
/// distinct key. Example: keys {4, 4, 7, 9, 9, 9} give {0, 2, 3, 6}.
template <class Key>
[[nodiscard]] std::vector<std::int64_t> run_offsets(std::span<const Key> keys, Team& team = calling_thread()) {
  const auto n = static_cast<std::int64_t>(keys.size());
  const detail::CountRuns<Key> runs{keys.data()};
  std::vector<std::int64_t> offsets = detail::indices_where<std::int64_t>(
      n, [&](std::int64_t i) { return runs.starts(i); }, team);
  offsets.push_back(n);
  return offsets;
}

}  // namespace weft::kernels

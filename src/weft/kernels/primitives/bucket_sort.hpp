#pragma once
/// Sorting of long lists by keys that are distributed about evenly, such as node ids or positions on a space-filling curve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/distribute.hpp"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// The least and the greatest key of a list.
struct KeyRange {
  std::uint64_t low = UINT64_MAX, high = 0;
  void add(std::uint64_t key) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
  /// Returns the number of low bits that a division of the range into at most `buckets` equal buckets ignores. @pre buckets >= 2
  [[nodiscard]] int shift_for(std::size_t buckets) const {
    int shift = 0;
    while (((high - low) >> shift) >= buckets) ++shift;
    return shift;
  }
};

/// Distributes `from` to buckets of about 8 entries in `to` and sorts those. `first` is working memory.
template <class T, class Key, class Less>
void sort_by_buckets(std::span<const T> from, std::span<T> to, const Key& key, const Less& less,
                     std::vector<std::uint32_t>& first) {
  constexpr std::size_t kSmallest = 64, kPerBucket = 8;
  if (from.size() < kSmallest || from.size() > UINT32_MAX) {
    std::copy(from.begin(), from.end(), to.begin());
    return std::sort(to.begin(), to.end(), less);
  }
  KeyRange range;
  for (const T& entry : from) range.add(key(entry));
  const int shift = range.shift_for(from.size() / kPerBucket);
  const auto bucket_of = [&](const T& entry) { return static_cast<std::size_t>((key(entry) - range.low) >> shift); };
  first.assign(((range.high - range.low) >> shift) + 2, 0);
  for (const T& entry : from) ++first[bucket_of(entry) + 1];
  inclusive_scan(std::span<const std::uint32_t>(first), std::span<std::uint32_t>(first));
  for (const T& entry : from) to[first[bucket_of(entry)]++] = entry;
  for (std::size_t b = 0, begin = 0; b + 1 < first.size(); ++b) {  // first[b] is now the end of bucket b
    const std::size_t end = first[b];
    std::sort(to.begin() + static_cast<std::ptrdiff_t>(begin), to.begin() + static_cast<std::ptrdiff_t>(end), less);
    begin = end;
  }
}

}  // namespace detail

/// Sorts `list` by `less`, which must order by the unsigned number key(entry) first and must not find different entries
/// equivalent. The result is that of std::sort on any number of threads, but a long list is first distributed by the leading bits
/// of the key: by several threads to parts that fit into a cache, and each part, or on one thread the whole list, to buckets of a
/// few entries. Any keys are sorted; where most of them fall into few buckets it takes as long as std::sort on one thread.
/// @cost memory: a second list, 8 KB per thread, and 4 B for 8 entries of the longest part.
/// @tparam List  std::vector or TeamVector.
template <class List, class Key, class Less>
void bucket_sort(List& list, const Key& key, const Less& less, Team& team = calling_thread()) {
  using T = typename List::value_type;
  constexpr std::size_t kSmallest = 4096, kPerPart = 1 << 15, kMostParts = 1024;
  if (list.size() < kSmallest) return std::sort(list.begin(), list.end(), less);
  const auto n = static_cast<std::int64_t>(list.size());
  const auto shares = static_cast<std::size_t>(shares_of(team, n));
  List distributed;
  resize_by_team(team, distributed, list.size());
  if (shares == 1) {
    std::vector<std::uint32_t> memory;
    detail::sort_by_buckets(std::span<const T>(list), std::span(distributed), key, less, memory);
    return list.swap(distributed);
  }
  std::vector<detail::KeyRange> ranges(shares);
  for_shares(team, n, [&](LoopShare share) {
    detail::KeyRange range;
    for (std::int64_t i = share.begin; i < share.end; ++i) range.add(key(list[i]));
    ranges[share.number] = range;
  });
  detail::KeyRange whole;
  for (const detail::KeyRange& range : ranges) {
    whole.add(range.low);
    whole.add(range.high);
  }
  const int shift = whole.shift_for(std::clamp<std::size_t>(list.size() / kPerPart, 2, kMostParts));
  const auto parts = static_cast<std::size_t>((whole.high - whole.low) >> shift) + 1;
  const std::vector<std::size_t> first = distribute(
      n, parts, [&](std::int64_t i) { return (key(list[i]) - whole.low) >> shift; },
      [&](std::int64_t i, std::size_t position) { distributed[position] = list[i]; }, team);
  for_shares(team, n, [&](LoopShare share) {  // each thread sorts the parts that begin within its share
    std::vector<std::uint32_t> memory;
    for (auto p = std::lower_bound(first.begin(), first.end() - 1, static_cast<std::size_t>(share.begin));
         p != first.end() - 1 && *p < static_cast<std::size_t>(share.end); ++p) {
      const std::size_t size = *(p + 1) - *p;
      detail::sort_by_buckets(std::span<const T>(distributed).subspan(*p, size), std::span(list).subspan(*p, size), key, less,
                              memory);
    }
  });
}

}  // namespace weft::kernels

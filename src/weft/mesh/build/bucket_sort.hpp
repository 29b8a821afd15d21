#pragma once
/// Bucket sort of long lists with evenly distributed keys: node ids, positions on a curve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::mesh::detail {

/// Sorts `list` by `less`, which must compare the unsigned key(entry) first. Works like std::sort, but first distributes long
/// lists to buckets by leading bits of the key: two passes over memory instead of one per halving. Any keys are sorted
/// correctly; if they concentrate in few buckets, the time is that of std::sort.
/// @cost memory: a second list, and 4 B for 8 entries.
template <class T, class Key, class Less>
void bucket_sort(std::vector<T>& list, const Key& key, const Less& less) {
  constexpr std::size_t kWorthDealing = 4096, kPerBucket = 8;
  if (list.size() < kWorthDealing || list.size() > UINT32_MAX) return std::sort(list.begin(), list.end(), less);
  std::uint64_t low = UINT64_MAX, high = 0;
  for (const T& entry : list) {
    low = std::min<std::uint64_t>(low, key(entry));
    high = std::max<std::uint64_t>(high, key(entry));
  }
  int shift = 0;
  while (((high - low) >> shift) > list.size() / kPerBucket) ++shift;
  const auto bucket_of = [&](const T& entry) { return static_cast<std::size_t>((key(entry) - low) >> shift); };
  std::vector<std::uint32_t> first(static_cast<std::size_t>((high - low) >> shift) + 2, 0);
  for (const T& entry : list) ++first[bucket_of(entry) + 1];
  for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
  std::vector<T> sorted(list.size());
  for (const T& entry : list) sorted[first[bucket_of(entry)]++] = entry;
  for (std::size_t b = 0, begin = 0; b + 1 < first.size(); ++b) {  // first[b] is now the end of bucket b
    const std::size_t end = first[b];
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin), sorted.begin() + static_cast<std::ptrdiff_t>(end), less);
    begin = end;
  }
  list.swap(sorted);
}

}  // namespace weft::mesh::detail

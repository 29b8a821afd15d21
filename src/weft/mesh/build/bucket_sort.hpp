#pragma once
/// Sorting long lists by numbers that are spread about evenly: node ids, places on a curve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::mesh::detail {

/// Sorts `list` by `less`, which must order by the unsigned number key(entry) first. As std::sort, only that long lists are dealt
/// to buckets before, by leading bits of the key: two passes over memory instead of one for each halving. Any keys are sorted;
/// where they crowd in few buckets it takes as long as std::sort.
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
  std::vector<T> dealt(list.size());
  for (const T& entry : list) dealt[first[bucket_of(entry)]++] = entry;
  for (std::size_t b = 0, begin = 0; b + 1 < first.size(); ++b) {  // first[b] is now where bucket b ends
    const std::size_t end = first[b];
    std::sort(dealt.begin() + static_cast<std::ptrdiff_t>(begin), dealt.begin() + static_cast<std::ptrdiff_t>(end), less);
    begin = end;
  }
  list.swap(dealt);
}

}  // namespace weft::mesh::detail

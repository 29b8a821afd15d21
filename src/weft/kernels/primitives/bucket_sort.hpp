#pragma once
/// Sorting of long lists by keys that are distributed about evenly, such as node ids or positions on a space-filling curve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/primitives/scan.hpp"

namespace weft::kernels {

/// Sorts `list` by `less`, which must order by the unsigned number key(entry) first. The result is that of std::sort, but a long
/// list is first distributed to buckets by the leading bits of the key, which takes two passes over memory instead of one per
/// halving. Any keys are sorted; where most of them fall into few buckets it takes as long as std::sort.
/// @cost memory: a second list, and 4 B for 8 entries.
template <class T, class Key, class Less>
void bucket_sort(std::vector<T>& list, const Key& key, const Less& less) {
  constexpr std::size_t kSmallest = 4096, kPerBucket = 8;
  if (list.size() < kSmallest || list.size() > UINT32_MAX) return std::sort(list.begin(), list.end(), less);
  std::uint64_t low = UINT64_MAX, high = 0;
  for (const T& entry : list) {
    low = std::min<std::uint64_t>(low, key(entry));
    high = std::max<std::uint64_t>(high, key(entry));
  }
  int shift = 0;
  while (((high - low) >> shift) > list.size() / kPerBucket) ++shift;
  const auto bucket_of = [&](const T& entry) { return static_cast<std::size_t>((key(entry) - low) >> shift); };
  std::vector<std::uint32_t> first(((high - low) >> shift) + 2, 0);
  for (const T& entry : list) ++first[bucket_of(entry) + 1];
  inclusive_scan(std::span<const std::uint32_t>(first), std::span<std::uint32_t>(first));
  std::vector<T> distributed(list.size());
  for (const T& entry : list) distributed[first[bucket_of(entry)]++] = entry;
  for (std::size_t b = 0, begin = 0; b + 1 < first.size(); ++b) {  // first[b] is now the end of bucket b
    const std::size_t end = first[b];
    std::sort(distributed.begin() + static_cast<std::ptrdiff_t>(begin), distributed.begin() + static_cast<std::ptrdiff_t>(end),
              less);
    begin = end;
  }
  list.swap(distributed);
}

}  // namespace weft::kernels

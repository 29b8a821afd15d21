#pragma once
/// A bitonic sort of any number of entries (K. E. Batcher, Sorting Networks and their Applications, AFIPS 1968). bitonic.cuh
/// executes it by the threads of a block.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"

namespace weft::kernels {

namespace detail {

/// Two positions, of which the lower one receives the lesser entry.
struct BitonicPair {
  int low, high;
};

/// Returns comparison c of a step, in which positions are compared with those `apart` positions further. The first step of a
/// merge compares mirrored positions instead, so that both of its halves may be ascending and every comparison has the same
/// direction. Positions beyond the last entry then act as entries greater than all others, without a key that means so: their
/// comparisons are left out. @pre `apart` is a power of two. Example: apart 4, c = 0, 1 give (0, 4), (1, 5), mirrored (0, 7),
/// (1, 6).
[[nodiscard]] WEFT_HD constexpr BitonicPair bitonic_pair(int c, int apart, bool mirrored) {
  const int i = c & (apart - 1), low = 2 * c - i;
  return {low, mirrored ? low + 2 * (apart - i) - 1 : low + apart};
}

/// Calls step(apart, mirrored) for each step of a network for n entries.
template <class Step>
WEFT_HD constexpr void for_bitonic_steps(int n, const Step& step) {
  for (int merged = 1; merged < n; merged *= 2) {  // sorted runs have this many entries
    step(merged, true);
    for (int apart = merged / 2; apart > 0; apart /= 2) step(apart, false);
  }
}

}  // namespace detail

/// The largest number of entries of a bitonic sort.
inline constexpr std::size_t kBitonicEntries = std::size_t{1} << 20;

/// Sorts by `less`, a strict weak order, by the comparisons of block_bitonic_sort() on a GPU (bitonic.cuh), so that entries of
/// which neither is less have the same order there. The sort is not stable. No value is reserved: +inf and the greatest integer
/// are entries as all others.
/// @pre at most kBitonicEntries. @cost O(n log(n)^2) comparisons on the calling thread.
template <class T, class Less>
void bitonic_sort(std::span<T> entries, const Less& less) {
  WEFT_EXPECTS(entries.size() <= kBitonicEntries);
  const auto n = static_cast<int>(entries.size());
  detail::for_bitonic_steps(n, [&](int apart, bool mirrored) {
    for (int c = 0;; ++c) {
      const detail::BitonicPair pair = detail::bitonic_pair(c, apart, mirrored);
      if (pair.low >= n) break;
      if (pair.high < n && less(entries[pair.high], entries[pair.low])) std::swap(entries[pair.low], entries[pair.high]);
    }
  });
}

}  // namespace weft::kernels

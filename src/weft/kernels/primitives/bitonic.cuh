#pragma once
/// A bitonic sort of entries in shared memory, for kernels in .cu files.
#include <bit>

#include "weft/kernels/primitives/bitonic.hpp"

namespace weft::kernels {

/// Sorts n entries in shared memory by `less`, by the comparisons of bitonic_sort(). All threads of a block call it. It begins
/// and ends with a barrier, so that each thread may have written any entry before and may read any entry afterwards.
/// @tparam kThreads  threads of the block, a power of two.  @param less  with a __device__ operator.
/// @pre 0 <= n <= kBitonicEntries. @cost log2(n) (log2(n) + 1) / 2 steps with n / 2 comparisons each; a barrier of the block
/// only for steps in which warps exchange entries with each other.
template <int kThreads, class T, class Less>
__device__ void block_bitonic_sort(T* entries, int n, const Less& less) {
  static_assert(std::has_single_bit(unsigned{kThreads}) && kThreads >= 32);
  constexpr int kWarps = kThreads / 32;
  int comparisons = 1;  // number for a step
  while (2 * comparisons < n) comparisons *= 2;
  // Each warp has adjacent comparisons. Up to this distance their entries are those of the warp alone.
  const int of_warp = comparisons / kWarps < 32 ? 32 : comparisons / kWarps;
  const int lane = static_cast<int>(threadIdx.x) % 32, first = static_cast<int>(threadIdx.x) / 32 * of_warp;
  __syncthreads();
  bool was_wide = false;
  detail::for_bitonic_steps(n, [&](int apart, bool mirrored) {
    const bool is_wide = apart > of_warp;
    if (is_wide || was_wide) {
      __syncthreads();
    } else {
      __syncwarp();
    }
    was_wide = is_wide;
    for (int c = first + lane; c < first + of_warp && c < comparisons; c += 32) {
      const detail::BitonicPair pair = detail::bitonic_pair(c, apart, mirrored);
      if (pair.high >= n) continue;
      const T low = entries[pair.low], high = entries[pair.high];
      if (less(high, low)) {
        entries[pair.low] = high;
        entries[pair.high] = low;
      }
    }
  });
  __syncthreads();
}

}  // namespace weft::kernels

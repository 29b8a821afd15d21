#pragma once
/// Step 2: a tree in shared memory per block, with divergent threads: at distance 2^l, every 2^(l+1)-th thread adds.
///
/// One atomic addition per block instead of one per warp, eight times fewer: 0.15 ms for 2^26 entries, a limit of 40% of copy. Up
/// to eight warps access shared memory in each of the eight levels, 47 instead of 12 in all (step 3). A warp issues 72
/// instructions, 580 per block and 1 kB, which 132 multiprocessors issue at four per clock: 1.6 TB/s, also about 40%.
///
/// Predicted: 30%, because the two limits and nine barriers per block do not overlap completely.
/// Measured: 30.6% of copy on an H100, 21.8% on an H200. As long as steps 3 and 4: the 262,144 atomic additions to one address
/// take it, 0.9 per ns (step 1: 1.25).
#include "1_atomic.cuh"

namespace ladder {

static __global__ void __launch_bounds__(kSumThreads)
    divergent_sum_kernel(const std::uint32_t* in, std::int64_t n, std::uint32_t* result) {
  __shared__ std::uint32_t sums[kSumThreads];
  weft::grid_dependency_sync();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
  const unsigned t = threadIdx.x;
  sums[t] = i < n ? in[i] : 0;  // threads beyond the end take part in the barriers
  __syncthreads();
  for (unsigned apart = 1; apart < kSumThreads; apart *= 2) {
    if (t % (2 * apart) == 0) sums[t] += sums[t + apart];
    __syncthreads();
  }
  if (t == 0) atomicAdd(result, sums[0]);
}

constexpr SumStep kDivergentSum{"2 tree in shared memory, divergent threads", 0.3,
                                [](weft::Stream& stream, std::span<const std::uint32_t> in, std::uint32_t* result) {
                                  launch_sum(stream, divergent_sum_kernel, in, result);
                                }};

}  // namespace ladder

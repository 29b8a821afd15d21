#pragma once
/// Step 4: sums within warps by shuffles, one barrier per block instead of nine.
///
/// 390 instructions per block instead of 560: the limit by issue rises to 2.4 TB/s. A thread still has one load of 4 bytes in
/// flight, 8 kB per multiprocessor, which at a latency of 0.7 us are 1.5 TB/s; and there is one atomic addition per block.
///
/// Predicted: 37%, the limit by loads in flight. Shuffles alone do not make a reduction fast.
/// Measured: 29.5% of copy on an H100, 21.1% on an H200. The atomic additions take the time, see step 2: neither issue nor
/// loads in flight were the limit.
#include "1_atomic.cuh"

namespace ladder {

/// Returns the sum over the lanes of a warp, in lane 0.
__device__ inline std::uint32_t warp_sum(std::uint32_t sum) {
#pragma unroll
  for (unsigned apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffU, sum, apart);
  return sum;
}

/// Returns the sum over the threads of a block, in thread 0. Every thread calls it, once per kernel.
__device__ inline std::uint32_t block_sum(std::uint32_t sum) {
  constexpr unsigned kWarps = kSumThreads / 32;
  __shared__ std::uint32_t sums[kWarps];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  return warp_sum(threadIdx.x < kWarps ? sums[threadIdx.x] : 0);
}

static __global__ void __launch_bounds__(kSumThreads)
    shuffle_sum_kernel(const std::uint32_t* in, std::int64_t n, std::uint32_t* result) {
  weft::grid_dependency_sync();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
  const std::uint32_t sum = block_sum(i < n ? in[i] : 0);
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

constexpr SumStep kShuffleSum{"4 sums within warps by shuffles", 0.37,
                              [](weft::Stream& stream, std::span<const std::uint32_t> in, std::uint32_t* result) {
                                launch_sum(stream, shuffle_sum_kernel, in, result);
                              }};

}  // namespace ladder

#pragma once
/// Step 3: the same tree, whose active threads are contiguous, so that whole warps have nothing to do.
///
/// Textbooks promise a factor of two or more. But the compiler turns the condition into predicates: a warp issues 70 instructions
/// instead of 72 in any case, and no step has bank conflicts. Only the accesses to shared memory become fewer: 36 instead of 141
/// per block.
///
/// Predicted: 1.1 times step 2, 33%.
/// Measured: 31.5% of copy on an H100, 22.4% on an H200. The atomic additions take the time, see step 2.
#include "1_atomic.cuh"

namespace ladder {

static __global__ void __launch_bounds__(kSumThreads)
    contiguous_sum_kernel(const std::uint32_t* in, std::int64_t n, std::uint32_t* result) {
  __shared__ std::uint32_t sums[kSumThreads];
  weft::grid_dependency_sync();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
  const unsigned t = threadIdx.x;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned apart = kSumThreads / 2; apart > 0; apart /= 2) {
    if (t < apart) sums[t] += sums[t + apart];
    __syncthreads();
  }
  if (t == 0) atomicAdd(result, sums[0]);
}

constexpr SumStep kContiguousSum{"3 tree in shared memory, contiguous threads", 0.33,
                                 [](weft::Stream& stream, std::span<const std::uint32_t> in, std::uint32_t* result) {
                                   launch_sum(stream, contiguous_sum_kernel, in, result);
                                 }};

}  // namespace ladder

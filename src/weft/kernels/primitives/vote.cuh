#pragma once
/// Votes of the threads of a warp or of a block, for kernels in .cu files.
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

/// The outcome of a vote of `voters` threads, for the thread that asks.
struct Vote {
  int count;   ///< threads that vote yes
  int before;  ///< those among the threads before this one: the position of its entry if those who vote yes store one each
  int voters;

  [[nodiscard]] __device__ bool any() const { return count > 0; }
  [[nodiscard]] __device__ bool all() const { return count == voters; }
};

/// Counts the votes of a warp. All 32 lanes call it.
__device__ inline Vote warp_vote(bool yes) {
  const unsigned lanes = __ballot_sync(detail::kAllLanes, yes);
  return {__popc(lanes), __popc(lanes & detail::first_lanes(static_cast<int>(threadIdx.x) % 32)), 32};
}

/// Counts the votes of a block. All threads call it; it contains barriers and ends with one.
/// @tparam kThreads  threads of the block, a multiple of 32.
template <int kThreads>
__device__ Vote block_vote(bool yes) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  __shared__ int of_warps[kThreads / 32];
  const Vote of_warp = warp_vote(yes);
  const int own = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) of_warps[own] = of_warp.count;
  __syncthreads();
  Vote vote{0, of_warp.before, kThreads};
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    if (warp < own) vote.before += of_warps[warp];
    vote.count += of_warps[warp];
  }
  __syncthreads();  // before the counts of the next vote are stored
  return vote;
}

}  // namespace weft::kernels

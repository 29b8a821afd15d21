#pragma once
/// Reductions and scans of one value per thread of a warp or of a block, for kernels in .cu files. The order in which values are
/// combined is fixed, so that results are equal in every run. Threads of a block are numbered by threadIdx.x alone.
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

/// Returns the combination of the values of a warp on its lane 0, something else on other lanes. All 32 lanes call it.
/// @param combine  associative and commutative, Plus for example; floating-point sums are added in the order of a tree.
/// @cost five shuffles for each 4 bytes of T, which is trivially copyable.
template <class T, class Combine>
__device__ T warp_reduce(T value, const Combine& combine) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) value = combine(value, weft::detail::shuffle_down(value, apart));
  return value;
}

/// Returns the combination of the values of the lanes up to and including this one, from left to right. All 32 lanes call it.
/// @param combine  associative.  @param lane  of the calling thread.  @cost as warp_reduce()
template <class T, class Combine>
__device__ T warp_inclusive_scan(T value, const Combine& combine, int lane = static_cast<int>(threadIdx.x) % 32) {
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const T before = detail::shuffle_up(value, apart);
    if (lane >= apart) value = combine(before, value);
  }
  return value;
}

/// Returns the combination of the values of a block, on every thread. All threads call it; it contains barriers and ends with
/// one.
/// @tparam kThreads  threads of the block, a multiple of 32.  @param combine  as for warp_reduce()
/// @cost two barriers, and on each thread a combination for each warp; sizeof(T) bytes of shared memory for each warp.
template <int kThreads, class T, class Combine>
__device__ T block_reduce(const T& value, const Combine& combine) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  __shared__ detail::SharedValue<T> of_warps[kThreads / 32];
  const T of_warp = warp_reduce(value, combine);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32].store(of_warp);
  __syncthreads();
  T result = of_warps[0].load();
  for (int warp = 1; warp < kThreads / 32; ++warp) result = combine(result, of_warps[warp].load());
  __syncthreads();  // before the values of the next reduction are stored
  return result;
}

/// Results of a scan of a block for one of its threads.
template <class T>
struct BlockPrefix {
  T before;  ///< the values of the threads before this one, combined with the initial value
  T total;   ///< the values of all threads, combined with the initial value
};

/// Combines the values of the threads of a block from left to right. All threads call it; it contains barriers and ends with one.
/// @tparam kThreads  threads of the block, a multiple of 32.  @param initial  an identity of `combine`: combined first.
/// @param combine  associative.  @cost as block_reduce(), and six shuffles for each 4 bytes of T.
template <int kThreads, class T, class Combine>
__device__ BlockPrefix<T> block_exclusive_scan(const T& value, const T& initial, const Combine& combine) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  __shared__ detail::SharedValue<T> of_warps[kThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, own = static_cast<int>(threadIdx.x) / 32;
  const T up_to = warp_inclusive_scan(value, combine);
  const T in_warp = detail::shuffle_up(up_to, 1);
  if (lane == 31) of_warps[own].store(up_to);
  __syncthreads();
  BlockPrefix<T> prefix{initial, initial};
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    if (warp == own) prefix.before = prefix.total;
    prefix.total = combine(prefix.total, of_warps[warp].load());
  }
  if (lane > 0) prefix.before = combine(prefix.before, in_warp);
  __syncthreads();  // before the values of the next scan are stored
  return prefix;
}

}  // namespace weft::kernels

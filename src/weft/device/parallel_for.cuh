#pragma once
/// parallel_for and reduce on a GPU, for .cu files. Kernels call the functions: functors whose operator() is WEFT_HD, or lambdas
/// [=] WEFT_HD (int i) { ... }, which nvcc accepts neither in private member functions nor with init-captures. Functions are
/// passed by value as kernel parameters, up to 32 kB.
#include <bit>
#include <cstdint>
#include <cstring>

#include "weft/base/macros.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.hpp"

namespace weft {

namespace detail {

inline constexpr int kLoopThreads = 256;

template <class Integer, class F>
__global__ void __launch_bounds__(kLoopThreads) loop_kernel(Integer n, const F f) {
  trigger_dependent_launch();
  grid_dependency_sync();
  const auto i = static_cast<std::int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i < static_cast<std::int64_t>(n)) f(static_cast<Integer>(i));
}

/// Returns the value of the lane `apart` lanes further in the warp (__shfl_down_sync for any trivially copyable type).
template <class T>
__device__ T shuffle_down(const T& value, int apart) {
  std::uint32_t words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
  for (std::uint32_t& word : words) word = __shfl_down_sync(0xffffffffU, word, static_cast<unsigned>(apart));
  T result = value;
  memcpy(&result, words, sizeof(T));
  return result;
}

/// Shared memory per block that needs no permission by set_max_dynamic_shared_memory(), in bytes.
inline constexpr std::size_t kSharedBytes = 48 * 1024;

inline constexpr int kReduceThreads = 256;
inline constexpr int kReduceWarps = kReduceThreads / kReduceLanes;

/// Reduces one block of values per warp, in the order of reduce_block().
template <class Integer, class T, class Map, class Combine>
__global__ void __launch_bounds__(kReduceThreads)
    reduce_blocks_kernel(Integer n, std::int64_t blocks, int block_size, const T identity, const Map map, const Combine combine,
                         T* block_results) {
  static_assert(std::is_trivially_copyable_v<T> && kTreeThreads * sizeof(T) <= kSharedBytes, "results of at most 96 bytes");
  const int lane = static_cast<int>(threadIdx.x) % kReduceLanes;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kReduceWarps + threadIdx.x / kReduceLanes;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (block >= blocks) return;
  const std::int64_t first = block * block_size + lane, size = static_cast<std::int64_t>(n);
  T result = identity;
  if ((block + 1) * block_size <= size) {
    constexpr int kUnroll = sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : sizeof(T) <= 40 ? 4 : 1;  // concurrent loads
#pragma unroll kUnroll
    for (int i = 0; i < block_size; i += kReduceLanes) result = combine(result, map(static_cast<Integer>(first + i)));
  } else {
    for (std::int64_t i = first; i < size; i += kReduceLanes) result = combine(result, map(static_cast<Integer>(i)));
  }
  for (int apart = kReduceLanes / 2; apart > 0; apart /= 2) {
    const T other = shuffle_down(result, apart);
    if (lane < apart) result = combine(result, other);
  }
  if (lane == 0) block_results[block] = result;
}

/// Combines `count` values pairwise in the order of reduce_range(), which splits a range into halves, the left one not larger.
/// `depth` levels of splits, with 2^depth <= count, leave one or two values in each leaf of a perfect binary tree; each CUDA
/// block reduces one subtree.
template <class T, class Combine>
__global__ void __launch_bounds__(kTreeThreads)
    reduce_tree_kernel(std::int64_t count, int depth, const T* values, const Combine combine, T* results) {
  __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char memory[kTreeThreads * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(memory);
  const std::int64_t leaf = static_cast<std::int64_t>(blockIdx.x) * kTreeThreads + threadIdx.x;
  const std::int64_t leaves = std::int64_t{1} << depth;
  std::int64_t first = 0, size = count;
  if (leaf < leaves) {
    for (int level = depth - 1; level >= 0; --level) {
      const std::int64_t half = size / 2;
      if ((leaf >> level & 1) != 0) {
        first += half;
        size -= half;
      } else {
        size = half;
      }
    }
  }
  trigger_dependent_launch();
  grid_dependency_sync();
  if (leaf < leaves) shared[threadIdx.x] = size == 2 ? combine(values[first], values[first + 1]) : values[first];
  const int width = static_cast<int>(leaves < kTreeThreads ? leaves : kTreeThreads);
  for (int apart = 1; apart < width; apart *= 2) {
    __syncthreads();
    const int at = static_cast<int>(threadIdx.x) * 2 * apart;
    if (at < width) shared[at] = combine(shared[at], shared[at + apart]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = shared[0];
}

}  // namespace detail

/// Calls f(i) for every i in 0 .. n-1 in one kernel with one thread per index.
/// @pre `stream` belongs to the current GPU. @throws DeviceError where the launch is rejected.
template <class Integer, class F>
  requires std::is_integral_v<Integer>
void parallel_for(space::cuda, Stream& stream, Integer n, const F& f) {
  WEFT_EXPECTS(!stream.is_host());
  if (n <= 0) return;
  const auto blocks = (static_cast<std::int64_t>(n) + detail::kLoopThreads - 1) / detail::kLoopThreads;
  launch(stream, "parallel_for", {.blocks = blocks, .threads = detail::kLoopThreads}, detail::loop_kernel<Integer, F>, n, f);
}

namespace detail {
/// Combines `count` values pairwise in the order of reduce_range(). @param next  memory for 2 (count / kTreeThreads + 1) values.
/// No operation for one value, which is the result already.
template <class T, class Combine>
void combine_blocks_into(Stream& stream, std::int64_t count, const T* values, T* next, const Combine& combine, T* result) {
  while (count > 1) {
    const int depth = std::bit_width(static_cast<std::uint64_t>(count)) - 1;
    const std::int64_t leaves = std::int64_t{1} << depth;
    const std::int64_t trees = (leaves + kTreeThreads - 1) / kTreeThreads;
    T* const to = trees == 1 ? result : next;
    launch(stream, "reduce", {.blocks = trees, .threads = kTreeThreads}, reduce_tree_kernel<T, Combine>, count, depth, values,
           combine, to);
    values = to;
    next = to + trees;
    count = trees;
  }
}
}  // namespace detail

/// Reduces in the same order and to the same digits as on the host, with the result in `*result`.
/// @param scratch  device memory for reduce_scratch(n) values, for the exclusive use of this call.
/// @cost one kernel up to 1024 values, two up to a million, three up to two billion; map is called once per index.
template <class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
void reduce_into(space::cuda, Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine, T* result,
                 T* scratch) {
  WEFT_EXPECTS(!stream.is_host());
  const std::int64_t count = detail::reduce_blocks(n);
  T* const values = count == 1 ? result : scratch;
  launch(stream, "reduce",
         {.blocks = (count + detail::kReduceWarps - 1) / detail::kReduceWarps, .threads = detail::kReduceThreads},
         detail::reduce_blocks_kernel<Integer, T, Map, Combine>, n, count, detail::reduce_block_size(n), identity, map, combine,
         values);
  detail::combine_blocks_into<T>(stream, count, values, values + count, combine, result);
}

/// Reduces with scratch memory from the memory pool of the stream.
template <class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
void reduce_into(space::cuda space, Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine,
                 T* result) {
  const DeviceVector<T> scratch(stream, reduce_scratch(n));
  reduce_into(space, stream, n, identity, map, combine, result, scratch.data());
}

/// Reduces and returns the result. Blocks the host until the stream has completed. @throws DeviceError
template <class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
[[nodiscard]] T reduce(space::cuda space, Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine) {
  const DeviceVector<T> on_device(stream, 1);
  T result = identity;
  reduce_into(space, stream, n, identity, map, combine, on_device.data());
  copy_bytes(stream, &result, on_device.data(), sizeof(T));
  stream.wait();
  return result;
}

}  // namespace weft

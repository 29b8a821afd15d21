#pragma once
/// parallel_for and reduce on a GPU, for .cu files. The functions are called in kernels: functors whose operator() is WEFT_HD, or
/// lambdas [=] WEFT_HD (int i) { ... } (in functions that are not private, and without init-captures: nvcc refuses those). They
/// travel by value, up to 32 kB of views and numbers.
#include <bit>
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/parallel_for.hpp"

namespace weft {

namespace detail {

inline constexpr int kLoopThreads = 256;

template <class Integer, class F>
__global__ void __launch_bounds__(kLoopThreads) loop_kernel(Integer n, const F f) {
  const auto i = static_cast<std::int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i < static_cast<std::int64_t>(n)) f(static_cast<Integer>(i));
}

/// How a warp shares the work: it fetches kRows blocks of 256 values side by side into shared memory, all at once, so that memory
/// is read in whole lines and with many loads in flight; then one lane per block combines its values from left to right.
template <class T>
struct ReduceShape {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 160);
  static constexpr int kRows = sizeof(T) <= 16 ? 4 : sizeof(T) <= 40 ? 2 : 1;
  static constexpr int kStride = kReduceBlock + 1;  // rows start in different banks
  static constexpr int kTileBytes = kRows * kStride * static_cast<int>(sizeof(T));
  static constexpr int kWarps = kTileBytes <= 12 * 1024 ? 4 : kTileBytes <= 24 * 1024 ? 2 : 1;
};

template <class Integer, class T, class Map, class Combine>
__global__ void __launch_bounds__(32 * ReduceShape<T>::kWarps)
    reduce_blocks_kernel(Integer n, std::int64_t blocks, const T identity, const Map map, const Combine combine,
                         T* block_results) {
  using Shape = ReduceShape<T>;
  __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char memory[Shape::kWarps * Shape::kTileBytes];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  T* const tile = reinterpret_cast<T*>(memory + warp * Shape::kTileBytes);
  const std::int64_t first_block = (static_cast<std::int64_t>(blockIdx.x) * Shape::kWarps + warp) * Shape::kRows;
  const auto size = static_cast<std::int64_t>(n);
  const std::int64_t first = first_block * kReduceBlock;
  if (first + Shape::kRows * kReduceBlock <= size) {
#pragma unroll
    for (int k = 0; k < Shape::kRows * kReduceBlock / 32; ++k) {
      const int at = k * 32 + lane;
      tile[at / kReduceBlock * Shape::kStride + at % kReduceBlock] = map(static_cast<Integer>(first + at));
    }
  } else {
    for (int at = lane; at < Shape::kRows * kReduceBlock; at += 32) {
      if (first + at < size) tile[at / kReduceBlock * Shape::kStride + at % kReduceBlock] = map(static_cast<Integer>(first + at));
    }
  }
  __syncwarp();
  if (lane >= Shape::kRows || first_block + lane >= blocks) return;
  const std::int64_t left = size - (first + lane * kReduceBlock);
  T result = identity;
  if (left >= kReduceBlock) {
#pragma unroll 16
    for (int i = 0; i < kReduceBlock; ++i) result = combine(result, tile[lane * Shape::kStride + i]);
  } else {
    for (int i = 0; i < left; ++i) result = combine(result, tile[lane * Shape::kStride + i]);
  }
  block_results[first_block + lane] = result;
}

inline constexpr int kTreeThreads = 512;

/// Combines `count` values pairwise as reduce_range splits them: halves, the left one not larger. Splitting 2^depth <= count
/// times leaves one or two values to each leaf; from there on the tree is perfect, and each CUDA block does one subtree of it.
template <class T, class Combine>
__global__ void __launch_bounds__(kTreeThreads)
    reduce_tree_kernel(std::int64_t count, int depth, const T* values, const Combine combine, T* results) {
  __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char memory[kTreeThreads * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(memory);
  const std::int64_t leaf = static_cast<std::int64_t>(blockIdx.x) * kTreeThreads + threadIdx.x;
  const std::int64_t leaves = std::int64_t{1} << depth;
  if (leaf < leaves) {
    std::int64_t first = 0, size = count;
    for (int level = depth - 1; level >= 0; --level) {
      const std::int64_t half = size / 2;
      if ((leaf >> level & 1) != 0) {
        first += half;
        size -= half;
      } else {
        size = half;
      }
    }
    shared[threadIdx.x] = size == 2 ? combine(values[first], values[first + 1]) : values[first];
  }
  const int width = static_cast<int>(leaves < kTreeThreads ? leaves : kTreeThreads);
  for (int apart = 1; apart < width; apart *= 2) {
    __syncthreads();
    const int at = static_cast<int>(threadIdx.x) * 2 * apart;
    if (at < width) shared[at] = combine(shared[at], shared[at + apart]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = shared[0];
}

}  // namespace detail

/// One kernel, 256 threads a block, one thread an index. @throws DeviceError where the launch is refused.
template <class Integer, class F>
  requires std::is_integral_v<Integer>
void parallel_for(space::cuda, Stream& stream, Integer n, const F& f) {
  WEFT_EXPECTS(!stream.is_host());
  if (n <= 0) return;
  const auto blocks = (static_cast<std::int64_t>(n) + detail::kLoopThreads - 1) / detail::kLoopThreads;
  detail::loop_kernel<<<static_cast<unsigned>(blocks), detail::kLoopThreads, 0, native(stream)>>>(n, f);
  check_launch("parallel_for");
}

/// Same order and same digits as on the host. Two kernels up to 131,072 values, three up to 67 million; reads what map reads
/// once. Temporary memory from the stream's pool: n / 256 values.
template <class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
void reduce_into(space::cuda, Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine, T* result) {
  WEFT_EXPECTS(!stream.is_host());
  using Shape = detail::ReduceShape<T>;
  std::int64_t count = n <= 0 ? 1 : (static_cast<std::int64_t>(n) + detail::kReduceBlock - 1) / detail::kReduceBlock;
  const StreamBuffer<T> buffer(stream, count == 1 ? 0 : static_cast<std::size_t>(count + count / detail::kTreeThreads + 1));
  T* values = count == 1 ? result : buffer.data();
  T* next = values + count;
  constexpr int kPerCudaBlock = Shape::kRows * Shape::kWarps;
  detail::reduce_blocks_kernel<<<static_cast<unsigned>((count + kPerCudaBlock - 1) / kPerCudaBlock), 32 * Shape::kWarps, 0,
                                 native(stream)>>>(n, count, identity, map, combine, values);
  check_launch("reduce");
  while (count > 1) {
    const int depth = std::bit_width(static_cast<std::uint64_t>(count)) - 1;
    const std::int64_t leaves = std::int64_t{1} << depth;
    const std::int64_t trees = (leaves + detail::kTreeThreads - 1) / detail::kTreeThreads;
    T* const to = trees == 1 ? result : next;
    detail::reduce_tree_kernel<<<static_cast<unsigned>(trees), detail::kTreeThreads, 0, native(stream)>>>(count, depth, values,
                                                                                                          combine, to);
    check_launch("reduce");
    values = to;
    next = values + trees;
    count = trees;
  }
}

template <class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
[[nodiscard]] T reduce(space::cuda space, Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine) {
  const StreamBuffer<T> on_device(stream, 1);
  T result = identity;
  reduce_into(space, stream, n, identity, map, combine, on_device.data());
  copy_bytes(stream, &result, on_device.data(), sizeof(T));
  stream.wait();
  return result;
}

}  // namespace weft

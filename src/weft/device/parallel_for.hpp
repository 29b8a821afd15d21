#pragma once
/// Loops and reductions over 0 .. n-1 with one interface for every space. A .cu file includes parallel_for.cuh instead, which
/// adds the overloads for space::cuda.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// Calls f(i) for every i in 0 .. n-1; f must not depend on the order of the calls. On the host and the mirror the calling thread
/// makes the calls in ascending order.
template <Space S, class Integer, class F>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void parallel_for(S, Integer n, const F& f) {
  for (Integer i = 0; i < n; ++i) f(i);
}

/// Calls f(i) for every i in 0 .. n-1 in stream order. @pre `stream` is a host stream for the host and the mirror, and a stream
/// of the current GPU for space::cuda.
template <Space S, class Integer, class F>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void parallel_for(S space, [[maybe_unused]] Stream& stream, Integer n, const F& f) {
  WEFT_EXPECTS(stream.is_host());
  parallel_for(space, n, f);
}

namespace detail {
/// Number of independent partial results in a block: the width of a GPU warp, and a multiple of the SIMD width of a CPU.
inline constexpr int kReduceLanes = 32;
/// Returns the number of values per block. Small blocks provide more parallelism, large ones leave fewer results to combine.
[[nodiscard]] constexpr int reduce_block_size(std::int64_t n) { return (n < std::int64_t{1} << 24 ? 32 : 128) * kReduceLanes; }

/// Returns the number of blocks, 1 for n = 0.
[[nodiscard]] constexpr std::int64_t reduce_blocks(std::int64_t n) {
  const std::int64_t size = reduce_block_size(n);
  return n <= size ? 1 : (n + size - 1) / size;
}
/// Threads per CUDA block that combine the results of blocks.
inline constexpr int kTreeThreads = 512;

template <class Integer, class T, class Map, class Combine>
T reduce_block(Integer first, Integer last, const T& identity, const Map& map, const Combine& combine) {
  std::array<T, kReduceLanes> lanes;
  lanes.fill(identity);
  for (; last - first >= kReduceLanes; first += kReduceLanes) {
    for (int lane = 0; lane < kReduceLanes; ++lane) {
      T& result = lanes[lane];
      result = combine(result, map(static_cast<Integer>(first + lane)));
    }
  }
  for (std::size_t lane = 0; first < last; ++lane, ++first) lanes[lane] = combine(lanes[lane], map(first));
  for (std::size_t apart = kReduceLanes / 2; apart > 0; apart /= 2) {
    for (std::size_t lane = 0; lane < apart; ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + apart]);
  }
  return lanes[0];
}

template <class Integer, class T, class Map, class Combine>
T reduce_range(Integer first, Integer last, std::int64_t block, const T& identity, const Map& map, const Combine& combine) {
  if (last - first <= block) return reduce_block(first, last, identity, map, combine);
  const std::int64_t blocks = (last - first + block - 1) / block;
  const auto middle = static_cast<Integer>(first + blocks / 2 * block);
  const T left = reduce_range(first, middle, block, identity, map, combine);
  return combine(left, reduce_range(middle, last, block, identity, map, combine));
}
}  // namespace detail

/// Returns the number of scratch values of reduce_into() on a GPU: about n / 1024.
[[nodiscard]] constexpr std::size_t reduce_scratch(std::int64_t n) {
  const std::int64_t blocks = detail::reduce_blocks(n);
  return blocks == 1 ? 0 : static_cast<std::size_t>(blocks + 2 * (blocks / detail::kTreeThreads + 1));
}

/// Returns map(0) .. map(n-1) combined in an order that depends on n alone. Values are divided into blocks of 1024 (4096 from
/// 2^24 values on). Within a block, lane l of 32 combines `identity` with every 32nd value from l on; the lanes are then combined
/// pairwise at distances 16, 8, 4, 2, 1, and the results of the blocks pairwise in a binary tree. The rounding error of a sum
/// grows with 37 (133) + log2(blocks), not with n. The order is the same in every space, and so are the digits, provided that map
/// and combine compute the same.
/// @param combine  associative and commutative up to rounding.  @param identity  neutral element of `combine`.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
[[nodiscard]] T reduce(S, Integer n, const T& identity, const Map& map, const Combine& combine) {
  return detail::reduce_range(Integer{0}, n, detail::reduce_block_size(n), identity, map, combine);
}

/// Reduces after the preceding work of `stream` and blocks the host until the result is available. @pre on `stream` as for
/// parallel_for.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
[[nodiscard]] T reduce(S space, [[maybe_unused]] Stream& stream, Integer n, const T& identity, const Map& map,
                       const Combine& combine) {
  WEFT_EXPECTS(stream.is_host());
  return reduce(space, n, identity, map, combine);
}

/// Reduces in stream order into `*result`, in memory accessible to S. Does not block the host; can be captured in a Graph.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void reduce_into(S space, [[maybe_unused]] Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine,
                 T* result) {
  WEFT_EXPECTS(stream.is_host());
  *result = reduce(space, n, identity, map, combine);
}

}  // namespace weft

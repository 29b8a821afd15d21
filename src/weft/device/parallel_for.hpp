#pragma once
/// Loops and reductions over 0 .. n-1 that are spelled once for every space. A .cu file includes parallel_for.cuh instead, which
/// adds the same for space::cuda.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// f(i) for every i in 0 .. n-1. The calls must not depend on each other's order. On the host and the mirror: done, in order and
/// on the calling thread, when this returns.
template <Space S, class Integer, class F>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void parallel_for(S, Integer n, const F& f) {
  for (Integer i = 0; i < n; ++i) f(i);
}

/// The same as work of `stream`. @pre a host stream for the host and the mirror, one of the current GPU for space::cuda.
template <Space S, class Integer, class F>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void parallel_for(S space, [[maybe_unused]] Stream& stream, Integer n, const F& f) {
  WEFT_EXPECTS(stream.is_host());
  parallel_for(space, n, f);
}

namespace detail {
/// Running results side by side: what a core's vectors and a GPU's warp do at once.
inline constexpr int kReduceLanes = 32;
/// Values of a block: fewer of them make more blocks to do at once, more of them less to combine in the end.
[[nodiscard]] constexpr int reduce_block_size(std::int64_t n) { return (n < std::int64_t{1} << 24 ? 32 : 128) * kReduceLanes; }

template <class Integer, class T, class Map, class Combine>
T reduce_block(Integer first, Integer last, const T& identity, const Map& map, const Combine& combine) {
  std::array<T, kReduceLanes> lanes;
  lanes.fill(identity);
  for (; last - first >= kReduceLanes; first += kReduceLanes) {
    for (int lane = 0; lane < kReduceLanes; ++lane) {
      T& result = lanes[static_cast<std::size_t>(lane)];
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

/// combine over map(0) .. map(n-1), in an order that depends on n alone: within a block of 1024 (4096 where there are 2^24 and
/// more), 32 results, each of `identity` and then every 32nd value, which are combined pairwise (the one 16 further on first);
/// then the blocks pairwise. A sum's rounding error grows with 37 (133) + log2(blocks), not with n. The order is the same in
/// every space, and so are the digits as far as map and combine compute the same.
/// @param combine  associative and commutative, but for rounding.  @param identity  combined with any value it is that value.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
[[nodiscard]] T reduce(S, Integer n, const T& identity, const Map& map, const Combine& combine) {
  return detail::reduce_range(Integer{0}, n, detail::reduce_block_size(n), identity, map, combine);
}

/// The same after the work of `stream`; blocks the host until it is done. @pre on `stream` as for parallel_for.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
[[nodiscard]] T reduce(S space, [[maybe_unused]] Stream& stream, Integer n, const T& identity, const Map& map,
                       const Combine& combine) {
  WEFT_EXPECTS(stream.is_host());
  return reduce(space, n, identity, map, combine);
}

/// The same as work of `stream`, into `*result`, which is in memory that S reaches. Blocks nobody; can be captured in a Graph.
template <Space S, class Integer, class T, class Map, class Combine>
  requires(std::is_integral_v<Integer> && kRunsOnHost<S>)
void reduce_into(S space, [[maybe_unused]] Stream& stream, Integer n, const T& identity, const Map& map, const Combine& combine,
                 T* result) {
  WEFT_EXPECTS(stream.is_host());
  *result = reduce(space, n, identity, map, combine);
}

}  // namespace weft

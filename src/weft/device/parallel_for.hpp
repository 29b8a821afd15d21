#pragma once
/// Loops and reductions over 0 .. n-1 that are spelled once for every space.
#include <type_traits>

#include "weft/device/space.hpp"

namespace weft {

/// f(i) for every i in 0 .. n-1. The calls must not depend on each other's order. On the host and the mirror: done, in order and
/// on the calling thread, when this returns.
template <Space S, class Integer, class F>
  requires std::is_integral_v<Integer>
void parallel_for(S, Integer n, const F& f) {
  for (Integer i = 0; i < n; ++i) f(i);
}

namespace detail {
inline constexpr int kReduceBlock = 256;

template <class Integer, class T, class Map, class Combine>
T reduce_range(Integer first, Integer last, const T& identity, const Map& map, const Combine& combine) {
  if (last - first <= kReduceBlock) {
    T result = identity;
    for (Integer i = first; i < last; ++i) result = combine(result, map(i));
    return result;
  }
  const Integer blocks = (last - first + kReduceBlock - 1) / kReduceBlock;
  const Integer middle = first + blocks / 2 * kReduceBlock;
  const T left = reduce_range(first, middle, identity, map, combine);
  return combine(left, reduce_range(middle, last, identity, map, combine));
}
}  // namespace detail

/// combine over map(0) .. map(n-1), in an order that depends on n alone: blocks of 256 from left to right, each starting with
/// `identity`, then the blocks pairwise. A sum's rounding error grows with 256 + log2(n / 256), not with n.
template <Space S, class Integer, class T, class Map, class Combine>
  requires std::is_integral_v<Integer>
[[nodiscard]] T reduce(S, Integer n, const T& identity, const Map& map, const Combine& combine) {
  return detail::reduce_range(Integer{0}, n, identity, map, combine);
}

}  // namespace weft

#pragma once
/// The assignment of the elements of a tile to threads and their values.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/divide.hpp"

namespace weft::kernels::layout {

/// Arranges threads over a tile so that each has a block of adjacent values. `threads` and `values` map coordinates of the
/// arrangement to the numbers of threads and of a thread's values. The result has two modes, threads and values, and yields the
/// coordinates of the element in the tile; its composition with the layout of a tile is the index in memory.
/// Example: threads (2,2):(2,1), values (2,2):(1,2) give ((2,2),(2,2)):((2@1,2@0),(1@0,1@1)), a tile of 4 x 4 in which thread 1
/// has rows 0 and 1 of columns 2 and 3. @throws InputError if `threads` or `values` is not a permutation of 0, ..., size - 1.
[[nodiscard]] WEFT_HD constexpr Layout thread_values(const Layout& threads, const Layout& values) {
  if (!is_bijective(threads) || !threads.is_plain())
    invalid("thread_values: threads are not a permutation of 0 to {0}; give each one place", threads.size() - 1);
  if (!is_bijective(values) || !values.is_plain())
    invalid("thread_values: values are not a permutation of 0 to {0}; give each one place", values.size() - 1);
  const Layout arrangement = raked_product(threads, values);
  IntTuple tile;
  for (int k = 0; k < arrangement.rank(); ++k) tile.append(mode(arrangement, k).size());
  tile.enclose();
  return composition(identity(tile), with_shape(right_inverse(arrangement), {threads.size(), values.size()}));
}

/// Returns the extents of the tile of a thread-value layout.
[[nodiscard]] WEFT_HD constexpr IntTuple tile_of(const Layout& tv) {
  IntTuple tile;
  for (int k = 0; k < tv.axes; ++k) tile.append(detail::largest_on(tv, k) + 1);
  tile.enclose();
  return tile;
}

}  // namespace weft::kernels::layout

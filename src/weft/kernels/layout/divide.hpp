#pragma once
/// Division of layouts into tiles, and their products.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/compose.hpp"
#include "weft/kernels/layout/inverse.hpp"

namespace weft::kernels::layout {

namespace detail {

/// Returns mode k of a tiler as a plain layout. @throws InputError if one of its leaves is on another axis.
[[nodiscard]] WEFT_HD constexpr Layout tile_of_mode(const Layout& tiler, int k) {
  if (tiler.rank() != tiler.axes)
    invalid("divide: the tiler has {0} modes, {1} axes; use by_mode() or identity()", tiler.rank(), tiler.axes);
  Layout result = mode(tiler, k);
  for (int i = 0; i < result.shape.leaves; ++i) {
    if (result.stride[i] != 0 && result.axis[i] != k)
      invalid("divide: mode {0} of the tiler is on axis {1}; use by_mode() or identity()", k, result.axis[i]);
    result.axis[i] = 0;
  }
  result.axes = 0;
  return result;
}

/// Appends the modes of `from` to `to`, without the parentheses around them.
WEFT_HD constexpr void append_modes(Layout& to, const Layout& from) {
  for (int k = 0; k < from.rank(); ++k) to.append(mode(from, k));
}

}  // namespace detail

/// Divides a layout into tiles. A plain tiler selects the elements of the first tile by their indices: the result has two modes,
/// the tile and the tiles, and (tile, rest) is the composition of `l` with the tiler and its complement. A coordinate tiler,
/// identity({rows, columns}) or by_mode({...}), divides mode by mode: the result is ((tile_0, rest_0), (tile_1, rest_1), ...),
/// and modes without a tiler remain. Example: 24:1 by 4:2 gives (4,(2,3)):(2,(1,8)).
/// @throws InputError if tiles do not fill the layout: pad it to a multiple and predicate. As composition() and complement().
[[nodiscard]] WEFT_HD constexpr Layout logical_divide(const Layout& l, const Layout& tiler) {
  if (tiler.axes == 0) return composition(l, concatenate({tiler, complement(tiler, l.size())}));
  if (tiler.axes > l.rank())
    invalid("divide: the tiler has {0} axes, the layout {1} modes; use one axis per mode", tiler.axes, l.rank());
  Layout result;
  for (int k = 0; k < l.rank(); ++k) {
    result.append(k < tiler.axes ? logical_divide(mode(l, k), detail::tile_of_mode(tiler, k)) : mode(l, k));
  }
  result.shape.enclose();
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}

/// Divides as logical_divide() and groups the modes as ((tile_0, tile_1, ...), (rest_0, rest_1, ...)). Example: row-major
/// (4,6):(6,1) by identity({2,3}) gives ((2,3),(2,2)):((6,1),(12,3)). @throws InputError as logical_divide().
[[nodiscard]] WEFT_HD constexpr Layout zipped_divide(const Layout& l, const Layout& tiler) {
  const Layout divided = logical_divide(l, tiler);
  if (tiler.axes == 0) return divided;
  Layout tile, rest;
  for (int k = 0; k < l.rank(); ++k) {
    const Layout both = mode(divided, k);
    if (k < tiler.axes) tile.append(mode(both, 0));
    rest.append(k < tiler.axes ? mode(both, 1) : both);
  }
  tile.shape.enclose();
  rest.shape.enclose();
  tile.append(rest);
  tile.shape.enclose();
  tile.axes = l.axes;
  tile.swizzle = l.swizzle;
  return tile;
}

/// Divides as zipped_divide() with the modes of the rest side by side: (tile, rest_0, rest_1, ...).
/// @throws InputError as logical_divide().
[[nodiscard]] WEFT_HD constexpr Layout tiled_divide(const Layout& l, const Layout& tiler) {
  const Layout zipped = zipped_divide(l, tiler);
  Layout result = mode(zipped, 0);
  detail::append_modes(result, mode(zipped, 1));
  result.shape.enclose();
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}

/// Returns the layout of copies of `block`, arranged as `tiler` arranges its elements: two modes, the block and the copies.
/// Example: (2,2):(1,2) times 3:1 is ((2,2),3):((1,2),4). @throws InputError if one is not plain, or as complement().
[[nodiscard]] WEFT_HD constexpr Layout logical_product(const Layout& block, const Layout& tiler) {
  if (!tiler.is_plain())
    invalid("product: the tiler has a swizzle or yields coordinates; products are defined for plain layouts");
  const Layout sorted = detail::sorted_leaves(block);
  std::int64_t filled = 1;  // indices up to the end of the block
  for (int i = 0; i < sorted.shape.leaves; ++i) {
    if (sorted.stride[i] > 0) filled = product_of(sorted.shape.value[i], sorted.stride[i]);
  }
  return concatenate({block, composition(complement(block, product_of(filled, cosize(tiler))), tiler)});
}

namespace detail {

/// Returns the logical product with mode k = (block_k, copies_k), or (copies_k, block_k) if `raked`.
[[nodiscard]] WEFT_HD constexpr Layout zipped_product(const Layout& block, const Layout& tiler, bool raked) {
  const Layout product = logical_product(block, tiler);
  const Layout blocks = mode(product, 0), copies = mode(product, 1);
  Layout one;
  one.append(1, 0);
  Layout result;
  for (int k = 0; k < block.rank() || k < tiler.rank(); ++k) {
    const Layout a = k < block.rank() ? mode(blocks, k) : one, b = k < tiler.rank() ? mode(copies, k) : one;
    result.append(raked ? concatenate({b, a}) : concatenate({a, b}));
  }
  result.shape.enclose();
  return result;
}

}  // namespace detail

/// Returns the product by modes in which the elements of a block are adjacent: mode k is (block_k, copies_k). The lower rank is
/// extended by modes of one element. Example: (2,2):(1,2) times 2:1 is ((2,2),(2,1)):((1,4),(2,0)).
/// @throws InputError as logical_product().
[[nodiscard]] WEFT_HD constexpr Layout blocked_product(const Layout& block, const Layout& tiler) {
  return detail::zipped_product(block, tiler, false);
}

/// Returns the product by modes in which the elements of a block are interleaved with those of the others: mode k is (copies_k,
/// block_k). raked_product(threads, values) gives every thread adjacent values. @throws InputError as logical_product().
[[nodiscard]] WEFT_HD constexpr Layout raked_product(const Layout& block, const Layout& tiler) {
  return detail::zipped_product(block, tiler, true);
}

}  // namespace weft::kernels::layout

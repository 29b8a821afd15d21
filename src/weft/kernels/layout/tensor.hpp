#pragma once
/// Memory with a layout: elements, slices, tiles of blocks, shares of threads, and copies.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/layout/divide.hpp"
#include "weft/kernels/layout/static_layout.hpp"
#include "weft/kernels/layout/thread_values.hpp"

namespace weft::kernels::layout {

/// The argument of a tensor that stands for all indices of a mode.
struct All {};
inline constexpr All all{};

namespace detail {

template <class... I>
inline constexpr bool kHasAll = (std::is_same_v<I, All> || ...);  // NOLINT(misc-redundant-expression): one for each type

/// Returns a mask of the modes that are kept: those with the argument `all`.
template <class... I>
[[nodiscard]] WEFT_HD constexpr unsigned kept_modes() {
  unsigned mask = 0, bit = 1;
  ((mask |= std::is_same_v<I, All> ? bit : 0U, bit *= 2), ...);
  return mask;
}
/// Returns the layout of the kept modes; a single one without parentheses around it.
[[nodiscard]] WEFT_HD constexpr Layout kept(const Layout& l, unsigned mask) {
  Layout result;
  int modes = 0;
  for (int k = 0; k < l.rank(); ++k) {
    if ((mask >> k & 1U) == 0) continue;
    result.append(mode(l, k));
    ++modes;
  }
  if (modes > 1) result.shape.enclose();
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}
template <unsigned kMask>
[[nodiscard]] WEFT_HD constexpr Layout keep(const Layout& l) {
  return kept(l, kMask);
}
template <unsigned kMask, LayoutKey kLayout>
[[nodiscard]] WEFT_HD constexpr auto keep(const StaticLayout<kLayout>& l) {
  constexpr Layout kKept = kept(kLayout, kMask);
  return l.template rebind<kKept>();
}

[[nodiscard]] WEFT_HD constexpr int first_element(All) { return 0; }
template <class I>
[[nodiscard]] WEFT_HD constexpr I first_element(I i) {
  return i;
}

}  // namespace detail

/// Memory with a layout. `L` is Layout or StaticLayout. The offset of a slice is added before the swizzle, so that slices of
/// swizzled memory are views of the same elements. Trivially copyable; a view that does not own the memory.
template <class T, class L>
struct Tensor {
  using Index = typename L::Index;

  T* data;
  L layout;
  Index offset = 0;

  /// Returns the element at an index or at an index per mode. With `all` in place of some indices, returns the tensor of these
  /// modes, as a view. @pre 0 <= each index < the extent of its mode.
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr decltype(auto) operator()(I... at) const {
    if constexpr (detail::kHasAll<I...>) {
      const auto kept = detail::keep<detail::kept_modes<I...>()>(layout);
      const Index first = static_cast<Index>(offset + static_cast<Index>(layout.sum(detail::first_element(at)...)));
      return Tensor<T, std::remove_const_t<decltype(kept)>>{data, kept, first};
    } else {
      return static_cast<T&>(data[layout.at_offset(offset, at...)]);
    }
  }
  [[nodiscard]] WEFT_HD constexpr std::int64_t size() const { return layout.size(); }
};

/// Returns the tensor of this memory. @pre it has cosize(layout) elements.
template <class T, class L>
[[nodiscard]] WEFT_HD constexpr Tensor<T, L> tensor(T* data, const L& layout) {
  return {data, layout};
}

/// Returns the tile with these coordinates among the tiles of `t`, as a view: mode 0 of tiled_divide().
/// Example: local_tile(matrix, identity({64, 64}), block_row, block_column). @throws InputError as logical_divide().
/// @pre one coordinate per mode of the rest, within its extent.
template <class T, class... I>
[[nodiscard]] WEFT_HD constexpr Tensor<T, Layout> local_tile(const Tensor<T, Layout>& t, const Layout& tiler, I... tile) {
  return Tensor<T, Layout>{t.data, tiled_divide(t.layout, tiler), t.offset}(all, tile...);
}
/// Returns the tile of a tensor with a static layout; tiles that do not fill it are errors of the compiler.
template <LayoutKey kTiler, class T, LayoutKey kLayout, class... I>
[[nodiscard]] WEFT_HD constexpr auto local_tile(const Tensor<T, StaticLayout<kLayout>>& t, I... tile) {
  constexpr Layout kDivided = tiled_divide(kLayout, kTiler);
  const auto divided = t.layout.template rebind<kDivided>();
  return Tensor<T, std::remove_const_t<decltype(divided)>>{t.data, divided, t.offset}(all, tile...);
}

namespace detail {

/// Returns the tiler that selects one element per thread.
[[nodiscard]] WEFT_HD constexpr Layout tiler_of(const Layout& threads) {
  if (!is_bijective(threads) || !threads.is_plain())
    invalid("local_partition: threads are not a permutation of 0 to {0}; give each one place", threads.size() - 1);
  IntTuple extents;
  for (int k = 0; k < threads.rank(); ++k) extents.append(mode(threads, k).size());
  extents.enclose();
  return identity(extents);
}
/// Checks that the tile has the extents of the thread-value layout, and returns the layout (thread, value).
[[nodiscard]] WEFT_HD constexpr Layout values_of(const Layout& l, const Layout& tv) {
  bool same = l.rank() == tv.axes;
  for (int k = 0; same && k < l.rank(); ++k) same = mode(l, k).size() == largest_on(tv, k) + 1;
  if (!same) invalid("local_values: tile and thread-value layout differ in extents; divide by identity(tile_of(tv))");
  return composition(l, tv);
}

}  // namespace detail

/// Returns the share of a thread where the arrangement of threads is repeated over the tensor: the elements at its place in every
/// repetition. `threads` maps coordinates to numbers of threads. Example: threads (2,4):(4,1) on 4 x 8 elements leave 2 x 2 for
/// each, and thread 5 begins at (1, 1). @throws InputError if threads are not a permutation, or as zipped_divide().
template <class T, class I>
[[nodiscard]] WEFT_HD constexpr Tensor<T, Layout> local_partition(const Tensor<T, Layout>& t, const Layout& threads, I thread) {
  const Layout divided = zipped_divide(t.layout, detail::tiler_of(threads));
  return Tensor<T, Layout>{t.data, divided, t.offset}(right_inverse(threads)(thread), all);
}
/// Returns the share of a thread of a tensor with a static layout.
template <LayoutKey kThreads, class T, LayoutKey kLayout, class I>
[[nodiscard]] WEFT_HD constexpr auto local_partition(const Tensor<T, StaticLayout<kLayout>>& t, I thread) {
  constexpr Layout kDivided = zipped_divide(kLayout, detail::tiler_of(kThreads));
  const auto divided = t.layout.template rebind<kDivided>();
  return Tensor<T, std::remove_const_t<decltype(divided)>>{t.data, divided, t.offset}(
      StaticLayout<right_inverse(kThreads)>{}(thread), all);
}

/// Returns the values of a thread in a tile. @throws InputError if the tile has other extents than the thread-value layout.
template <class T, class I>
[[nodiscard]] WEFT_HD constexpr Tensor<T, Layout> local_values(const Tensor<T, Layout>& tile, const Layout& tv, I thread) {
  return Tensor<T, Layout>{tile.data, detail::values_of(tile.layout, tv), tile.offset}(thread, all);
}
/// Returns the values of a thread in a tile with a static layout.
template <LayoutKey kValues, class T, LayoutKey kLayout, class I>
[[nodiscard]] WEFT_HD constexpr auto local_values(const Tensor<T, StaticLayout<kLayout>>& tile, I thread) {
  constexpr Layout kAssigned = detail::values_of(kLayout, kValues);
  const auto assigned = tile.layout.template rebind<kAssigned>();
  return Tensor<T, std::remove_const_t<decltype(assigned)>>{tile.data, assigned, tile.offset}(thread, all);
}

}  // namespace weft::kernels::layout

#pragma once
/// Layouts whose shape and strides are part of the type, for kernels.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/layout/layout.hpp"

namespace weft::kernels::layout {

namespace detail {

/// The strides of the axes of a coordinate layout, which are known at run time; none for plain layouts.
template <int kAxes>
struct AxisStrides {
  std::int64_t stride[kAxes]{};
};
template <>
struct AxisStrides<0> {};

/// The position of a leaf in its mode, or in the domain of the layout.
struct LeafPlace {
  int mode = 0;             ///< 0 where the argument is one index
  std::int64_t before = 1;  ///< product of the preceding extents
  bool last = false;        ///< no leaf follows
};

/// Returns the place of a leaf. @param of_modes  true where the arguments are one index per mode.
[[nodiscard]] WEFT_HD constexpr LeafPlace place_of(const Layout& l, int leaf, bool of_modes) {
  LeafPlace place;
  LeafRange range{0, l.shape.leaves};
  if (of_modes) {
    while ((range = mode_range(l.shape, place.mode)).end <= leaf) ++place.mode;
  }
  for (int i = range.first; i < leaf; ++i) place.before *= l.shape.value[i];
  place.last = leaf + 1 == range.end;
  return place;
}

}  // namespace detail

/// A layout as a type: its extents, strides and swizzle are constants of the machine code, and an object of a plain layout is
/// empty. Of a coordinate layout the extents are constants, and the object holds the stride of each axis in memory:
/// StaticLayout<identity({64, 64})>(leading_dimension, 1) is a tile of a row-major matrix of any size.
///
/// Indices are computed in 32 bits where they fit. A kernel (__global__) takes a static layout as a type, template <class L>,
/// because nvcc 13.0 rejects kernels with template parameters of class type.
/// @tparam kKey  a Layout, which converts to its key.
template <LayoutKey kKey>
struct StaticLayout : detail::AxisStrides<kKey.axes> {
  static constexpr Layout kLayout = kKey;
  static constexpr int kRank = kLayout.rank(), kAxes = kLayout.axes;
  static constexpr std::int64_t kSize = kLayout.size();

 private:
  [[nodiscard]] static WEFT_HD constexpr std::int64_t largest() {
    std::int64_t n = kSize;
    for (int i = 0; i < kLayout.shape.leaves; ++i) n += kLayout.shape.value[i] * kLayout.stride[i];
    return n;
  }
  static constexpr bool kIsSmall = largest() <= std::numeric_limits<std::int32_t>::max() / 2;

 public:
  using Index = std::conditional_t<kIsSmall && kAxes == 0, std::int32_t, std::int64_t>;
  using Unsigned = std::conditional_t<kIsSmall, std::uint32_t, std::uint64_t>;

  constexpr StaticLayout() = default;
  /// @param strides  the stride of each axis in memory, in elements.
  template <std::convertible_to<std::int64_t>... I>
    requires(sizeof...(I) == static_cast<std::size_t>(kKey.axes) && sizeof...(I) > 0)
  WEFT_HD constexpr explicit StaticLayout(I... strides)
      : detail::AxisStrides<kKey.axes>{{static_cast<std::int64_t>(strides)...}} {}

  [[nodiscard]] static WEFT_HD constexpr std::int64_t size() { return kSize; }
  template <int kMode>
  [[nodiscard]] static WEFT_HD constexpr std::int64_t size() {
    return std::integral_constant<std::int64_t, mode(kLayout, kMode).size()>::value;
  }

  /// Returns number kAxis of the value at an index, or at an index for each mode. @pre as Layout::coordinates().
  template <int kAxis, class... I>
  [[nodiscard]] static WEFT_HD constexpr Unsigned coordinate(I... at) {
    static_assert(sizeof...(I) == 1 || sizeof...(I) == static_cast<std::size_t>(kRank),
                  "a layout takes one index, or one for each of its modes");
    const Unsigned index[] = {static_cast<Unsigned>(at)...};
    return sum_of_leaves<kAxis, (sizeof...(I) > 1)>(index, std::make_index_sequence<kLayout.shape.leaves>{});
  }
  /// Returns the index without the swizzle. @pre as Layout::coordinates().
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr Index sum(I... at) const {
    if constexpr (kAxes == 0) {
      return static_cast<Index>(coordinate<0>(at...));
    } else {
      return sum_of_axes(std::make_index_sequence<kAxes>{}, at...);
    }
  }
  /// Returns the index with `offset` added before the swizzle.
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr Index at_offset(Index offset, I... at) const {
    constexpr Swizzle kSwizzle = kLayout.swizzle;
    return kSwizzle(static_cast<Index>(offset + sum(at...)));
  }
  /// Returns the index at an index, or at an index for each mode, with the swizzle. @pre as Layout::coordinates().
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr Index operator()(I... at) const {
    return at_offset(0, at...);
  }
  /// Returns a layout with the run-time strides of this one.
  template <LayoutKey kOther>
  [[nodiscard]] WEFT_HD constexpr StaticLayout<kOther> rebind() const {
    static_assert(kOther.axes == kAxes, "both layouts have the same number of axes");
    StaticLayout<kOther> other;
    if constexpr (kAxes > 0) {
      for (int k = 0; k < kAxes; ++k) other.stride[k] = this->stride[k];
    }
    return other;
  }

 private:
  template <int kAxis, bool kOfModes, int kLeaf>
  [[nodiscard]] static WEFT_HD constexpr Unsigned leaf(const Unsigned* index) {
    constexpr std::int64_t kExtent = kLayout.shape.value[kLeaf], kStride = kLayout.stride[kLeaf];
    if constexpr (kExtent == 1 || kStride == 0 || kLayout.axis[kLeaf] != kAxis) {
      return 0;
    } else {
      constexpr detail::LeafPlace kPlace = detail::place_of(kLayout, kLeaf, kOfModes);
      constexpr int kMode = kPlace.mode;
      constexpr Unsigned kBefore = static_cast<Unsigned>(kPlace.before);
      const Unsigned i = index[kMode] / kBefore;
      if constexpr (kPlace.last) {
        WEFT_EXPECTS(i < static_cast<Unsigned>(kExtent));
        return i * static_cast<Unsigned>(kStride);
      } else {
        return i % static_cast<Unsigned>(kExtent) * static_cast<Unsigned>(kStride);
      }
    }
  }
  template <int kAxis, bool kOfModes, std::size_t... kLeaves>
  [[nodiscard]] static WEFT_HD constexpr Unsigned sum_of_leaves(const Unsigned* index, std::index_sequence<kLeaves...>) {
    return (leaf<kAxis, kOfModes, static_cast<int>(kLeaves)>(index) + ...);
  }
  template <std::size_t... kAll, class... I>
  [[nodiscard]] WEFT_HD constexpr Index sum_of_axes(std::index_sequence<kAll...>, I... at) const {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every constructor sets the strides
    return ((static_cast<Index>(coordinate<static_cast<int>(kAll)>(at...)) * this->stride[kAll]) + ...);
  }
};

}  // namespace weft::kernels::layout

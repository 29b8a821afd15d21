#pragma once
/// Layouts: nested shapes with strides, as functions from coordinates to indices.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/layout/int_tuple.hpp"
#include "weft/kernels/layout/invalid.hpp"
#include "weft/kernels/layout/swizzle.hpp"

namespace weft::kernels::layout {

inline constexpr int kMaxAxes = 5;  ///< coordinates that a layout can yield

/// A point in the codomain of a coordinate layout, one number per axis.
struct Coordinates {
  std::int64_t axis[kMaxAxes]{};

  [[nodiscard]] WEFT_HD constexpr std::int64_t operator[](int k) const { return axis[k]; }
  friend constexpr bool operator==(const Coordinates&, const Coordinates&) = default;
};

/// A layout as a template argument. nvcc 13.0 writes class-type template arguments into the C++ that it passes to the host
/// compiler, correctly so only for aggregates of scalars; hence no arrays and no constructors. Conversions from and to Layout are
/// implicit.
struct LayoutKey {
  struct Leaf {
    std::int64_t extent, stride;
    std::int8_t axis, opened, closed;
    friend constexpr bool operator==(const Leaf&, const Leaf&) = default;
  };

  int leaves, axes, swizzle_bits, swizzle_base, swizzle_shift;
  Leaf leaf0, leaf1, leaf2, leaf3, leaf4, leaf5, leaf6, leaf7, leaf8, leaf9, leaf10, leaf11, leaf12, leaf13, leaf14, leaf15;

  friend constexpr bool operator==(const LayoutKey&, const LayoutKey&) = default;
};

/// A nested shape with a stride for each of its integers. It maps an index i of its domain, 0 <= i < size, to coordinates, the
/// first leaf varying fastest, and these to the sum of coordinate times stride. Example: (2,3):(3,1), a 2 x 3 matrix stored by
/// rows, maps 0, 1, 2, 3, 4, 5 to 0, 3, 1, 4, 2, 5. A mode with stride 0 repeats its elements.
///
/// In a coordinate layout (axes > 0) the stride of a leaf is a multiple of a unit vector, so that the layout yields coordinates:
/// (2,3):(1@0,1@1) maps 4 to (0, 2). It is an identity tensor, a tiler by modes, or the static part of a layout with strides
/// known at run time. A swizzle, if any, is applied to the sum.
///
/// Layouts are values, and all operations are constexpr functions: an invalid operation is an error of the compiler where its
/// result is constexpr and throws InputError otherwise. Extents are positive, strides are not negative.
struct Layout {
  using Index = std::int64_t;

  IntTuple shape;
  std::int64_t stride[kMaxLeaves]{};
  std::int8_t axis[kMaxLeaves]{};  ///< axis of a leaf, 0 if axes = 0
  int axes = 0;                    ///< numbers in a value: 0: an index; otherwise coordinates
  Swizzle swizzle{};

  /// Creates a layout without leaves, to which append() adds.
  constexpr Layout() = default;
  /// @throws InputError if the tuples differ in their parentheses, an extent is not positive, a stride is negative, or an index
  /// exceeds 2^62.
  WEFT_HD constexpr explicit Layout(const IntTuple& the_shape, const IntTuple& the_stride) {
    if (!congruent(the_shape, the_stride)) invalid("shape and stride have different parentheses; give one stride per extent");
    std::int64_t last = 0;
    (void)layout::size(the_shape);
    for (int i = 0; i < the_shape.leaves; ++i) {
      const std::int64_t n = the_shape.value[i], d = the_stride.value[i];
      if (n < 1) invalid("extent {0} of a shape is not positive; leave out empty matrices before they have a layout", n);
      if (d < 0) invalid("stride {0} is negative; reverse the data or the coordinates", d);
      last = sum_of(last, product_of(n - 1, d));
      stride[i] = d;
    }
    shape = the_shape;
  }

  WEFT_HD constexpr Layout(const LayoutKey& k)  // NOLINT(google-explicit-constructor)
      : axes(k.axes), swizzle(k.swizzle_bits, k.swizzle_base, k.swizzle_shift) {
    const LayoutKey::Leaf leaves[] = {k.leaf0, k.leaf1, k.leaf2,  k.leaf3,  k.leaf4,  k.leaf5,  k.leaf6,  k.leaf7,
                                      k.leaf8, k.leaf9, k.leaf10, k.leaf11, k.leaf12, k.leaf13, k.leaf14, k.leaf15};
    shape.leaves = k.leaves;
    for (int i = 0; i < kMaxLeaves; ++i) {
      shape.value[i] = leaves[i].extent;
      shape.opened[i] = leaves[i].opened;
      shape.closed[i] = leaves[i].closed;
      stride[i] = leaves[i].stride;
      axis[i] = leaves[i].axis;
    }
  }
  WEFT_HD constexpr operator LayoutKey() const {  // NOLINT(google-explicit-constructor)
    static_assert(kMaxLeaves == 16, "LayoutKey has a member for each leaf");
    return {shape.leaves, axes,     swizzle.bits, swizzle.base, swizzle.shift, leaf(0),  leaf(1),
            leaf(2),      leaf(3),  leaf(4),      leaf(5),      leaf(6),       leaf(7),  leaf(8),
            leaf(9),      leaf(10), leaf(11),     leaf(12),     leaf(13),      leaf(14), leaf(15)};
  }

  /// Appends the leaves of `other` with their parentheses. @throws InputError if there are too many.
  WEFT_HD constexpr void append(const Layout& other) {
    for (int i = 0; i < other.shape.leaves && shape.leaves + i < kMaxLeaves; ++i) {
      stride[shape.leaves + i] = other.stride[i];
      axis[shape.leaves + i] = other.axis[i];
    }
    shape.append(other.shape);
    axes = axes > other.axes ? axes : other.axes;
  }
  /// Appends an integer leaf.
  WEFT_HD constexpr void append(std::int64_t extent, std::int64_t its_stride, int its_axis = 0) {
    Layout leaf(extent, extent == 1 ? 0 : its_stride);
    leaf.axis[0] = static_cast<std::int8_t>(leaf.stride[0] == 0 ? 0 : its_axis);
    append(leaf);
  }

  [[nodiscard]] WEFT_HD constexpr bool is_plain() const { return axes == 0 && swizzle.is_identity(); }
  [[nodiscard]] WEFT_HD constexpr std::int64_t size() const { return layout::size(shape); }
  [[nodiscard]] WEFT_HD constexpr int rank() const { return layout::rank(shape); }

  /// Returns the sum for an index within leaves [first, end), per axis.
  WEFT_HD constexpr void add(std::int64_t i, LeafRange range, Coordinates& sum) const {
    for (int k = range.first; k < range.end; ++k) {
      const std::int64_t rest = i / shape.value[k];
      sum.axis[axis[k]] += (i - rest * shape.value[k]) * stride[k];
      i = rest;
    }
    WEFT_EXPECTS(i == 0);
  }
  /// Returns the value at an index, or at an index for each mode. @pre 0 <= each index < the size of the domain or its mode.
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr Coordinates coordinates(I... at) const {
    Coordinates sum;
    if constexpr (sizeof...(I) == 1) {
      add(static_cast<std::int64_t>((at, ...)), {0, shape.leaves}, sum);
    } else {
      WEFT_EXPECTS(static_cast<int>(sizeof...(I)) == rank());
      int k = 0;
      (add(static_cast<std::int64_t>(at), mode_range(shape, k++), sum), ...);
    }
    return sum;
  }
  /// Returns the index without the swizzle. @pre as coordinates(); axes = 0.
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr std::int64_t sum(I... at) const {
    WEFT_EXPECTS(axes == 0);
    return coordinates(at...).axis[0];
  }
  /// Returns the index at an index, or at an index for each mode, with the swizzle. @pre as sum().
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr std::int64_t operator()(I... at) const {
    return at_offset(0, at...);
  }
  /// Returns the index with `offset` added before the swizzle.
  template <class... I>
  [[nodiscard]] WEFT_HD constexpr std::int64_t at_offset(std::int64_t offset, I... at) const {
    return swizzle(offset + sum(at...));
  }

  friend constexpr bool operator==(const Layout&, const Layout&) = default;

 private:
  [[nodiscard]] WEFT_HD constexpr LayoutKey::Leaf leaf(int i) const {
    return {shape.value[i], stride[i], axis[i], shape.opened[i], shape.closed[i]};
  }
};

/// Returns one more than the largest index, the number of elements that memory for the layout must have. With a swizzle rounded
/// up to the block of indices that it permutes among themselves. @throws InputError for a coordinate layout.
[[nodiscard]] WEFT_HD constexpr std::int64_t cosize(const Layout& l) {
  if (l.axes != 0) invalid("cosize: the layout yields coordinates; it is defined for layouts that yield indices");
  std::int64_t last = 0;
  for (int i = 0; i < l.shape.leaves; ++i) last += (l.shape.value[i] - 1) * l.stride[i];
  if (l.swizzle.is_identity()) return last + 1;
  const std::int64_t block = std::int64_t{1} << (l.swizzle.base + l.swizzle.bits);
  return (last / block + 1) * block;
}

/// Returns the value at nested coordinates, without the swizzle: an integer is an index within its mode, a tuple has a coordinate
/// for each mode. Example: ((2,3),4):((1,2),6) at {{1, 2}, 3}, at {5, 3} and at 23 is 23.
/// @throws InputError if a tuple has another rank than its mode. @pre 0 <= each index < the size of its mode.
[[nodiscard]] WEFT_HD constexpr Coordinates coordinates_at(const Layout& l, const IntTuple& at);

/// Returns the index at nested coordinates, with the swizzle. @throws InputError as coordinates_at(), and for coordinate layouts.
[[nodiscard]] WEFT_HD constexpr std::int64_t index_at(const Layout& l, const IntTuple& at) {
  if (l.axes != 0) invalid("index_at: the layout yields coordinates; use coordinates_at()");
  return l.swizzle(coordinates_at(l, at).axis[0]);
}

/// Returns the nested coordinates of an index, with the parentheses of `shape`: 23 in ((2,3),4) is ((1,2),3).
/// @throws InputError unless 0 <= index < size(shape).
[[nodiscard]] WEFT_HD constexpr IntTuple coordinate_of(const IntTuple& shape, std::int64_t index) {
  if (index < 0 || index >= size(shape)) invalid("coordinate_of: index {0} is not in a shape of {1}", index, size(shape));
  IntTuple at = shape;
  for (int i = 0; i < shape.leaves; ++i) {
    at.value[i] = index % shape.value[i];
    index /= shape.value[i];
  }
  return at;
}

/// Returns mode k with its axes and the swizzle. @throws InputError unless 0 <= k < rank.
[[nodiscard]] WEFT_HD constexpr Layout mode(const Layout& l, int k) {
  const LeafRange range = mode_range(l.shape, k);
  Layout result;
  result.shape = mode(l.shape, k);
  for (int i = range.first; i < range.end; ++i) {
    result.stride[i - range.first] = l.stride[i];
    result.axis[i - range.first] = l.axis[i];
  }
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}

constexpr Coordinates coordinates_at(const Layout& l, const IntTuple& at) {
  if (at.is_integer()) return l.coordinates(at.value[0]);
  if (rank(at) != l.rank()) invalid("coordinates_at: {0} coordinates for {1} modes; give one for each", rank(at), l.rank());
  Coordinates sum;
  for (int k = 0; k < l.rank(); ++k) {
    const Coordinates part = coordinates_at(mode(l, k), mode(at, k));
    for (int a = 0; a < kMaxAxes; ++a) sum.axis[a] += part.axis[a];
  }
  return sum;
}

/// Returns the layout with these modes. @throws InputError if one has a swizzle.
[[nodiscard]] WEFT_HD constexpr Layout concatenate(std::initializer_list<Layout> modes) {
  Layout result;
  for (const Layout& mode : modes) {
    if (!mode.swizzle.is_identity()) invalid("concatenate: a mode has a swizzle; apply the swizzle to the result");
    result.append(mode);
  }
  result.shape.enclose();
  return result;
}

/// Returns the layout in which the first leaf of `shape` is contiguous and each further stride is the product of the preceding
/// extents: (2,3):(1,2). @throws InputError as the constructor.
[[nodiscard]] WEFT_HD constexpr Layout column_major(const IntTuple& shape) {
  IntTuple stride = shape;
  std::int64_t next = 1;
  for (int i = 0; i < shape.leaves; ++i) {
    stride.value[i] = next;
    next = product_of(next, shape.value[i]);
  }
  return Layout(shape, stride);
}

/// Returns the layout in which the last leaf of `shape` is contiguous: (2,3):(3,1). @throws InputError as the constructor.
[[nodiscard]] WEFT_HD constexpr Layout row_major(const IntTuple& shape) {
  IntTuple stride = shape;
  std::int64_t next = 1;
  for (int i = shape.leaves - 1; i >= 0; --i) {
    stride.value[i] = next;
    next = product_of(next, shape.value[i]);
  }
  return Layout(shape, stride);
}

/// Returns the layout whose mode k is modes[k] on axis k: a tiler, as in zipped_divide, or an identity. Example: the modes 4:1
/// and 2:3 give (4,2):(1@0,3@1). @throws InputError if a mode is not plain or there are more than kMaxAxes.
[[nodiscard]] WEFT_HD constexpr Layout by_mode(std::initializer_list<Layout> modes) {
  Layout result;
  for (const Layout& mode : modes) {
    if (!mode.is_plain()) invalid("by_mode: a mode has a swizzle or yields coordinates; use plain layouts");
    if (result.axes == kMaxAxes) invalid("by_mode: there are more than {0} modes; group some of them", kMaxAxes);
    const int first = result.shape.leaves;
    result.append(mode);
    for (int i = first; i < result.shape.leaves; ++i) {
      result.axis[i] = static_cast<std::int8_t>(result.stride[i] == 0 ? 0 : result.axes);
    }
    ++result.axes;
  }
  result.shape.enclose();
  return result;
}

/// Returns the layout that maps every coordinate to itself: mode k yields its index on axis k. Example: (4,2):(1@0,1@1). As a
/// tiler it selects the first elements of each mode. @throws InputError if the shape has more than kMaxAxes modes.
[[nodiscard]] WEFT_HD constexpr Layout identity(const IntTuple& shape) {
  Layout result;
  for (int k = 0; k < rank(shape); ++k) {
    if (k == kMaxAxes) invalid("identity: there are more than {0} modes; group some of them", kMaxAxes);
    const int first = result.shape.leaves;
    result.append(column_major(mode(shape, k)));
    for (int i = first; i < result.shape.leaves; ++i) result.axis[i] = static_cast<std::int8_t>(k);
  }
  result.axes = rank(shape);
  if (!shape.is_integer()) result.shape.enclose();
  return result;
}

/// Returns the layout followed by the swizzle. @throws InputError if the layout has one or yields coordinates.
[[nodiscard]] WEFT_HD constexpr Layout swizzled(Swizzle swizzle, const Layout& l) {
  if (!l.is_plain()) invalid("swizzled: the layout has a swizzle or yields coordinates; apply one swizzle to indices");
  Layout result = l;
  result.swizzle = swizzle;
  return result;
}

}  // namespace weft::kernels::layout

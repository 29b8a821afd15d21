#pragma once
/// Coalescing and composition of layouts.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/layout.hpp"

namespace weft::kernels::layout {

/// Returns the same function of an index with as few leaves as possible: leaves of extent 1 are left out, and neighbours are
/// merged where the stride of the second is extent times stride of the first, on the same axis. An integer leaf, or a tuple of
/// integers. Example: (2,(1,6)):(1,(6,2)) gives 12:1.
[[nodiscard]] WEFT_HD constexpr Layout coalesce(const Layout& l) {
  Layout result;
  for (int i = 0; i < l.shape.leaves; ++i) {
    const std::int64_t n = l.shape.value[i], d = l.stride[i];
    if (n == 1) continue;
    const int last = result.shape.leaves - 1;
    if (last >= 0 && d == result.shape.value[last] * result.stride[last] && (d == 0 || l.axis[i] == result.axis[last])) {
      result.shape.value[last] *= n;
    } else {
      result.append(n, d, l.axis[i]);
    }
  }
  if (result.shape.leaves == 0) result.append(1, 0);
  if (result.shape.leaves > 1) result.shape.enclose();
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}

/// Returns the same function of an index per mode, each mode coalesced.
[[nodiscard]] WEFT_HD constexpr Layout coalesce_modes(const Layout& l) {
  if (l.shape.is_integer()) return coalesce(l);
  Layout result;
  for (int k = 0; k < l.rank(); ++k) result.append(coalesce(mode(l, k)));
  result.shape.enclose();
  result.axes = l.axes;
  result.swizzle = l.swizzle;
  return result;
}

/// Returns the layout with the same leaves in one tuple: ((2,3),4) becomes (2,3,4).
[[nodiscard]] WEFT_HD constexpr Layout flatten(const Layout& l) {
  Layout result = l;
  for (int i = 0; i < l.shape.leaves; ++i) result.shape.opened[i] = result.shape.closed[i] = 0;
  if (!l.shape.is_integer()) result.shape.enclose();
  return result;
}

namespace detail {

/// The coalesced left operand of a composition, with the digits of indices that the right operand has used. An index of the
/// domain is a number with the extents as radices. A layout is linear in such numbers as long as no digit exceeds its extent (no
/// carry).
struct Digits {
  Layout left;
  std::int64_t used[kMaxLeaves]{};  ///< the largest value of each digit

  WEFT_HD constexpr explicit Digits(const Layout& l) : left(coalesce(l)) {}
  [[nodiscard]] WEFT_HD constexpr std::int64_t digit(std::int64_t g, int k) const {
    for (int j = 0; j < k; ++j) g /= left.shape.value[j];
    return g % left.shape.value[k];
  }
  /// Returns the largest number of multiples 0, g, 2 g, ... whose digits do not carry.
  [[nodiscard]] WEFT_HD constexpr std::int64_t run(std::int64_t g) const {
    std::int64_t shortest = std::int64_t{1} << 62;
    for (int k = 0; k < left.shape.leaves; ++k) {
      const std::int64_t d = digit(g, k);
      if (d == 0) continue;
      const std::int64_t multiples = (left.shape.value[k] - 1) / d + 1;
      if (multiples < shortest) shortest = multiples;
    }
    return shortest;
  }
  /// Appends the leaf i -> left(i g), i < extent, and counts its digits.
  WEFT_HD constexpr void append_multiples(std::int64_t extent, std::int64_t g, Layout& to) {
    std::int64_t stride = 0;
    std::int8_t axis = -1;
    for (int k = 0; k < left.shape.leaves; ++k) {
      const std::int64_t d = digit(g, k);
      used[k] += (extent - 1) * d;
      if (d == 0 || left.stride[k] == 0) continue;
      if (axis >= 0 && axis != left.axis[k])
        invalid("composition: stride {0} advances two coordinates of the left layout; use a stride within a mode", g);
      axis = left.axis[k];
      stride += d * left.stride[k];
    }
    to.append(extent, stride, axis < 0 ? 0 : axis);
  }
  /// Appends the mode i -> left(i stride), i < extent: one leaf, or a tuple where the multiples carry.
  WEFT_HD constexpr void append_leaf(std::int64_t extent, std::int64_t stride, Layout& to) {
    if (extent == 1 || stride == 0) return to.append(extent, 0);
    Layout leaf;
    for (std::int64_t g = stride, rest = extent; rest > 1;) {
      const std::int64_t run_length = run(g), taken = run_length < rest ? run_length : rest;
      if (rest % taken != 0)
        invalid("composition: {0}:{1} crosses an extent after {2} elements; choose extents that divide", extent, stride, taken);
      append_multiples(taken, g, leaf);
      g *= taken;
      rest /= taken;
    }
    if (leaf.shape.leaves > 1) leaf.shape.enclose();
    to.append(leaf);
  }
  /// Checks that the sums of the digits of all leaves do not carry either.
  WEFT_HD constexpr void check_sums() const {
    for (int k = 0; k < left.shape.leaves; ++k) {
      if (used[k] >= left.shape.value[k])
        invalid("composition: right modes overlap, at {0} in extent {1}; choose multiples", used[k], left.shape.value[k]);
    }
  }
};

/// Returns the largest sum of the leaves of `l` on this axis.
[[nodiscard]] WEFT_HD constexpr std::int64_t largest_on(const Layout& l, int axis) {
  std::int64_t last = 0;
  for (int i = 0; i < l.shape.leaves; ++i) {
    if (l.axis[i] == axis) last += (l.shape.value[i] - 1) * l.stride[i];
  }
  return last;
}

}  // namespace detail

/// Returns the layout i -> left(right(i)), with the shape of `right`, whose integers become tuples where that is necessary. If
/// `right` is a coordinate layout, its axis k is an index of mode k of `left`: by_mode({4:1, 8:2}) selects 4 rows and every
/// second of 16 columns. Example: (6,2):(8,2) after (4,3):(3,1) is ((2,2),3):((24,2),8).
///
/// The result exists if the multiples of each stride of `right` cross the extents of `left` (coalesced) at divisors of its extent
/// and the modes do not overlap in any extent. Each of these conditions is checked, and so is that `right` stays within the
/// domain of `left`, which prevents results that are not left(right(i)).
/// @throws InputError where a condition is not met, or `right` has a swizzle. @cost O(leaves^2).
[[nodiscard]] WEFT_HD constexpr Layout composition(const Layout& left, const Layout& right) {
  if (!right.swizzle.is_identity()) invalid("composition: the right layout has a swizzle; compose first, then apply swizzled()");
  if (right.axes > left.rank())
    invalid("composition: {0} axes on the right, {1} modes on the left; use one axis per mode", right.axes, left.rank());
  IntTuple structure = right.shape;
  Layout leaves[kMaxLeaves];
  for (int a = 0; a == 0 || a < right.axes; ++a) {
    const Layout domain = right.axes == 0 ? left : mode(left, a);
    const std::int64_t last = detail::largest_on(right, a);
    if (last >= domain.size())
      invalid("composition: the right layout reaches index {0} of {1}; pad the left one", last, domain.size());
    detail::Digits digits(domain);
    for (int i = 0; i < right.shape.leaves; ++i) {
      if (right.axis[i] == a) digits.append_leaf(right.shape.value[i], right.stride[i], leaves[i]);
    }
    digits.check_sums();
  }
  Layout result;
  for (int i = 0; i < right.shape.leaves; ++i) {
    const int first = result.shape.leaves;
    result.append(leaves[i]);
    result.shape.opened[first] = static_cast<std::int8_t>(result.shape.opened[first] + structure.opened[i]);
    const int last = result.shape.leaves - 1;
    result.shape.closed[last] = static_cast<std::int8_t>(result.shape.closed[last] + structure.closed[i]);
  }
  result.axes = left.axes;
  result.swizzle = left.swizzle;
  return result;
}

/// Returns the same function of an index with another shape of the same size, as the composition with column_major(shape).
/// Example: (10,2):(16,4) with the shape (5,4) is (5,(2,2)):(16,(80,4)). @throws InputError if the sizes differ or the extents do
/// not divide.
[[nodiscard]] WEFT_HD constexpr Layout with_shape(const Layout& l, const IntTuple& shape) {
  if (l.size() != size(shape))
    invalid("with_shape: the layout has {0} elements, the shape {1}; use equal sizes", l.size(), size(shape));
  return composition(l, column_major(shape));
}

}  // namespace weft::kernels::layout

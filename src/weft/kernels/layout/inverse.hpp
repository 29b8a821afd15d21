#pragma once
/// Injective layouts, complements and inverses.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/compose.hpp"

namespace weft::kernels::layout {

namespace detail {

/// Returns true if the leaves from `first` on, sorted by descending stride, have differences of coordinates whose sum of strides
/// is -sum, not all zero unless `nonzero`.
[[nodiscard]] WEFT_HD constexpr bool sums_to_zero(const Layout& sorted, int first, std::int64_t sum, bool nonzero) {
  if (first == sorted.shape.leaves) return sum == 0 && nonzero;
  std::int64_t reach = 0;  // the largest sum of the remaining leaves
  for (int i = first; i < sorted.shape.leaves; ++i) reach += (sorted.shape.value[i] - 1) * sorted.stride[i];
  if ((sum < 0 ? -sum : sum) > reach) return false;
  const std::int64_t d = sorted.stride[first], n = sorted.shape.value[first];
  reach -= (n - 1) * d;
  for (std::int64_t x = -(n - 1); x < n; ++x) {
    const std::int64_t next = sum + x * d;
    if (-reach <= next && next <= reach && sums_to_zero(sorted, first + 1, next, nonzero || x != 0)) return true;
  }
  return false;
}

/// Returns the coalesced leaves in the order of ascending strides, of equal ones the larger extent first. @throws InputError if
/// the layout is not plain.
[[nodiscard]] WEFT_HD constexpr Layout sorted_leaves(const Layout& l) {
  if (!l.is_plain()) invalid("the layout has a swizzle or yields coordinates; the operation is defined for plain layouts");
  Layout sorted = flatten(coalesce(l));
  for (int i = 1; i < sorted.shape.leaves; ++i) {
    for (int k = i; k > 0; --k) {
      const std::int64_t n = sorted.shape.value[k], d = sorted.stride[k];
      if (d > sorted.stride[k - 1] || (d == sorted.stride[k - 1] && n <= sorted.shape.value[k - 1])) break;
      sorted.shape.value[k] = sorted.shape.value[k - 1];
      sorted.stride[k] = sorted.stride[k - 1];
      sorted.shape.value[k - 1] = n;
      sorted.stride[k - 1] = d;
    }
  }
  return sorted;
}

/// The coalesced leaves of a layout in the order of ascending strides, with their places in its domain.
struct SortedDomain {
  Layout leaves;                     ///< sorted by stride
  std::int64_t index[kMaxLeaves]{};  ///< index in the domain of the layout after one step along the leaf

  WEFT_HD constexpr explicit SortedDomain(const Layout& l) : leaves(sorted_leaves(l)) {
    const Layout ordered = coalesce(l);
    for (int i = 0; i < leaves.shape.leaves; ++i) {
      std::int64_t before = 1;
      for (int k = 0; k < ordered.shape.leaves; ++k) {
        // Leaves with equal extents and strides are not injective; which of them is found does not matter.
        if (ordered.shape.value[k] == leaves.shape.value[i] && ordered.stride[k] == leaves.stride[i]) break;
        before *= ordered.shape.value[k];
      }
      index[i] = before;
    }
  }
};

}  // namespace detail

/// Returns true if different coordinates have different indices. A size equal to the cosize does not imply it: (2,2):(3,0) has
/// four elements and the cosize 4, but takes the values 0 and 3. @throws InputError for a coordinate layout.
/// @cost O(leaves) for strides that are multiples of the extents before them, otherwise up to the product of the extents.
[[nodiscard]] WEFT_HD constexpr bool is_injective(const Layout& l) {
  if (l.axes != 0) invalid("is_injective: the layout yields coordinates; it is defined for layouts that yield indices");
  Layout inner = l;
  inner.swizzle = {};
  const Layout ascending = detail::sorted_leaves(inner);
  Layout sorted;
  for (int i = ascending.shape.leaves - 1; i >= 0; --i) sorted.append(ascending.shape.value[i], ascending.stride[i]);
  if (sorted.shape.leaves == 1) return sorted.shape.value[0] == 1 || sorted.stride[0] > 0;
  return !detail::sums_to_zero(sorted, 0, 0, false);
}

/// Returns true if the layout is a permutation of 0, ..., size - 1. @throws InputError for a coordinate layout.
[[nodiscard]] WEFT_HD constexpr bool is_bijective(const Layout& l) {
  Layout inner = l;
  inner.swizzle = {};
  if (cosize(inner) != l.size() || !is_injective(l)) return false;
  return l.swizzle.is_identity() || l.size() % (std::int64_t{1} << (l.swizzle.base + l.swizzle.bits)) == 0;
}

/// Returns the layout of the offsets at which copies of `l` fill 0, ..., extent - 1 without overlap: with the result r, every
/// index is l(i) + r(j) for one value of each; r is ascending. Modes with stride 0 do not count. Example: (2,2):(1,6) within 24
/// gives (3,2):(2,12). @throws InputError if `l` is not plain, its elements overlap or interleave, or they do not fill the
/// extent.
[[nodiscard]] WEFT_HD constexpr Layout complement(const Layout& l, std::int64_t extent) {
  const Layout sorted = detail::sorted_leaves(l);
  Layout rest;
  std::int64_t filled = 1;
  for (int i = 0; i < sorted.shape.leaves; ++i) {
    const std::int64_t n = sorted.shape.value[i], d = sorted.stride[i];
    if (d == 0) continue;
    if (d % filled != 0)
      invalid("complement: stride {0} is no multiple of {1}, which smaller strides fill; choose a multiple", d, filled);
    rest.append(d / filled, filled);
    filled = product_of(n, d);
  }
  if (extent < 1 || extent % filled != 0)
    invalid("complement: copies of {1} do not fill the extent {0}; pad the extent to a multiple", extent, filled);
  rest.append(extent / filled, filled);
  rest.shape.enclose();
  return coalesce(rest);
}

/// Returns a layout r with l(r(i)) = i for 0 <= i < size(r): the inverse where `l` is bijective, and otherwise as large as whole
/// leaves of `l` permit, in ascending order of their strides. Example: row major (2,3):(3,1) gives (3,2):(2,1). @throws
/// InputError if `l` is not plain.
[[nodiscard]] WEFT_HD constexpr Layout right_inverse(const Layout& l) {
  const detail::SortedDomain domain(l);
  Layout result;
  std::int64_t covered = 1;
  for (int i = 0; i < domain.leaves.shape.leaves; ++i) {
    if (domain.leaves.stride[i] != covered) continue;
    result.append(domain.leaves.shape.value[i], domain.index[i]);
    covered *= domain.leaves.shape.value[i];
  }
  if (result.shape.leaves == 0) result.append(1, 0);
  result.shape.enclose();
  return coalesce(result);
}

/// Returns a layout r with r(l(i)) = i for 0 <= i < size(l). Example: (2,2):(1,6) gives (2,3,2):(1,0,2).
/// @throws InputError if `l` is not plain or not injective, or a stride is not a multiple of what the smaller strides fill.
[[nodiscard]] WEFT_HD constexpr Layout left_inverse(const Layout& l) {
  const detail::SortedDomain domain(l);
  Layout result;
  std::int64_t filled = 1;
  for (int i = 0; i < domain.leaves.shape.leaves; ++i) {
    const std::int64_t n = domain.leaves.shape.value[i], d = domain.leaves.stride[i];
    if (n == 1) continue;
    if (d == 0) invalid("left_inverse: a mode repeats its elements (stride 0); only injective layouts have a left inverse");
    if (d % filled != 0)
      invalid("left_inverse: stride {0} is no multiple of {1}, which smaller strides fill; choose a multiple", d, filled);
    result.append(d / filled, 0);
    result.append(n, domain.index[i]);
    filled = product_of(n, d);
  }
  if (result.shape.leaves == 0) result.append(1, 0);
  result.shape.enclose();
  return coalesce(result);
}

}  // namespace weft::kernels::layout

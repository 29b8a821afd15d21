#pragma once
/// Nested tuples of integers: shapes, strides and coordinates.
#include <cstdint>
#include <initializer_list>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/invalid.hpp"

namespace weft::kernels::layout {

inline constexpr int kMaxLeaves = 16;  ///< integers in a tuple

/// A range of leaves, [first, end).
struct LeafRange {
  int first = 0, end = 0;
};

/// An integer or a tuple of such: 8, (2, 3) or ((2, 3), 4). The integers, its leaves, are numbered from left to right, and its
/// modes are the components of the outermost tuple; an integer is its own only mode. Example: {{2, 3}, 4} has the modes (2, 3)
/// and 4 and three leaves; the numbers of parentheses that open before them are 2, 0, 0, and that close after them 0, 1, 1.
/// Trivially copyable and without pointers.
struct IntTuple {
  int leaves = 0;
  std::int64_t value[kMaxLeaves]{};
  std::int8_t opened[kMaxLeaves]{};  ///< parentheses that open before a leaf
  std::int8_t closed[kMaxLeaves]{};  ///< parentheses that close after a leaf

  /// Creates a tuple without leaves, to which append() adds.
  constexpr IntTuple() = default;
  WEFT_HD constexpr IntTuple(std::int64_t number) : leaves(1) { value[0] = number; }  // NOLINT(google-explicit-constructor)
  /// Creates the tuple of these modes. @throws InputError if there are none, or more than kMaxLeaves leaves.
  WEFT_HD constexpr IntTuple(std::initializer_list<IntTuple> modes) {
    for (const IntTuple& mode : modes) append(mode);
    enclose();
  }

  /// Appends the leaves of `other` with their parentheses.
  WEFT_HD constexpr void append(const IntTuple& other) {
    for (int i = 0; i < other.leaves; ++i) {
      if (leaves >= kMaxLeaves) invalid("a tuple has more than {0} integers; coalesce the layouts first", kMaxLeaves);
      value[leaves] = other.value[i];
      opened[leaves] = other.opened[i];
      closed[leaves] = other.closed[i];
      ++leaves;
    }
  }
  /// Makes the tuple the only mode of a new tuple.
  WEFT_HD constexpr void enclose() {
    if (leaves == 0) invalid("a tuple has no integers; use 1 for a mode with one element");
    ++opened[0];
    ++closed[leaves - 1];
  }
  [[nodiscard]] WEFT_HD constexpr bool is_integer() const { return leaves == 1 && opened[0] == 0; }

  friend constexpr bool operator==(const IntTuple&, const IntTuple&) = default;
};

/// Returns the leaves of mode k. @throws InputError unless 0 <= k < rank.
[[nodiscard]] WEFT_HD constexpr LeafRange mode_range(const IntTuple& t, int k) {
  LeafRange range;
  if (t.is_integer() && k == 0) return {0, 1};
  for (int i = 0, level = 0, mode = 0; i < t.leaves; ++i) {
    level += t.opened[i] - t.closed[i];
    if (level > 1) continue;
    range = {range.end, i + 1};
    if (mode++ == k) return range;
  }
  invalid("the tuple has no mode {0}; modes are numbered from 0 to rank - 1", k);
  return range;
}

/// Returns the number of modes: 1 for an integer.
[[nodiscard]] WEFT_HD constexpr int rank(const IntTuple& t) {
  if (t.is_integer()) return 1;
  int modes = 0;
  for (int i = 0, level = 0; i < t.leaves; ++i) {
    level += t.opened[i] - t.closed[i];
    if (level <= 1) ++modes;
  }
  return modes;
}

/// Returns the number of nested tuples around the deepest leaf: 0 for an integer.
[[nodiscard]] WEFT_HD constexpr int depth(const IntTuple& t) {
  int deepest = 0;
  for (int i = 0, level = 0; i < t.leaves; ++i) {
    level += t.opened[i];
    if (level > deepest) deepest = level;
    level -= t.closed[i];
  }
  return deepest;
}

/// Returns mode k. @throws InputError unless 0 <= k < rank.
[[nodiscard]] WEFT_HD constexpr IntTuple mode(const IntTuple& t, int k) {
  if (t.is_integer() && k == 0) return t;
  const LeafRange range = mode_range(t, k);
  IntTuple result;
  for (int i = range.first; i < range.end; ++i) {
    result.value[result.leaves] = t.value[i];
    result.opened[result.leaves] = static_cast<std::int8_t>(t.opened[i] - (i == 0 ? 1 : 0));
    result.closed[result.leaves] = static_cast<std::int8_t>(t.closed[i] - (i + 1 == t.leaves ? 1 : 0));
    ++result.leaves;
  }
  return result;
}

/// Returns true if both have the same parentheses.
[[nodiscard]] WEFT_HD constexpr bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.leaves != b.leaves) return false;
  for (int i = 0; i < a.leaves; ++i) {
    if (a.opened[i] != b.opened[i] || a.closed[i] != b.closed[i]) return false;
  }
  return true;
}

/// Returns the product of the leaves. @throws InputError if it exceeds 2^62.
[[nodiscard]] WEFT_HD constexpr std::int64_t size(const IntTuple& t) {
  std::int64_t product = 1;
  for (int i = 0; i < t.leaves; ++i) product = product_of(product, t.value[i]);
  return product;
}

}  // namespace weft::kernels::layout

#pragma once
/// A set of integers, such as the stale bytes of a buffer, stored as disjoint half-open intervals.
#include <cstddef>
#include <vector>

namespace weft::detail {

/// A set of integers; arguments are half-open intervals [first, last). Queries take time logarithmic in the number of intervals,
/// changes linear.
class IntervalSet {
 public:
  struct Interval {
    std::size_t first, last;
  };
  void add(std::size_t first, std::size_t last);
  void remove(std::size_t first, std::size_t last);
  [[nodiscard]] bool intersects(std::size_t first, std::size_t last) const;
  [[nodiscard]] bool contains(std::size_t first, std::size_t last) const;
  /// Returns the part of the set in [first, last).
  [[nodiscard]] std::vector<Interval> within(std::size_t first, std::size_t last) const;

 private:
  /// Returns the first interval that ends after a place.
  [[nodiscard]] std::vector<Interval>::const_iterator after(std::size_t place) const;
  std::vector<Interval> intervals_;  ///< ascending, non-empty and non-adjacent
};

}  // namespace weft::detail

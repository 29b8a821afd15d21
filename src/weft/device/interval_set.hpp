#pragma once
/// A set of integers, such as the stale bytes of a buffer, stored as disjoint half-open intervals.
#include <cstddef>
#include <vector>

namespace weft::detail {

/// A set of integers; arguments are half-open intervals [first, last). Each operation takes time linear in the number of
/// intervals.
class IntervalSet {
 public:
  void add(std::size_t first, std::size_t last);
  void remove(std::size_t first, std::size_t last);
  [[nodiscard]] bool intersects(std::size_t first, std::size_t last) const;

 private:
  struct Interval {
    std::size_t first, last;
  };
  std::vector<Interval> intervals_;  ///< ascending, non-empty and non-adjacent
};

}  // namespace weft::detail

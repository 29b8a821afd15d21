#pragma once
/// A set of integers kept as disjoint half-open intervals: which bytes of a buffer are stale.
#include <cstddef>
#include <vector>

namespace weft::detail {

class IntervalSet {
 public:
  void add(std::size_t first, std::size_t last);
  void remove(std::size_t first, std::size_t last);
  [[nodiscard]] bool intersects(std::size_t first, std::size_t last) const;

 private:
  struct Interval {
    std::size_t first, last;
  };
  std::vector<Interval> intervals_;  ///< ascending, not empty, not touching
};

}  // namespace weft::detail

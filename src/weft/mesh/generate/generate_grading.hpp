#pragma once
/// Node positions along a grid line: uniform, or with cells that grow geometrically from a sharp corner.
#include <cstdint>
#include <string>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// Nodes of a segment of a grid line, of `cells` cells from `lower` to `upper`.
struct Spacing {
  double lower = 0, upper = 1;
  std::int64_t cells = 1;
  double log_growth = 0;     ///< logarithm of the growth from a cell to the next one away from the corner; 0: uniform cells
  bool corner_last = false;  ///< the corner is at `upper`, not at `lower`

  /// Returns the position of node i in [0, cells]: exactly `lower` and `upper` at the ends.
  [[nodiscard]] double node(std::int64_t i) const;
};

/// Nodes of a grid line with two consecutive segments. If the second one has no cells, the first one is the whole line.
struct TwoSpacings {
  Spacing first, second;

  [[nodiscard]] double node(std::int64_t i) const {
    return i < first.cells || second.cells == 0 ? first.node(i) : second.node(i - first.cells);
  }
};

/// Length of a segment that starts at the corner, and the words of its error messages.
struct CornerSegment {
  double length;       ///< m
  std::int64_t cells;  ///< along `length`
  std::string name;    ///< "from the inlet to the corner"
  std::string remedy;  ///< "a larger nx"
};

inline constexpr double kLargestGrowth = 2;

/// Returns the logarithm of the growth with which the segment's first cell has the length corner_size (m); 0 where
/// corner_size is 0, the sign of uniform cells.
/// @throws InputError with key corner_size if this cell would be longer than uniform ones, if cells would grow by more than
/// kLargestGrowth, or if coordinates could not resolve it (1e-9 of the length).
[[nodiscard]] double log_growth(const CornerSegment& segment, double corner_size);

}  // namespace weft::mesh::detail

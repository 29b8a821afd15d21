#pragma once
/// A group of boundary faces as kernels read it: see boundary_groups.hpp.
#include <cstdint>

namespace weft::flow::detail {

/// Threads that extrapolate to one boundary row, and of a block; the faces of a group at most.
inline constexpr int kBoundaryLanes = 8, kBoundaryThreads = 256, kGroupFaces = kBoundaryThreads / kBoundaryLanes;

/// Positions in the lists of BoundaryGroups.
struct BoundaryGroup {
  std::int32_t first_face, faces;
  std::int32_t first_row, rows;
};

}  // namespace weft::flow::detail

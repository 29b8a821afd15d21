#pragma once
/// Finds the cells that hold points.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Where a point is; equal on every rank.
struct Location {
  Rank owner;
  std::int32_t cell = -1;  ///< owned, on the owner; -1 elsewhere
  double outside = 0;      ///< how far the point is outside the cell, in sizes of the cell; 0: within
};

/// Up to this far from its cell a point belongs to it: a wall's faces are flat, so a point on a curved wall may lie a little
/// outside.
inline constexpr double kNearlyInside = 0.1;

/// Returns how far x is outside an owned cell, as Location::outside.
[[nodiscard]] double distance_outside(const mesh::Mesh& mesh, std::int32_t cell, Vec3 x);

/// Returns for each point the cell that it is the least outside of; on a face between cells, that with the lowest id in the file.
/// @pre points are equal on every rank.  @collective  @cost a pass over the faces of every cell for each point.
[[nodiscard]] std::vector<Location> locate(const mesh::Mesh& mesh, std::span<const Vec3> points);

/// Returns the same for the points from + k (to - from) / (count - 1), 0 <= k < count, but for those that no cell nearly holds:
/// their `outside` is infinite.  @pre count >= 2  @collective  @cost one pass over the cells; cells on the line look at their
/// points.
[[nodiscard]] std::vector<Location> locate_on_line(const mesh::Mesh& mesh, Vec3 from, Vec3 to, std::int64_t count);

/// Returns the k-th of those points.
[[nodiscard]] inline Vec3 point_on_line(Vec3 from, Vec3 to, std::int64_t count, std::int64_t k) {
  return from + (static_cast<double>(k) / static_cast<double>(count - 1)) * (to - from);
}

}  // namespace weft::flow

#pragma once
/// Search for the cells that contain points.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The position of a point in the mesh; equal on every rank.
struct Location {
  Rank owner;
  mesh::LocalCellId cell;  ///< owned cell, on the owner; invalid elsewhere
  double outside = 0;      ///< distance of the point from the cell, in sizes of the cell; 0: within
};

/// Largest distance from its cell of a point that still belongs to it: faces of a wall are plane, so a point on a curved wall may
/// lie slightly outside.
inline constexpr double kNearlyInside = 0.1;

/// Returns the distance of x from an owned cell, as Location::outside.
[[nodiscard]] double distance_outside(const mesh::Mesh& mesh, mesh::LocalCellId cell, Vec3 x);

/// Returns for each point the cell from which its distance is smallest; on a face between cells, that with the lowest id in the
/// file. @pre points are equal on every rank.  @collective  @cost a pass over the faces of every cell for each point.
[[nodiscard]] std::vector<Location> locate(const mesh::Mesh& mesh, std::span<const Vec3> points);

/// Returns the cells of the points from + k (to - from) / (count - 1), 0 <= k < count, as locate(); points farther than
/// kNearlyInside from all cells have an infinite `outside`.  @pre count >= 2  @collective
/// @cost one pass over the cells; cells on the line test their points.
[[nodiscard]] std::vector<Location> locate_on_line(const mesh::Mesh& mesh, Vec3 from, Vec3 to, std::int64_t count);

/// Returns the k-th point of a line.
[[nodiscard]] inline Vec3 point_on_line(Vec3 from, Vec3 to, std::int64_t count, std::int64_t k) {
  return from + (static_cast<double>(k) / static_cast<double>(count - 1)) * (to - from);
}

}  // namespace weft::flow

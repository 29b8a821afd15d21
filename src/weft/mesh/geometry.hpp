#pragma once
/// Areas, volumes and centroids of faces and cells.
///
/// Area vector of a face: exact for its edges whatever lies between them, so the outward area vectors of a closed cell add to
/// zero. A quadrilateral that is not flat is taken as the four triangles between its edges and the mean of its corners: the same
/// surface seen from both sides, so the volumes of a mesh add up without gap or overlap, and no diagonal is preferred.
#include <span>

#include "weft/base/vec3.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::mesh {

struct FaceGeometry {
  Vec3 area;      ///< area vector, m^2; in 2-D: length times unit depth
  Vec3 centroid;  ///< of the triangles, each weighted by its area projected onto the mean normal
};

/// @param node  2 (an edge in the plane z = 0, its normal to the right of it), 3 or 4 corners; the normal follows the right-hand
/// rule.
[[nodiscard]] FaceGeometry face_geometry(std::span<const Vec3> node);

struct CellGeometry {
  double volume = 0;  ///< m^3; in 2-D: area times unit depth; negative for a cell turned inside out
  Vec3 centroid;
};

/// Sum of the tetrahedra (2-D: triangles) between the faces and the mean of the corners: exact for the surface described above.
/// @param node  the corners in the order of the shape.
[[nodiscard]] CellGeometry cell_geometry(CellType type, std::span<const Vec3> node);

}  // namespace weft::mesh

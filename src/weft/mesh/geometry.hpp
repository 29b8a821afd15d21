#pragma once
/// Areas, volumes and centroids of faces and cells.
///
/// The area vector of a face is exact for its edges, whatever the surface between them, so that the outward area vectors of a
/// closed cell add to zero. A non-planar quadrilateral is represented by the four triangles between its edges and the mean of
/// its corners: the same surface from both sides, so that the volumes of a mesh add up without gaps or overlaps, and no
/// diagonal is preferred.
#include <span>

#include "weft/base/vec3.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::mesh {

struct FaceGeometry {
  Vec3 area;      ///< area vector, m^2; in 2-D: length times unit depth
  Vec3 centroid;  ///< mean of the triangles, weighted by their areas projected onto the mean normal
};

/// Computes the geometry of a face. @param node  2 (an edge in the plane z = 0, with the normal to its right), 3 or 4
/// corners; the normal follows from the right-hand rule.
[[nodiscard]] FaceGeometry face_geometry(std::span<const Vec3> node);

struct CellGeometry {
  double volume = 0;  ///< m^3; in 2-D: area times unit depth; negative for an inverted cell
  Vec3 centroid;
};

/// Computes volume and centroid as the sum of tetrahedra (2-D: triangles) between the faces and the mean of the corners,
/// exact for the surface described above.
/// @param node  corners in the order of the shape.
[[nodiscard]] CellGeometry cell_geometry(CellType type, std::span<const Vec3> node);

}  // namespace weft::mesh

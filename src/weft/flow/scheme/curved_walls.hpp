#pragma once
/// Area vectors of cells at curved slip walls, whose faces are triangles.
#include <vector>

#include "weft/base/id_vector.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Area vectors of all faces of a mesh as unit normals and areas, m^2; or none, if they are those of the mesh.
struct FaceAreas {
  IdVector<mesh::LocalFaceId, Vec3> normal;
  IdVector<mesh::LocalFaceId, double> area;
};

/// Returns the area vectors of faces whose edges on slip walls are arcs between the normals to the wall at their ends.
///
/// The normal to a flat face of a curved wall is that of the wall where the wall is parallel to the face. In the middle of the
/// edge of a plane mesh and at the centroid of a quad it is, but at the centroid of a triangle the wall turns away from it by
/// an angle of first order in the size of the cell: on a strip of triangles around a cylinder of radius R by h / (6 R), in turns
/// to both sides. Gas that flows along the wall crosses such a face, which does not let it through, and errors in the wall cells
/// are of first order. Here the edge from a to b is an arc with the sag n ((n_b - n_a) . (b - a)) / 8, with the normals at its
/// ends and their mean n. Between the arc and the chord lies a sliver with the area vector n x (b - a) ((n_b - n_a) . (b - a)) /
/// 12, which every face with this edge includes: faces of cells between the wall faces, which the sliver extends, and those wall
/// faces, which it turns to the normal of the wall at their centroid. The sum over the faces of a cell remains 0, so that the
/// scheme is conservative and a uniform stream remains uniform. Only edges of triangles of cells other than hexahedra count, and
/// on plane walls and in 2-D nothing changes.
///
/// Faces at an edge that meet at less than 30 degrees are on one surface, also those on both sides of a thin wall. Where several
/// surfaces meet, walls or symmetry planes, the arc is in all of them: its sag is the vector normal to the edge that has the sag
/// of each as its component along the normal n to it (by least squares if there are more than two), which is 0 for a plane.
///
/// Normals at nodes are means of those of the triangles and quads around, with weights that make them exact for spheres (N. Max,
/// J. Graphics Tools 4 (1999) 1-6), in symmetry planes parallel to these, unless the wall and its mirror image meet at more than
/// 30 degrees. Where a wall ends at a node, the normal there is the mirror image of that at the other end of the edge, because
/// the faces on one side of a node turn half as much as the wall. All faces that count are those of the cell and of its
/// neighbours in mesh.cell_cells, which include ghost cells; sums do not depend on the order of these, so that a face between two
/// ranks has bitwise opposite normals.
/// @param kinds  of each zone of mesh.boundary.  @collective
[[nodiscard]] FaceAreas areas_at_curved_walls(const mesh::Mesh& mesh, const BoundaryKinds& kinds,
                                              Team& team = kernels::calling_thread());

}  // namespace weft::flow

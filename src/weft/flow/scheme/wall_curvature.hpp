#pragma once
/// Curvature of slip walls, estimated from their faces.
#include <vector>

#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Returns for each boundary face, in the order of their numbers, an estimate of the largest curvature of a slip wall there, 1/m:
/// the largest change of the normal to a face of a slip wall with a common node, over the distance of the centroids. Faces
/// between which the wall turns by more than 30 degrees meet in a corner and do not count. 0 on other boundaries and on plane
/// walls. On curved triangles it is 0.9 to 1.8 times the curvature. The faces compared are those of the cell and of its
/// neighbours in mesh.cell_cells, which include ghost cells: the result does not depend on the partition, but for rounding.
/// @param kinds  of each zone of mesh.boundary.  @collective
[[nodiscard]] std::vector<double> wall_curvature(const mesh::Mesh& mesh, const BoundaryKinds& kinds,
                                                 Team& team = kernels::calling_thread());

}  // namespace weft::flow

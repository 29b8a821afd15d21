#pragma once
/// Flows with an axis of symmetry on a mesh of their meridian plane.
#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

/// Makes a 2-D mesh that of a body of revolution about the axis y = 0: each volume and area is that which the plane cell or face
/// sweeps in a whole turn (Pappus), m^3 and m^2. Places and normals stay those of the plane. What lies on the axis has no area.
/// @throws MeshError on every rank: the mesh is 3-D, reaches below the axis, or is periodic across it.  @collective
void revolve(Mesh& mesh);

}  // namespace weft::mesh

#pragma once
/// Axisymmetric flows on a mesh of their meridian plane.
#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

/// Converts a 2-D mesh to that of a body of revolution about the axis y = 0: volumes and areas are those that plane cells and
/// faces generate in a full revolution (Pappus), m^3 and m^2. Positions and normals remain those of the plane. Faces on the
/// axis have no area.
/// @throws MeshError on every rank: the mesh is 3-D, extends below the axis, or is periodic across it.  @collective
void revolve(Mesh& mesh);

}  // namespace weft::mesh

#pragma once
/// Uniform refinement: every cell is divided into cells of half the edge length.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

/// Halves every edge, `times` times. A triangle or quad is divided into 4 of its kind, a tetrahedron, prism or hexahedron
/// into 8, a pyramid into 6 pyramids and 4 tetrahedra; boundary elements in the same way. Zones are preserved; conforming
/// meshes, and zones that match by a translation, remain so. New nodes are means of corners (of an edge, a quad, a
/// hexahedron): the volumes of zones are preserved up to rounding, also between warped faces; curved boundaries do not become
/// smoother. Nodes keep their numbers, new nodes follow; elements are renumbered, the children of each parent consecutively.
/// The result does not depend on the number of ranks.
/// @throws MeshError as build() for invalid elements. LimitError, before anything is computed, if the final number of cells
/// of a rank exceeds the range of 32-bit ids. @collective
/// @cost  about 600 B per hexahedron of the original mesh, in addition to the original and the new mesh.
[[nodiscard]] MeshBlock refine(const Communicator& comm, MeshBlock block, int times = 1);

}  // namespace weft::mesh

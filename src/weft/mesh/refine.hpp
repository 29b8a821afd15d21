#pragma once
/// Uniform refinement: every cell into cells of half the edge length.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

/// Halves every edge, `times` times. A triangle or quad becomes 4 of its kind, a tetrahedron, prism or hexahedron 8, a pyramid 6
/// pyramids and 4 tetrahedra; boundary elements likewise. Zones stay; what is conforming, and zones that match by translation,
/// stay so. New nodes are means of corners (of an edge, a quad, a hexahedron): volumes of zones stay, but for rounding, also
/// between warped faces; curved boundaries stay as coarse as they were. Nodes keep their numbers, new ones follow; elements are
/// numbered anew, children of one parent together. The same for any number of ranks.
/// @throws MeshError as build() for elements that are wrong by themselves. LimitError, before anything is made: in the end more
/// cells on a rank than 32-bit ids can number. @collective
/// @cost  about 600 B per hexahedron of the old mesh, besides old and new mesh.
[[nodiscard]] MeshBlock refine(const Communicator& comm, MeshBlock block, int times = 1);

}  // namespace weft::mesh

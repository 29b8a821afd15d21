#pragma once
/// Checks of a mesh block before its faces are matched.
#include <cstdint>
#include <limits>
#include <string>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Checks this rank's share of a mesh of `nodes` nodes: element dimensions, node ids, zones, coordinates.
/// @throws MeshError. No communication.
void check_share(const MeshBlock& block, std::int64_t nodes, Team& team);

/// Maximum number of cells of a rank: local ids have 32 bits, and each corner of a cell needs one.
inline constexpr std::int64_t kMostCellsOfRank = std::numeric_limits<std::int32_t>::max() / kMaxCellNodes;
/// Checks the number of cells of a rank. @throws LimitError with the required number of ranks if `cells` are too many for
/// `rank` of `ranks`. No communication.
void check_cell_count(std::int64_t cells, int rank, int ranks, const std::string& source);

/// Checks a mesh. A 2-D mesh whose coordinates are in z = 0 up to rounding is set to z = 0.
/// @throws MeshError on every rank: no cells; duplicate zone names, zones without elements; an element of the wrong
/// dimension, with an invalid or repeated node id, or (boundary) without zone; a coordinate that is not finite, or off the
/// plane z = 0 in 2-D. LimitError: too many cells of a rank for 32-bit ids. @collective
void check_input(const Communicator& comm, MeshBlock& block, Team& team);

/// Sets z = 0 in a 2-D mesh whose coordinates are in that plane up to rounding. @throws MeshError on every rank: a node is
/// off the plane. @collective
void flatten(const Communicator& comm, MeshBlock& block);

/// Reverses the cells of a type that are mirrored in the entire mesh: clockwise 2-D meshes, and prisms in the order of VTK
/// and SU2, whose first triangle has the opposite orientation of Gmsh and CGNS. If a type has cells of both orientations,
/// none is changed, and the check of volumes reports them.
/// @collective @cost a test of a few cells, unless they are all mirrored.
void turn_mirrored(const Communicator& comm, MeshBlock& block, Team& team);

}  // namespace weft::mesh::detail

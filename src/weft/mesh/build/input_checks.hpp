#pragma once
/// What can be wrong with a mesh block before any face is looked at.
#include <cstdint>
#include <limits>
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// What a rank can see of its own share of a mesh of `nodes` nodes: element dimensions, node ids, zones, coordinates.
/// @throws MeshError. No communication.
void check_share(const MeshBlock& block, std::int64_t nodes);

/// Local ids have 32 bits, and each corner of a cell of a rank needs one.
inline constexpr std::int64_t kMostCellsOfRank = std::numeric_limits<std::int32_t>::max() / kMaxCellNodes;
/// @throws LimitError if `cells` are too many for `rank` of `ranks`; says how many ranks would do. No communication.
void check_cell_count(std::int64_t cells, int rank, int ranks, const std::string& source);

/// @throws MeshError on every rank: no cells; zone names given twice, zones without elements; an element of the wrong dimension,
/// with
///   a node id out of range or a node twice, or (boundary) without zone; a coordinate that is not finite, or off the plane z = 0
///   in 2-D. LimitError: more cells on one rank than 32-bit ids can number. @collective
/// A 2-D mesh whose coordinates lie in z = 0 up to rounding is put there exactly.
void check_input(const Communicator& comm, MeshBlock& block);

/// Puts a 2-D mesh whose coordinates lie in z = 0 up to rounding there exactly. @throws MeshError on every rank: a node is off
/// that plane. @collective
void flatten(const Communicator& comm, MeshBlock& block);

/// Turns the cells of a type that are mirror images all over the mesh: 2-D meshes made clockwise, and prisms in the order of VTK
/// and SU2, whose first triangle looks outwards where that of Gmsh and CGNS looks in. Where a type has both kinds of cells
/// nothing is turned, and the check of volumes names them.
/// @collective @cost a look at a few cells, unless they are all mirrored.
void turn_mirrored(const Communicator& comm, MeshBlock& block);

}  // namespace weft::mesh::detail

#pragma once
/// Left-handed cells, whose measure is negative in the node order of a file, and their reversal.
#include <cstdint>
#include <span>

#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/mesh/ids.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Mirrors the node order of a cell: a left-handed cell becomes right-handed.
void turn_cell(CellType type, std::span<GlobalNodeId> nodes);

/// Returns true if a cell is the mirror image of a right-handed one: its measure is negative, and so is the product of the
/// edges at its corners, for a quad at three of them at least (it need not be convex), for a pyramid at those of its base. A
/// cell with corners of both signs is tangled and cannot be corrected by a reversal.
[[nodiscard]] bool is_left_handed(CellType type, std::span<const Vec3> corner);

/// Reverses each left-handed cell of a mesh that this rank holds entirely. @returns their number. No communication.
[[nodiscard]] std::int64_t turn_left_handed(MeshBlock& whole, Team& team);

}  // namespace weft::mesh::detail

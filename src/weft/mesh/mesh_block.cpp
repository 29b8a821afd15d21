#include "weft/mesh/mesh_block.hpp"

#include "weft/base/team_loops.hpp"

namespace weft::mesh {

void scale(MeshBlock& block, double factor, Vec3 offset, Team& team) {
  for_indices(team, std::ssize(block.coords), [&](std::int64_t i) { block.coords[i] = factor * block.coords[i] + offset; });
}

}  // namespace weft::mesh

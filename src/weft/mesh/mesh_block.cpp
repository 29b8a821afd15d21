#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

void scale(MeshBlock& block, double factor, Vec3 offset) {
  for (Vec3& x : block.coords) x = factor * x + offset;
}

}  // namespace weft::mesh

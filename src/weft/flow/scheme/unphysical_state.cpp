#include "weft/flow/scheme/unphysical_state.hpp"

#include <fmt/format.h>

namespace weft::flow {

PhysicsError unphysical_state(const mesh::Mesh& m, mesh::LocalCellId cell, const Primitive& state, std::string_view name) {
  const Vec3 x = m.cell_centroid[cell], u = state.velocity;
  return PhysicsError(fmt::format("{} is not physical in the cell at ({:.6g}, {:.6g}, {:.6g}): density {:.6g}, "
                                  "velocity ({:.6g}, {:.6g}, {:.6g}), pressure {:.6g}",
                                  name, x.x, x.y, x.z, state.density, u.x, u.y, u.z, state.pressure),
                      "density and pressure must be positive, and all values finite",
                      {.file = m.source, .element = m.cell_file_id[cell]});
}

}  // namespace weft::flow

#pragma once
/// Nodes of the mesh for Ringleb's flow.
#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// Returns the position of a node.
/// @param along   from 0 at the outlet, above, to 1 at the inlet: flow angle on its streamline, linear
/// @param across  from 0 at k_inner to 1 at k_outer: stream function 1/k, linear
[[nodiscard]] Vec3 ringleb_node(const RinglebSpec& spec, double along, double across);

}  // namespace weft::mesh::detail

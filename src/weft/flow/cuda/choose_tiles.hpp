#pragma once
/// The size of the tiles of a mesh on the current GPU.
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/cuda/tiles.hpp"

namespace weft::flow::detail {

/// Returns the kernel argument for tiles first ... last - 1, none of which is larger than `most`.
[[nodiscard]] inline TileRange range_of(std::int32_t first, std::int32_t last, const TileSize& most) {
  return {.first = first, .last = last, .cells = most.cells, .rows = most.rows, .faces = most.faces, .entries = most.entries};
}

/// Divides the mesh into tiles by fit_tiles() for the current GPU.
/// @param kind  of gradients.  @tparam Real  precision of the kernels.
/// @throws DeviceError where not even eight cells fit.
template <class Real>
[[nodiscard]] Tiles choose_tiles(const mesh::Mesh& mesh, const Discretization& discretization, GradientKind kind, Team& team);

}  // namespace weft::flow::detail

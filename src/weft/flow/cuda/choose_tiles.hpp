#pragma once
/// How large the tiles of a mesh are on the current GPU.
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/cuda/tiles.hpp"

namespace weft::flow::detail {

/// What kernels are told of tiles first ... last - 1, of which none has more than `most`.
[[nodiscard]] inline TileRange range_of(std::int32_t first, std::int32_t last, const TileSize& most) {
  return {.first = first, .last = last, .cells = most.cells, .rows = most.rows, .faces = most.faces, .entries = most.entries};
}

/// fit_tiles() for the current GPU.
/// @param kind  of gradients.  @tparam Real  in which the kernels compute.
/// @throws DeviceError where not even eight cells fit.
template <class Real>
[[nodiscard]] Tiles choose_tiles(const mesh::Mesh& mesh, const Discretization& discretization, GradientKind kind);

}  // namespace weft::flow::detail

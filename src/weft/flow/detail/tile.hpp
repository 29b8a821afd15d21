#pragma once
/// A tile as kernels see it: see tiles.hpp.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// What a tile has, and where the parts of it stand in the lists of Tiles.
struct alignas(16) Tile {
  std::int32_t first_cell = 0, cells = 0;
  std::int32_t halo = 0;       ///< in halo_row: cells behind faces, then cells that only stencils reach, then boundary rows
  std::int32_t rows = 0;       ///< own cells and all rows around them
  std::int32_t flux_rows = 0;  ///< own cells and those behind faces
  std::int32_t faces = 0;
  std::int32_t cell_faces = 0;  ///< faces between two cells, which come first; the others are of the boundary
  std::int32_t entries = 0;     ///< faces of each cell, summed over the cells
  std::int32_t first_face = 0;  ///< even: the number of columns times this is the place in geometry
  std::int32_t topology = 0;    ///< a multiple of 4

  /// Distance of two columns of the geometry: an even number.
  [[nodiscard]] WEFT_HD constexpr std::int32_t face_stride() const { return (faces + 1) / 2 * 2; }
  // Places in the tile's part of topology, and its length.
  [[nodiscard]] WEFT_HD constexpr std::int32_t cell_sides() const { return cells + 1; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t sides() const { return cells + 1 + entries; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t topology_size() const { return (cells + 1 + entries + faces + 3) / 4 * 4; }
};

/// Columns of the geometry of faces: centroid (dim of them), normal (dim) and area.
[[nodiscard]] WEFT_HD constexpr int face_columns(int dim) { return 2 * dim + 1; }

}  // namespace weft::flow::detail

#pragma once
/// A tile as kernels see it: see tiles.hpp.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// Tiles begin at a cell with a multiple of this number, and columns of geometry at such a place, so that copies of 16 bytes can
/// move both floats and doubles.
inline constexpr std::int32_t kTileUnit = 4;

[[nodiscard]] WEFT_HD constexpr std::int32_t whole_units(std::int32_t count) {
  return (count + kTileUnit - 1) / kTileUnit * kTileUnit;
}

/// What a tile has, and where the parts of it stand in the lists of Tiles.
struct alignas(16) Tile {
  std::int32_t first_cell = 0, cells = 0;
  std::int32_t halo = 0;       ///< in halo_row: cells behind faces, then cells that only stencils reach, then boundary rows
  std::int32_t rows = 0;       ///< own cells and all rows around them
  std::int32_t flux_rows = 0;  ///< own cells and those behind faces
  std::int32_t faces = 0;
  std::int32_t cell_faces = 0;  ///< faces between two cells, which come first; the others are of the boundary
  std::int32_t entries = 0;     ///< faces of each cell, summed over the cells
  std::int32_t first_row = 0;   ///< whole units: the number of dimensions times this is the place in centroids
  std::int32_t first_face = 0;  ///< whole units: the number of columns times this is the place in geometry
  std::int32_t topology = 0;    ///< whole units

  // Distances of two columns of the centroids and of the geometry.
  [[nodiscard]] WEFT_HD constexpr std::int32_t row_stride() const { return whole_units(rows); }
  [[nodiscard]] WEFT_HD constexpr std::int32_t face_stride() const { return whole_units(faces); }
  // Places in the tile's part of topology, and its length.
  [[nodiscard]] WEFT_HD constexpr std::int32_t cell_sides() const { return cells + 1; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t sides() const { return cells + 1 + entries; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t topology_size() const { return whole_units(cells + 1 + entries + faces); }
};

/// Columns of the geometry of faces: from the left row's centroid to the face's (dim of them), the same from the right (dim),
/// normal (dim) and area. The tiles of a face hold the same numbers, of any precision, and so compute the same flux.
[[nodiscard]] WEFT_HD constexpr int face_columns(int dim) { return 3 * dim + 1; }

/// Set in a cell's entry for a face where the cell is to the right of it. Faces have smaller numbers.
inline constexpr std::uint32_t kRightSide = 0x8000U;

}  // namespace weft::flow::detail

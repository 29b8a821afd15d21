#pragma once
/// A tile as kernels see it: see tiles.hpp.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"

namespace weft::flow::detail {

/// Tiles begin at a cell with a multiple of this number, so that copies of 16 bytes can move both floats and doubles.
inline constexpr std::int32_t kTileUnit = 4;

[[nodiscard]] WEFT_HD constexpr std::int32_t round_up_to_unit(std::int32_t count) {
  return (count + kTileUnit - 1) / kTileUnit * kTileUnit;
}

/// The same for lists of 16-bit numbers.
[[nodiscard]] WEFT_HD constexpr std::int32_t round_up_to_eight(std::int32_t count) { return (count + 7) / 8 * 8; }

/// Numbers that belong to faces lie in blocks of this many faces, in each of them column by column: what the threads of a warp
/// read is one line, and the columns of a face are at fixed distances.
inline constexpr std::int32_t kFaceBlock = 32;

[[nodiscard]] WEFT_HD constexpr std::int32_t face_blocks(std::int32_t faces) { return (faces + kFaceBlock - 1) / kFaceBlock; }
/// Where the first column of a face stands, of so many; the others follow at distances of kFaceBlock. @pre face >= 0
template <class Index>
[[nodiscard]] WEFT_HD constexpr Index in_face_blocks(Index face, int columns) {
  return face + face / kFaceBlock * static_cast<Index>((columns - 1) * kFaceBlock);
}

/// What a tile has, and where the parts of it stand in the lists of Tiles.
struct alignas(16) Tile {
  std::int32_t first_cell = 0, cells = 0;
  std::int32_t halo = 0;  ///< in halo_row: cells behind faces, then cells that only stencils reach, then boundary rows
  std::int32_t rows = 0;  ///< own cells and all rows around them
  std::int32_t faces = 0;
  std::int32_t inner_faces = 0;  ///< faces between two own cells, which come first; then come those to cells of others:
  std::int32_t left_faces = 0;   ///< up to here with the own cell to the left,
  std::int32_t cell_faces = 0;   ///< up to here with it to the right; then those of the boundary
  std::int32_t entries = 0;      ///< faces of each cell, summed over the cells
  std::int32_t first_row = 0;    ///< whole units: the number of dimensions times this is the place in centroids
  std::int32_t first_face = 0;   ///< whole blocks: the place of the first face among those of all tiles
  std::int32_t topology = 0;     ///< in eights of numbers: see first_topology()

  /// Distance of two columns of the centroids.
  [[nodiscard]] WEFT_HD constexpr std::int32_t row_stride() const { return round_up_to_unit(rows); }
  // Where the tile's part of topology begins, places in it, and its length.
  [[nodiscard]] WEFT_HD constexpr std::int64_t first_topology() const { return std::int64_t{topology} * 8; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t cell_sides() const { return cells + 1; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t opposite_rows() const { return round_up_to_eight(cells + 1 + entries); }
  [[nodiscard]] WEFT_HD constexpr std::int32_t topology_size() const { return opposite_rows() + round_up_to_eight(entries); }
};

// Columns of the geometry of faces. The tiles of a face hold the same numbers, of any precision, and so compute the same flux
// from the states on its two sides; but for periodic images, whose arms may differ in the last bit of a double.
/// From the left row's centroid to the face's, and from the right one's.
[[nodiscard]] WEFT_HD constexpr int cell_to_face_columns(int dim) { return 2 * dim; }
/// Area vector: its direction is the face's normal, out of the left row.
[[nodiscard]] WEFT_HD constexpr int area_columns(int dim) { return dim; }

/// Set in a cell's side of a face where the cell is to the right of it. Faces have smaller numbers.
inline constexpr std::uint16_t kRightSide = 0x8000U;

/// The side of a face of a tile where a ghost is.
struct GhostSide {
  std::int32_t row, slot;
  bool right;
  Vec3 to_face;  ///< from the ghost's centroid to the face's
};

}  // namespace weft::flow::detail

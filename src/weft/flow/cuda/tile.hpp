#pragma once
/// The description of a tile for kernels: see tiles.hpp.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"

namespace weft::flow::detail {

/// Tiles begin at a cell with a multiple of this number, so that copies of 16 bytes can move both floats and doubles.
inline constexpr std::int32_t kTileUnit = 4;

[[nodiscard]] WEFT_HD constexpr std::int32_t round_up_to_unit(std::int32_t count) {
  return (count + kTileUnit - 1) / kTileUnit * kTileUnit;
}

/// Rounds up to a whole 16 bytes of 16-bit numbers.
[[nodiscard]] WEFT_HD constexpr std::int32_t round_up_to_eight(std::int32_t count) { return (count + 7) / 8 * 8; }

/// Data of faces are stored in blocks of this many faces, in each of them column by column: a warp reads one cache line, and the
/// columns of a face are at fixed distances.
inline constexpr std::int32_t kFaceBlock = 32;

[[nodiscard]] WEFT_HD constexpr std::int32_t face_blocks(std::int32_t faces) { return (faces + kFaceBlock - 1) / kFaceBlock; }
/// Returns the position of the first column of a face in data with this number of columns; the others follow at distances of
/// kFaceBlock. @pre face >= 0
template <class Index>
[[nodiscard]] WEFT_HD constexpr Index in_face_blocks(Index face, int columns) {
  return face + face / kFaceBlock * static_cast<Index>((columns - 1) * kFaceBlock);
}

/// The sizes of a tile, and the positions of its data in the arrays of Tiles.
struct alignas(16) Tile {
  std::int32_t first_cell = 0, cells = 0;
  std::int32_t halo = 0;  ///< position in halo_row: face neighbours, then other cells of stencils, then boundary rows
  std::int32_t rows = 0;  ///< own cells and all rows around them
  std::int32_t faces = 0;
  std::int32_t inner_faces = 0;  ///< faces between two own cells, which come first; then follow those to cells of other tiles:
  std::int32_t left_faces = 0;   ///< up to here with the own cell on the left,
  std::int32_t cell_faces = 0;   ///< up to here with it on the right; then those of the boundary
  std::int32_t entries = 0;      ///< faces of each cell, summed over the cells
  std::int32_t first_row = 0;    ///< position in centroids, divided by the number of dimensions; a multiple of kTileUnit
  std::int32_t first_face = 0;   ///< slot of the first face; a multiple of kFaceBlock
  std::int32_t topology = 0;     ///< position in the topology, divided by 8: see first_topology()

  /// Returns the distance of two columns of the centroids.
  [[nodiscard]] WEFT_HD constexpr std::int32_t row_stride() const { return round_up_to_unit(rows); }
  // Position of the tile's topology, positions in it, and its length.
  [[nodiscard]] WEFT_HD constexpr std::int64_t first_topology() const { return std::int64_t{topology} * 8; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t cell_sides() const { return cells + 1; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t opposite_rows() const { return round_up_to_eight(cells + 1 + entries); }
  [[nodiscard]] WEFT_HD constexpr std::int32_t topology_size() const { return opposite_rows() + round_up_to_eight(entries); }
};

// Columns of the geometry of faces. The tiles of a face hold the same numbers, in any precision, and so compute the same flux
// from the states on its two sides, except for periodic images, whose cell-to-face vectors may differ in the last bit of a
// double.
/// Returns the number of columns of the cell-to-face vectors of the left and the right row.
[[nodiscard]] WEFT_HD constexpr int cell_to_face_columns(int dim) { return 2 * dim; }
/// Returns the number of columns of the area vector, whose direction is the face's normal, out of the left row.
[[nodiscard]] WEFT_HD constexpr int area_columns(int dim) { return dim; }

/// Bit that is set in a cell's side of a face if the cell is on its right. Faces have smaller numbers.
inline constexpr std::uint16_t kRightSide = 0x8000U;

/// The side of a tile's face on which a ghost lies.
struct GhostSide {
  std::int32_t row, slot;
  bool right;
  Vec3 to_face;  ///< cell-to-face vector of the ghost
};

}  // namespace weft::flow::detail

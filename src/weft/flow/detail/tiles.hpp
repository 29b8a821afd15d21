#pragma once
/// Tiles: the owned cells cut into short runs, each with all that one block of GPU threads needs to work on it out of shared
/// memory.
///
/// Cells of a run lie close together (the mesh orders them along a Hilbert curve), so most of their neighbours are in the tile
/// and are read once, and most faces have both cells in it, so that their flux is computed once. A face between two tiles is in
/// both. Within a tile rows and faces have short numbers (16 bits): cells first, then the rows around them ("halo").
#include <cstdint>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/flow/discretization.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// How much a tile holds, or the most that any of some tiles holds: what shared memory must have room for.
struct TileSize {
  int cells = 0;
  int rows = 0;       ///< own cells, and all rows around them
  int flux_rows = 0;  ///< own cells, and those behind faces
  int faces = 0;
  int entries = 0;  ///< faces of each cell, summed over the cells
};

/// Where tiles begin. Inner and border cells are in different tiles.
struct TileCut {
  /// Each tile has as many cells as `limit` allows, at least one. A few inner tiles, where the curve jumps, have far more rows
  /// and faces than most: cut earlier, they do not decide how much shared memory every block takes. Border tiles heed limit.cells
  /// alone.
  /// @cost one pass over the cells' faces and stencils.
  TileCut(const mesh::Mesh& mesh, const Discretization& discretization, const TileSize& limit);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(of_tile.size()); }
  /// What this part of the inner tiles does not exceed, each number by itself. 1: none does.
  [[nodiscard]] TileSize quantile(double part) const;

  std::int32_t inner = 0;                    ///< tiles 0 ... inner - 1 have inner cells, the others border cells
  std::vector<std::int32_t> cell_offset{0};  ///< first cell of each tile, and the end of the last
  std::vector<TileSize> of_tile;
};

struct Tiles {
  /// @throws LimitError where a tile has more than 65,535 rows or faces.
  /// @cost memory: 28 B per row around a tile, 60 B per face of a tile; time: one pass over cells, faces and stencils.
  Tiles(const mesh::Mesh& mesh, const Discretization& discretization, TileCut cut);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(cell_offset.size()) - 1; }

  std::int32_t inner;                     ///< as in TileCut
  std::vector<std::int32_t> cell_offset;  ///< as in TileCut

  /// Rows around each tile: cells behind its faces, then cells that only stencils reach, then boundary rows.
  std::vector<std::int32_t> halo_offset, halo_row;
  std::vector<std::int32_t> face_halo;  ///< by tile: how many cells are behind faces

  /// Faces of each tile: between two cells first, then boundary faces, then nothing up to an even number, so that the columns of
  /// every tile start at a multiple of 16 bytes.
  std::vector<std::int32_t> face_offset, face_end;
  std::vector<std::int32_t> face_boundary;  ///< by tile: position (in the arrays below) of its first boundary face
  std::vector<std::uint32_t> sides;         ///< rows of the tile: left in the lower half, right in the upper
  std::vector<double> normal_x, normal_y, normal_z, area, centroid_x, centroid_y, centroid_z;

  // Beside Discretization's cell_face, cell_face_row and stencil_row: the same in the tile's numbers.
  std::vector<std::uint32_t> cell_sides;   ///< face in the lower half, row behind it in the upper
  std::vector<std::uint16_t> stencil_row;  ///< empty where stencils are the rows behind the faces

  TileSize of_inner, of_border;  ///< most of any tile
};

}  // namespace weft::flow::detail

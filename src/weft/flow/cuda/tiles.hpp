#pragma once
/// Tiles: the owned cells divided into short contiguous ranges, each with all data that a block of GPU threads needs to process
/// it from shared memory.
///
/// The cells of a tile are close together (the mesh orders them along a Hilbert curve), so that most of their neighbours are in
/// the tile and are read once, and most faces have both cells in it, so that their flux is computed once. A face between two
/// tiles is in both. Within a tile, rows and faces have 16-bit numbers: own cells first, then the surrounding rows ("halo"). Over
/// all tiles the faces of tile t have the slots t.first_face, t.first_face + 1, ...
///
/// Example: a row of 8 quads on one rank, tiles of 4 cells, zones xmin, xmax, ymin, ymax. Faces 0 ... 6 are between cells i and
/// i + 1; boundary faces: 7 xmin, 8 xmax, 9 ... 16 ymin, 17 ... 24 ymax; the boundary row of face f is f + 1.
///     tile 0: cells 0 ... 3     halo_row   4 | 10 18 8  11 19  12 20  13 21      cell of tile 1, then boundary rows
///       tile row numbers        0 ... 3 the cells, 4 ... 13 the halo             rows = 14
///       faces by tile number    0 1 2 | 3 | 9 17 7  10 18  11 19  12 20          inner_faces 3, left_faces = cell_faces = 4
///       topology                0 4 8 12 16   4 0 5 6 | 7 1 8 0R | ...           offsets; sides of cells (R: kRightSide)
///                               5 1 6 7 | 8 2 9 0 | ...                          rows across these faces
///       slots 0 ... 12          across[3] = 35, across[4] = 2                    slot in tile 1; index among the boundary faces
///     tile 1: cells 4 ... 7     first_face = 32 (a whole block)                  its faces 4 5 6 | 3 | ...: across[35] = 3
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/flow/cuda/tile.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// How much a tile holds, or the most that any of some tiles holds: what shared memory must have room for.
struct TileSize {
  int cells = 0;
  int rows = 0;  ///< own cells, and all rows around them
  int faces = 0;
  int entries = 0;  ///< faces of each cell, summed over the cells
};

/// Where tiles begin: at multiples of kTileUnit, so that rows of any width begin at a multiple of 16 bytes there. Inner and
/// border cells are in different tiles, but for the last inner cells that are no whole unit.
struct TilePartition {
  /// Each tile has as many cells as `limit` allows, at least a unit where there are as many. A few inner tiles, where the curve
  /// jumps, have far more rows and faces than most: cut earlier, they do not decide how much shared memory every block takes.
  /// Border tiles, with more rows and faces for each cell, are cut like them: so they find room where a block of inner ones ends.
  /// @cost one pass over the cells' faces and stencils.
  TilePartition(const mesh::Mesh& mesh, const Discretization& discretization, const TileSize& limit);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(of_tile.size()); }
  /// What this part of the inner tiles does not exceed, each number by itself; of all tiles, where inner ones are not the most.
  /// 1: none does.
  [[nodiscard]] TileSize quantile(double part) const;

  std::int32_t inner = 0;                    ///< tiles 0 ... inner - 1 have inner cells, the others border cells
  std::vector<std::int32_t> cell_offset{0};  ///< first cell of each tile, and the end of the last
  std::vector<TileSize> of_tile;
};

/// Whether stencils are not the rows behind the faces.  @cost one pass over the stencils.
[[nodiscard]] bool has_stencils_by_node(const Discretization& discretization);

struct Tiles {
  /// @throws LimitError where a tile has more than 65,535 rows or 32,767 faces, or all of them more than 2^31 - 1 of anything.
  /// @cost memory: 4 B per row around a tile, 76 B per face of a tile, 26 B per hexahedron, and with stencils by node 24 B per
  /// row;
  ///   time: one pass over cells, faces and stencils.
  Tiles(const mesh::Mesh& mesh, const Discretization& discretization, const TilePartition& partition);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(tile.size()); }

  std::int32_t inner;  ///< as in TileCut
  std::vector<Tile> tile;
  std::vector<std::int32_t> halo_row;
  /// By tile: where the faces of each cell begin and the end of the last (cells + 1 numbers), and each cell's sides of faces
  /// (face and kRightSide); then, as many, the rows behind them. All in the numbers of the tile.
  std::vector<std::uint16_t> topology;
  /// By place. Of a face to a cell of another tile, its place in that one; to a ghost, its own place. Of a face of the
  /// boundary, its index among the boundary faces; its cell is to the left.
  std::vector<std::int32_t> opposite_slot;
  std::vector<GhostSide> ghost_sides;
  std::vector<double> cell_to_face, areas;  ///< by place, in blocks of faces (see arm_columns, area_columns)
  // Where stencils are not the rows behind the faces; else empty.
  std::vector<std::uint16_t> stencil_row;  ///< as Discretization's, in the tile's numbers
  std::vector<double> centroids;           ///< by tile, column by column: of its rows, relative to its first cell's

  TileSize largest_inner, largest_border;  ///< most of any tile
};

/// The largest tiles of which four fit on a multiprocessor at a time: large ones have fewer faces in two tiles, and many at a
/// time hide the time that memory takes. Where that takes more of them, up to a fifth of the tiles are cut a little smaller than
/// the others. Where a single cell has a great stencil (neighbours by node), as many cells as fit at all.
/// @param bytes_of_block  shared memory that a block takes for tiles of which none has more than this.
/// @param per_multiprocessor, per_block  bytes of shared memory that there are, and that one block may have.
/// @throws DeviceError where not even eight cells fit.
[[nodiscard]] Tiles fit_tiles(const mesh::Mesh& mesh, const Discretization& discretization,
                              const std::function<int(const TileSize&)>& bytes_of_block, int per_multiprocessor, int per_block);

}  // namespace weft::flow::detail

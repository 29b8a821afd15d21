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
///       slots 0 ... 12          opposite_slot[3] = 35, opposite_slot[4] = 2      slot in tile 1; index among boundary faces
///     tile 1: cells 4 ... 7     first_face = 32 (a whole block)                  faces 4 5 6 | 3 ...: opposite_slot[35] = 3
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/flow/cuda/tile.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// The size of a tile, or the largest sizes of several tiles: they determine the shared memory.
struct TileSize {
  int cells = 0;
  int rows = 0;  ///< own cells, and all rows around them
  int faces = 0;
  int entries = 0;  ///< faces of each cell, summed over the cells
};

/// The first cells of tiles: multiples of kTileUnit, so that rows of any width begin at a multiple of 16 bytes there. Inner and
/// border cells are in different tiles, except for the last inner cells that do not fill a unit.
struct TilePartition {
  /// Fills each tile with as many cells as `limit` allows, at least a unit if there are as many. A few inner tiles, at jumps of
  /// the curve, have far more rows and faces than most: they are ended earlier, so that they do not determine the shared memory
  /// of every block. Border tiles, with more rows and faces per cell, obey the same limits, so that they fit into the memory of
  /// inner tiles. Tiles also end at multiples of 512 times the largest number of cells of a tile, so that threads divide the
  /// parts of the mesh between these independently of each other, with the same result on any number of threads.
  /// @cost one pass over the cells' faces and stencils.
  TilePartition(const mesh::Mesh& mesh, const Discretization& discretization, const TileSize& limit,
                Team& team = kernels::calling_thread());

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(of_tile.size()); }
  /// Returns the sizes that this fraction of the inner tiles does not exceed, each number separately; of all tiles if inner ones
  /// are not the majority. 1: the maximum.
  [[nodiscard]] TileSize quantile(double part) const;

  std::int32_t inner = 0;                    ///< tiles 0 ... inner - 1 have inner cells, the others border cells
  std::vector<std::int32_t> cell_offset{0};  ///< first cell of each tile, and the end of the last
  std::vector<TileSize> of_tile;
};

struct Tiles {
  /// @throws LimitError where a tile has more than 65,535 rows or 32,767 faces, or all of them more than 2^31 - 1 of anything.
  /// @cost memory: 4 B per halo row of a tile, 76 B per face of a tile, 26 B per hexahedron, and with stencils by node 24 B per
  ///   row; time: one pass over cells, faces and stencils.
  Tiles(const mesh::Mesh& mesh, const Discretization& discretization, const TilePartition& partition,
        Team& team = kernels::calling_thread());

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(tile.size()); }

  std::int32_t inner;  ///< as in TilePartition
  std::vector<Tile> tile;
  TeamVector<std::int32_t> halo_row;
  /// By tile: the first face entry of each cell and the end of the last (cells + 1 numbers), and each cell's sides of faces (face
  /// and kRightSide); then, as many, the rows on the other sides. All in the numbers of the tile.
  TeamVector<std::uint16_t> topology;
  /// By slot. For a face to a cell of another tile, its slot in that one; to a ghost, its own slot. For a boundary face, whose
  /// cell is on the left, its index among the boundary faces.
  TeamVector<std::int32_t> opposite_slot;
  std::vector<GhostSide> ghost_sides;
  TeamVector<double> cell_to_face, areas;  ///< by slot, in blocks of faces (see cell_to_face_columns, area_columns)
  // Only where stencils differ from the rows on the other sides of the faces.
  TeamVector<std::uint16_t> stencil_row;  ///< as Discretization's, in the tile's numbers
  TeamVector<double> centroids;           ///< by tile, column by column: of its rows, relative to its first cell

  TileSize largest_inner, largest_border;  ///< largest sizes of inner and of border tiles
};

/// Returns the largest tiles of which four fit on a multiprocessor at a time: large ones have fewer faces in two tiles, and
/// several per multiprocessor hide memory latency. If this increases their number, up to a fifth of the tiles are a little
/// smaller than the others. If a single cell has a large stencil (neighbours by node), tiles have as many cells as fit at all.
/// @param bytes_of_block  shared memory of a block for tiles none of which is larger than its argument.
/// @param per_multiprocessor, per_block  available shared memory, bytes.
/// @throws DeviceError where not even eight cells fit.
[[nodiscard]] Tiles fit_tiles(const mesh::Mesh& mesh, const Discretization& discretization,
                              const std::function<int(const TileSize&)>& bytes_of_block, int per_multiprocessor, int per_block,
                              Team& team = kernels::calling_thread());

}  // namespace weft::flow::detail

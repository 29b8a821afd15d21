#pragma once
/// The construction of tiles.
#include <compare>
#include <cstdint>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/flow/cuda/tile_numbering.hpp"
#include "weft/flow/cuda/tiles.hpp"

namespace weft::flow::detail {

/// A face to a cell of another tile or to a ghost, encoded in one integer, so that faces are sorted as in a tile: own cells on
/// the left first, then by the opposite tile and the number of the face.
class InterfaceFace {
 public:
  /// @param opposite  tile; the number of tiles for a ghost.
  InterfaceFace(bool own_right, std::int32_t opposite, mesh::LocalFaceId face)
      : key_(static_cast<std::uint64_t>(own_right) << 63 | static_cast<std::uint64_t>(opposite) << 32 |
             static_cast<std::uint64_t>(face.value())) {}
  [[nodiscard]] bool own_right() const { return key_ >> 63 != 0; }
  [[nodiscard]] mesh::LocalFaceId face() const { return mesh::LocalFaceId(key_ & 0xFFFFFFFFU); }
  auto operator<=>(const InterfaceFace&) const = default;

 private:
  std::uint64_t key_;
};

/// Fills single tiles, whose positions in the arrays of Tiles are known. Each thread has one.
class TileBuilder {
 public:
  /// Creates a builder. All arguments outlive it. @param first_slot  by face between two tiles: its slot in the tile of its left
  ///   cell.
  TileBuilder(const mesh::Mesh& mesh, const Discretization& d, const std::vector<std::int32_t>& tile_of_unit,
              IdVector<mesh::LocalFaceId, std::int32_t>& first_slot, Tiles& tiles);
  /// Fills a tile. Tiles::opposite_slot of a face to another tile remains for connect(). @throws LimitError, see Tiles.
  void build(std::int32_t number);
  /// Sets Tiles::opposite_slot of faces to other tiles on both sides, where this tile has the right cell. @pre all are built.
  void connect(std::int32_t number);

  std::vector<GhostSide> ghost_sides;  ///< sides of the tiles built so far

 private:
  void begin(std::int32_t number);
  /// Sorts the faces of the tile's cells into inner, interface and boundary faces, and adds the opposite cells to the halo.
  void collect_faces();
  /// Adds the remaining rows of the halo: those of stencils, then those of the boundary.
  void collect_rows();
  void number_faces();
  void enter_topology();
  void enter_face_geometry();
  /// Enters the slots of left sides, the numbers of boundary faces and the sides of ghosts.
  void enter_slots();
  /// Enters centroids and stencils, which only stencils by node need.
  void enter_stencils();

  template <class Visit>
  void each_side(std::int32_t cell, const Visit& visit) const;
  [[nodiscard]] bool is_own(std::int32_t row) const { return first_ <= row && row < last_; }
  /// Returns the tile number of a row: own cells first, then the halo.
  [[nodiscard]] std::uint16_t number_of(std::int32_t row) const {
    return static_cast<std::uint16_t>(is_own(row) ? row - first_ : tile_.cells + rows_[row]);
  }
  void add_halo(std::int32_t row);
  [[nodiscard]] std::int32_t tile_of(std::int32_t cell) const;
  /// Returns whether the tile has the left and right of a face exchanged. Both ranks of a partition-interface face must use the
  /// same orientation, because the flux depends on it by rounding errors.
  [[nodiscard]] bool reversed(mesh::LocalFaceId f) const;
  /// Returns the vector from the centroid of a row to that of a face.
  [[nodiscard]] Vec3 to_face(mesh::LocalFaceId f, std::int32_t row) const;

  const mesh::Mesh& mesh_;
  const Discretization& d_;
  const std::vector<std::int32_t>& tile_of_unit_;  ///< tile of each unit of cells
  IdVector<mesh::LocalFaceId, std::int32_t>& first_slot_;
  Tiles& tiles_;
  const bool by_node_;
  Numbering rows_;   ///< the rows of the halo, counted from 0
  Numbering faces_;  ///< tile numbers of the rank's faces

  // The present tile: its cells first_ <= c < last_, its faces by kind, and all of them in order, each once.
  Tile tile_;
  std::int32_t first_ = 0, last_ = 0, next_halo_ = 0;
  std::vector<mesh::LocalFaceId> inner_faces_, boundary_faces_;
  std::vector<InterfaceFace> interface_faces_;
  std::vector<mesh::LocalFaceId> face_list_;
};

/// Fills Tiles: all positions first, then the tiles, each by one thread.
class TilesBuilder {
 public:
  /// All arguments outlive the object.
  TilesBuilder(const mesh::Mesh& mesh, const Discretization& d, const TilePartition& partition, Tiles& tiles, Team& team)
      : mesh_(mesh), d_(d), partition_(partition), tiles_(tiles), team_(team) {}
  /// @throws LimitError, see Tiles.
  void build();

 private:
  /// Sets the positions of all tiles, and resizes the arrays of Tiles. Checks that indices into them have 32 bits.
  void place_tiles();
  /// Calls job(builder, tile) for each tile. Threads get equal numbers of cells.
  template <class Job>
  void each_tile(std::vector<TileBuilder>& builders, const Job& job);

  const mesh::Mesh& mesh_;
  const Discretization& d_;
  const TilePartition& partition_;
  Tiles& tiles_;
  Team& team_;
};

}  // namespace weft::flow::detail

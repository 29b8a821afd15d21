#pragma once
/// Which cells are neighbours, by face or by node, across ranks and periodic zones.
#include <compare>
#include <cstdint>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/periodic.hpp"
#include "weft/mesh/build/subdomain.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::detail {

/// A cell by its global row (its number in the order of ranks, then of local cells) and its periodic image.
struct CellCopy {
  std::int64_t row = 0;
  std::int32_t image = 0;
  friend bool operator==(const CellCopy&, const CellCopy&) = default;
  friend auto operator<=>(const CellCopy&, const CellCopy&) = default;
};

/// Returns whether an owned cell has its neighbours by node, too, where Neighbours::face is asked for: a cell with a boundary
/// face that is neither a quad nor a hexahedron.
[[nodiscard]] bool is_widened(const Subdomain& part, std::size_t cell);

/// For each local node that cells of other ranks, or periodic copies, share: those cells.
struct NodeStars {
  struct Entry {
    std::int32_t cell;  ///< as Subdomain::neighbour
    std::int32_t image;
    bool widened;  ///< is_widened()
  };
  std::vector<std::int32_t> star;  ///< by local node: row of `cells`, or -1
  Rows<Entry> cells;               ///< owned cells only where their image is not 0
};

/// Finds the stars of the nodes on the rim of this rank's cells, through the ranks that hold the nodes. Refers to remote cells.
/// @cost one record per node and cell around it, for nodes on faces between ranks, periodic faces and boundary faces. @collective
[[nodiscard]] NodeStars find_node_stars(const Communicator& comm, const Chunks& nodes, const NodeAliases& aliases,
                                        Subdomain& part);

/// By owned cell: whether it has a neighbour that is not owned, or a periodic copy. `stars` is empty where cells are neighbours
/// by faces alone.
[[nodiscard]] std::vector<char> find_border(const Subdomain& part, const NodeStars& stars, Neighbours kind);

/// The neighbours of owned cells, by global row.
class Adjacency {
 public:
  /// @param rows        global rows of the owned cells of each rank.
  /// @param remote_row  global rows of part.remote.
  /// @param stars       in the numbers of `part`; empty where cells are neighbours by faces alone.
  Adjacency(const Subdomain& part, const NodeStars& stars, const Chunks& rows, const std::vector<std::int64_t>& remote_row,
            Neighbours kind);

  /// Appends the neighbours of an owned cell, each once, in ascending order.
  void append(std::size_t cell, std::vector<CellCopy>& neighbours) const;

 private:
  [[nodiscard]] CellCopy copy(std::int32_t cell, std::int32_t image) const {
    const std::int32_t owned = part_->owned();
    return {cell < owned ? rows_->first() + cell : (*remote_row_)[static_cast<std::size_t>(cell - owned)], image};
  }

  const Subdomain* part_;
  const NodeStars* stars_;
  const Chunks* rows_;
  const std::vector<std::int64_t>* remote_row_;
  Neighbours kind_;
  std::vector<std::int32_t> first_cell_, node_cell_;  ///< owned cells around each local node; empty where `stars` is
  std::vector<char> widened_;                         ///< of each owned cell
  std::vector<char> near_widened_;                    ///< by local node: whether any cell around it is widened
};

/// The ghosts of `depth` layers around the owned cells, in ascending order.
/// @cost per layer one exchange of the neighbour lists of the last layer. @collective
[[nodiscard]] std::vector<CellCopy> find_ghosts(const Communicator& comm, const Subdomain& part, const Adjacency& adjacency,
                                                const Chunks& rows, const std::vector<char>& border, int depth);

}  // namespace weft::mesh::detail

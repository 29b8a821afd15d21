#pragma once
/// Neighbours of cells, by face or by node, across ranks and periodic zones.
#include <compare>
#include <cstdint>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/periodic.hpp"
#include "weft/mesh/build/subdomain.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::detail {

/// A cell by its global row (numbered by rank, then by local cell) and its periodic image.
struct CellCopy {
  GlobalRow row;
  std::int32_t image = 0;  ///< see Translations
  friend bool operator==(const CellCopy&, const CellCopy&) = default;
  friend auto operator<=>(const CellCopy&, const CellCopy&) = default;
};

/// Returns true if the neighbours of an owned cell include those by node although Neighbours::face is requested: cells with a
/// boundary face that are neither quads nor hexahedra.
[[nodiscard]] bool is_widened(const Subdomain& part, LocalCellId cell);

/// The cells around each local node that has cells of other ranks or periodic images.
struct NodeStars {
  struct Entry {
    std::int32_t cell;   ///< numbered as in Subdomain::neighbour
    std::int32_t image;  ///< see Translations
    bool widened;        ///< value of is_widened()
  };
  IdVector<LocalNodeId, std::int32_t> star;  ///< row of `cells`, or -1
  Array<Entry, NonUniform> cells;            ///< owned cells only with an image other than 0
};

/// Determines the stars of the nodes at the limits of this rank's subdomain, through the ranks that hold the nodes. Adds
/// remote cells.
/// @cost one record per node and cell around it, for nodes on partition-interface, periodic and boundary faces. @collective
[[nodiscard]] NodeStars find_node_stars(const Communicator& comm, const RowOffsets& nodes, const NodeAliases& aliases,
                                        Subdomain& part, Team& team);

/// Returns for each owned cell whether it has a neighbour that is not owned or is a periodic image. `stars` is empty for
/// neighbours by face only.
[[nodiscard]] IdVector<LocalCellId, char> find_border(const Subdomain& part, const NodeStars& stars, Neighbours kind, Team& team);

/// The owned cells around each local node.
class CellsOfNodes {
 public:
  CellsOfNodes() = default;
  CellsOfNodes(const Subdomain& part, Team& team);

  [[nodiscard]] std::span<const LocalCellId> operator[](LocalNodeId node) const {
    return std::span(cell_).subspan(first_[node.index()], first_[node.index() + 1] - first_[node.index()]);
  }

 private:
  std::vector<std::int32_t> first_;  ///< the cells of node n: cell_[first_[n]] ... cell_[first_[n + 1] - 1]
  TeamVector<LocalCellId> cell_;
};

/// The neighbours of owned cells by global row.
class Adjacency {
 public:
  /// @param rows        global rows of the owned cells of each rank.
  /// @param remote_row  global rows of part.remote.
  /// @param stars       in the numbering of `part`; empty for neighbours by face only.
  Adjacency(const Subdomain& part, const NodeStars& stars, const RowOffsets& rows, const TeamVector<GlobalRow>& remote_row,
            Neighbours kind, Team& team);

  /// Appends the neighbours of an owned cell, unique, in ascending order.
  void append(LocalCellId cell, std::vector<CellCopy>& neighbours) const;

 private:
  [[nodiscard]] CellCopy copy(std::int32_t cell, std::int32_t image) const {
    const std::int32_t owned = part_->owned();
    return {cell < owned ? rows_->global(LocalRow(cell)) : (*remote_row_)[cell - owned], image};
  }

  const Subdomain* part_;
  const NodeStars* stars_;
  const RowOffsets* rows_;
  const TeamVector<GlobalRow>* remote_row_;
  Neighbours kind_;
  CellsOfNodes cells_of_nodes_;               ///< empty if `stars` is
  IdVector<LocalCellId, char> widened_;       ///< by owned cell
  IdVector<LocalNodeId, char> near_widened_;  ///< 1 if any cell around the node is widened
};

/// Returns the ghost cells of `depth` layers around the owned cells, in ascending order.
/// @cost per layer one exchange of the neighbour lists of the preceding layer. @collective
[[nodiscard]] std::vector<CellCopy> find_ghosts(const Communicator& comm, const Adjacency& adjacency, const RowOffsets& rows,
                                                const IdVector<LocalCellId, char>& border, int depth);

}  // namespace weft::mesh::detail

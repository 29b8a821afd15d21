#pragma once
/// The cells of one rank during build(), in local numbers as far as they are known.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/id_vector.hpp"
#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/id_table.hpp"
#include "weft/mesh/build/send_order.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Owned cells, their nodes and face neighbours. The nodes of cell c are node[first_node[c]] ...; its faces are first_face[c]
/// ... in neighbour, partner and image.
struct Subdomain {
  IdVector<LocalCellId, CellType> type;
  IdVector<LocalCellId, GlobalCellId> global;
  IdVector<LocalCellId, std::int64_t> file_id;
  IdVector<LocalCellId, ZoneId> zone;
  IdVector<LocalCellId, double> volume;
  IdVector<LocalCellId, Vec3> centroid;

  TeamVector<std::int32_t> first_node{0};
  TeamVector<LocalNodeId> node;
  IdVector<LocalNodeId, GlobalNodeId> node_global;
  IdVector<LocalNodeId, Vec3> node_coord;

  /// Neighbour of each face: < 0: boundary (FaceLinks::boundary); < owned(): that owned cell; otherwise remote[neighbour -
  /// owned()].
  TeamVector<std::int32_t> first_face{0}, neighbour;
  TeamVector<std::uint8_t> partner;
  std::vector<std::int32_t> image;  ///< empty without periodic zones

  std::vector<GlobalCellId> remote;  ///< referenced cells of other ranks
  IdTable cell_table;                ///< some global cells -> owned cell or owned() + remote; before any renumbering
  IdTable node_table;                ///< global node -> local node; before any renumbering

  [[nodiscard]] std::int32_t owned() const { return type.count(); }
  [[nodiscard]] std::span<const LocalNodeId> nodes(LocalCellId cell) const {
    const std::size_t c = cell.index();
    return std::span(node).subspan(first_node[c], first_node[c + 1] - first_node[c]);
  }
  [[nodiscard]] std::int32_t image_of(std::size_t slot) const { return image.empty() ? 0 : image[slot]; }
  /// Returns true if the neighbour of a face is a ghost cell.
  [[nodiscard]] bool is_ghost(std::size_t slot) const { return neighbour[slot] >= owned() || image_of(slot) != 0; }
  /// Returns the local number of a global cell; adds it to `remote` if it is new. @pre owned cells are in ascending order.
  [[nodiscard]] std::int32_t refer_to(GlobalCellId cell);
};

/// Destinations of the cells of this rank's chunk.
struct Destinations {
  std::vector<std::int32_t> owner;
  TeamVector<std::int32_t> number;  ///< local number on the owner, before any renumbering
  SendOrder order;                  ///< order of the cells, empty on one rank
};
/// Numbers cells on their owners. @param owner  of each cell of this rank's chunk.
/// @throws LimitError on every rank if one would own too many. @collective
[[nodiscard]] Destinations number_at_owners(const Communicator& comm, const MeshBlock& block, std::vector<std::int32_t> owner,
                                            Team& team);

/// The nodes that cells use.
struct UsedNodes {
  TeamVector<LocalNodeId> node;                ///< the node of each use
  IdVector<LocalNodeId, GlobalNodeId> global;  ///< global id of each node
  IdTable table;                               ///< global id -> node
};
/// Numbers the nodes of cells in the order of first use. @param cell_nodes  the nodes of one cell after another.
[[nodiscard]] UsedNodes number_nodes(std::span<const GlobalNodeId> cell_nodes, std::size_t cells, Team& team);

/// Sends cells with all their data to their owners, and reads the coordinates of their nodes. Owned cells are in ascending
/// order of global cells, nodes in the order of first use.
/// @cost cells are sent once, one field at a time; `block` keeps only its coordinates, zones and names. @collective
[[nodiscard]] Subdomain redistribute(const Communicator& comm, MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                                     FaceLinks links, const Destinations& to, Team& team);

/// Computes volume and centroid of every cell.
/// @throws MeshError on every rank for an inverted cell or one without volume. @collective
void measure_cells(const Communicator& comm, const MeshBlock& block, Subdomain& part, Team& team);

/// New numbers of cells and nodes.
struct Renumbering {
  IdVector<LocalCellId, LocalCellId> cell;  ///< by old number
  IdVector<LocalNodeId, LocalNodeId> node;  ///< by old number
};
/// Gives the cell `order[i]` the number i, and numbers nodes in the order of first use.
[[nodiscard]] Renumbering renumber(Subdomain& part, const IdVector<LocalCellId, LocalCellId>& order, Team& team);

}  // namespace weft::mesh::detail

#pragma once
/// The cells of one rank while its part of the mesh is built: in local numbers as far as they are known.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/id_table.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Owned cells, their nodes and who is across their faces. The nodes of cell c are node[first_node[c]] ... and its faces are
/// first_face[c] ... in neighbour, partner and image.
struct Subdomain {
  std::vector<CellType> type;
  std::vector<std::int64_t> global, file_id;
  std::vector<std::int32_t> zone;
  std::vector<double> volume;
  std::vector<Vec3> centroid;

  std::vector<std::int32_t> first_node{0}, node;  ///< local nodes
  std::vector<std::int64_t> node_global;
  std::vector<Vec3> node_coord;

  /// Across each face: below 0 a boundary (FaceLinks::boundary), below owned() that owned cell, else remote[neighbour - owned()].
  std::vector<std::int32_t> first_face{0}, neighbour;
  std::vector<std::uint8_t> partner;
  std::vector<std::int32_t> image;  ///< empty where nothing is periodic

  std::vector<std::int64_t> remote;  ///< global ids of the cells of other ranks that anything here refers to
  IdTable cell_table;                ///< global cell -> owned cell or owned() + remote, of some; before any renumbering
  IdTable node_table;                ///< global node -> local node; before any renumbering

  [[nodiscard]] std::int32_t owned() const { return static_cast<std::int32_t>(type.size()); }
  [[nodiscard]] std::span<const std::int32_t> nodes(std::size_t cell) const {
    return {node.data() + first_node[cell], static_cast<std::size_t>(first_node[cell + 1] - first_node[cell])};
  }
  [[nodiscard]] std::int32_t image_of(std::size_t slot) const { return image.empty() ? 0 : image[slot]; }
  /// Whether the other side of a face is a cell that this rank must keep a copy of.
  [[nodiscard]] bool is_ghost(std::size_t slot) const { return neighbour[slot] >= owned() || image_of(slot) != 0; }
  /// Local number of a global cell, entered into `remote` if it is new. @pre owned cells are in ascending order.
  [[nodiscard]] std::int32_t refer_to(std::int64_t global_cell);
};

/// Where the cells of this rank's chunk go.
struct Destinations {
  std::vector<std::int32_t> owner;
  std::vector<std::int32_t> number;  ///< local number there, before any renumbering
};
/// @param owner  of each cell of this rank's chunk.
/// @throws LimitError on every rank where one would own too many. @collective
[[nodiscard]] Destinations number_at_owners(const Communicator& comm, const MeshBlock& block, std::vector<std::int32_t> owner);

/// Sends cells, with everything that is known about them, to their owners, and reads the coordinates of their nodes. Owned cells
/// and nodes come in ascending order of global cells, nodes by first use.
/// @cost the cells travel once, one field at a time; `block` keeps only its coordinates, zones and names. @collective
[[nodiscard]] Subdomain redistribute(const Communicator& comm, MeshBlock& block, const Chunks& cells, const Chunks& nodes,
                                     FaceLinks links, const Destinations& to);

/// Computes volume and centroid of every cell.
/// @throws MeshError on every rank for a cell that is turned inside out or has no volume. @collective
void measure_cells(const Communicator& comm, const MeshBlock& block, Subdomain& part);

/// What old numbers have become.
struct Renumbering {
  std::vector<std::int32_t> cell, node;  ///< new number of each old one
};
/// Gives cell order[i] the number i, and nodes the order of their first use.
[[nodiscard]] Renumbering renumber(Subdomain& part, const std::vector<std::int32_t>& order);

}  // namespace weft::mesh::detail

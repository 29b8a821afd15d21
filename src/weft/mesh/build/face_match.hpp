#pragma once
/// Neighbours of each face: pairs of cells and boundary elements, determined without a rank that has the whole mesh.
///
/// A face is identified by its sorted node ids. Faces with both cells in the chunk of this rank are matched locally; all
/// others are sent, with the boundary elements, to a rank that a hash of the nodes selects.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Sorted nodes of a face; unused entries at the end are invalid.
using FaceKey = std::array<GlobalNodeId, kMaxFaceNodes>;

/// Returns the number of nodes of a face.
[[nodiscard]] inline int size_of(const FaceKey& key) {
  return static_cast<int>(std::count_if(key.begin(), key.end(), [](GlobalNodeId node) { return node.valid(); }));
}

/// The neighbours of a set of cells across each face, in the order of the shapes. The faces of cell c are offset[c] ...
/// offset[c+1]-1.
struct FaceLinks {
  static constexpr std::int64_t kUnknown = -1;
  TeamVector<std::int32_t> offset{0};
  TeamVector<std::int64_t> target;   ///< value of a GlobalCellId; boundary(zone); or kUnknown
  TeamVector<std::uint8_t> partner;  ///< index of the face in the target cell
  std::vector<std::int32_t> image;   ///< periodic image of the target (see Translations); empty without periodic zones

  /// Returns the target of a face of a boundary zone.
  [[nodiscard]] static constexpr std::int64_t boundary(ZoneId zone) { return -2 - std::int64_t{zone.value()}; }
  [[nodiscard]] static constexpr bool is_boundary(std::int64_t target) { return target <= -2; }
  [[nodiscard]] static constexpr ZoneId zone(std::int64_t target) { return ZoneId(-2 - target); }
  [[nodiscard]] std::size_t slot(std::size_t cell, int face) const { return offset[cell] + face; }
};

/// Reply from the rank that matched a face to the rank that holds the cell.
struct LinkReply {
  GlobalCellId cell;
  std::int64_t target = 0;             ///< as FaceLinks::target
  std::int32_t image = 0;              ///< periodic image of the target
  std::uint8_t face = 0, partner = 0;  ///< indices of the face in the cell and in the target cell
};
/// Sends the replies to the holders of their cells and stores them. @collective
void enter_links(const Communicator& comm, const RowOffsets& cells, const std::vector<LinkReply>& replies, FaceLinks& links);

/// A cell face of a boundary zone, on the rank that matched it.
struct ZoneFace {
  FaceKey key{};
  GlobalCellId cell;
  std::int32_t face = 0;  ///< index in the cell
  ZoneId zone;
};

/// Reason why a face is invalid.
enum class FaceFault : std::int32_t { shared_by_three, inside, duplicate, no_cell, hanging, open };
struct FaceProblem {
  FaceKey key{};
  /// Value of a GlobalCellId (shared_by_three, hanging, open); otherwise the file id of the boundary element.
  std::int64_t element = 0;
  ZoneId zone;  ///< zone of a boundary element; invalid: `element` is a cell
  FaceFault fault = FaceFault::open;
};

[[nodiscard]] FaceKey face_key(std::span<const GlobalNodeId> cell_nodes, const CellFace& face);

/// Matches all faces of the mesh.
/// @param keep  by zone: whether to list its faces in `kept` (on the ranks that matched them).
/// @throws MeshError on every rank: face shared by three cells, open boundary, hanging node, boundary element that is no face
/// of a cell, is between two cells, or occurs twice. @collective
/// @cost per cell face 16 B and a sort; faces between chunks are sent once (48 B) with one reply (24 B).
[[nodiscard]] FaceLinks match_faces(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells,
                                    const RowOffsets& nodes, const IdVector<ZoneId, char>& keep, std::vector<ZoneFace>& kept,
                                    Team& team);

/// Reports the errors of the mesh, given the problems of every rank (at least one on some rank). @collective
/// @throws MeshError, the same on every rank, always.
[[noreturn]] void report_faces(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                               const std::vector<FaceProblem>& problems);

}  // namespace weft::mesh::detail

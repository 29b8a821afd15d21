#pragma once
/// Who is on the other side of each face: pairs of cells and boundary elements, found without anybody seeing the whole mesh.
///
/// A face is known by its sorted node ids. Faces whose both cells are in this rank's chunk are paired at home; the rest meet at
/// the rank that a hash of the nodes names, together with the boundary elements.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Sorted global node ids of a face; unused places at the end are -1.
using FaceKey = std::array<std::int64_t, kMaxFaceNodes>;

/// The neighbours of a set of cells, face by face in the order of the cells' shapes. The faces of cell c are
/// offset[c] ... offset[c+1]-1.
struct FaceLinks {
  static constexpr std::int64_t kUnknown = -1;
  std::vector<std::int32_t> offset{0};
  std::vector<std::int64_t> target;   ///< global cell; boundary(zone); or kUnknown
  std::vector<std::uint8_t> partner;  ///< which face of the target cell it is
  std::vector<std::int32_t> image;    ///< periodic image of the target (see Translations); empty where nothing is periodic

  [[nodiscard]] static constexpr std::int64_t boundary(std::int32_t zone) { return -2 - std::int64_t{zone}; }
  [[nodiscard]] static constexpr bool is_boundary(std::int64_t target) { return target <= -2; }
  [[nodiscard]] static constexpr std::int32_t zone(std::int64_t target) { return static_cast<std::int32_t>(-2 - target); }
  [[nodiscard]] std::size_t slot(std::size_t cell, int face) const {
    return static_cast<std::size_t>(offset[cell]) + static_cast<std::size_t>(face);
  }
};

/// What the rank where a face's sides met tells the rank that holds the cell.
struct LinkReply {
  std::int64_t cell = 0, target = 0;
  std::int32_t image = 0;
  std::uint8_t face = 0, partner = 0;
};
/// Takes the replies to the holders of their cells and enters them. @collective
void enter_links(const Communicator& comm, const Chunks& cells, const std::vector<LinkReply>& replies, FaceLinks& links);

/// A cell face of a boundary zone, at the rank where face and boundary element met.
struct ZoneFace {
  FaceKey key{};
  std::int64_t cell = 0;
  std::int32_t face = 0, zone = 0;
};

/// Why a face cannot be used.
enum class FaceFault : std::int32_t { shared_by_three, inside, duplicate, no_cell, hanging, open };
struct FaceProblem {
  FaceKey key{};
  std::int64_t element = 0;  ///< global cell (shared_by_three, hanging, open); else the boundary element's file id
  std::int32_t zone = -1;    ///< of the boundary element
  FaceFault fault = FaceFault::open;
};

[[nodiscard]] FaceKey face_key(std::span<const GlobalNodeId> cell_nodes, const CellFace& face);

/// Pairs all faces of the mesh.
/// @param keep  by zone: whether to list its faces in `kept` (on the ranks where they met).
/// @throws MeshError on every rank: face shared by three cells, open boundary, hanging node, boundary element that is no cell's
///   face, that lies between two cells, or that is given twice. @collective
/// @cost per cell face 16 B and a sort; faces between chunks travel once (48 B) and are answered once (24 B).
[[nodiscard]] FaceLinks match_faces(const Communicator& comm, const MeshBlock& block, const Chunks& cells, const Chunks& nodes,
                                    const std::vector<char>& keep, std::vector<ZoneFace>& kept);

/// Says what is wrong with the mesh, given every rank's problems (at least one on some rank). @collective
/// @throws MeshError, the same on every rank, always.
[[noreturn]] void report_faces(const Communicator& comm, const MeshBlock& block, const Chunks& cells, const Chunks& nodes,
                               const std::vector<FaceProblem>& problems);

}  // namespace weft::mesh::detail

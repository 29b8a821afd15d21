#pragma once
/// The subdomain of one rank of a partitioned mesh: topology and geometry of its owned cells, ghost cells and their faces.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/registry.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh {

using FaceRange = IdRange<LocalFaceId>;
using CellRange = IdRange<LocalCellId>;

/// The faces of one boundary zone on this rank (possibly none).
struct BoundaryZone {
  std::string name;
  FaceRange faces;
};

/// Two boundary zones that are identified: the point x of `from` is the point x + `translation` of `to`. Without a
/// translation, build() uses that which maps the bounding box of `from` to that of `to`; no other can map one zone to the
/// other.
struct Periodic {
  std::string from, to;
  std::optional<Vec3> translation;

  Periodic(std::string first, std::string second) : from(std::move(first)), to(std::move(second)) {}
  Periodic(std::string first, std::string second, Vec3 apart)
      : from(std::move(first)), to(std::move(second)), translation(apart) {}
};

/// Local cells are numbered: owned inner cells (without ghost neighbours), owned border cells, ghost cells in the order of
/// `plan`. Faces are numbered: inner faces (between owned cells), partition-interface faces (between an owned and a ghost
/// cell), one range per boundary zone in the order of `boundary`; within each kind by the larger of the face's owned cells,
/// which is the right cell of an inner face.
///
/// The left cell of each face is owned, and the unit normal points out of it. A boundary face has no right cell (invalid id).
/// A face between two ranks exists on both with opposite orientation and bitwise opposite normals.
///
/// Example: 2 x 2 unit squares with global cells 0 1 (below) and 2 3 (above), zones xmin, xmax, ymin, ymax, cell
/// ordering as_read, on 2 ranks that own cells 0 1 and 2 3. On rank 0, where each owned cell has a ghost neighbour:
///     local cells    0 = global 0, 1 = global 1 (owned, border); 2 = global 2, 3 = global 3 (ghosts)
///     inner faces    0: left 0, right 1
///     interface      1: left 0, right 2;   2: left 1, right 3
///     boundary       xmin 3: left 0;   xmax 4: left 1;   ymin 5: left 0, 6: left 1;   ymax none
/// Rank 1 has local cells 0 1 = global 2 3 and ghosts 2 3 = global 0 1; its interface face 1 is rank 0's face 1, with left
/// and right exchanged.
///
/// A periodic neighbour is a ghost cell with translated geometry, also on one rank, so that users of a Mesh need not handle
/// periodicity. Its nodes are separate, translated nodes, even if they coincide with nodes of an owned cell; the nodes of a
/// face are those of its left cell. In 2-D, z = 0, "volume" is area times unit depth, and a face is an edge times unit depth.
struct Mesh {
  int dim = 3;
  bool axisymmetric = false;  ///< volumes and areas of a body of revolution (revolve.hpp)
  Communicator comm;
  GhostPlan plan;  ///< plan of cells; owned rows are the owned cells in local order

  std::int32_t inner_cells = 0, owned_cells = 0, ghost_cells = 0;
  std::int64_t global_cells = 0, global_nodes = 0;  ///< in the source mesh

  // Cells: owned, then ghost.
  IdVector<LocalCellId, CellType> cell_type;
  Array<LocalNodeId, NonUniform> cell_nodes;
  Array<LocalFaceId, NonUniform> cell_faces;         ///< owned rows only; in the order of the faces of the shape
  Array<LocalCellId, NonUniform> cell_cells;         ///< owned rows only; neighbours by BuildOptions::stencil, unique, ascending
  IdVector<LocalCellId, GlobalCellId> cell_global;   ///< number in the source mesh from 0, independent of the number of ranks
  IdVector<LocalCellId, std::int64_t> cell_file_id;  ///< number in the source file, for messages
  IdVector<LocalCellId, ZoneId> cell_zone;           ///< position of the volume zone in `zones`; invalid: none
  IdVector<LocalCellId, double> cell_volume;         ///< m^3
  IdVector<LocalCellId, Vec3> cell_centroid;         ///< ghost cells: translated if periodic

  // Nodes: those of owned cells in the order of first use, then those of ghost cells only.
  IdVector<LocalNodeId, Vec3> node_coord;
  IdVector<LocalNodeId, GlobalNodeId> node_global;

  // Faces.
  IdVector<LocalFaceId, LocalCellId> face_left, face_right;
  Array<LocalNodeId, NonUniform> face_nodes;  ///< right-handed with respect to the normal
  IdVector<LocalFaceId, Vec3> face_normal;    ///< unit vector, out of the left cell
  IdVector<LocalFaceId, double> face_area;    ///< m^2
  IdVector<LocalFaceId, Vec3> face_centroid;
  FaceRange inner_faces, interface_faces;
  IdVector<BoundaryZoneId, BoundaryZone> boundary;  ///< same names in the same order on every rank; without periodic zones

  IdVector<ZoneId, Zone> zones;
  std::string source;
  std::vector<Periodic> periodic;            ///< periodic pairs of build(), each with its translation
  PartitionOptions partition;                ///< options of build()
  int source_parts = 0;                      ///< number of parts stored in the source
  std::vector<std::string> notes, warnings;  ///< as in MeshBlock

  [[nodiscard]] std::int32_t cells() const { return owned_cells + ghost_cells; }
  [[nodiscard]] std::int32_t faces() const { return face_area.count(); }
  [[nodiscard]] CellRange inner() const { return {LocalCellId(0), LocalCellId(inner_cells)}; }
  [[nodiscard]] CellRange border() const { return {LocalCellId(inner_cells), LocalCellId(owned_cells)}; }
  [[nodiscard]] CellRange owned() const { return {LocalCellId(0), LocalCellId(owned_cells)}; }
};

enum class Neighbours {
  face,  ///< cells across a face; and cells with a common node if one of them has a boundary face and is neither a quad nor a
         ///< hexahedron, because its face neighbours are too few for a stable extrapolation to the boundary
  node   ///< cells with a common node
};
inline constexpr Registry kStencils{
    "stencil", std::array{Row{Neighbours::face, "face", "across faces"}, Row{Neighbours::node, "node", "through nodes"}}};
[[nodiscard]] constexpr const auto& registry_of(Neighbours /*tag*/) { return kStencils; }
static_assert(is_complete<Neighbours>());

enum class CellOrdering { hilbert, rcm, as_read };

inline constexpr Registry kCellOrders{"cell ordering", std::array{Row{CellOrdering::hilbert, "hilbert", "along a Hilbert curve"},
                                                                  Row{CellOrdering::rcm, "rcm", "reverse Cuthill-McKee"},
                                                                  Row{CellOrdering::as_read, "as_read", "as the mesh has them"}}};
[[nodiscard]] constexpr const auto& registry_of(CellOrdering /*tag*/) { return kCellOrders; }
static_assert(is_complete<CellOrdering>());

struct BuildOptions {
  std::vector<Periodic> periodic;
  Neighbours stencil = Neighbours::face;  ///< neighbours of a cell: those in cell_cells, and its ghost cells
  int ghost_layers = 1;                   ///< layers of ghost cells around the owned cells
  CellOrdering order = CellOrdering::hilbert;
  PartitionOptions partition{};
  int threads = 1;  ///< threads of each rank; the mesh is the same, bit by bit, on any number
  /// Called on each rank with the name of the next step of build(), such as "partition".
  std::function<void(std::string_view)> step = nullptr;
};

/// Partitions the mesh, sends cells to their owners, determines ghost cells, numbers cells and faces, computes topology and
/// geometry, and checks the mesh.
/// @throws MeshError on every rank: negative volume, open boundary, duplicate or unused zone, invalid node id, non-finite
/// coordinate, hanging node, unmatched periodic face, each with element, zone and location.
/// LimitError: too many entities of a rank for 32-bit ids; threads cannot be started (this rank). InputError: options; no
/// PT-Scotch.
/// @collective on comm.
/// @cost METIS needs the dual graph on rank 0 (see kMostCellsForMetis); all other data are distributed: at most 773 B per
/// hexahedron.
[[nodiscard]] Mesh build(const Communicator& comm, MeshBlock block, const BuildOptions& options = {});

}  // namespace weft::mesh

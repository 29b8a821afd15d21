#pragma once
/// One rank's part of a partitioned mesh: topology and geometry of its owned cells, its ghost cells and their faces.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh {

using FaceRange = IdRange<LocalFaceId>;
using CellRange = IdRange<LocalCellId>;

/// The faces of one boundary zone on this rank (may be none here).
struct BoundaryZone {
  std::string name;
  FaceRange faces;
};

/// Two boundary zones that are one: a point x of `from` is the point x + `translation` of `to`. Without a translation, build()
/// takes that which carries the box around `from` onto the box around `to`: no other can carry one zone onto the other.
struct Periodic {
  std::string from, to;
  std::optional<Vec3> translation;

  Periodic(std::string first, std::string second) : from(std::move(first)), to(std::move(second)) {}
  Periodic(std::string first, std::string second, Vec3 apart)
      : from(std::move(first)), to(std::move(second)), translation(apart) {}
};

/// Local cells are numbered: owned inner cells (no ghost neighbour), owned border cells, then ghosts in the order of `plan`.
/// Faces are numbered: between two owned cells ("inner"), between an owned and a ghost cell ("ghost-touching"), then one range
/// per boundary zone, in the order of `boundary`; each kind by the later of a face's owned cells, which of an inner face is the
/// right one. Every face touches at least one owned cell; its left cell is owned and its unit
/// normal points out of the left cell. A boundary face has no right cell (invalid id). A face between two ranks exists on both,
/// with opposite orientation and bitwise opposite normals.
///
/// A periodic neighbour is a ghost cell with shifted geometry, on one rank too: users of a Mesh know nothing of periodicity. Its
/// nodes are nodes of their own, shifted, even where they lie on an owned cell's nodes; a face's nodes are its left cell's. In
/// 2-D, z = 0, "volume" is the area times unit depth and a face is an edge times unit depth.
struct Mesh {
  int dim = 3;
  bool axisymmetric = false;  ///< volumes and areas are those of a body of revolution (revolve.hpp)
  Communicator comm;
  GhostPlan plan;  ///< of cells; owned rows are this rank's owned cells in local order

  std::int32_t inner_cells = 0, owned_cells = 0, ghost_cells = 0;
  std::int64_t global_cells = 0, global_nodes = 0;  ///< of the source

  // Cells; rows: owned then ghost.
  std::vector<CellType> cell_type;
  Array<LocalNodeId, NonUniform> cell_nodes;
  Array<LocalFaceId, NonUniform> cell_faces;  ///< owned rows only; in the order of the shape's faces
  Array<LocalCellId, NonUniform> cell_cells;  ///< owned rows only; neighbours by BuildOptions::ghosts, each once, ascending
  std::vector<GlobalCellId> cell_global;      ///< 0-based running number in the source mesh: same for any rank count
  std::vector<std::int64_t> cell_file_id;     ///< as the source numbers it, for messages
  std::vector<std::int32_t> cell_zone;        ///< volume zone index into `zones`, or -1
  std::vector<double> cell_volume;            ///< m^3
  std::vector<Vec3> cell_centroid;            ///< ghosts: already shifted where periodic

  // Nodes: those of owned cells in the order of first use, then those of ghost cells only.
  std::vector<Vec3> node_coord;
  std::vector<GlobalNodeId> node_global;

  // Faces.
  std::vector<LocalCellId> face_left, face_right;
  Array<LocalNodeId, NonUniform> face_nodes;  ///< right-handed about the normal
  std::vector<Vec3> face_normal;              ///< unit, out of the left cell
  std::vector<double> face_area;              ///< m^2
  std::vector<Vec3> face_centroid;
  FaceRange inner_faces, ghost_faces;
  std::vector<BoundaryZone> boundary;  ///< same names in the same order on every rank; periodic zones are gone

  std::vector<Zone> zones;
  std::string source;
  std::vector<Periodic> periodic;            ///< that it was built with, each with its translation
  PartitionOptions partition;                ///< that it was built with
  int source_parts = 0;                      ///< parts that the source brought
  std::vector<std::string> notes, warnings;  ///< as in MeshBlock

  [[nodiscard]] std::int32_t cells() const { return owned_cells + ghost_cells; }
  [[nodiscard]] std::int32_t faces() const { return static_cast<std::int32_t>(face_area.size()); }
  [[nodiscard]] CellRange inner() const { return {LocalCellId(0), LocalCellId(inner_cells)}; }
  [[nodiscard]] CellRange border() const { return {LocalCellId(inner_cells), LocalCellId(owned_cells)}; }
  [[nodiscard]] CellRange owned() const { return {LocalCellId(0), LocalCellId(owned_cells)}; }
};

enum class Neighbours {
  face,  ///< cells across a face; and cells that share a node, one of which has a boundary face and is neither a quad nor a
         ///< hexahedron: the neighbours across its faces are too few for a stable extrapolation to the boundary
  node   ///< cells that share a node
};
enum class CellOrdering { hilbert, rcm, as_read };

struct BuildOptions {
  std::vector<Periodic> periodic;
  Neighbours ghosts = Neighbours::face;  ///< what a layer of ghosts is, and what cell_cells lists
  int halo_depth = 1;
  CellOrdering order = CellOrdering::hilbert;
  PartitionOptions partition{};
  std::function<void(std::string_view)> step = nullptr;  ///< told, on each rank, what build() does from now on: "partition"
};

/// Partitions the mesh, moves cells to their owners, finds ghosts, orders cells and faces, computes topology and
/// geometry, and checks everything.
/// @throws MeshError on every rank: negative volume, open boundary, duplicate or unused zone, bad node id, non-finite coordinate,
///   hanging node, unmatched periodic face, each with its element, zone and place.
/// LimitError: more things on a rank than 32-bit ids can number. InputError: options; no PT-Scotch.
/// @collective on comm.
/// @cost METIS needs the dual graph on rank 0 (see kMostCellsForMetis); all else is spread over the ranks: 750 B per hexahedron
/// at most.
[[nodiscard]] Mesh build(const Communicator& comm, MeshBlock block, const BuildOptions& options = {});

}  // namespace weft::mesh

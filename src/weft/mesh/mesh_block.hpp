#pragma once
/// A mesh before partitioning: the result of readers and generators, and the input of build().
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/id_vector.hpp"
#include "weft/base/team_vector.hpp"
#include "weft/base/vec3.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::mesh {

/// A named set of faces (boundary) or cells (volume).
struct Zone {
  std::string name;
  int dim = 0;  ///< topological dimension of its elements
  friend bool operator==(const Zone&, const Zone&) = default;
};

/// Returns the name of a zone; an empty text where `zone` is invalid or not one of `zones`.
[[nodiscard]] inline std::string zone_name(const IdVector<ZoneId, Zone>& zones, ZoneId zone) {
  return zones.ids().contains(zone) ? zones[zone].name : std::string{};
}

/// Elements of one rank: type, nodes (global ids, CSR), zone and number in the file. The nodes of element i are
/// node[offset[i]] .. node[offset[i+1]-1].
struct Elements {
  TeamVector<CellType> type;
  TeamVector<std::int64_t> offset{0};
  TeamVector<GlobalNodeId> node;
  TeamVector<ZoneId> zone;           ///< position in MeshBlock::zones; invalid: none
  TeamVector<std::int64_t> file_id;  ///< number in the file, for messages; for generators, counted from 0

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(type.size()); }
  [[nodiscard]] std::span<const GlobalNodeId> nodes(std::int64_t i) const {
    return std::span(node).subspan(offset[i], offset[i + 1] - offset[i]);
  }
  void reserve(std::size_t elements, std::size_t nodes_each) {
    type.reserve(elements);
    offset.reserve(elements + 1);
    node.reserve(elements * nodes_each);
    zone.reserve(elements);
    file_id.reserve(elements);
  }
  void add(CellType t, std::span<const GlobalNodeId> nodes_of_it, ZoneId zone_of_it, std::int64_t id) {
    type.push_back(t);
    node.insert(node.end(), nodes_of_it.begin(), nodes_of_it.end());
    offset.push_back(static_cast<std::int64_t>(node.size()));
    zone.push_back(zone_of_it);
    file_id.push_back(id);
  }
};

/// Sizes of the parts of a mesh whose cells are ordered by part. Empty: no parts.
struct Parts {
  std::vector<std::int64_t> cells, nodes, boundary;
  [[nodiscard]] int count() const { return static_cast<int>(cells.size()); }
  friend bool operator==(const Parts&, const Parts&) = default;
};

/// The share of one rank of an unpartitioned mesh. Cells and nodes are distributed in contiguous chunks: rank r has the nodes
/// first_node ... first_node + coords.size() - 1, and cells in the same way; chunks may be empty; global ids are dense from
/// 0. Boundary elements are on any rank in any order. `dim`, `zones`, `source` and `parts` are equal on every rank.
struct MeshBlock {
  int dim = 3;                   ///< 2 or 3
  std::string source;            ///< file name or generator, for messages
  IdVector<ZoneId, Zone> zones;  ///< boundary zones (dim - 1) and volume zones (dim)
  GlobalNodeId first_node{0};
  TeamVector<Vec3> coords;  ///< m (or the unit of the file if it states none; see scale())
  GlobalCellId first_cell{0};
  Elements cells;                     ///< elements of dimension dim; they need no zone
  Elements boundary;                  ///< elements of dimension dim - 1; zone required
  Parts parts;                        ///< equal on every rank; if their number is that of the ranks, each rank's chunk is a part
  double file_unit = 1;               ///< unit of the file in m, by which coordinates were multiplied; equal on every rank
  std::vector<std::string> notes;     ///< remarks of a reader for the user, one sentence each; equal on every rank
  std::vector<std::string> warnings;  ///< losses in reading, one sentence each; equal on every rank
};

/// Sets coords = factor * coords + offset on every rank. No communication.
void scale(MeshBlock& block, double factor, Vec3 offset = {}, Team& team = kernels::calling_thread());

}  // namespace weft::mesh

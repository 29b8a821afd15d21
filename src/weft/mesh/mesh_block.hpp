#pragma once
/// A mesh before it is partitioned: what readers and generators make, and what build() turns into a Mesh.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::mesh {

/// A named set of faces (boundary) or cells (volume).
struct Zone {
  std::string name;
  int dim = 0;  ///< topological dimension of its elements
  friend bool operator==(const Zone&, const Zone&) = default;
};

/// Elements of one rank's share: type, nodes (global ids, CSR), zone and the number that the file gives them.
/// nodes of element i: node[offset[i]] .. node[offset[i+1]-1].
struct Elements {
  std::vector<CellType> type;
  std::vector<std::int64_t> offset{0};
  std::vector<GlobalNodeId> node;
  std::vector<std::int32_t> zone;     ///< index into MeshBlock::zones; -1: none
  std::vector<std::int64_t> file_id;  ///< as the file numbers it, for messages; 0-based running number for generators

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(type.size()); }
  [[nodiscard]] std::span<const GlobalNodeId> nodes(std::int64_t i) const {
    const auto begin = static_cast<std::size_t>(offset[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(offset[static_cast<std::size_t>(i) + 1]);
    return {node.data() + begin, end - begin};
  }
  void reserve(std::size_t elements, std::size_t nodes_each) {
    type.reserve(elements);
    offset.reserve(elements + 1);
    node.reserve(elements * nodes_each);
    zone.reserve(elements);
    file_id.reserve(elements);
  }
  void add(CellType t, std::span<const GlobalNodeId> nodes_of_it, std::int32_t zone_of_it, std::int64_t id) {
    type.push_back(t);
    node.insert(node.end(), nodes_of_it.begin(), nodes_of_it.end());
    offset.push_back(static_cast<std::int64_t>(node.size()));
    zone.push_back(zone_of_it);
    file_id.push_back(id);
  }
};

/// How the things of a mesh are dealt to parts when cells lie in the order of the parts: sizes by part. Empty: they do not.
struct Parts {
  std::vector<std::int64_t> cells, nodes, boundary;
  [[nodiscard]] int count() const { return static_cast<int>(cells.size()); }
  friend bool operator==(const Parts&, const Parts&) = default;
};

/// One rank's share of an unpartitioned mesh. Over the ranks, cells and nodes are in contiguous chunks: rank r holds nodes
/// first_node ... first_node + coords.size() - 1 and likewise cells; chunks may be empty; global ids are dense from 0.
/// Boundary elements lie on any rank, in any order. `dim`, `zones`, `source` and `parts` are equal on every
/// rank.
struct MeshBlock {
  int dim = 3;              ///< 2 or 3
  std::string source;       ///< file name or generator, for messages
  std::vector<Zone> zones;  ///< boundary zones (dim - 1) and volume zones (dim)
  GlobalNodeId first_node{0};
  std::vector<Vec3> coords;  ///< metres (or the file's unit where it names none; see scale())
  GlobalCellId first_cell{0};
  Elements cells;                     ///< of dimension dim; zone -1 allowed
  Elements boundary;                  ///< of dimension dim - 1; zone required
  Parts parts;                        ///< equal on every rank; where there are as many as ranks, each rank's chunk is a part
  double file_unit = 1;               ///< m in a unit of the file, by which its coordinates were multiplied; equal on every rank
  std::vector<std::string> notes;     ///< what a reader did that its user should know, a sentence each; equal on every rank
  std::vector<std::string> warnings;  ///< what a reader lost of the file, likewise
};

/// coords = factor * coords + offset, on every rank. No communication.
void scale(MeshBlock& block, double factor, Vec3 offset = {});

}  // namespace weft::mesh

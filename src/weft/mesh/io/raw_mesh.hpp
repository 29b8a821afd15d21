#pragma once
/// A mesh as listed by a file, with the numbers of the file.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/base/team_vector.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// A mid-edge node of a second-order element. The element is read as of first order, with a straight edge.
struct MidNode {
  std::int64_t element = 0;  ///< position in the list
  std::array<GlobalNodeId, 2> end{};
  GlobalNodeId node{};
};

/// Elements of one dimension. `list.node` contains the node tags of the file, `list.zone` the tag of the element's group (0:
/// none) in place of a zone.
struct RawElements {
  Elements list;
  TeamVector<std::int64_t> at;    ///< position in the file, for messages
  TeamVector<MidNode> mid;        ///< mid-edge nodes of lines, triangles and quads, in the order of the list
  std::int64_t second_order = 0;  ///< number of second-order elements in the file
};

/// Name of the elements of one dimension with `tag`: a physical group of Gmsh, a marker of SU2.
struct Group {
  int dim = 0;
  std::int32_t tag = 0;
  std::string name;
  std::int64_t at = 0;
};

struct RawMesh {
  TeamVector<Vec3> coords;
  TeamVector<std::int64_t> node_tag;  ///< numbers in the file; empty: 0, 1, 2, ...
  TeamVector<std::int64_t> node_at;   ///< positions in the file; empty if node_tag is
  std::array<RawElements, 4> of_dim;
  std::vector<Group> groups;

  /// Appends an element.
  /// @param more  nodes of a second-order element after its corners, which are dropped; those of a line, triangle or quad begin
  ///   with one for each edge, in the order of the edges.
  void add(CellType type, std::span<const GlobalNodeId> tags, std::int32_t group, std::int64_t id, std::int64_t at,
           std::span<const GlobalNodeId> more = {});

  /// Elements of one type that were appended, for several threads to enter.
  class Block {
   public:
    /// Enters element i of the block. @param nodes  its corners, then the nodes that are dropped, as for add().
    void enter(std::int64_t i, std::span<const GlobalNodeId> nodes, std::int32_t group, std::int64_t id, std::int64_t at) const;

   private:
    friend struct RawMesh;
    RawElements* elements_ = nullptr;
    std::int64_t corners_ = 0, edges_ = 0;  ///< numbers for one element: corners, and edges with a dropped node
    std::int64_t first_ = 0, first_node_ = 0, first_mid_ = 0;
  };
  /// Appends elements of one type, each with as many dropped nodes, which the caller enters.
  [[nodiscard]] Block append(CellType type, std::int64_t elements, std::int64_t dropped, Team& team);
  /// Moves the elements of `parts`, which the threads copy, behind those that are there, in the order of the parts.
  /// @param parts  at least 1 and at most team.size(). Their lists are empty afterwards and keep their memory.
  void take_elements(std::span<RawMesh> parts, Team& team);
  /// Appends nodes, whose coordinates, numbers and positions the caller enters, and returns the first.
  std::int64_t append_nodes(std::int64_t nodes, Team& team);
  /// Appends nodes of a format without numbers, whose coordinates the caller enters.
  void append_coords(std::int64_t nodes, Team& team);
};

}  // namespace weft::mesh::detail

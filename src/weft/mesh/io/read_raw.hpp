#pragma once
/// A mesh as listed by a file, and its conversion to a MeshBlock for all formats.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// A mid-edge node of a second-order element. The element is read as of first order, with a straight edge.
struct MidNode {
  std::int64_t element = 0;  ///< position in the list
  std::array<GlobalNodeId, 2> end{};
  GlobalNodeId node{};
};

/// Elements of one dimension. `list.node` contains the node tags of the file, `list.zone` the tag of the element's group (0:
/// none).
struct RawElements {
  Elements list;
  std::vector<std::int64_t> at;   ///< position in the file, for messages
  std::vector<MidNode> mid;       ///< mid-edge nodes of lines, triangles and quads, in the order of the list
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
  std::vector<std::int64_t> node_tag;  ///< numbers in the file; empty: 0, 1, 2, ...
  std::vector<std::int64_t> node_at;   ///< positions in the file; empty if node_tag is
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
  /// Appends nodes, whose coordinates, numbers and positions the caller enters, and returns the first.
  std::int64_t append_nodes(std::int64_t nodes, Team& team);
};

/// Suggestions to the users of a format for missing data.
struct FormatAdvice {
  const char* no_cells;
  const char* no_boundary;
  bool z_is_read;  ///< for 2-D meshes: z must be checked and set to 0
};

/// Converts a raw mesh. Cells are the elements of dimension `dim`, boundary elements those of one less; all others and unused
/// nodes are removed. Elements without a group are cells without zone, or no boundary. Zones are the groups of both
/// dimensions in the order of the file, then groups without a name, named by number. The result and the error are the same on any
/// number of threads.
/// @throws MeshError: invalid node, repeated node, element in two zones, duplicate tags or names, non-planar, empty.
[[nodiscard]] MeshBlock assemble(const MeshCursor& file, RawMesh&& raw, int dim, const FormatAdvice& advice, Team& team);

}  // namespace weft::mesh::detail

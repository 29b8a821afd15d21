#pragma once
/// A mesh as a file lists it, and the one way from there to a MeshBlock, for all formats.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// A node that an element of second order has on an edge, between two of its corners. Its element is read as of first order, so
/// that the edge is straight.
struct MidNode {
  std::int64_t element = 0;  ///< position in the list
  std::array<GlobalNodeId, 2> end{};
  GlobalNodeId node{};
};

/// Elements of one dimension. `list.node` holds the file's node tags, `list.zone` the tag of the element's group (0: none).
struct RawElements {
  Elements list;
  std::vector<std::int64_t> at;   ///< place in the file, for messages
  std::vector<MidNode> mid;       ///< of lines, triangles and quads of second order, in the order of the list
  std::int64_t second_order = 0;  ///< elements that the file has as of second order
};

/// A name for the elements of one dimension that carry `tag`: a physical group of Gmsh, a marker of SU2.
struct Group {
  int dim = 0;
  std::int32_t tag = 0;
  std::string name;
  std::int64_t at = 0;
};

struct RawMesh {
  std::vector<Vec3> coords;
  std::vector<std::int64_t> node_tag;  ///< as the file numbers them; empty: 0, 1, 2, ...
  std::vector<std::int64_t> node_at;   ///< place in the file; empty where node_tag is
  std::array<RawElements, 4> of_dim;
  std::vector<Group> groups;

  /// @param more  nodes of an element of second order behind its corners; those of a line, triangle or quad begin with one for
  /// each
  ///   edge, in the order of the edges. They are dropped.
  void add(CellType type, std::span<const GlobalNodeId> tags, std::int32_t group, std::int64_t id, std::int64_t at,
           std::span<const GlobalNodeId> more = {});
};

/// How a format's users mend what is missing.
struct FormatAdvice {
  const char* no_cells;
  const char* no_boundary;
  bool z_is_read;  ///< of 2-D meshes: must then be checked, and is set to 0
};

/// Cells are the elements of dimension `dim`, boundary those below; the rest is dropped, and with it unused nodes. Elements
/// without a group are cells of no zone, or no boundary. Zones are the groups of both dimensions in the file's order, then groups
/// without a name, named by their number.
/// @throws MeshError: bad node, repeated node, element in two zones, duplicate tags or names, not flat, nothing there.
[[nodiscard]] MeshBlock assemble(const MeshCursor& file, RawMesh&& raw, int dim, const FormatAdvice& advice);

}  // namespace weft::mesh::detail

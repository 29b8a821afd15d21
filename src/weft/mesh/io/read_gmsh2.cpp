#include <fmt/format.h>

#include "weft/mesh/io/read_gmsh_sections.hpp"
#include "weft/mesh/io/read_records.hpp"

namespace weft::mesh::detail {
namespace {

// Minimum size of a record in bytes.
constexpr std::int64_t kTextNode = 8, kTextElement = 8;
constexpr std::int64_t kBinaryNode = 4 + 3 * 8, kBinaryElement = 8;

/// Reads the number of records, which is a line of text in binary files as well.
std::int64_t record_count(MeshCursor& in, const char* what, std::int64_t bytes_each) {
  if (!in.next_line()) in.fail(fmt::format("the file ends where the {} is expected", what), kTruncated);
  const std::int64_t count = in.checked_count(in.integer(what), what, bytes_each);
  in.skip_line();
  return count;
}

std::int64_t number32(MeshCursor& in, const char* what) { return in.number<std::int32_t>(what); }

/// Reads the tags, the first of which is the physical group and is returned, and the nodes.
std::int32_t read_rest(MeshCursor& in, const GmshType& type, std::int64_t tags, GmshNodes& nodes) {
  std::int32_t group = 0;
  for (std::int64_t k = 0; k < tags; ++k) {
    const auto tag = in.number<std::int32_t>("tag");
    if (k == 0) group = tag;
  }
  for (int k = 0; k < type.all_nodes(); ++k) nodes[k] = GlobalNodeId(number32(in, "node"));
  return group;
}

void read_binary_elements(MeshCursor& in, std::int64_t elements, RawMesh& raw, Team& team) {
  for (std::int64_t done = 0; done < elements;) {
    const std::int64_t at = in.offset();
    const std::int64_t number = number32(in, "element type");
    const GmshType type = gmsh_type(in, number, at);
    const std::int64_t follow = number32(in, "number of elements in a block");
    const std::int64_t tags = number32(in, "number of tags");
    if (tags < 0) in.fail_at(at, fmt::format("an element block has {} tags", tags), kTruncated);
    const std::int64_t bytes = 4 * (1 + tags + type.all_nodes());
    static_cast<void>(in.checked_count(follow, "number of elements in a block", bytes));
    if (follow == 0 || follow > elements - done) {
      in.fail_at(at, fmt::format("a block of {} elements where {} are left", follow, elements - done), kTruncated);
    }
    const RawMesh::Block block = raw.append(type.type, type.dim > 0 ? follow : 0, type.dropped, team);
    each_record(in, team, follow, bytes, kNoComments, [&](MeshCursor& cursor, std::int64_t i) {
      const std::int64_t place = cursor.offset();
      const std::int64_t id = number32(cursor, "element number");
      cursor.set_element(id);
      GmshNodes nodes;
      const std::int32_t group = read_rest(cursor, type, tags, nodes);
      if (type.dim > 0) block.enter(i, nodes, group, id, place);
      cursor.set_element(-1);
    });
    done += follow;
  }
}

}  // namespace

void read_gmsh2_nodes(MeshCursor& in, RawMesh& raw, Team& team) {
  const std::int64_t nodes = record_count(in, "number of nodes", in.binary() ? kBinaryNode : kTextNode);
  raw.append_nodes(nodes, team);
  each_record(in, team, nodes, kBinaryNode, kNoComments, [&](MeshCursor& cursor, std::int64_t i) {
    cursor.begin_record("node");
    raw.node_at[i] = cursor.offset();
    raw.node_tag[i] = number32(cursor, "node number");
    Vec3& x = raw.coords[i];
    x.x = cursor.coordinate("coordinate x");
    x.y = cursor.coordinate("coordinate y");
    x.z = cursor.coordinate("coordinate z");
    cursor.end_record("node");
  });
}

void read_gmsh2_elements(MeshCursor& in, RawMesh& raw, Team& team) {
  const std::int64_t elements = record_count(in, "number of elements", in.binary() ? kBinaryElement : kTextElement);
  if (in.binary()) return read_binary_elements(in, elements, raw, team);
  each_element(in, team, elements, kNoComments, raw, [](MeshCursor& cursor, std::int64_t /*i*/, RawMesh& into) {
    cursor.begin_record("element");
    const std::int64_t at = cursor.offset();
    const std::int64_t id = number32(cursor, "element number");
    cursor.set_element(id);
    const GmshType type = gmsh_type(cursor, number32(cursor, "element type"), at);
    const std::int64_t tags = number32(cursor, "number of tags");
    if (tags < 0) cursor.fail_at(at, fmt::format("the element has {} tags", tags), kTruncated);
    GmshNodes nodes;
    const std::int32_t group = read_rest(cursor, type, tags, nodes);
    if (type.dim > 0) {
      const std::span<const GlobalNodeId> all(nodes);
      into.add(type.type, all.first(type.nodes), group, id, at, all.subspan(type.nodes, type.dropped));
    }
    cursor.end_record("element");
    cursor.set_element(-1);
  });
}

}  // namespace weft::mesh::detail

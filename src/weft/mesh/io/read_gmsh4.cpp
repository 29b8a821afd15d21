#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "weft/mesh/io/read_gmsh_sections.hpp"
#include "weft/mesh/io/read_records.hpp"

namespace weft::mesh::detail {
namespace {

// Minimum size of a record in a text file, which is smaller than in a binary file and applies to both.
constexpr std::int64_t kTagBytes = 2, kEntityBytes = 8, kBlockBytes = 8, kNodeBytes = 8;
constexpr std::int64_t kTag = 8, kCoordinate = 8;  // bytes of a number in a binary file

/// Returns the minimum size of a node: its number, and its coordinates and parameters.
std::int64_t node_bytes(const MeshCursor& in, int parameters) {
  return in.binary() ? kTag + kCoordinate * (3 + parameters) : kNodeBytes;
}

void read_tags(MeshCursor& in, const char* what, std::vector<std::int32_t>* tags) {
  const std::int64_t n = in.count(what, kTagBytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto tag = in.number<std::int32_t>(what);
    if (tags) tags->push_back(tag);
  }
}

/// Returns the zone tag of the elements of an entity: that of its physical group, or 0.
std::int32_t group_of(const MeshCursor& in, const GmshEntities& entities, int dim, std::int32_t entity, std::int64_t at) {
  const auto found = entities.find({dim, entity});
  if (found == entities.end() || found->second.empty()) return 0;
  if (found->second.size() > 1) {
    in.fail_at(at,
               fmt::format("entity {} of dimension {} is in {} physical groups ({} and {})", entity, dim, found->second.size(),
                           found->second[0], found->second[1]),
               "put each point, curve, surface and volume into at most one physical group");
  }
  const std::int32_t tag = found->second.front();
  if (tag == std::numeric_limits<std::int32_t>::min())
    in.fail_at(at, fmt::format("physical tag {} is out of range", tag), kTruncated);
  return std::abs(tag);  // a negative tag means the reverse orientation
}

}  // namespace

void read_gmsh4_entities(MeshCursor& in, GmshEntities& entities) {
  in.begin_record("list of entity counts");
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) count = in.count("number of entities", kEntityBytes);
  in.end_record("list of entity counts");
  for (int dim = 0; dim < 4; ++dim) {
    for (std::int64_t i = 0; i < counts[dim]; ++i) {
      in.begin_record("entity");
      const auto tag = in.number<std::int32_t>("entity tag");
      const int box = dim == 0 ? 3 : 6;
      for (int k = 0; k < box; ++k) static_cast<void>(in.coordinate("entity's box"));
      read_tags(in, "number of physical tags", &entities[{dim, tag}]);
      if (dim > 0) read_tags(in, "number of bounding entities", nullptr);
      in.end_record("entity");
    }
  }
}

void read_gmsh4_nodes(MeshCursor& in, RawMesh& raw, Team& team) {
  in.begin_record("list of node counts");
  const std::int64_t blocks = in.count("number of node blocks", kBlockBytes);
  const auto announced = in.number<std::int64_t>("number of nodes");
  static_cast<void>(in.number<std::int64_t>("smallest node tag"));
  static_cast<void>(in.number<std::int64_t>("largest node tag"));
  in.end_record("list of node counts");
  // Gmsh 4.8 states too large a number if it saves some entities only: the numbers of the blocks are used.
  const std::size_t expected = std::clamp<std::int64_t>(announced, 0, in.remaining() / node_bytes(in, 0));
  raw.coords.reserve(expected);
  raw.node_tag.reserve(expected);
  raw.node_at.reserve(expected);
  for (std::int64_t block = 0; block < blocks; ++block) {
    in.begin_record("node block");
    const std::int64_t at = in.offset();
    const auto dim = in.number<std::int32_t>("entity dimension");
    static_cast<void>(in.number<std::int32_t>("entity tag"));
    const auto parametric = in.number<std::int32_t>("parametric flag");
    if (dim < 0 || dim > 3) in.fail_at(at, fmt::format("a node block of dimension {}", dim), kTruncated);
    const int parameters = parametric ? dim : 0;
    const std::int64_t size = in.count("number of nodes in the block", node_bytes(in, parameters));
    in.end_record("node block");
    const std::int64_t first = raw.append_nodes(size, team);
    each_record(in, team, size, kTag, kNoComments, [&](MeshCursor& cursor, std::int64_t i) {
      cursor.begin_record("node");
      raw.node_at[first + i] = cursor.offset();
      raw.node_tag[first + i] = cursor.number<std::int64_t>("node number");
      cursor.end_record("node");
    });
    each_record(in, team, size, kCoordinate * (3 + parameters), kNoComments, [&](MeshCursor& cursor, std::int64_t i) {
      cursor.begin_record("node");
      Vec3& x = raw.coords[first + i];
      x.x = cursor.coordinate("coordinate x");
      x.y = cursor.coordinate("coordinate y");
      x.z = cursor.coordinate("coordinate z");
      for (int k = 0; k < parameters; ++k) static_cast<void>(cursor.coordinate("parametric coordinate"));
      cursor.end_record("node");
    });
  }
}

void read_gmsh4_elements(MeshCursor& in, const GmshEntities& entities, RawMesh& raw, Team& team) {
  in.begin_record("list of element counts");
  const std::int64_t blocks = in.count("number of element blocks", kBlockBytes);
  static_cast<void>(in.number<std::int64_t>("number of elements"));
  static_cast<void>(in.number<std::int64_t>("smallest element tag"));
  static_cast<void>(in.number<std::int64_t>("largest element tag"));
  in.end_record("list of element counts");
  for (std::int64_t number_of_block = 0; number_of_block < blocks; ++number_of_block) {
    in.begin_record("element block");
    const std::int64_t at = in.offset();
    const auto dim = in.number<std::int32_t>("entity dimension");
    const auto entity = in.number<std::int32_t>("entity tag");
    const auto number = in.number<std::int32_t>("element type");
    const GmshType type = gmsh_type(in, number, at);
    const std::int64_t numbers = 1 + type.all_nodes();
    const std::int64_t size = in.count("number of elements in the block", (in.binary() ? kTag : kTagBytes) * numbers);
    in.end_record("element block");
    if (type.dim != dim)
      in.fail_at(at, fmt::format("a block of dimension {} holds elements of dimension {}", dim, type.dim), kTruncated);
    const std::int32_t group = group_of(in, entities, dim, entity, at);
    const RawMesh::Block block = raw.append(type.type, type.dim > 0 ? size : 0, type.dropped, team);
    each_record(in, team, size, kTag * numbers, kNoComments, [&](MeshCursor& cursor, std::int64_t i) {
      cursor.begin_record("element");
      const std::int64_t place = cursor.offset();
      const auto id = cursor.number<std::int64_t>("element number");
      cursor.set_element(id);
      GmshNodes nodes;
      for (int k = 0; k < type.all_nodes(); ++k) nodes[k] = GlobalNodeId(cursor.number<std::int64_t>("node"));
      if (type.dim > 0) block.enter(i, nodes, group, id, place);
      cursor.end_record("element");
      cursor.set_element(-1);
    });
  }
}

}  // namespace weft::mesh::detail

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "weft/mesh/io/read_gmsh_sections.hpp"

namespace weft::mesh::detail {
namespace {

// Minimum size of a record in a text file, which is smaller than in a binary file and applies to both.
constexpr std::int64_t kTagBytes = 2, kEntityBytes = 8, kBlockBytes = 8, kNodeBytes = 8, kElementBytes = 4;

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

void read_gmsh4_nodes(MeshCursor& in, RawMesh& raw) {
  in.begin_record("list of node counts");
  const std::int64_t blocks = in.count("number of node blocks", kBlockBytes);
  const auto announced = in.number<std::int64_t>("number of nodes");
  static_cast<void>(in.number<std::int64_t>("smallest node tag"));
  static_cast<void>(in.number<std::int64_t>("largest node tag"));
  in.end_record("list of node counts");
  // Gmsh 4.8 states too large a number if it saves some entities only: the numbers of the blocks are used.
  const std::size_t expected = std::clamp<std::int64_t>(announced, 0, in.remaining() / kNodeBytes);
  raw.coords.reserve(expected);
  raw.node_tag.reserve(expected);
  raw.node_at.reserve(expected);
  for (std::int64_t block = 0; block < blocks; ++block) {
    in.begin_record("node block");
    const std::int64_t at = in.offset();
    const auto dim = in.number<std::int32_t>("entity dimension");
    static_cast<void>(in.number<std::int32_t>("entity tag"));
    const auto parametric = in.number<std::int32_t>("parametric flag");
    const std::int64_t size = in.count("number of nodes in the block", kNodeBytes);
    in.end_record("node block");
    if (dim < 0 || dim > 3) in.fail_at(at, fmt::format("a node block of dimension {}", dim), kTruncated);
    for (std::int64_t i = 0; i < size; ++i) {
      in.begin_record("node");
      raw.node_at.push_back(in.offset());
      raw.node_tag.push_back(in.number<std::int64_t>("node number"));
      in.end_record("node");
    }
    for (std::int64_t i = 0; i < size; ++i) {
      in.begin_record("node");
      Vec3 x;
      x.x = in.coordinate("coordinate x");
      x.y = in.coordinate("coordinate y");
      x.z = in.coordinate("coordinate z");
      raw.coords.push_back(x);
      for (int k = 0; k < (parametric ? dim : 0); ++k) static_cast<void>(in.coordinate("parametric coordinate"));
      in.end_record("node");
    }
  }
}

void read_gmsh4_elements(MeshCursor& in, const GmshEntities& entities, RawMesh& raw) {
  in.begin_record("list of element counts");
  const std::int64_t blocks = in.count("number of element blocks", kBlockBytes);
  static_cast<void>(in.number<std::int64_t>("number of elements"));
  static_cast<void>(in.number<std::int64_t>("smallest element tag"));
  static_cast<void>(in.number<std::int64_t>("largest element tag"));
  in.end_record("list of element counts");
  for (std::int64_t block = 0; block < blocks; ++block) {
    in.begin_record("element block");
    const std::int64_t at = in.offset();
    const auto dim = in.number<std::int32_t>("entity dimension");
    const auto entity = in.number<std::int32_t>("entity tag");
    const auto number = in.number<std::int32_t>("element type");
    const std::int64_t size = in.count("number of elements in the block", kElementBytes);
    in.end_record("element block");
    const GmshType type = gmsh_type(in, number, at);
    if (type.dim != dim)
      in.fail_at(at, fmt::format("a block of dimension {} holds elements of dimension {}", dim, type.dim), kTruncated);
    const std::int32_t group = group_of(in, entities, dim, entity, at);
    for (std::int64_t i = 0; i < size; ++i) {
      in.begin_record("element");
      const std::int64_t place = in.offset();
      const auto id = in.number<std::int64_t>("element number");
      in.set_element(id);
      std::array<GlobalNodeId, kMostGmshNodes> nodes;
      for (int k = 0; k < type.nodes + type.dropped; ++k) nodes[k] = GlobalNodeId(in.number<std::int64_t>("node"));
      if (type.dim > 0) add_element(type, nodes, group, id, place, raw);
      in.end_record("element");
    }
    in.set_element(-1);
  }
}

}  // namespace weft::mesh::detail

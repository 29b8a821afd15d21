#include "weft/mesh/io/read_raw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <map>
#include <set>

#include "weft/base/counted.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/mesh/build/orientation.hpp"
#include "weft/mesh/io/tag_index.hpp"

namespace weft::mesh::detail {
namespace {

constexpr std::int64_t kNone = -1;

/// Returns the tag of an element's group (0: none) from RawElements::list.zone, which holds it until Zones::number().
std::int32_t group_of(ZoneId zone) { return zone.value(); }

[[noreturn]] void fail(const MeshCursor& file, std::int64_t at, std::int64_t element, const std::string& zone,
                       std::string problem, std::string suggestion) {
  MeshCursor place = file;
  place.set_element(element);
  place.set_zone(zone);
  place.fail_at(at, std::move(problem), std::move(suggestion));
}

/// Converts group tags to zones.
class Zones {
 public:
  Zones(const MeshCursor& file, const std::vector<Group>& groups, int dim) {
    std::set<std::pair<int, std::string>> names;
    for (const Group& group : groups) {
      if (group.dim != dim && group.dim != dim - 1) continue;
      if (group.name.empty()) fail(file, group.at, kNone, {}, fmt::format("group {} has an empty name", group.tag), "name it");
      if (!names.emplace(group.dim, group.name).second) {
        fail(file, group.at, kNone, group.name, "two zones have this name", "give each zone a name of its own, or join them");
      }
      if (!of_.emplace(std::pair(group.dim, group.tag), list_.push_back({group.name, group.dim})).second) {
        fail(file, group.at, kNone, group.name, fmt::format("group {} of dimension {} has two names", group.tag, group.dim),
             "give each group one name");
      }
    }
  }

  /// Replaces tags by zones; unnamed tags become zones named by number.
  void number(const MeshCursor& file, RawElements& elements, int dim, Team& team) {
    TeamVector<ZoneId>& zones = elements.list.zone;
    std::vector<std::set<std::int32_t>> of_share(shares_of(team, std::ssize(zones)));
    for_shares(team, std::ssize(zones), [&](LoopShare share) {
      std::int32_t before = 0;
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        const std::int32_t tag = group_of(zones[i]);
        if (tag != before && tag != 0 && !of_.contains({dim, tag})) of_share[share.number].insert(tag);
        before = tag;
      }
    });
    std::set<std::int32_t> unnamed;
    for (const std::set<std::int32_t>& tags : of_share) unnamed.insert(tags.begin(), tags.end());
    for (const std::int32_t tag : unnamed) {
      const Zone zone{std::to_string(tag), dim};
      if (std::find(list_.begin(), list_.end(), zone) != list_.end()) {
        fail(file, kNone, kNone, zone.name, "a zone without a name has the number that another has as its name",
             "name every zone");
      }
      of_.emplace(std::pair(dim, tag), list_.push_back(zone));
    }
    for_shares(team, std::ssize(zones), [&](LoopShare share) {
      std::int32_t tag = 0;
      ZoneId zone;
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        if (group_of(zones[i]) != tag) {
          tag = group_of(zones[i]);
          zone = tag == 0 ? ZoneId::invalid() : of_.at({dim, tag});
        }
        zones[i] = zone;
      }
    });
  }

  [[nodiscard]] IdVector<ZoneId, Zone> take() { return std::move(list_); }
  [[nodiscard]] std::string name(ZoneId zone) const { return zone_name(list_, zone); }

 private:
  IdVector<ZoneId, Zone> list_;
  std::map<std::pair<int, std::int32_t>, ZoneId> of_;
};

/// Removes the elements for whose position drop() is true.
template <class Drop>
void drop_elements(RawElements& elements, Drop&& drop) {
  RawElements kept;
  kept.second_order = elements.second_order;
  auto mid = elements.mid.begin();
  for (std::int64_t i = 0; i < elements.list.size(); ++i) {
    const bool drop_it = drop(i);
    for (; mid != elements.mid.end() && mid->element == i; ++mid) {
      if (!drop_it) kept.mid.push_back({kept.list.size(), mid->end, mid->node});
    }
    if (drop_it) continue;
    kept.list.add(elements.list.type[i], elements.list.nodes(i), elements.list.zone[i], elements.list.file_id[i]);
    kept.at.push_back(elements.at[i]);
  }
  elements = std::move(kept);
}

/// Removes boundary elements without a group: lines and surfaces that Gmsh saves without being requested to.
void drop_ungrouped(RawElements& elements) {
  const auto ungrouped = [](ZoneId zone) { return group_of(zone) == 0; };
  if (std::none_of(elements.list.zone.begin(), elements.list.zone.end(), ungrouped)) return;
  drop_elements(elements, [&](std::size_t i) { return ungrouped(elements.list.zone[i]); });
}

/// Distance between the boundary of a second-order mesh and that of its elements as read.
struct Sag {
  double largest = 0;  ///< distance of a removed node from its straight edge
  double longest = 0;  ///< the longest edge
  ZoneId zone;
};

Sag sag_of(const MeshCursor& file, const RawElements& boundary, const TagIndex& index, const TeamVector<Vec3>& coords,
           const Zones& zones) {
  Sag sag;
  for (const MidNode& mid : boundary.mid) {
    const std::size_t i = mid.element;
    const auto at = [&](GlobalNodeId tag) {
      const std::int64_t position = index.find(tag.value());
      if (position == kNone) {
        fail(file, boundary.at[i], boundary.list.file_id[i], zones.name(boundary.list.zone[i]),
             fmt::format("node {} does not exist", tag.value()), "write the mesh again");
      }
      return coords[position];
    };
    const Vec3 a = at(mid.end[0]), edge = at(mid.end[1]) - a, to = at(mid.node) - a;
    const double length = norm(edge);
    const double distance = length > 0 ? norm(cross(edge, to)) / length : norm(to);
    sag.longest = std::max(sag.longest, length);
    if (distance <= sag.largest) continue;
    sag.largest = distance;
    sag.zone = boundary.list.zone[i];
  }
  return sag;
}

/// Reports the loss of mid-edge nodes.
std::string second_order_warning(std::int64_t cells, std::int64_t dropped, const Sag& sag, const Zones& zones) {
  const std::string begin = fmt::format(
      "{} of second order {} read as of first order, with straight edges, and {} between corners {} "
      "dropped",
      counted(cells, "cell"), cells == 1 ? "is" : "are", counted(dropped, "node"), dropped == 1 ? "is" : "are");
  constexpr double kStraight = 1e-9;
  if (sag.longest > 0 && sag.largest <= kStraight * sag.longest) return begin + "; the edges of the boundary were straight";
  if (!sag.zone.valid()) return begin + "; by how much the boundary was curved is not known";
  return begin + fmt::format(
                     "; on the boundary they were up to {:.3g} from the straight edges (zone \"{}\"): where that is too much, "
                     "mesh finer with order 1",
                     sag.largest, zones.name(sag.zone));
}

/// Replaces node tags by positions and calls `visit(position, element)` for each, on all threads.
template <class Visit>
void find_nodes(const MeshCursor& file, RawElements& elements, const TagIndex& index, std::int64_t nodes, bool numbered,
                const Zones& zones, Team& team, const Visit& visit) {
  for_indices(team, elements.list.size(), [&](std::int64_t i) {
    const auto begin = elements.list.node.begin() + elements.list.offset[i];
    const auto end = elements.list.node.begin() + elements.list.offset[i + 1];
    for (auto node = begin; node != end; ++node) {
      const std::int64_t tag = node->value();
      const std::int64_t position = index.find(tag);
      if (position == kNone) {
        fail(file, elements.at[i], elements.list.file_id[i], zones.name(elements.list.zone[i]),
             fmt::format("node {} does not exist", tag),
             numbered ? fmt::format("the file lists {} nodes, and none has this number: write the mesh again", nodes)
                      : fmt::format("the file lists {} nodes, numbered from 0: write the mesh again", nodes));
      }
      *node = GlobalNodeId(position);
      if (std::find(begin, node, *node) != node) {
        fail(file, elements.at[i], elements.list.file_id[i], zones.name(elements.list.zone[i]),
             fmt::format("the {} has node {} twice", shape(elements.list.type[i]).name, tag),
             "collapsed elements are not read: write it as the shape it is (a collapsed hexahedron may be a prism)");
      }
      visit(position, i);
    }
  });
}

/// Removes repeated boundary elements of a zone; an element in two zones is an error.
void drop_repeated(const MeshCursor& file, RawElements& elements, const Zones& zones) {
  struct Key {
    std::array<std::int64_t, kMaxFaceNodes> node;
    std::size_t element;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys(elements.list.type.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = {{kNone, kNone, kNone, kNone}, i};
    const auto nodes = elements.list.nodes(static_cast<std::int64_t>(i));
    std::transform(nodes.begin(), nodes.end(), keys[i].node.begin(), [](GlobalNodeId node) { return node.value(); });
    std::sort(keys[i].node.begin(), keys[i].node.end());
  }
  std::sort(keys.begin(), keys.end());
  std::vector<bool> repeated(keys.size(), false);
  bool any = false;
  for (std::size_t k = 1; k < keys.size(); ++k) {
    if (keys[k].node != keys[k - 1].node) continue;
    const std::size_t i = keys[k].element, before = keys[k - 1].element;
    if (elements.list.zone[i] != elements.list.zone[before]) {
      fail(file, elements.at[i], elements.list.file_id[i], zones.name(elements.list.zone[i]),
           fmt::format("element {} of zone \"{}\" has the same nodes", elements.list.file_id[before],
                       zones.name(elements.list.zone[before])),
           "a boundary face belongs to one zone: put each curve or surface into one physical group or marker");
    }
    any = repeated[i] = true;
  }
  if (any) drop_elements(elements, [&](std::size_t i) { return repeated[i]; });
}

/// Fails if two elements have the same number. Only for formats with numbers of elements.
void check_numbers(const MeshCursor& file, const RawElements& cells, const RawElements& boundary, Team& team) {
  auto ids = list_of_size<std::int64_t>(team, boundary.list.file_id.size() + cells.list.file_id.size());
  const auto of_cells = std::copy(boundary.list.file_id.begin(), boundary.list.file_id.end(), ids.begin());
  for_indices(team, cells.list.size(), [&](std::int64_t c) { of_cells[c] = cells.list.file_id[c]; });
  const std::int64_t twin = TagIndex(ids, team).duplicate();
  if (twin == kNone) return;
  const std::size_t k = twin;
  const std::size_t faces = boundary.at.size();
  fail(file, k < faces ? boundary.at[k] : cells.at[k - faces], ids[k], {}, "another element has this number",
       "number the elements uniquely: put each entity into one physical group, and write the mesh again");
}

/// Sets z = 0 if all nodes have the same z, and fails otherwise.
void flatten_nodes(const MeshCursor& file, TeamVector<Vec3>& coords, std::span<const std::int64_t> used) {
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -low;
  for (std::size_t i = 0; i < coords.size(); ++i) {
    if (used[i] == kNone) continue;
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], coords[i][k]);
      high[k] = std::max(high[k], coords[i][k]);
    }
  }
  const Vec3 size = high - low;
  constexpr double kFlat = 1e-9;
  const double tolerance = kFlat * std::max({size.x, size.y, size.z});
  if (!std::isfinite(tolerance)) {
    fail(file, kNone, kNone, {}, "the coordinates are so large that the mesh's extent overflows",
         "choose another unit of length");
  }
  if (size.z <= tolerance) {
    for (Vec3& x : coords) x.z = 0;
    return;
  }
  if (size.y <= tolerance || size.x <= tolerance) {
    fail(file, kNone, kNone, {}, fmt::format("the 2-D mesh lies in the {} plane", size.y <= tolerance ? "xz" : "yz"),
         "2-D meshes are read in the xy plane: rotate the geometry");
  }
  fail(file, kNone, kNone, {}, "the cells are of dimension 2, but z is not constant",
       "for a 3-D mesh, add a Physical Volume and mesh in 3-D (gmsh -3); 2-D meshes are read in the xy plane");
}

/// Replaces each entry other than kNone by its index among these entries, and returns their number.
std::int64_t number_used(TeamVector<std::int64_t>& used, Team& team) {
  std::vector<std::int64_t> next(shares_of(team, std::ssize(used)));
  for_shares(team, std::ssize(used), [&](LoopShare share) {
    next[share.number] = share.end - share.begin - std::count(used.begin() + share.begin, used.begin() + share.end, kNone);
  });
  const std::int64_t all = offsets_from_counts(next);
  for_shares(team, std::ssize(used), [&](LoopShare share) {
    std::int64_t number = next[share.number];
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      if (used[i] != kNone) used[i] = number++;
    }
  });
  return all;
}

/// Removes the nodes that no cell uses. @param used  new number of each node, or kNone.  @param kept  number of those used.
void drop_unused(const TeamVector<std::int64_t>& used, std::int64_t kept, RawMesh& raw, int dim, Team& team) {
  TeamVector<Vec3> coords;
  resize_by_team(team, coords, kept);
  for_indices(team, std::ssize(used), [&](std::int64_t i) {
    if (used[i] != kNone) coords[used[i]] = raw.coords[i];
  });
  raw.coords = std::move(coords);
  for (const int of : {dim, dim - 1}) {
    TeamVector<GlobalNodeId>& nodes = raw.of_dim[of].list.node;
    for_indices(team, std::ssize(nodes), [&](std::int64_t i) { nodes[i] = GlobalNodeId(used[nodes[i].index()]); });
  }
}

}  // namespace

MeshBlock assemble(const MeshCursor& file, RawMesh&& raw, int dim, const FormatAdvice& advice, Team& team) {
  if (dim < 2) fail(file, kNone, kNone, {}, "the mesh has no cells of dimension 2 or 3", advice.no_cells);
  RawElements& cells = raw.of_dim[dim];
  RawElements& boundary = raw.of_dim[dim - 1];
  if (cells.list.type.empty()) fail(file, kNone, kNone, {}, "the mesh has no cells", advice.no_cells);
  drop_ungrouped(boundary);

  Zones zones(file, raw.groups, dim);
  zones.number(file, boundary, dim - 1, team);
  zones.number(file, cells, dim, team);

  const bool numbered = !raw.node_tag.empty();
  const auto nodes = static_cast<std::int64_t>(raw.coords.size());
  const TagIndex index = numbered ? TagIndex(raw.node_tag, team) : TagIndex(0, nodes);
  if (index.duplicate() != kNone) {
    const std::size_t twin = index.duplicate();
    fail(file, raw.node_at[twin], kNone, {}, fmt::format("node {} is listed twice", raw.node_tag[twin]), "write the mesh again");
  }
  TeamVector<std::int64_t> used;
  resize_by_team(team, used, raw.coords.size(), kNone);
  find_nodes(file, cells, index, nodes, numbered, zones, team,
             [&](std::int64_t node, std::int64_t) { std::atomic_ref(used[node]).store(node, std::memory_order_relaxed); });
  const std::int64_t second_order = cells.second_order;
  const Sag sag = second_order > 0 ? sag_of(file, boundary, index, raw.coords, zones) : Sag{};
  if (dim == 2 && advice.z_is_read) flatten_nodes(file, raw.coords, used);
  if (boundary.list.type.empty()) fail(file, kNone, kNone, {}, "the mesh has no boundary elements", advice.no_boundary);
  find_nodes(file, boundary, index, nodes, numbered, zones, team, [&](std::int64_t node, std::int64_t i) {
    if (used[node] != kNone) return;
    fail(file, boundary.at[i], boundary.list.file_id[i], zones.name(boundary.list.zone[i]),
         fmt::format("node {} belongs to no cell", numbered ? raw.node_tag[node] : node),
         "boundary elements must be faces of cells: mesh the boundary and the inside together");
  });
  drop_repeated(file, boundary, zones);
  if (numbered) check_numbers(file, cells, boundary, team);

  const std::int64_t kept = number_used(used, team);
  if (kept < nodes) drop_unused(used, kept, raw, dim, team);
  MeshBlock block;
  block.dim = dim;
  block.source = file.file();
  block.coords = std::move(raw.coords);
  block.cells = std::move(cells.list);
  block.boundary = std::move(boundary.list);
  if (second_order > 0) block.warnings.push_back(second_order_warning(second_order, nodes - kept, sag, zones));
  if (const std::int64_t turned = turn_left_handed(block, team); turned > 0) {
    block.notes.push_back(fmt::format("{} of {} had the file's nodes in left-handed order and were turned",
                                      counted(turned, "cell"), block.cells.size()));
  }
  block.zones = zones.take();
  return block;
}

}  // namespace weft::mesh::detail

#include "weft/mesh/build/periodic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::mesh::detail {
namespace {

/// Nodes of two periodic faces match if their distance is less than this fraction of the shortest edge of the face.
constexpr double kMatch = 1e-3;

/// A periodic face, sent to the rank of its position.
struct Side {
  ZoneFace face;
  std::array<Vec3, kMaxFaceNodes> coord{};  ///< `from`: translated to `to`
  Vec3 centre;                              ///< mean of coord
  double size = 0, tolerance = 0;
  std::array<std::int64_t, 3> bin{};
  std::int32_t pair = 0, is_to = 0;
};

std::vector<Side> make_sides(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes,
                             const PeriodicZones& zones, const Translations& translations, const std::vector<ZoneFace>& faces) {
  std::vector<GlobalNodeId> ids;
  for (const ZoneFace& face : faces) {
    for (int i = 0; i < size_of(face.key); ++i) ids.push_back(face.key[i]);
  }
  const auto coords = fetch<Vec3>(comm, nodes, ids, block.coords);
  std::vector<Side> sides;
  sides.reserve(faces.size());
  std::size_t next = 0;
  for (const ZoneFace& face : faces) {
    Side side;
    side.face = face;
    for (std::size_t p = 0; p < zones.from.size(); ++p) {
      if (zones.from[p] == face.zone || zones.to[p] == face.zone) {
        side.pair = static_cast<std::int32_t>(p);
        side.is_to = zones.to[p] == face.zone ? 1 : 0;
      }
    }
    const int size = size_of(face.key);
    const Vec3 shift = side.is_to ? Vec3{} : translations.shift(translations.image(side.pair));
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < size; ++i) {
      side.coord[i] = coords[next++] + shift;
      side.centre += side.coord[i] / size;
      for (int j = 0; j < i; ++j) {
        const double length = norm(side.coord[i] - side.coord[j]);
        shortest = std::min(shortest, length);
        side.size = std::max(side.size, length);
      }
    }
    side.tolerance = kMatch * shortest;
    sides.push_back(side);
  }
  return sides;
}

Rank bin_rank(const std::array<std::int64_t, 3>& bin, std::int32_t pair, const Communicator& comm) {
  std::uint64_t h = static_cast<std::uint64_t>(pair);
  for (const std::int64_t b : bin) h = hash_with(h, static_cast<std::uint64_t>(b));
  return Rank(h % static_cast<std::uint64_t>(comm.size()));
}

/// Sends each `to` side to the bin of its centre and each `from` side to all bins within its tolerance (usually one).
std::vector<Side> send_to_bins(const Communicator& comm, const std::vector<Side>& sides) {
  // Bins have the size of the mean face, so that each contains few faces, but at least twice the largest tolerance.
  double size = 0, tolerance = 0;
  for (const Side& side : sides) {
    size += side.size;
    tolerance = std::max(tolerance, side.tolerance);
  }
  const double faces = static_cast<double>(comm.sum(static_cast<std::int64_t>(sides.size())));
  const double width = std::max(comm.sum(size) / std::max(faces, 1.0), 4 * comm.max(tolerance));
  RankLists<Side> to;
  for (Side side : sides) {
    const double reach = side.is_to ? 0.0 : side.tolerance;
    std::array<std::int64_t, 3> low{}, high{};
    for (int k = 0; k < 3; ++k) {
      low[k] = static_cast<std::int64_t>(std::floor((side.centre[k] - reach) / width));
      high[k] = static_cast<std::int64_t>(std::floor((side.centre[k] + reach) / width));
    }
    for (side.bin[2] = low[2]; side.bin[2] <= high[2]; ++side.bin[2]) {
      for (side.bin[1] = low[1]; side.bin[1] <= high[1]; ++side.bin[1]) {
        for (side.bin[0] = low[0]; side.bin[0] <= high[0]; ++side.bin[0]) {
          to[bin_rank(side.bin, side.pair, comm)].push_back(side);
        }
      }
    }
  }
  return all_to_all(comm, std::move(to));
}

/// Determines the node of `b` for each node of `a`; returns false if the faces are not congruent.
bool pair_nodes(const Side& a, const Side& b, std::array<std::size_t, kMaxFaceNodes>& node_of) {
  const int size = size_of(a.face.key);
  if (size != size_of(b.face.key)) return false;
  const double tolerance = std::min(a.tolerance, b.tolerance);
  unsigned taken = 0;
  for (int i = 0; i < size; ++i) {
    bool found = false;
    for (int j = 0; j < size && !found; ++j) {
      if ((taken >> j & 1U) != 0 || !(norm(a.coord[i] - b.coord[j]) < tolerance)) continue;
      taken |= 1U << j;
      node_of[i] = j;
      found = true;
    }
    if (!found) return false;
  }
  return true;
}

struct NodePair {
  GlobalNodeId from, to;
  std::int32_t image;
};

/// Number of partners of a side, collected at the rank that holds its cell.
struct Found {
  GlobalCellId cell;
  std::int32_t face;  ///< as in ZoneFace
  ZoneId zone;
  std::int32_t partners;
};

/// Matches the sides on this rank. They are sorted by bin, and within a bin along its longest direction, so that a search
/// examines few.
void match_sides(std::vector<Side>& sides, const Translations& translations, std::vector<LinkReply>& replies,
                 std::vector<NodePair>& node_pairs, std::vector<Found>& found) {
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.pair, a.bin, a.is_to, a.face.cell, a.face.face) <
           std::tie(b.pair, b.bin, b.is_to, b.face.cell, b.face.face);
  });
  const auto byte = [](std::int32_t face) { return static_cast<std::uint8_t>(face); };
  for (std::size_t i = 0, j = 0; i < sides.size(); i = j) {
    for (j = i + 1; j < sides.size() && sides[j].pair == sides[i].pair && sides[j].bin == sides[i].bin;) ++j;
    const auto first_to =
        std::find_if(sides.begin() + static_cast<std::ptrdiff_t>(i), sides.begin() + static_cast<std::ptrdiff_t>(j),
                     [](const Side& s) { return s.is_to != 0; });
    const std::span<Side> from(sides.begin() + static_cast<std::ptrdiff_t>(i), first_to);
    const std::span<Side> to(first_to, sides.begin() + static_cast<std::ptrdiff_t>(j));
    Vec3 low, high;
    for (std::size_t k = 0; k < to.size(); ++k) {
      for (int d = 0; d < 3; ++d) {
        low[d] = k == 0 ? to[k].centre[d] : std::min(low[d], to[k].centre[d]);
        high[d] = k == 0 ? to[k].centre[d] : std::max(high[d], to[k].centre[d]);
      }
    }
    const Vec3 extent = high - low;
    const int along = extent.x >= extent.y && extent.x >= extent.z ? 0 : (extent.y >= extent.z ? 1 : 2);
    std::stable_sort(to.begin(), to.end(), [along](const Side& a, const Side& b) { return a.centre[along] < b.centre[along]; });
    std::vector<std::int32_t> partners(to.size(), 0);
    for (const Side& a : from) {
      std::int32_t mine = 0;
      std::size_t k = std::lower_bound(to.begin(), to.end(), a.centre[along] - a.tolerance,
                                       [along](const Side& s, double at) { return s.centre[along] < at; }) -
                      to.begin();
      for (; k < to.size() && to[k].centre[along] <= a.centre[along] + a.tolerance; ++k) {
        const Side& b = to[k];
        std::array<std::size_t, kMaxFaceNodes> node_of{};
        if (!pair_nodes(a, b, node_of)) continue;
        ++mine;
        ++partners[k];
        const std::int32_t image = translations.image(a.pair);
        replies.push_back({a.face.cell, b.face.cell.value(), -image, byte(a.face.face), byte(b.face.face)});
        replies.push_back({b.face.cell, a.face.cell.value(), image, byte(b.face.face), byte(a.face.face)});
        for (int n = 0; n < size_of(a.face.key); ++n) {
          node_pairs.push_back({a.face.key[n], b.face.key[node_of[n]], image});
        }
      }
      found.push_back({a.face.cell, a.face.face, a.face.zone, mine});
    }
    for (std::size_t k = 0; k < to.size(); ++k) found.push_back({to[k].face.cell, to[k].face.face, to[k].face.zone, partners[k]});
  }
}

/// Checks that every periodic face has exactly one partner. @collective
void check_partners(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                    const std::vector<Found>& found) {
  RankLists<Found> to;
  for (const Found& f : found) to[cells.owner(global_row(f.cell))].push_back(f);
  std::vector<Found> mine = all_to_all(comm, std::move(to));
  std::sort(mine.begin(), mine.end(),
            [](const Found& a, const Found& b) { return std::tie(a.cell, a.face) < std::tie(b.cell, b.face); });
  constexpr GlobalCellId kNone(std::numeric_limits<std::int64_t>::max());
  Found bad{kNone, 0, ZoneId(0), 1};
  for (std::size_t i = 0, j = 0; i < mine.size() && bad.cell == kNone; i = j) {
    std::int32_t partners = 0;
    for (j = i; j < mine.size() && mine[j].cell == mine[i].cell && mine[j].face == mine[i].face; ++j)
      partners += mine[j].partners;
    if (partners != 1) bad = {mine[i].cell, mine[i].face, mine[i].zone, partners};
  }
  const GlobalCellId first_bad(comm.min(bad.cell.value()));
  if (first_bad == kNone) return;
  // The rank with the lowest such cell reports its face; the others throw the same error.
  std::vector<GlobalNodeId> ids;
  if (bad.cell == first_bad) {
    const std::size_t local = cells.local(global_row(bad.cell)).index();
    const CellFace& face = shape(block.cells.type[local]).face[bad.face];
    for (int i = 0; i < face.size; ++i) {
      const std::size_t node = face.node[i];
      ids.push_back(block.cells.nodes(static_cast<std::int64_t>(local))[node]);
    }
  }
  const auto coords = fetch<Vec3>(comm, nodes, ids, block.coords);
  agreed(comm, [&] {
    if (ids.empty()) return;
    Vec3 place;
    for (const Vec3& x : coords) place += x / static_cast<double>(coords.size());
    throw MeshError(
        fmt::format("the periodic face at ({:.6g}, {:.6g}, {:.6g}) has {} in the other zone", place.x, place.y, place.z,
                    bad.partners == 0 ? "no partner" : std::to_string(bad.partners) + " partners"),
        "both zones must have the same faces, one translation apart: check the translation. Zones that a rotation carries "
        "onto each other cannot be periodic: compute the whole turn, make both symmetry planes if the flow does not "
        "cross them, or use mesh.axisymmetric if nothing varies around the axis",
        Where{.file = block.source,
              .zone = zone_name(block.zones, bad.zone),
              .element = block.cells.file_id[cells.local(global_row(bad.cell)).index()]});
  });
}

/// Propagates the lowest node of each class along the pairs until no node changes: as many rounds as the longest chain of
/// pairs.
NodeAliases alias_nodes(const Communicator& comm, const RowOffsets& nodes, const std::vector<NodePair>& pairs) {
  struct Edge {  // node = other + image
    GlobalNodeId node, other;
    std::int32_t image;
  };
  RankLists<Edge> to;
  for (const NodePair& p : pairs) {
    to[nodes.owner(global_row(p.to))].push_back({p.to, p.from, p.image});
    to[nodes.owner(global_row(p.from))].push_back({p.from, p.to, -p.image});
  }
  std::vector<Edge> edges = all_to_all(comm, std::move(to));
  const auto key = [](const Edge& e) { return std::tie(e.node, e.other, e.image); };
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
  edges.erase(std::unique(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) == key(b); }),
              edges.end());

  std::vector<NodeAliases::Entry> entries;
  std::vector<GlobalNodeId> others;
  for (const Edge& e : edges) {
    if (entries.empty() || entries.back().node != e.node) entries.push_back({e.node, {e.node, 0}});
    others.push_back(e.other);
  }
  NodeAliases aliases(std::move(entries));
  for (bool changed = true; changed;) {
    const auto theirs = fetch_with<NodeAlias>(
        comm, nodes, others, [&](std::size_t local) { return aliases.of(GlobalNodeId(nodes.global(LocalRow(local)).value())); });
    changed = false;
    std::vector<NodeAliases::Entry> next = aliases.entries();
    std::size_t at = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      while (next[at].node != edges[e].node) ++at;
      const NodeAlias candidate{theirs[e].root, theirs[e].image + edges[e].image};
      if (candidate.root < next[at].alias.root) {
        next[at].alias = candidate;
        changed = true;
      }
    }
    aliases = NodeAliases(std::move(next));
    changed = comm.any(changed);
  }
  return aliases;
}

}  // namespace

NodeAlias NodeAliases::of(GlobalNodeId node) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), node, [](const Entry& e, GlobalNodeId id) { return e.node < id; });
  return at != entries_.end() && at->node == node ? at->alias : NodeAlias{node, 0};
}

std::vector<Periodic> find_translations(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes,
                                        const PeriodicZones& zones, std::vector<Periodic> pairs) {
  if (std::all_of(pairs.begin(), pairs.end(), [](const Periodic& pair) { return pair.translation.has_value(); })) return pairs;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // -low and high of the bounding box, so that one maximum determines both.
  constexpr std::array<double, 6> kEmpty{-kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity};
  IdVector<ZoneId, std::array<double, 6>> box(block.zones.size(), kEmpty);
  IdVector<ZoneId, std::int64_t> faces(block.zones.size(), 0);
  const auto coords = fetch<Vec3>(comm, nodes, block.boundary.node, block.coords);
  for (std::size_t i = 0; i < block.boundary.zone.size(); ++i) {
    const ZoneId zone = block.boundary.zone[i];
    ++faces[zone];
    for (auto n = block.boundary.offset[i]; n < block.boundary.offset[i + 1]; ++n) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = coords[n][static_cast<int>(k)];
        box[zone][k] = std::max(box[zone][k], -x);
        box[zone][3 + k] = std::max(box[zone][3 + k], x);
      }
    }
  }
  comm.max(std::span(box.data()->data(), 6 * box.size()));
  comm.sum(std::span<std::int64_t>(faces));
  const auto low = [&](ZoneId zone) { return Vec3{-box[zone][0], -box[zone][1], -box[zone][2]}; };
  const auto high = [&](ZoneId zone) { return Vec3{box[zone][3], box[zone][4], box[zone][5]}; };
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (pairs[p].translation) continue;
    const ZoneId from = zones.from[p], to = zones.to[p];
    const auto refuse = [&](const std::string& problem) {
      throw InputError(fmt::format("no translation carries the zone \"{}\" onto \"{}\": {}", pairs[p].from, pairs[p].to, problem),
                       "both zones must have the same faces, one translation apart; for zones that a rotation carries onto each "
                       "other, compute the whole turn",
                       Where{.file = block.source, .key = fmt::format("mesh.periodic.{}", p)});
    };
    if (faces[from] != faces[to]) refuse(fmt::format("they have {} and {} faces", faces[from], faces[to]));
    const Vec3 size_from = high(from) - low(from), size_to = high(to) - low(to);
    constexpr double kSameSize = 1e-3;
    if (norm(size_to - size_from) > kSameSize * std::max(norm(size_from), norm(size_to))) {
      refuse(fmt::format("the boxes around them are of {:.6g} x {:.6g} x {:.6g} and {:.6g} x {:.6g} x {:.6g}", size_from.x,
                         size_from.y, size_from.z, size_to.x, size_to.y, size_to.z));
    }
    Vec3 t = low(to) - low(from);
    for (int k = 0; k < 3; ++k) t[k] = std::abs(t[k]) < 1e-9 * norm(t) ? 0 : t[k];  // removes rounding errors of the coordinates
    pairs[p].translation = t;
  }
  return pairs;
}

PeriodicZones find_periodic_zones(const MeshBlock& block, const std::vector<Periodic>& pairs) {
  PeriodicZones zones;
  std::vector<std::string> names;
  for (const Zone& zone : block.zones) {
    if (zone.dim == block.dim - 1) names.push_back(zone.name);
  }
  std::vector<std::string> seen;
  const auto find = [&](std::size_t pair, const std::string& name) {
    const auto at = std::find_if(block.zones.begin(), block.zones.end(),
                                 [&](const Zone& z) { return z.name == name && z.dim == block.dim - 1; });
    if (at == block.zones.end()) {
      const std::string near = closest_match(name, names);
      throw InputError(fmt::format("the mesh has no boundary zone \"{}\" to be periodic", name),
                       near.empty() ? fmt::format("choose among its zones {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean \"{}\"? Its zones are {}", near, fmt::join(names, ", ")),
                       Where{.file = block.source, .key = fmt::format("mesh.periodic.{}", pair)});
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw InputError("the zone is in more than one periodic pair", "name each zone once",
                       Where{.file = block.source, .key = fmt::format("mesh.periodic.{}", pair), .zone = name});
    }
    seen.push_back(name);
    return ZoneId(at - block.zones.begin());
  };
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    zones.from.push_back(find(p, pairs[p].from));
    zones.to.push_back(find(p, pairs[p].to));
  }
  return zones;
}

NodeAliases connect_periodic(const Communicator& comm, MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                             const PeriodicZones& zones, const Translations& translations, const std::vector<ZoneFace>& faces,
                             FaceLinks& links) {
  std::vector<LinkReply> replies;
  std::vector<NodePair> node_pairs;
  std::vector<Found> found;
  {
    std::vector<Side> sides = send_to_bins(comm, make_sides(comm, block, nodes, zones, translations, faces));
    match_sides(sides, translations, replies, node_pairs, found);
  }
  check_partners(comm, block, cells, nodes, found);
  links.image.assign(links.target.size(), 0);
  enter_links(comm, cells, replies, links);

  NodeAliases aliases = alias_nodes(comm, nodes, node_pairs);
  std::vector<GlobalNodeId> roots;
  for (const auto& entry : aliases.entries()) roots.push_back(entry.alias.root);
  const auto root_coords = fetch<Vec3>(comm, nodes, roots, block.coords);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto& [node, alias] = aliases.entries()[i];
    block.coords[nodes.local(global_row(node)).index()] = root_coords[i] + translations.shift(alias.image);
  }
  return aliases;
}

}  // namespace weft::mesh::detail

#include "weft/mesh/io/cgns_zone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"

namespace weft::mesh::detail {

void CgnsFaces::add(std::span<const GlobalNodeId> nodes, std::int64_t number, std::int32_t of_section, std::int8_t used,
                    std::span<const GlobalNodeId> mids) {
  id.push_back(number);
  node.insert(node.end(), nodes.begin(), nodes.end());
  offset.push_back(std::ssize(node));
  section.push_back(of_section);
  uses.push_back(used);
  mid.insert(mid.end(), mids.begin(), mids.end());
  mid_offset.push_back(std::ssize(mid));
}

void CgnsFaces::take(std::span<CgnsFaces> parts, Team& team) {
  struct Sizes {
    std::size_t faces, nodes, mids;
  };
  std::vector<Sizes> before{{size(), node.size(), mid.size()}};
  for (const CgnsFaces& part : parts) {
    const Sizes last = before.back();
    before.push_back({last.faces + part.size(), last.nodes + part.node.size(), last.mids + part.mid.size()});
  }
  const auto [faces, nodes, mids] = before.back();
  if (faces == before.front().faces) return;
  grow_by_team(team, id, faces);
  grow_by_team(team, offset, faces + 1);
  grow_by_team(team, node, nodes);
  grow_by_team(team, section, faces);
  grow_by_team(team, uses, faces);
  grow_by_team(team, mid_offset, faces + 1);
  grow_by_team(team, mid, mids);
  on_threads(team, static_cast<int>(parts.size()), [&](int number) {
    CgnsFaces& part = parts[number];
    const Sizes at = before[number];
    const auto ends = [](const auto& of_part, auto& all, std::size_t face, std::size_t base) {
      std::transform(of_part.begin() + 1, of_part.end(), all.begin() + face + 1, [&](std::int64_t end) { return base + end; });
    };
    std::copy(part.id.begin(), part.id.end(), id.begin() + at.faces);
    ends(part.offset, offset, at.faces, at.nodes);
    std::copy(part.node.begin(), part.node.end(), node.begin() + at.nodes);
    std::copy(part.section.begin(), part.section.end(), section.begin() + at.faces);
    std::copy(part.uses.begin(), part.uses.end(), uses.begin() + at.faces);
    ends(part.mid_offset, mid_offset, at.faces, at.mids);
    std::copy(part.mid.begin(), part.mid.end(), mid.begin() + at.mids);
    part.clear();
  });
}

void CgnsFaces::use(std::size_t i) {
  const std::atomic_ref<std::int8_t> cells(uses[i]);
  std::int8_t now = cells.load(std::memory_order_relaxed);
  while (now < 2 && !cells.compare_exchange_weak(now, static_cast<std::int8_t>(now + 1), std::memory_order_relaxed)) continue;
}

void CgnsFaces::clear() {
  id.clear();
  offset.resize(1);
  node.clear();
  section.clear();
  uses.clear();
  mid_offset.resize(1);
  mid.clear();
}

std::size_t CgnsFaces::find(std::int64_t element) const {
  if (id.empty() || element < id.front() || element > id.back()) return size();
  const auto guess = static_cast<std::size_t>(element - id.front());  // right unless numbers are missing before it
  if (guess < size() && id[guess] == element) return guess;
  const auto at = std::lower_bound(id.begin(), id.end(), element);
  return at != id.end() && *at == element ? at - id.begin() : size();
}

std::int32_t CgnsMesh::tag(int of, const std::string& name) {
  const auto [entry, is_new] = tags_.try_emplace({of, name}, static_cast<std::int32_t>(tags_.size()) + 1);
  if (is_new) raw.groups.push_back({of, entry->second, name, -1});
  return entry->second;
}

GlobalNodeId cgns_vertex(const MeshCursor& place, const CgnsZone& zone, std::int64_t vertex) {
  if (vertex < 1 || vertex > zone.nodes) {
    place.fail_at(-1, fmt::format("node {} does not exist", vertex),
                  fmt::format("the zone has {} nodes, numbered from 1: write the mesh again", zone.nodes));
  }
  return GlobalNodeId(zone.first_node + vertex - 1);
}

void make_cgns_block(const CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag) {
  const auto [ni, nj, nk] = zone.size;
  const bool flat = mesh.dim == 2;
  const auto node = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return GlobalNodeId(zone.first_node + i + ni * (j + nj * k));
  };
  // A block with left-handed i, j, k is traversed in reverse, so that blocks of both orientations match.
  double volume = 0;
  const auto at = [&](GlobalNodeId n) { return mesh.raw.coords[n.index()]; };
  const std::int64_t layers = flat ? 1 : nk - 1;
  for (std::int64_t k = 0; k < layers; ++k) {
    for (std::int64_t j = 0; j + 1 < nj; ++j) {
      for (std::int64_t i = 0; i + 1 < ni; ++i) {
        const Vec3 x = at(node(i, j, k)), a = at(node(i + 1, j, k)) - x, b = at(node(i, j + 1, k)) - x;
        volume += flat ? cross(a, b).z : dot(cross(a, b), at(node(i, j, k + 1)) - x);
      }
    }
  }
  const bool turn = volume < 0;
  std::int64_t id = 0;
  for (std::int64_t k = 0; k < layers; ++k) {
    for (std::int64_t j = 0; j + 1 < nj; ++j) {
      for (std::int64_t i = 0; i + 1 < ni; ++i) {
        std::array<GlobalNodeId, kMaxCellNodes> nodes;
        std::size_t n = 0;
        for (std::int64_t up = 0; up < (flat ? 1 : 2); ++up, n += 4) {
          nodes[n] = node(i, j, k + up);
          nodes[n + 1] = node(i + 1, j, k + up);
          nodes[n + 2] = node(i + 1, j + 1, k + up);
          nodes[n + 3] = node(i, j + 1, k + up);
          if (turn) std::swap(nodes[n + 1], nodes[n + 3]);
        }
        mesh.raw.add(flat ? CellType::quad : CellType::hexahedron, {nodes.data(), n}, cell_tag, ++id, -1);
      }
    }
  }
}

void read_cgns_connectivity(CgnsFile& file, const CgnsZone& zone, const std::vector<CgnsZone>& zones, CgnsMesh& mesh) {
  for (const CgnsNode& list : file.children(zone.node, "ZoneGridConnectivity_t")) {
    if (!file.children(list, "OversetHoles_t").empty())
      file.fail("the zones overlap (overset)", "zones that meet face to face are read: mesh without overlaps");
    for (const CgnsNode& link : file.children(list, "GridConnectivity_t")) {
      if (is_periodic(file, link)) continue;
      const std::string type = file.text_of(link, "GridConnectivityType", "Overset");
      if (type != "Abutting1to1") {
        file.fail(fmt::format("connectivity \"{}\" is of type {}", link.name, type),
                  "zones whose faces match one to one (Abutting1to1) are read: mesh them together");
      }
      if (file.text_of(link, "GridLocation", "Vertex") != "Vertex" || zone.structured()) continue;  // join_nodes() matches them
      const auto here = file.child(link, "PointList"), there = file.child(link, "PointListDonor");
      if (!here || !there) continue;
      std::string name = file.text(link);
      name = name.substr(name.rfind('/') + 1);
      const auto donor = std::find_if(zones.begin(), zones.end(), [&](const CgnsZone& z) { return z.node.name == name; });
      if (donor == zones.end()) {
        file.fail(fmt::format("connectivity \"{}\" leads to a zone \"{}\", which does not exist", link.name, name),
                  "write the mesh again with all its zones");
      }
      if (donor->structured()) continue;
      const std::vector<std::int64_t> mine = file.integers(*here), others = file.integers(*there);
      if (mine.size() != others.size()) {
        file.fail(fmt::format("connectivity \"{}\" lists {} vertices of this zone and {} of the other", link.name, mine.size(),
                              others.size()),
                  kTruncated);
      }
      for (std::size_t i = 0; i < mine.size(); ++i)
        mesh.twins.emplace_back(cgns_vertex(file.place, zone, mine[i]).value(),
                                cgns_vertex(file.place, *donor, others[i]).value());
    }
  }
}

bool is_periodic(const CgnsFile& file, const CgnsNode& connectivity) {
  for (const CgnsNode& property : file.children(connectivity, "GridConnectivityProperty_t")) {
    if (!file.children(property, "Periodic_t").empty()) return true;
  }
  return false;
}

}  // namespace weft::mesh::detail

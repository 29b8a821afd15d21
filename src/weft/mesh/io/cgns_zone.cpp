#include "weft/mesh/io/cgns_zone.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::mesh::detail {

std::size_t CgnsFaces::find(std::int64_t element) const {
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

#include "weft/mesh/io/raw_mesh.hpp"

#include <algorithm>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"

namespace weft::mesh::detail {
namespace {

/// Sizes of the lists of RawElements.
struct Sizes {
  std::int64_t elements = 0, nodes = 0, mids = 0;
};

Sizes sizes_of(const RawElements& elements) {
  return {elements.list.size(), std::ssize(elements.list.node), std::ssize(elements.mid)};
}

void grow(Team& team, RawElements& elements, const Sizes& sizes) {
  grow_by_team(team, elements.list.type, sizes.elements);
  grow_by_team(team, elements.list.offset, sizes.elements + 1);
  grow_by_team(team, elements.list.node, sizes.nodes);
  grow_by_team(team, elements.list.zone, sizes.elements);
  grow_by_team(team, elements.list.file_id, sizes.elements);
  grow_by_team(team, elements.at, sizes.elements);
  grow_by_team(team, elements.mid, sizes.mids);
}

/// Moves the elements of a part to their place in the list of all.
void move_elements(RawElements& part, RawElements& all, const Sizes& before) {
  std::copy(part.list.type.begin(), part.list.type.end(), all.list.type.begin() + before.elements);
  std::transform(part.list.offset.begin() + 1, part.list.offset.end(), all.list.offset.begin() + before.elements + 1,
                 [&](std::int64_t end) { return before.nodes + end; });
  std::copy(part.list.node.begin(), part.list.node.end(), all.list.node.begin() + before.nodes);
  std::copy(part.list.zone.begin(), part.list.zone.end(), all.list.zone.begin() + before.elements);
  std::copy(part.list.file_id.begin(), part.list.file_id.end(), all.list.file_id.begin() + before.elements);
  std::copy(part.at.begin(), part.at.end(), all.at.begin() + before.elements);
  std::transform(part.mid.begin(), part.mid.end(), all.mid.begin() + before.mids, [&](MidNode mid) {
    mid.element += before.elements;
    return mid;
  });
  part.list.type.clear();
  part.list.offset.resize(1);
  part.list.node.clear();
  part.list.zone.clear();
  part.list.file_id.clear();
  part.at.clear();
  part.mid.clear();
  part.second_order = 0;
}

}  // namespace

void RawMesh::add(CellType type, std::span<const GlobalNodeId> tags, std::int32_t group, std::int64_t id, std::int64_t at,
                  std::span<const GlobalNodeId> more) {
  RawElements& elements = of_dim[shape(type).dim];
  if (!more.empty()) ++elements.second_order;
  const std::size_t edges = shape(type).dim == 1 ? 1 : shape(type).dim == 2 ? tags.size() : 0;
  for (std::size_t k = 0; k < std::min(edges, more.size()); ++k)
    elements.mid.push_back({elements.list.size(), {tags[k], tags[(k + 1) % tags.size()]}, more[k]});
  elements.list.add(type, tags, ZoneId(group), id);
  elements.at.push_back(at);
}

RawMesh::Block RawMesh::append(CellType type, std::int64_t elements, std::int64_t dropped, Team& team) {
  const CellShape& form = shape(type);
  RawElements& all = of_dim[form.dim];
  Block block;
  block.elements_ = &all;
  block.corners_ = form.nodes;
  block.edges_ = std::min<std::int64_t>(form.dim == 1 ? 1 : form.dim == 2 ? form.nodes : 0, dropped);
  block.first_ = all.list.size();
  block.first_node_ = std::ssize(all.list.node);
  block.first_mid_ = std::ssize(all.mid);
  if (dropped > 0) all.second_order += elements;
  grow(team, all,
       {block.first_ + elements, block.first_node_ + elements * block.corners_, block.first_mid_ + elements * block.edges_});
  std::fill(all.list.type.begin() + block.first_, all.list.type.end(), type);
  return block;
}

void RawMesh::take_elements(std::span<RawMesh> parts, Team& team) {
  for (std::size_t dim = 0; dim < of_dim.size(); ++dim) {
    RawElements& all = of_dim[dim];
    std::vector<Sizes> before{sizes_of(all)};
    for (const RawMesh& part : parts) {
      const Sizes more = sizes_of(part.of_dim[dim]);
      before.push_back(
          {before.back().elements + more.elements, before.back().nodes + more.nodes, before.back().mids + more.mids});
      all.second_order += part.of_dim[dim].second_order;
    }
    if (before.back().elements == before.front().elements) continue;
    grow(team, all, before.back());
    on_threads(team, static_cast<int>(parts.size()),
               [&](int part) { move_elements(parts[part].of_dim[dim], all, before[part]); });
  }
}

void RawMesh::Block::enter(std::int64_t i, std::span<const GlobalNodeId> nodes, std::int32_t group, std::int64_t id,
                           std::int64_t at) const {
  Elements& list = elements_->list;
  const std::int64_t element = first_ + i, node = first_node_ + i * corners_;
  std::copy_n(nodes.begin(), corners_, list.node.begin() + node);
  list.offset[element + 1] = node + corners_;
  list.zone[element] = ZoneId(group);
  list.file_id[element] = id;
  elements_->at[element] = at;
  for (std::int64_t k = 0; k < edges_; ++k) {
    elements_->mid[first_mid_ + i * edges_ + k] = {element, {nodes[k], nodes[(k + 1) % corners_]}, nodes[corners_ + k]};
  }
}

std::int64_t RawMesh::append_nodes(std::int64_t nodes, Team& team) {
  const std::size_t first = coords.size(), size = first + nodes;
  append_coords(nodes, team);
  grow_by_team(team, node_tag, size);
  grow_by_team(team, node_at, size);
  return static_cast<std::int64_t>(first);
}

void RawMesh::append_coords(std::int64_t nodes, Team& team) { grow_by_team(team, coords, coords.size() + nodes); }

}  // namespace weft::mesh::detail

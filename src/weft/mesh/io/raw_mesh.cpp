#include "weft/mesh/io/raw_mesh.hpp"

#include <algorithm>

#include "weft/base/team_memory.hpp"

namespace weft::mesh::detail {
namespace {

/// Resizes a list that grows step by step, in amortised constant time. @tparam List  std::vector or TeamVector.
template <class List>
void grow(Team& team, List& list, std::size_t size) {
  if (size > list.capacity()) list.reserve(std::max(size, list.capacity() + list.capacity() / 2));
  resize_by_team(team, list, size);
}

}  // namespace

void RawMesh::add(CellType type, std::span<const GlobalNodeId> tags, std::int32_t group, std::int64_t id, std::int64_t at,
                  std::span<const GlobalNodeId> more) {
  RawElements& elements = of_dim[shape(type).dim];
  if (!more.empty()) ++elements.second_order;
  const std::size_t edges = shape(type).dim == 1 ? 1 : shape(type).dim == 2 ? tags.size() : 0;
  for (std::size_t k = 0; k < std::min(edges, more.size()); ++k)
    elements.mid.push_back({elements.list.size(), {tags[k], tags[(k + 1) % tags.size()]}, more[k]});
  elements.list.add(type, tags, group, id);
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
  const std::size_t size = block.first_ + elements;
  grow(team, all.list.type, size);
  std::fill(all.list.type.begin() + block.first_, all.list.type.end(), type);
  grow(team, all.list.offset, size + 1);
  grow(team, all.list.node, block.first_node_ + elements * block.corners_);
  grow(team, all.list.zone, size);
  grow(team, all.list.file_id, size);
  grow(team, all.at, size);
  grow(team, all.mid, block.first_mid_ + elements * block.edges_);
  return block;
}

void RawMesh::Block::enter(std::int64_t i, std::span<const GlobalNodeId> nodes, std::int32_t group, std::int64_t id,
                           std::int64_t at) const {
  Elements& list = elements_->list;
  const std::int64_t element = first_ + i, node = first_node_ + i * corners_;
  std::copy_n(nodes.begin(), corners_, list.node.begin() + node);
  list.offset[element + 1] = node + corners_;
  list.zone[element] = group;
  list.file_id[element] = id;
  elements_->at[element] = at;
  for (std::int64_t k = 0; k < edges_; ++k) {
    elements_->mid[first_mid_ + i * edges_ + k] = {element, {nodes[k], nodes[(k + 1) % corners_]}, nodes[corners_ + k]};
  }
}

std::int64_t RawMesh::append_nodes(std::int64_t nodes, Team& team) {
  const std::size_t first = coords.size(), size = first + nodes;
  grow(team, coords, size);
  grow(team, node_tag, size);
  grow(team, node_at, size);
  return static_cast<std::int64_t>(first);
}

}  // namespace weft::mesh::detail

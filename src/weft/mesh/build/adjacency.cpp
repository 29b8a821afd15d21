#include "weft/mesh/build/adjacency.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <tuple>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/select.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the local nodes on faces that are not between two owned cells. A cell of another rank that has a node in common
/// with an owned cell has one of these, because the cells around a node are connected by faces, or the node is on the
/// boundary.
std::vector<LocalNodeId> rim_nodes(const Subdomain& part, Team& team) {
  const auto is_inner = [&](std::size_t slot) { return part.neighbour[slot] >= 0 && !part.is_ghost(slot); };
  const auto has_rim_face = [&](std::int32_t c) {
    for (std::int32_t slot = part.first_face[to_index(c)]; slot < part.first_face[to_index(c) + 1]; ++slot) {
      if (!is_inner(to_index(slot))) return true;
    }
    return false;
  };
  std::vector<LocalNodeId> nodes;
  for (const std::int32_t cell : kernels::select(part.owned(), has_rim_face, team)) {
    const LocalCellId c(cell);
    const CellShape& s = shape(part.type[c]);
    for (int f = 0; f < s.faces; ++f) {
      const std::size_t slot = part.first_face[c.index()] + f;
      if (is_inner(slot)) continue;
      const CellFace& face = s.face[f];
      for (int i = 0; i < face.size; ++i) {
        nodes.push_back(part.nodes(c)[face.node[i]]);
      }
    }
  }
  kernels::sort_unique(nodes);
  return nodes;
}

}  // namespace

CellsOfNodes::CellsOfNodes(const Subdomain& part, Team& team) : first_(part.node_global.size() + 1, 0) {
  // Threads enter the cells of a node in any order, and sort them afterwards.
  const auto add = [](std::int32_t& number) { return std::atomic_ref(number).fetch_add(1, std::memory_order_relaxed); };
  for_indices(team, std::ssize(part.node), [&](std::int64_t i) { add(first_[part.node[i].index() + 1]); });
  kernels::inclusive_scan(std::span<const std::int32_t>(first_), std::span<std::int32_t>(first_));
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  resize_by_team(team, cell_, part.node.size());
  for_indices(team, part.owned(), [&](std::int64_t i) {
    for (const LocalNodeId n : part.nodes(LocalCellId(i))) cell_[add(next[n.index()])] = LocalCellId(i);
  });
  if (team.size() == 1) return;
  for_indices(team, std::ssize(next),
              [&](std::int64_t n) { std::sort(cell_.begin() + first_[n], cell_.begin() + first_[n + 1]); });
}

bool is_widened(const Subdomain& part, LocalCellId cell) {
  if (is_quad_or_hexahedron(part.type[cell])) return false;
  const auto first = part.neighbour.begin() + part.first_face[cell.index()];
  const auto last = part.neighbour.begin() + part.first_face[cell.index() + 1];
  return std::any_of(first, last, [](std::int32_t neighbour) { return neighbour < 0; });
}

NodeStars find_node_stars(const Communicator& comm, const RowOffsets& nodes, const NodeAliases& aliases, Subdomain& part,
                          Team& team) {
  const std::vector<LocalNodeId> rim = rim_nodes(part, team);
  std::vector<GlobalNodeId> ids;
  ids.reserve(rim.size());
  for (const LocalNodeId n : rim) ids.push_back(part.node_global[n]);
  const auto held_node = [&](std::size_t local) { return GlobalNodeId(nodes.global(LocalRow(local)).value()); };
  const auto alias = fetch_with<NodeAlias>(comm, nodes, ids, [&](std::size_t local) { return aliases.of(held_node(local)); });

  // A cell at a node that is `root` translated by i is, relative to root, an image of the cell translated by -i.
  struct Visit {
    GlobalNodeId root;
    GlobalCellId cell;
    std::int64_t image, widened;
  };
  const CellsOfNodes cells_of_nodes(part, team);
  RankLists<Visit> to;
  for (std::size_t i = 0; i < rim.size(); ++i) {
    auto& list = to[nodes.owner(global_row(alias[i].root))];
    for (const LocalCellId cell : cells_of_nodes[rim[i]]) {
      list.push_back({alias[i].root, part.global[cell], -alias[i].image, is_widened(part, cell) ? 1 : 0});
    }
  }
  std::vector<Visit> visits = all_to_all(comm, std::move(to));
  const auto key = [](const Visit& v) { return std::tie(v.root, v.cell, v.image); };
  std::sort(visits.begin(), visits.end(), [&](const Visit& a, const Visit& b) { return key(a) < key(b); });

  // Read the visits back for each root.
  struct CellAt {
    GlobalCellId cell;
    std::int64_t image, widened;
  };
  std::vector<GlobalNodeId> roots;
  for (const NodeAlias& a : alias) roots.push_back(a.root);
  const Array<CellAt, NonUniform> star = fetch_rows<CellAt>(comm, nodes, roots, [&](std::size_t local, std::vector<CellAt>& out) {
    const GlobalNodeId root = held_node(local);
    auto v = std::lower_bound(visits.begin(), visits.end(), root, [](const Visit& a, GlobalNodeId id) { return a.root < id; });
    for (; v != visits.end() && v->root == root; ++v) out.push_back({v->cell, v->image, v->widened});
  });

  NodeStars stars;
  stars.star.resize(part.node_global.size(), -1);
  std::vector<NodeStars::Entry> around_node;
  for (std::size_t i = 0; i < rim.size(); ++i) {
    around_node.clear();
    for (const CellAt& at : star.row(i)) {
      const std::int32_t image = static_cast<std::int32_t>(at.image) + alias[i].image;
      const std::int32_t cell = part.refer_to(at.cell);
      if (cell >= part.owned() || image != 0) around_node.push_back({cell, image, at.widened != 0});
    }
    if (around_node.empty()) continue;
    stars.star[rim[i]] = stars.cells.rows();
    stars.cells.push_row(around_node);
  }
  return stars;
}

IdVector<LocalCellId, char> find_border(const Subdomain& part, const NodeStars& stars, Neighbours kind, Team& team) {
  IdVector<LocalCellId, char> border(part.type.size(), 0);
  for_indices(team, border.count(), [&](std::int64_t i) {
    const LocalCellId c(i);
    for (std::int32_t slot = part.first_face[c.index()]; slot < part.first_face[c.index() + 1]; ++slot) {
      if (part.neighbour[slot] >= 0 && part.is_ghost(slot)) border[c] = 1;
    }
    if (stars.star.empty()) return;
    const bool all = kind == Neighbours::node || is_widened(part, c);
    for (const LocalNodeId n : part.nodes(c)) {
      const std::int32_t star = stars.star[n];
      if (star < 0) continue;
      const auto cells = stars.cells.row(star);
      if (all || std::any_of(cells.begin(), cells.end(), [](const NodeStars::Entry& e) { return e.widened; })) border[c] = 1;
    }
  });
  return border;
}

Adjacency::Adjacency(const Subdomain& part, const NodeStars& stars, const RowOffsets& rows,
                     const TeamVector<GlobalRow>& remote_row, Neighbours kind, Team& team)
    : part_(&part), stars_(&stars), rows_(&rows), remote_row_(&remote_row), kind_(kind) {
  if (stars.star.empty()) return;
  cells_of_nodes_ = CellsOfNodes(part, team);
  widened_.resize(part.type.size());
  near_widened_.resize(part.node_global.size());
  for_indices(team, part.owned(), [&](std::int64_t i) {
    const LocalCellId c(i);
    widened_[c] = is_widened(part, c) ? 1 : 0;
    if (widened_[c] == 0) return;
    for (const LocalNodeId n : part.nodes(c)) std::atomic_ref(near_widened_[n]).store(1, std::memory_order_relaxed);
  });
  for_indices(team, near_widened_.count(), [&](std::int64_t i) {
    const LocalNodeId n(i);
    if (stars.star[n] < 0) return;
    for (const NodeStars::Entry& e : stars.cells.row(stars.star[n])) near_widened_[n] |= e.widened ? 1 : 0;
  });
}

void Adjacency::append(LocalCellId cell, std::vector<CellCopy>& neighbours) const {
  const auto before = static_cast<std::ptrdiff_t>(neighbours.size());
  for (std::int32_t slot = part_->first_face[cell.index()]; slot < part_->first_face[cell.index() + 1]; ++slot) {
    if (part_->neighbour[slot] >= 0) neighbours.push_back(copy(part_->neighbour[slot], part_->image_of(slot)));
  }
  if (!stars_->star.empty()) {
    const bool all = kind_ == Neighbours::node || widened_[cell] != 0;
    for (const LocalNodeId n : part_->nodes(cell)) {
      if (!all && near_widened_[n] == 0) continue;
      for (const LocalCellId other : cells_of_nodes_[n]) {
        if (other != cell && (all || widened_[other] != 0)) neighbours.push_back(copy(other.value(), 0));
      }
      if (stars_->star[n] < 0) continue;
      for (const NodeStars::Entry& e : stars_->cells.row(stars_->star[n])) {
        if (all || e.widened) neighbours.push_back(copy(e.cell, e.image));
      }
    }
  }
  std::sort(neighbours.begin() + before, neighbours.end());
  neighbours.erase(std::unique(neighbours.begin() + before, neighbours.end()), neighbours.end());
}

std::vector<CellCopy> find_ghosts(const Communicator& comm, const Adjacency& adjacency, const RowOffsets& rows,
                                  const IdVector<LocalCellId, char>& border, int depth) {
  const auto keep_new_ghosts = [&](std::vector<CellCopy>& found, const std::vector<CellCopy>& known) {
    kernels::sort_unique(found);
    std::erase_if(found, [&](const CellCopy& c) {
      return (c.image == 0 && rows.owns(c.row)) || std::binary_search(known.begin(), known.end(), c);
    });
  };
  std::vector<CellCopy> ghosts, layer;
  for (const LocalCellId c : border.ids()) {
    if (border[c] != 0) adjacency.append(c, layer);
  }
  for (int k = 0; k < depth; ++k) {
    if (k > 0) {
      std::vector<GlobalRow> asked;
      for (const CellCopy& c : layer) asked.push_back(c.row);
      const Array<CellCopy, NonUniform> around = fetch_rows<CellCopy>(
          comm, rows, asked, [&](std::size_t local, std::vector<CellCopy>& out) { adjacency.append(LocalCellId(local), out); });
      std::vector<CellCopy> next;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        for (const CellCopy& c : around.row(i)) next.push_back({c.row, c.image + layer[i].image});
      }
      layer = std::move(next);
    }
    keep_new_ghosts(layer, ghosts);
    const auto middle = static_cast<std::ptrdiff_t>(ghosts.size());
    ghosts.insert(ghosts.end(), layer.begin(), layer.end());
    std::inplace_merge(ghosts.begin(), ghosts.begin() + middle, ghosts.end());
  }
  return ghosts;
}

}  // namespace weft::mesh::detail

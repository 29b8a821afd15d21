#include "weft/mesh/build/subdomain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail {
namespace {

/// Sends row i of `values`, entries begin(i) ... begin(i + 1) - 1, to rank part[i]. Rows are received in the order of their
/// global ids, because chunks are in the order of ranks. @collective
template <class T, class Begin>
std::vector<T> to_owners(const Communicator& comm, const std::vector<std::int32_t>& part, std::vector<T> values, Begin&& begin) {
  if (comm.size() == 1) return values;
  std::unordered_map<Rank, std::size_t> size;
  for (std::size_t i = 0; i < part.size(); ++i) size[Rank(part[i])] += begin(i + 1) - begin(i);
  RankLists<T> to;
  for (const auto& [rank, entries] : size) to[rank].reserve(entries);
  for (std::size_t i = 0; i < part.size(); ++i) {
    auto& row = to[Rank(part[i])];
    row.insert(row.end(), values.begin() + static_cast<std::ptrdiff_t>(begin(i)),
               values.begin() + static_cast<std::ptrdiff_t>(begin(i + 1)));
  }
  std::vector<T>().swap(values);
  return all_to_all(comm, std::move(to));
}

template <class I, class T>
IdVector<I, T> permuted(const IdVector<I, T>& old, const IdVector<I, I>& order) {
  IdVector<I, T> fresh;
  fresh.reserve(order.size());
  for (const I id : order) fresh.push_back(old[id]);
  return fresh;
}

/// Returns the rows old[first[c]] ... old[first[c+1]-1] in the order of `order`.
template <class T>
std::vector<T> permuted_rows(const std::vector<T>& old, const std::vector<std::int32_t>& first,
                             const IdVector<LocalCellId, LocalCellId>& order) {
  std::vector<T> fresh;
  fresh.reserve(old.size());
  for (const LocalCellId c : order) {
    fresh.insert(fresh.end(), old.begin() + first[c.index()], old.begin() + first[c.index() + 1]);
  }
  return fresh;
}

std::vector<std::int32_t> permuted_offsets(const std::vector<std::int32_t>& first,
                                           const IdVector<LocalCellId, LocalCellId>& order) {
  std::vector<std::int32_t> fresh{0};
  fresh.reserve(first.size());
  for (const LocalCellId c : order) {
    fresh.push_back(fresh.back() + first[c.index() + 1] - first[c.index()]);
  }
  return fresh;
}

}  // namespace

std::int32_t Subdomain::refer_to(GlobalCellId cell) {
  const std::int32_t known = cell_table.find(cell.value());
  if (known != IdTable::kAbsent) return known;
  const auto at = std::lower_bound(global.begin(), global.end(), cell);
  const bool here = at != global.end() && *at == cell;
  if (!here) remote.push_back(cell.value());
  return cell_table.find_or_insert(cell.value(), here ? static_cast<std::int32_t>(at - global.begin())
                                                      : owned() + static_cast<std::int32_t>(remote.size()) - 1);
}

Destinations number_at_owners(const Communicator& comm, const MeshBlock& block, std::vector<std::int32_t> owner) {
  RankLists<std::int64_t> count;
  for (const std::int32_t rank : owner) {
    auto& of_rank = count[Rank(rank)];
    of_rank.empty() ? of_rank.push_back(1) : static_cast<void>(++of_rank.front());
  }
  // Each owner numbers the cells of rank 0, then those of rank 1, ...
  std::vector<RankValues<std::int64_t>> first = comm.all_to_all(std::move(count).by_rank());
  std::int64_t all = 0;
  for (auto& of_rank : first) all += std::exchange(of_rank.values.front(), all);
  agreed(comm, [&] { check_cell_count(all, comm.rank().value(), comm.size(), block.source); });
  RankLists<std::int64_t> next;
  for (auto& [rank, values] : comm.all_to_all(first)) next[rank] = std::move(values);
  Destinations to{std::move(owner), {}};
  to.number.reserve(to.owner.size());
  for (const std::int32_t rank : to.owner) to.number.push_back(static_cast<std::int32_t>(next[Rank(rank)].front()++));
  return to;
}

namespace {

/// Marks a link that contains the local number on the common owner instead of a global cell.
constexpr std::int64_t kOwnNumber = std::int64_t{1} << 62;

/// Replaces links between cells with the same owner by their local numbers there, so that no lookup is needed.
void name_by_numbers(const RowOffsets& cells, const Destinations& to, FaceLinks& links) {
  for (std::size_t c = 0; c < to.owner.size(); ++c) {
    for (std::size_t s = links.slot(c, 0); s < links.slot(c + 1, 0); ++s) {
      std::int64_t& target = links.target[s];
      if (target < 0 || !cells.owns(GlobalRow(target))) continue;
      const std::size_t other = cells.local(GlobalRow(target)).index();
      if (to.owner[other] == to.owner[c]) target = kOwnNumber + to.number[other];
    }
  }
}

}  // namespace

Subdomain redistribute(const Communicator& comm, MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                       FaceLinks links, const Destinations& to) {
  const std::vector<std::int32_t>& part = to.owner;
  name_by_numbers(cells, to, links);
  Elements& from = block.cells;
  const auto single = [](std::size_t i) { return i; };
  const auto node_row = [&](std::size_t i) -> std::size_t { return from.offset[i]; };
  const auto face_row = [&](std::size_t i) -> std::size_t { return links.offset[i]; };

  Subdomain owned;
  std::vector<GlobalNodeId> cell_nodes = to_owners(comm, part, std::move(from.node), node_row);
  std::vector<std::int64_t> target = to_owners(comm, part, std::move(links.target), face_row);
  owned.partner = to_owners(comm, part, std::move(links.partner), face_row);
  if (comm.any(!links.image.empty())) owned.image = to_owners(comm, part, std::move(links.image), face_row);
  std::vector<GlobalCellId> global;
  global.reserve(part.size());
  for (GlobalCellId cell(cells.first().value()); global.size() < part.size(); ++cell) global.push_back(cell);
  owned.global = IdVector<LocalCellId, GlobalCellId>(to_owners(comm, part, std::move(global), single));
  owned.file_id = IdVector<LocalCellId, std::int64_t>(to_owners(comm, part, std::move(from.file_id), single));
  owned.zone = IdVector<LocalCellId, std::int32_t>(to_owners(comm, part, std::move(from.zone), single));
  owned.type = IdVector<LocalCellId, CellType>(to_owners(comm, part, std::move(from.type), single));
  from = Elements{};
  links = FaceLinks{};
  block.boundary = Elements{};

  owned.first_node.reserve(owned.type.size() + 1);
  owned.first_face.reserve(owned.type.size() + 1);
  for (const CellType type : owned.type) {
    owned.first_node.push_back(owned.first_node.back() + shape(type).nodes);
    owned.first_face.push_back(owned.first_face.back() + shape(type).faces);
  }

  const auto [lowest, highest] = std::minmax_element(cell_nodes.begin(), cell_nodes.end());
  if (lowest != cell_nodes.end()) owned.node_table = IdTable(lowest->value(), highest->value(), owned.type.size());
  owned.node.reserve(cell_nodes.size());
  for (const GlobalNodeId node : cell_nodes) {
    const LocalNodeId next = owned.node_global.ids().last();
    owned.node.emplace_back(owned.node_table.find_or_insert(node.value(), next.value()));
    if (owned.node.back() == next) owned.node_global.push_back(node.value());
  }
  std::vector<GlobalNodeId>().swap(cell_nodes);
  owned.node_coord = IdVector<LocalNodeId, Vec3>(fetch<Vec3>(comm, nodes, owned.node_global, block.coords));

  const auto is_looked_up = [](std::int64_t t) { return t >= 0 && t < kOwnNumber; };
  for (const LocalCellId cell : owned.type.ids()) {  // a cell is referenced by the cells that it references
    const auto first = target.begin() + owned.first_face[cell.index()],
               last = target.begin() + owned.first_face[cell.index() + 1];
    if (std::any_of(first, last, is_looked_up)) {
      (void)owned.cell_table.find_or_insert(owned.global[cell].value(), cell.value());
    }
  }
  owned.neighbour.reserve(target.size());
  for (const std::int64_t t : target) {
    owned.neighbour.push_back(is_looked_up(t) ? owned.refer_to(GlobalCellId(t))
                                              : static_cast<std::int32_t>(t >= 0 ? t - kOwnNumber : t));
  }
  return owned;
}

void measure_cells(const Communicator& comm, const MeshBlock& block, Subdomain& part) {
  part.volume.reserve(part.type.size());
  part.centroid.reserve(part.type.size());
  agreed(comm, [&] {
    std::array<Vec3, kMaxCellNodes> corner;
    for (const LocalCellId c : part.type.ids()) {
      std::size_t corners = 0;
      for (const LocalNodeId n : part.nodes(c)) corner[corners++] = part.node_coord[n];
      const CellGeometry g = cell_geometry(part.type[c], {corner.data(), corners});
      if (!(g.volume > 0)) {
        Vec3 place;
        for (std::size_t i = 0; i < corners; ++i) place += corner[i] / static_cast<double>(corners);
        const std::int32_t zone = part.zone[c];
        throw MeshError(
            fmt::format("the {} at ({:.6g}, {:.6g}, {:.6g}) has {} volume ({:.6g})", shape(part.type[c]).name, place.x, place.y,
                        place.z, g.volume < 0 ? "negative" : "no", g.volume),
            "check the order of its nodes, or remesh there",
            Where{.file = block.source, .zone = zone < 0 ? std::string{} : block.zones[zone].name, .element = part.file_id[c]});
      }
      part.volume.push_back(g.volume);
      part.centroid.push_back(g.centroid);
    }
  });
}

Renumbering renumber(Subdomain& part, const IdVector<LocalCellId, LocalCellId>& order) {
  Renumbering now;
  now.cell.resize(order.size());
  for (const LocalCellId fresh : order.ids()) now.cell[order[fresh]] = fresh;

  part.type = permuted(part.type, order);
  part.global = permuted(part.global, order);
  part.file_id = permuted(part.file_id, order);
  part.zone = permuted(part.zone, order);
  part.volume = permuted(part.volume, order);
  part.centroid = permuted(part.centroid, order);
  part.node = permuted_rows(part.node, part.first_node, order);
  part.first_node = permuted_offsets(part.first_node, order);
  part.neighbour = permuted_rows(part.neighbour, part.first_face, order);
  part.partner = permuted_rows(part.partner, part.first_face, order);
  if (!part.image.empty()) part.image = permuted_rows(part.image, part.first_face, order);
  part.first_face = permuted_offsets(part.first_face, order);
  for (std::int32_t& n : part.neighbour) {
    if (n >= 0 && n < part.owned()) n = now.cell[LocalCellId(n)].value();
  }

  now.node.resize(part.node_global.size());
  IdVector<LocalNodeId, LocalNodeId> old_node;  // by new number
  old_node.reserve(part.node_global.size());
  for (LocalNodeId& n : part.node) {
    LocalNodeId& fresh = now.node[n];
    if (!fresh.valid()) fresh = old_node.push_back(n);
    n = fresh;
  }
  part.node_global = permuted(part.node_global, old_node);
  part.node_coord = permuted(part.node_coord, old_node);
  return now;
}

}  // namespace weft::mesh::detail

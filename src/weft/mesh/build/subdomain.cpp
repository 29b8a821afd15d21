#include "weft/mesh/build/subdomain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/build/first_use.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail {
namespace {

/// Sends rows of values to the owners of the cells. They are received in the order of the global ids of the cells, because chunks
/// are in the order of ranks.
class ToOwners {
 public:
  ToOwners(const Communicator& comm, const SendOrder& order, Team& team) : comm_(comm), order_(order), team_(team) {}

  /// Sends one value of each cell. @collective  @tparam List  std::vector or TeamVector.
  template <class List>
  [[nodiscard]] List send(List values) const {
    if (comm_.size() == 1) return values;
    List packed, received;
    resize_by_team(team_, packed, values.size());
    for_indices(team_, std::ssize(packed), [&](std::int64_t p) { packed[p] = values[order_.item[p]]; });
    List().swap(values);
    send_in_order(comm_, order_.ranks, order_.first, packed, received, team_);
    return received;
  }

  /// Sends the values first[c] ... first[c + 1] - 1 of each cell c. @collective
  template <class List, class Offsets>
  [[nodiscard]] List send_rows(List values, const Offsets& first) const {
    if (comm_.size() == 1) return values;
    auto begin = list_of_size<std::size_t>(team_, order_.item.size() + 1);  // starts of the rows in the list to be sent
    for_indices(team_, std::ssize(order_.item), [&](std::int64_t p) {
      const std::int32_t c = order_.item[p];
      begin[p + 1] = static_cast<std::size_t>(first[c + 1] - first[c]);
    });
    kernels::sum_up(begin, team_);
    List packed, received;
    resize_by_team(team_, packed, values.size());
    for_indices(team_, std::ssize(order_.item), [&](std::int64_t p) {
      const std::int32_t c = order_.item[p];
      std::copy(values.begin() + first[c], values.begin() + first[c + 1], packed.begin() + static_cast<std::ptrdiff_t>(begin[p]));
    });
    List().swap(values);
    std::vector<std::size_t> first_of_rank;
    for (const std::size_t row : order_.first) first_of_rank.push_back(begin[row]);
    send_in_order(comm_, order_.ranks, first_of_rank, packed, received, team_);
    return received;
  }

 private:
  const Communicator& comm_;
  const SendOrder& order_;
  Team& team_;
};

/// Returns the elements of a list by id.
template <class I, class T>
IdVector<I, T> by_id(const TeamVector<T>& list, Team& team) {
  IdVector<I, T> elements;
  resize_by_team(team, elements, list.size());
  for_indices(team, elements.count(), [&](std::int64_t i) { elements[I(i)] = list[i]; });
  return elements;
}

/// Replaces a list by its entries list[order[0]], list[order[1]], ...
template <class I, class T>
void permute(IdVector<I, T>& list, const IdVector<I, I>& order, Team& team) {
  IdVector<I, T> fresh;
  resize_by_team(team, fresh, order.size());
  for_indices(team, fresh.count(), [&](std::int64_t i) { fresh[I(i)] = list[order[I(i)]]; });
  list = std::move(fresh);
}

/// Replaces `rows`, in which row c is rows[before[c]] ... rows[before[c+1]-1], by its rows in the order of `order`.
/// @param now  the first entries of the rows in the new order.
template <class List>
void permute_rows(List& rows, const TeamVector<std::int32_t>& before, const TeamVector<std::int32_t>& now,
                  const IdVector<LocalCellId, LocalCellId>& order, Team& team) {
  if (rows.empty()) return;
  List fresh;
  resize_by_team(team, fresh, rows.size());
  for_indices(team, order.count(), [&](std::int64_t i) {
    const std::size_t c = order[LocalCellId(i)].index();
    std::copy(rows.begin() + before[c], rows.begin() + before[c + 1], fresh.begin() + now[i]);
  });
  rows.swap(fresh);
}

TeamVector<std::int32_t> permuted_offsets(const TeamVector<std::int32_t>& first, const IdVector<LocalCellId, LocalCellId>& order,
                                          Team& team) {
  auto fresh = list_of_size<std::int32_t>(team, first.size());
  for_indices(team, order.count(), [&](std::int64_t i) {
    const std::size_t c = order[LocalCellId(i)].index();
    fresh[i + 1] = first[c + 1] - first[c];
  });
  kernels::sum_up(fresh, team);
  return fresh;
}

}  // namespace

std::int32_t Subdomain::refer_to(GlobalCellId cell) {
  const std::int32_t known = cell_table.find(cell.value());
  if (known != IdTable::kAbsent) return known;
  const auto at = std::lower_bound(global.begin(), global.end(), cell);
  const bool here = at != global.end() && *at == cell;
  if (!here) remote.push_back(cell);
  return cell_table.find_or_insert(cell.value(), here ? static_cast<std::int32_t>(at - global.begin())
                                                      : owned() + static_cast<std::int32_t>(remote.size()) - 1);
}

Destinations number_at_owners(const Communicator& comm, const MeshBlock& block, std::vector<std::int32_t> owner, Team& team) {
  if (comm.size() == 1) {
    Destinations same;
    resize_by_team(team, same.number, owner.size());
    same.owner = std::move(owner);
    for_indices(team, std::ssize(same.number), [&](std::int64_t c) { same.number[c] = static_cast<std::int32_t>(c); });
    return same;
  }
  Destinations to{std::move(owner), {}, {}};
  to.order = send_order(
      std::ssize(to.owner), [&](std::int64_t c) { return Rank(to.owner[c]); }, team);
  std::vector<RankValues<std::int64_t>> count;
  for (std::size_t d = 0; d < to.order.ranks.size(); ++d) {
    count.push_back({to.order.ranks[d], {static_cast<std::int64_t>(to.order.first[d + 1] - to.order.first[d])}});
  }
  // Each owner numbers the cells of rank 0, then those of rank 1, ...
  std::vector<RankValues<std::int64_t>> first = comm.all_to_all(count);
  std::int64_t all = 0;
  for (auto& of_rank : first) all += std::exchange(of_rank.values.front(), all);
  agreed(comm, [&] { check_cell_count(all, comm.rank().value(), comm.size(), block.source); });
  const std::vector<RankValues<std::int64_t>> start = comm.all_to_all(first);  // by owner, as to.order.ranks
  resize_by_team(team, to.number, to.owner.size());
  for (std::size_t d = 0; d < start.size(); ++d) {
    const std::size_t begin = to.order.first[d], cells = to.order.first[d + 1] - begin;
    for_indices(team, static_cast<std::int64_t>(cells), [&](std::int64_t i) {
      to.number[to.order.item[begin + static_cast<std::size_t>(i)]] = static_cast<std::int32_t>(start[d].values.front() + i);
    });
  }
  return to;
}

namespace {

/// Marks a link that contains the local number on the common owner instead of a global cell.
constexpr std::int64_t kOwnNumber = std::int64_t{1} << 62;

/// Replaces links between cells with the same owner by their local numbers there, so that no lookup is needed.
void name_by_numbers(const RowOffsets& cells, const Destinations& to, FaceLinks& links, Team& team) {
  for_indices(team, std::ssize(to.owner), [&](std::int64_t c) {
    for (std::size_t s = links.slot(c, 0); s < links.slot(c + 1, 0); ++s) {
      std::int64_t& target = links.target[s];
      if (target < 0 || !cells.owns(GlobalRow(target))) continue;
      const std::size_t other = cells.local(GlobalRow(target)).index();
      if (to.owner[other] == to.owner[c]) target = kOwnNumber + to.number[other];
    }
  });
}

}  // namespace

UsedNodes number_nodes(std::span<const GlobalNodeId> cell_nodes, std::size_t cells, Team& team) {
  UsedNodes used;
  if (cell_nodes.empty()) return used;
  const auto uses = static_cast<std::int64_t>(cell_nodes.size());
  std::vector<std::pair<GlobalNodeId, GlobalNodeId>> ranges(shares_of(team, uses));
  for_shares(team, uses, [&](LoopShare share) {
    const auto [low, high] = std::minmax_element(cell_nodes.begin() + share.begin, cell_nodes.begin() + share.end);
    ranges[share.number] = {*low, *high};
  });
  GlobalNodeId lowest = ranges.front().first, highest = ranges.front().second;
  for (const auto& [low, high] : ranges) lowest = std::min(lowest, low), highest = std::max(highest, high);
  used.table = IdTable(lowest.value(), highest.value(), cells);
  const std::span<std::int32_t> list = used.table.list();
  if (list.empty()) {
    used.node.reserve(cell_nodes.size());
    for (const GlobalNodeId node : cell_nodes) {
      const LocalNodeId next = used.global.ids().last();
      used.node.emplace_back(used.table.find_or_insert(node.value(), next.value()));
      if (used.node.back() == next) used.global.push_back(node);
    }
    return used;
  }
  const auto key_of = [&](std::int64_t i) { return static_cast<std::size_t>(cell_nodes[i].value() - lowest.value()); };
  const TeamVector<std::int32_t> keys = number_by_first_use(uses, key_of, list, team);
  resize_by_team(team, used.node, cell_nodes.size());
  for_indices(team, uses, [&](std::int64_t i) { used.node[i] = LocalNodeId(list[key_of(i)]); });
  resize_by_team(team, used.global, keys.size());
  for_indices(team, std::ssize(keys),
              [&](std::int64_t n) { used.global[LocalNodeId(n)] = GlobalNodeId(lowest.value() + keys[n]); });
  return used;
}

Subdomain redistribute(const Communicator& comm, MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                       FaceLinks links, const Destinations& to, Team& team) {
  name_by_numbers(cells, to, links, team);
  Elements& from = block.cells;
  const ToOwners owners(comm, to.order, team);

  Subdomain owned;
  TeamVector<GlobalNodeId> cell_nodes = owners.send_rows(std::move(from.node), from.offset);
  TeamVector<std::int64_t> target = owners.send_rows(std::move(links.target), links.offset);
  owned.partner = owners.send_rows(std::move(links.partner), links.offset);
  if (comm.any(!links.image.empty())) owned.image = owners.send_rows(std::move(links.image), links.offset);
  auto global = list_of_size<GlobalCellId>(team, to.owner.size());
  for_indices(team, std::ssize(global), [&](std::int64_t i) { global[i] = GlobalCellId(cells.first().value() + i); });
  owned.global = IdVector<LocalCellId, GlobalCellId>(owners.send(std::move(global)));
  owned.file_id = by_id<LocalCellId>(owners.send(std::move(from.file_id)), team);
  owned.zone = by_id<LocalCellId>(owners.send(std::move(from.zone)), team);
  owned.type = by_id<LocalCellId>(owners.send(std::move(from.type)), team);
  from = Elements{};
  links = FaceLinks{};
  block.boundary = Elements{};

  resize_by_team(team, owned.first_node, owned.type.size() + 1);
  resize_by_team(team, owned.first_face, owned.type.size() + 1);
  for_indices(team, owned.owned(), [&](std::int64_t c) {
    const CellShape& s = shape(owned.type[LocalCellId(c)]);
    owned.first_node[c + 1] = s.nodes;
    owned.first_face[c + 1] = s.faces;
  });
  kernels::sum_up(owned.first_node, team);
  kernels::sum_up(owned.first_face, team);

  UsedNodes used = number_nodes(cell_nodes, owned.type.size(), team);
  TeamVector<GlobalNodeId>().swap(cell_nodes);
  owned.node = std::move(used.node);
  owned.node_global = std::move(used.global);
  owned.node_table = std::move(used.table);
  owned.node_coord = IdVector<LocalNodeId, Vec3>(fetch<Vec3>(comm, nodes, owned.node_global, block.coords, team));

  const auto is_looked_up = [](std::int64_t t) { return t >= 0 && t < kOwnNumber; };
  owned.neighbour = list_of_size<std::int32_t>(team, target.size());
  for_indices(team, std::ssize(target), [&](std::int64_t slot) {
    const std::int64_t t = target[slot];
    if (!is_looked_up(t)) owned.neighbour[slot] = static_cast<std::int32_t>(t >= 0 ? t - kOwnNumber : t);
  });
  if (comm.size() == 1) return owned;  // its links are local numbers
  const auto has_looked_up = [&](std::int32_t cell) {
    const auto first = target.begin() + owned.first_face[to_index(cell)],
               last = target.begin() + owned.first_face[to_index(cell) + 1];
    return std::any_of(first, last, is_looked_up);
  };
  const std::vector<std::int32_t> referring = kernels::select(owned.owned(), has_looked_up, team);
  for (const std::int32_t c : referring) {  // a cell is referenced by the cells that it references
    (void)owned.cell_table.find_or_insert(owned.global[LocalCellId(c)].value(), c);
  }
  for (const std::int32_t c : referring) {
    for (std::int32_t slot = owned.first_face[to_index(c)]; slot < owned.first_face[to_index(c) + 1]; ++slot) {
      if (is_looked_up(target[slot])) owned.neighbour[slot] = owned.refer_to(GlobalCellId(target[slot]));
    }
  }
  return owned;
}

void measure_cells(const Communicator& comm, const MeshBlock& block, Subdomain& part, Team& team) {
  resize_by_team(team, part.volume, part.type.size());
  resize_by_team(team, part.centroid, part.type.size());
  agreed(comm, [&] {
    for_indices(team, part.owned(), [&](std::int64_t i) {
      const LocalCellId c(i);
      std::array<Vec3, kMaxCellNodes> corner;
      std::size_t corners = 0;
      for (const LocalNodeId n : part.nodes(c)) corner[corners++] = part.node_coord[n];
      const CellGeometry g = cell_geometry(part.type[c], {corner.data(), corners});
      if (!(g.volume > 0)) {
        Vec3 place;
        for (std::size_t k = 0; k < corners; ++k) place += corner[k] / static_cast<double>(corners);
        throw MeshError(fmt::format("the {} at ({:.6g}, {:.6g}, {:.6g}) has {} volume ({:.6g})", shape(part.type[c]).name,
                                    place.x, place.y, place.z, g.volume < 0 ? "negative" : "no", g.volume),
                        "check the order of its nodes, or remesh there",
                        Where{.file = block.source, .zone = zone_name(block.zones, part.zone[c]), .element = part.file_id[c]});
      }
      part.volume[c] = g.volume;
      part.centroid[c] = g.centroid;
    });
  });
}

Renumbering renumber(Subdomain& part, const IdVector<LocalCellId, LocalCellId>& order, Team& team) {
  Renumbering now;
  resize_by_team(team, now.cell, order.size());
  for_indices(team, order.count(), [&](std::int64_t fresh) { now.cell[order[LocalCellId(fresh)]] = LocalCellId(fresh); });

  permute(part.type, order, team);
  permute(part.global, order, team);
  permute(part.file_id, order, team);
  permute(part.zone, order, team);
  permute(part.volume, order, team);
  permute(part.centroid, order, team);
  TeamVector<std::int32_t> first = permuted_offsets(part.first_node, order, team);
  permute_rows(part.node, part.first_node, first, order, team);
  part.first_node = std::exchange(first, permuted_offsets(part.first_face, order, team));
  permute_rows(part.neighbour, part.first_face, first, order, team);
  permute_rows(part.partner, part.first_face, first, order, team);
  permute_rows(part.image, part.first_face, first, order, team);
  part.first_face = std::move(first);
  for_indices(team, std::ssize(part.neighbour), [&](std::int64_t slot) {
    std::int32_t& n = part.neighbour[slot];
    if (n >= 0 && n < part.owned()) n = now.cell[LocalCellId(n)].value();
  });

  resize_by_team(team, now.node, part.node_global.size());
  const IdVector<LocalNodeId, LocalNodeId> old_node(number_by_first_use(  // by new number
      std::ssize(part.node), [&](std::int64_t i) { return part.node[i].index(); }, std::span(now.node.data(), now.node.size()),
      team));
  for_indices(team, std::ssize(part.node), [&](std::int64_t i) { part.node[i] = now.node[part.node[i]]; });
  permute(part.node_global, old_node, team);
  permute(part.node_coord, old_node, team);
  return now;
}

}  // namespace weft::mesh::detail

#include <algorithm>
#include <span>
#include <utility>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/build/assemble.hpp"

namespace weft::mesh::detail {
namespace {

/// Data of a ghost cell from its owner, except nodes.
struct CellData {
  GlobalCellId global;
  std::int64_t file_id;
  double volume;
  Vec3 centroid;
  ZoneId zone;
  CellType type;
};

/// A node of ghost cells only; for periodic images, (node, image) is a separate node.
struct NodeCopy {
  std::int32_t image;
  GlobalNodeId node;
  friend auto operator<=>(const NodeCopy&, const NodeCopy&) = default;
};

void add_cell_cells(Mesh& mesh, const Adjacency& adjacency, const RowOffsets& rows, std::size_t sides, Team& team) {
  const std::size_t owned = mesh.owned_cells;
  auto offset = list_of_size<std::int64_t>(team, owned + 1);
  std::vector<std::vector<LocalCellId>> entries(shares_of(team, mesh.owned_cells));
  for (auto& of_share : entries) of_share.reserve(sides / entries.size());
  for_shares(team, mesh.owned_cells, [&](LoopShare share) {
    std::vector<LocalCellId>& entry = entries[share.number];
    std::vector<CellCopy> around;
    for (std::int64_t c = share.begin; c < share.end; ++c) {
      around.clear();
      adjacency.append(LocalCellId(c), around);
      for (const CellCopy& copy : around) {
        entry.emplace_back(copy.image == 0 && rows.owns(copy.row) ? rows.local(copy.row).value()
                                                                  : mesh.plan.find(copy.row, copy.image).value());
      }
      std::sort(entry.end() - std::ssize(around), entry.end());
      offset[c + 1] = std::ssize(around);
    }
  });
  kernels::sum_up(offset, team);
  mesh.cell_cells.assign_offsets(offset, team);
  for_shares(team, mesh.owned_cells, [&](LoopShare share) {
    const std::vector<LocalCellId>& entry = entries[share.number];
    std::copy(entry.begin(), entry.end(), mesh.cell_cells.entries().begin() + offset[share.begin]);
  });
}

/// Enters the data of the owned cells, moved from `part`, and those of the ghost cells.
void enter_cell_data(Mesh& mesh, Subdomain& part, std::span<const CellData> ghosts, const std::vector<std::int32_t>& ghost_image,
                     const Translations& translations, Team& team) {
  mesh.cell_type = std::move(part.type);
  mesh.cell_volume = std::move(part.volume);
  mesh.cell_centroid = std::move(part.centroid);
  mesh.cell_file_id = std::move(part.file_id);
  mesh.cell_zone = std::move(part.zone);
  mesh.cell_global = std::move(part.global);
  const std::size_t owned = mesh.cell_type.size(), cells = owned + ghosts.size();
  resize_by_team(team, mesh.cell_type, cells);
  resize_by_team(team, mesh.cell_volume, cells);
  resize_by_team(team, mesh.cell_centroid, cells);
  resize_by_team(team, mesh.cell_file_id, cells);
  resize_by_team(team, mesh.cell_zone, cells);
  resize_by_team(team, mesh.cell_global, cells);
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    const LocalCellId c(owned + g);
    mesh.cell_type[c] = ghosts[g].type;
    mesh.cell_volume[c] = ghosts[g].volume;
    mesh.cell_centroid[c] = ghosts[g].centroid + translations.shift(ghost_image[g]);
    mesh.cell_file_id[c] = ghosts[g].file_id;
    mesh.cell_zone[c] = ghosts[g].zone;
    mesh.cell_global[c] = ghosts[g].global;
  }
}

}  // namespace

void add_cells(Mesh& mesh, Subdomain& part, const IdVector<LocalNodeId, LocalNodeId>& node_now, const Adjacency& adjacency,
               const RowOffsets& rows, const TeamVector<GlobalRow>& remote_row, const RowOffsets& nodes,
               std::span<const Vec3> held_coords, const Translations& translations, Team& team) {
  const std::size_t owned = mesh.owned_cells, ghosts = mesh.ghost_cells;
  add_cell_cells(mesh, adjacency, rows, part.neighbour.size(), team);

  std::vector<GlobalRow> ghost_row(ghosts);
  std::vector<std::int32_t> ghost_image(ghosts);
  for (std::size_t g = 0; g < ghosts; ++g) {
    const GhostRequest ghost = mesh.plan.ghost(LocalRow(static_cast<std::int64_t>(owned + g)));
    ghost_row[g] = ghost.row;
    ghost_image[g] = ghost.image;
  }
  const auto data = fetch_with<CellData>(mesh.comm, rows, ghost_row, [&](std::size_t row) {
    const LocalCellId c(row);
    return CellData{part.global[c], part.file_id[c], part.volume[c], part.centroid[c], part.zone[c], part.type[c]};
  });
  const auto ghost_nodes =
      fetch_rows<GlobalNodeId>(mesh.comm, rows, ghost_row, [&](std::size_t c, std::vector<GlobalNodeId>& out) {
        for (const LocalNodeId n : part.nodes(LocalCellId(c))) out.push_back(part.node_global[n]);
      });

  // Face neighbours become local cells.
  for_indices(team, std::ssize(part.neighbour), [&](std::int64_t slot) {
    std::int32_t& cell = part.neighbour[slot];
    if (cell < 0 || !part.is_ghost(slot)) return;
    const GlobalRow row = cell < part.owned() ? rows.global(LocalRow(cell)) : remote_row[cell - part.owned()];
    cell = mesh.plan.find(row, part.image_of(slot)).value();
  });

  enter_cell_data(mesh, part, data, ghost_image, translations, team);

  const auto owned_node = [&](GlobalNodeId node) {
    const std::int32_t before = part.node_table.find(node.value());
    return before == IdTable::kAbsent ? LocalNodeId::invalid() : node_now[LocalNodeId(before)];
  };
  std::vector<NodeCopy> copies;
  for (std::size_t g = 0; g < ghosts; ++g) {
    for (const GlobalNodeId node : ghost_nodes.row(g)) {
      if (ghost_image[g] != 0 || !owned_node(node).valid()) copies.push_back({ghost_image[g], node});
    }
  }
  kernels::sort_unique(copies);

  const auto owned_nodes = static_cast<std::int64_t>(part.node_global.size());
  auto offset = list_of_size<std::int64_t>(team, part.first_node.size() + ghosts);
  for_indices(team, std::ssize(part.first_node), [&](std::int64_t c) { offset[c] = part.first_node[c]; });
  for (std::size_t g = 0; g < ghosts; ++g) {
    const std::size_t c = part.first_node.size() + g;
    offset[c] = offset[c - 1] + std::ssize(ghost_nodes.row(g));
  }
  mesh.cell_nodes.assign_offsets(offset, team);
  offset = {};
  const std::span<LocalNodeId> entries = mesh.cell_nodes.entries();
  for_indices(team, std::ssize(part.node), [&](std::int64_t i) { entries[i] = part.node[i]; });
  auto next = entries.begin() + std::ssize(part.node);
  for (std::size_t g = 0; g < ghosts; ++g) {
    for (const GlobalNodeId node : ghost_nodes.row(g)) {
      const LocalNodeId here = ghost_image[g] != 0 ? LocalNodeId::invalid() : owned_node(node);
      const auto copy = std::lower_bound(copies.begin(), copies.end(), NodeCopy{ghost_image[g], node}) - copies.begin();
      *next++ = here.valid() ? here : LocalNodeId(owned_nodes + copy);
    }
  }
  part.node = {};
  part.first_node = {};

  const std::size_t all_nodes = part.node_global.size() + copies.size();
  mesh.node_global = std::move(part.node_global);
  resize_by_team(team, mesh.node_global, all_nodes);
  std::ranges::transform(copies, mesh.node_global.begin() + static_cast<std::ptrdiff_t>(owned_nodes), &NodeCopy::node);
  mesh.node_coord = std::move(part.node_coord);
  resize_by_team(team, mesh.node_coord, all_nodes);
  const TeamVector<Vec3> coords = fetch<Vec3>(mesh.comm, nodes, std::span(mesh.node_global).subspan(owned_nodes), held_coords);
  std::copy(coords.begin(), coords.end(), mesh.node_coord.begin() + static_cast<std::ptrdiff_t>(owned_nodes));
}

}  // namespace weft::mesh::detail

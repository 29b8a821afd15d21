// mesh::build: the steps from an unpartitioned block to a Mesh. Each step is one file of this folder.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/malloc_retention.hpp"
#include "weft/base/team.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/mesh/build/adjacency.hpp"
#include "weft/mesh/build/assemble.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/build/periodic.hpp"
#include "weft/mesh/build/subdomain.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/partition/cell_ordering.hpp"
#include "weft/mesh/partition/partition.hpp"

namespace weft::mesh {
namespace {

/// Returns the global rows (numbered by rank, then by local cell) of the referenced cells of other ranks: the ranks whose
/// chunks of the source mesh contain them know the rows before the renumbering, their owners those after it. @collective
TeamVector<GlobalRow> find_remote_rows(const Communicator& comm, const RowOffsets& cells, const RowOffsets& rows,
                                       const detail::Subdomain& part, const detail::Destinations& destinations,
                                       const detail::Renumbering& now) {
  if (comm.size() == 1) return {};
  const auto before = detail::fetch_with<GlobalRow>(comm, cells, part.remote, [&](std::size_t c) {
    return GlobalRow(rows.first(Rank(destinations.owner[c])).value() + destinations.number[c]);
  });
  return detail::fetch_with<GlobalRow>(comm, rows, before,
                                       [&](std::size_t c) { return rows.global(LocalRow(now.cell[LocalCellId(c)].value())); });
}

/// Returns true if any cell of the mesh is_widened(). @collective
bool widens(const Communicator& comm, const detail::Subdomain& part, Team& team) {
  std::vector<char> widened(shares_of(team, part.owned()), 0);
  for_shares(team, part.owned(), [&](LoopShare share) {
    for (std::int64_t c = share.begin; c < share.end && widened[share.number] == 0; ++c) {
      if (detail::is_widened(part, LocalCellId(c))) widened[share.number] = 1;
    }
  });
  return comm.any(std::count(widened.begin(), widened.end(), 1) > 0);
}

/// Reorders the owned cells and all data that refer to them.
detail::Renumbering reorder(CellOrdering order, int dim, detail::Subdomain& part, IdVector<LocalCellId, char>& border,
                            detail::NodeStars& stars, Team& team) {
  const IdVector<LocalCellId, LocalCellId> cells = detail::order_cells(order, dim, part, border, team);
  detail::Renumbering now = detail::renumber(part, cells, team);
  IdVector<LocalCellId, char> border_now(border.size());
  for_indices(team, border.count(), [&](std::int64_t c) { border_now[now.cell[LocalCellId(c)]] = border[LocalCellId(c)]; });
  border = std::move(border_now);
  if (stars.star.empty()) return now;
  IdVector<LocalNodeId, std::int32_t> star_now(stars.star.size());
  for_indices(team, stars.star.count(), [&](std::int64_t n) { star_now[now.node[LocalNodeId(n)]] = stars.star[LocalNodeId(n)]; });
  stars.star = std::move(star_now);
  for (detail::NodeStars::Entry& e : stars.cells.entries()) {
    if (e.cell < part.owned()) e.cell = now.cell[LocalCellId(e.cell)].value();
  }
  return now;
}

/// Enters what the mesh keeps of its source and of the options; zones, notes and warnings are moved from `block`.
void describe_source(MeshBlock& block, const BuildOptions& options, const std::vector<Periodic>& pairs, Mesh& mesh) {
  mesh.dim = block.dim;
  mesh.zones = std::move(block.zones);
  mesh.source = std::move(block.source);
  mesh.notes = std::move(block.notes);
  mesh.warnings = std::move(block.warnings);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const Vec3 t = *pairs[p].translation;
    if (options.periodic[p].translation) continue;
    mesh.notes.push_back(fmt::format("zone \"{}\" continues zone \"{}\", a translation of ({:.9g}, {:.9g}, {:.9g}) away",
                                     pairs[p].to, pairs[p].from, t.x, t.y, t.z));
  }
  mesh.periodic = pairs;
  mesh.partition = options.partition;
  mesh.source_parts = block.parts.count();
}

}  // namespace

Mesh build(const Communicator& comm, MeshBlock block, const BuildOptions& options) {
  if (options.ghost_layers < 1) {
    throw InputError(fmt::format("a mesh cannot have {} layers of ghost cells", options.ghost_layers), "ask for 1 or more");
  }
  if (options.threads < 1)
    throw InputError(fmt::format("a mesh cannot be built by {} threads", options.threads), "ask for 1 or more");
  const RetainFreedMemory kept;
  Team team(options.threads);
  if (options.step) options.step("check input");
  TracedRegion region("check input");
  const auto step = [&](const char* name) {
    region.next(name);
    if (options.step) options.step(name);
  };
  detail::check_input(comm, block, team);
  const RowOffsets nodes(comm, static_cast<std::int64_t>(block.coords.size())), cells(comm, block.cells.size());
  detail::turn_mirrored(comm, block, team);
  const detail::PeriodicZones periodic = detail::find_periodic_zones(block, options.periodic);
  const std::vector<Periodic> pairs = detail::find_translations(comm, block, nodes, periodic, options.periodic);
  std::vector<Vec3> vectors;
  for (const Periodic& pair : pairs) vectors.push_back(*pair.translation);
  const detail::Translations translations(vectors);
  IdVector<ZoneId, char> is_periodic(block.zones.size(), 0);
  for (const ZoneId z : periodic.from) is_periodic[z] = 1;
  for (const ZoneId z : periodic.to) is_periodic[z] = 1;

  step("pair faces");
  std::vector<detail::ZoneFace> periodic_faces;
  detail::FaceLinks links = detail::match_faces(comm, block, cells, nodes, is_periodic, periodic_faces, team);
  detail::NodeAliases aliases;
  if (!options.periodic.empty()) {
    aliases = detail::connect_periodic(comm, block, cells, nodes, periodic, translations, periodic_faces, links);
  }

  step("partition");
  detail::Destinations destinations = detail::number_at_owners(
      comm, block, detail::partition(comm, block, cells, nodes, links, options.partition, comm.size(), team), team);
  step("move cells");
  detail::Subdomain part = detail::redistribute(comm, block, cells, nodes, std::move(links), destinations, team);
  destinations.order = {};
  detail::measure_cells(comm, block, part, team);
  step("find neighbours and order cells");
  detail::NodeStars stars;
  if (options.stencil == Neighbours::node || widens(comm, part, team))
    stars = detail::find_node_stars(comm, nodes, aliases, part, team);
  IdVector<LocalCellId, char> border = detail::find_border(part, stars, options.stencil, team);
  const detail::Renumbering now = reorder(options.order, block.dim, part, border, stars, team);

  const RowOffsets rows(comm, part.owned());
  const TeamVector<GlobalRow> remote_row = find_remote_rows(comm, cells, rows, part, destinations, now);
  destinations = {};
  const detail::Adjacency adjacency(part, stars, rows, remote_row, options.stencil, team);
  std::vector<GhostRequest> requests;
  for (const detail::CellCopy& c : detail::find_ghosts(comm, adjacency, rows, border, options.ghost_layers)) {
    requests.push_back({c.row, c.image});
  }

  step("enter cells");
  Mesh mesh;
  mesh.comm = comm;
  mesh.plan = GhostPlan::build(comm, part.owned(), requests);
  mesh.owned_cells = part.owned();
  mesh.ghost_cells = mesh.plan.ghost_rows();
  mesh.inner_cells = static_cast<std::int32_t>(std::find(border.begin(), border.end(), 1) - border.begin());
  mesh.global_cells = cells.global_rows();
  mesh.global_nodes = nodes.global_rows();
  describe_source(block, options, pairs, mesh);
  detail::add_cells(mesh, part, now.node, adjacency, rows, remote_row, nodes, block.coords, translations, team);
  step("enter faces");
  detail::add_faces(mesh, part, is_periodic, translations, team);
  detail::check_closed(mesh, team);
  return mesh;
}

}  // namespace weft::mesh

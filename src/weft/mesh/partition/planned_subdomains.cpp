#include "weft/mesh/partition/planned_subdomains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <span>
#include <utility>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/partition/partition.hpp"

namespace weft::mesh {
namespace {

/// Row `row` (of the plan of the mesh), or a periodic image of it, is a ghost cell of part `needs`.
struct Need {
  GlobalRow row;
  std::int32_t image, needs;
  friend auto operator<=>(const Need&, const Need&) = default;
};

struct Pair {
  std::int32_t from, to;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

template <class T>
void keep_once(std::vector<T>& list) {
  kernels::sort_unique(list);
}

/// Returns true if a ghost cell of any rank is a periodic image. @collective
bool is_periodic(const Mesh& mesh) {
  bool periodic = false;
  for (std::int32_t ghost = mesh.owned_cells; ghost < mesh.cells(); ++ghost)
    periodic = periodic || mesh.plan.ghost(LocalRow(ghost)).image != 0;
  return mesh.comm.any(periodic);
}

/// Returns the rows of the graph of this rank's cells, numbered as the rows of the plan.
detail::CellGraph graph_of(const Mesh& mesh, bool periodic) {
  detail::CellGraph graph;
  std::vector<detail::GraphEdge> edges;
  const auto row = [&](LocalCellId cell) {
    return cell.value() < mesh.owned_cells ? mesh.plan.offsets().first().value() + cell.value()
                                           : mesh.plan.ghost(LocalRow(cell.value())).row.value();
  };
  for (const LocalCellId cell : mesh.owned()) {
    edges.clear();
    for (const LocalFaceId f : mesh.cell_faces.row(cell.value())) {
      const LocalCellId left = mesh.face_left[f], right = mesh.face_right[f];
      if (!right.valid()) continue;
      const LocalCellId other = left == cell ? right : left;
      const bool across = other.value() >= mesh.owned_cells && mesh.plan.ghost(LocalRow(other.value())).image != 0;
      if (row(other) != row(cell)) edges.push_back({row(other), across ? detail::kPeriodicEdge : detail::kEdge});
    }
    detail::add_row(graph, edges, periodic);
  }
  return graph;
}

/// Returns the mean corner of each owned cell.
TeamVector<Vec3> mean_corners(const Mesh& mesh) {
  TeamVector<Vec3> places;
  for (const LocalCellId cell : mesh.owned()) {
    Vec3 sum;
    const auto nodes = mesh.cell_nodes.row(cell.value());
    for (const LocalNodeId n : nodes) sum += mesh.node_coord[n];
    places.push_back(sum / static_cast<double>(nodes.size()));
  }
  return places;
}

/// Returns the part of each owned cell, the same as build() computes from the source.
std::vector<std::int32_t> part_of_cells(const Mesh& mesh, int parts) {
  const Communicator& comm = mesh.comm;
  const std::size_t owned = mesh.owned_cells;
  std::vector<std::int32_t> part(owned, 0);
  if (parts == 1) return part;
  const Partitioner partitioner = mesh.partition.partitioner;
  if (partitioner == Partitioner::automatic && !mesh.partition.weight && mesh.source_parts == parts && parts == comm.size())
    return std::vector<std::int32_t>(owned, comm.rank().value());
  if (!detail::worth_partitioning(mesh.global_cells, parts)) {
    for (const LocalCellId c : mesh.owned())
      part[c.index()] = detail::part_of_even_split(mesh.cell_global[c], mesh.global_cells, parts);
    return part;
  }
  const PartitionerRow& chosen = row_of(chosen_partitioner(partitioner, mesh.global_cells));
  detail::PartitionProblem problem{.comm = comm,
                                   .team = kernels::calling_thread(),
                                   .cells = mesh.plan.offsets(),
                                   .dim = mesh.dim,
                                   .parts = parts,
                                   .middle = {},
                                   .weight = {},
                                   .graph = {},
                                   .source_order = {mesh.cell_global.begin(), mesh.cell_global.begin() + mesh.owned_cells}};
  if (mesh.partition.weight || !chosen.of_graph) problem.middle = mean_corners(mesh);
  problem.weight = detail::weights_of(comm, mesh.global_cells, std::span(mesh.cell_type).first(owned),
                                      std::span(mesh.cell_zone).first(owned), problem.middle, mesh.partition);
  if (chosen.of_graph) {
    std::int64_t sides = 0, heavy = 0;
    for (const LocalCellId cell : mesh.owned()) sides += shape(mesh.cell_type[cell]).faces;
    for (const std::int32_t w : problem.weight) heavy += w;
    const bool periodic = is_periodic(mesh);
    detail::check_graph_size(mesh.global_cells, comm.sum(sides), periodic, comm.sum(heavy));
    problem.graph = graph_of(mesh, periodic);
  }
  return chosen.partition(std::move(problem));
}

}  // namespace

std::vector<PlannedSubdomain> planned_subdomains(const Mesh& mesh, int ranks) {
  if (ranks < 1) throw InputError(fmt::format("a mesh cannot be distributed over {} ranks", ranks), "ask for 1 or more");
  const Communicator& comm = mesh.comm;
  ArrayPair<std::int32_t> part(mesh.plan);
  std::ranges::copy(part_of_cells(mesh, ranks), part.storage().begin());
  ArrayTransformer(mesh.plan, {part}).pull().run();

  // The owners of cells count the required ghost cells, because the cells of one part may be distributed over all existing
  // ranks.
  RankLists<Need> asked;
  for (const LocalCellId c : mesh.owned()) {
    for (const LocalCellId n : mesh.cell_cells.row(c)) {
      const GhostRequest copy = mesh.plan.ghost(LocalRow(n.value()));
      if (part(n) == part(c) && copy.image == 0) continue;
      const Rank owner = mesh.plan.owner(LocalRow(n.value()));
      asked[owner].push_back({copy.row, copy.image, part(c)});
    }
  }
  for (RankValues<Need>& list : asked) keep_once(list.values);
  std::vector<Need> needs = detail::all_to_all(comm, std::move(asked));
  keep_once(needs);

  const std::size_t count = ranks;
  std::vector<std::int64_t> cells(count, 0), ghosts(count, 0), sent(count, 0), messages(count, 0);
  for (const LocalCellId c : mesh.owned()) ++cells[part(c)];
  RankLists<Pair> pairs;
  for (const Need& need : needs) {
    const std::int32_t from = part(mesh.plan.offsets().local(need.row));
    ++ghosts[need.needs];
    if (from == need.needs) continue;
    ++sent[from];
    pairs[Rank(from % comm.size())].push_back({from, need.needs});
  }
  for (RankValues<Pair>& list : pairs) keep_once(list.values);
  std::vector<Pair> once = detail::all_to_all(comm, std::move(pairs));
  keep_once(once);
  for (const Pair& pair : once) ++messages[pair.from];
  for (std::vector<std::int64_t>* sums : {&cells, &ghosts, &sent, &messages}) comm.sum(std::span<std::int64_t>(*sums));

  std::vector<PlannedSubdomain> parts(count);
  for (std::size_t p = 0; p < count; ++p) {
    parts[p] = {.cells = cells[p], .ghosts = ghosts[p], .rows_sent = sent[p], .messages = messages[p]};
  }
  return parts;
}

}  // namespace weft::mesh

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
  std::int64_t row;
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

/// Returns the edges of an owned cell to other cells, numbered by `name`.
template <class Name>
void edges_of(const Mesh& mesh, LocalCellId cell, Name&& name, std::vector<detail::GraphEdge>& edges) {
  edges.clear();
  const std::int64_t self = name(cell);
  for (const LocalFaceId f : mesh.cell_faces.row(cell.value())) {
    const LocalCellId left = mesh.face_left[f.index()], right = mesh.face_right[f.index()];
    if (!right.valid()) continue;
    const LocalCellId other = left == cell ? right : left;
    const bool periodic = other.value() >= mesh.owned_cells && mesh.plan.ghost(LocalRow(other.value())).image != 0;
    if (name(other) != self) edges.push_back({name(other), periodic ? detail::kPeriodicEdge : detail::kEdge});
  }
}

/// Partitions with METIS on rank 0. @collective
bool is_periodic(const Mesh& mesh) {
  bool periodic = false;
  for (std::int32_t ghost = mesh.owned_cells; ghost < mesh.cells(); ++ghost)
    periodic = periodic || mesh.plan.ghost(LocalRow(ghost)).image != 0;
  return mesh.comm.any(periodic);
}

/// Partitions the graph in its distribution, in the order of ranks and their cells.
std::vector<std::int32_t> partition_mesh_with_scotch(const Mesh& mesh, std::vector<std::int32_t> weight, bool periodic,
                                                     int parts) {
  detail::CellGraph graph;
  graph.weight = std::move(weight);
  std::vector<detail::GraphEdge> edges;
  const auto row = [&](LocalCellId cell) {
    return cell.value() < mesh.owned_cells ? mesh.plan.offsets().first().value() + cell.value()
                                           : mesh.plan.ghost(LocalRow(cell.value())).row.value();
  };
  for (const LocalCellId cell : mesh.owned()) {
    edges_of(mesh, cell, row, edges);
    detail::add_row(graph, edges, periodic);
  }
  return detail::partition_with_scotch(mesh.comm, graph, parts);
}

/// Returns the mean corner of each owned cell.
std::vector<Vec3> mean_corners(const Mesh& mesh) {
  std::vector<Vec3> places;
  for (const LocalCellId cell : mesh.owned()) {
    Vec3 sum;
    const auto nodes = mesh.cell_nodes.row(cell.value());
    for (const LocalNodeId n : nodes) sum += mesh.node_coord[n.index()];
    places.push_back(sum / static_cast<double>(nodes.size()));
  }
  return places;
}

/// Returns the part of each owned cell. For METIS, the graph is sent to rank 0 in the order of the source, as in build().
std::vector<std::int32_t> cut(const Mesh& mesh, int parts) {
  const Communicator& comm = mesh.comm;
  const std::size_t owned = mesh.owned_cells;
  std::vector<std::int32_t> part(owned, 0);
  if (parts == 1) return part;
  const Partitioner partitioner = mesh.partition.partitioner;
  if (partitioner == Partitioner::automatic && !mesh.partition.weight && mesh.source_parts == parts && parts == comm.size())
    return std::vector<std::int32_t>(owned, comm.rank().value());
  if (!detail::worth_partitioning(mesh.global_cells, parts)) {
    for (std::size_t c = 0; c < owned; ++c)
      part[c] = detail::part_of_even_split(mesh.cell_global[c].value(), mesh.global_cells, parts);
    return part;
  }
  const Partitioner chosen = chosen_partitioner(partitioner, mesh.global_cells);
  const bool on_curve = chosen == Partitioner::hilbert;
  const std::vector<Vec3> places = mesh.partition.weight || on_curve ? mean_corners(mesh) : std::vector<Vec3>();
  std::vector<std::int32_t> weight = detail::weights_of(comm, mesh.global_cells, std::span(mesh.cell_type).first(owned),
                                                        std::span(mesh.cell_zone).first(owned), places, mesh.partition);
  if (on_curve) return detail::partition_along_hilbert_curve(comm, mesh.dim, places, weight, parts);
  std::int64_t sides = 0, heavy = 0;
  for (const LocalCellId cell : mesh.owned()) sides += shape(mesh.cell_type[cell.index()]).faces;
  for (const std::int32_t w : weight) heavy += w;
  const bool periodic = is_periodic(mesh);
  detail::check_graph_size(mesh.global_cells, comm.sum(sides), periodic, comm.sum(heavy));
  if (chosen == Partitioner::scotch) return partition_mesh_with_scotch(mesh, std::move(weight), periodic, parts);
  std::vector<std::int64_t> id;
  detail::CellGraph graph;
  std::vector<detail::GraphEdge> edges;
  const auto global = [&](LocalCellId cell) { return mesh.cell_global[cell.index()].value(); };
  for (const LocalCellId cell : mesh.owned()) {
    edges_of(mesh, cell, global, edges);
    id.push_back(global(cell));
    detail::add_row(graph, edges, periodic);
  }
  const std::vector<std::int64_t> counts = comm.all_gather(static_cast<std::int64_t>(owned));
  const std::vector<std::int64_t> ids = comm.gather(std::span<const std::int64_t>(id));
  const std::vector<std::int32_t> degrees = comm.gather(std::span<const std::int32_t>(graph.degree));
  const std::vector<std::int32_t> neighbours = comm.gather(std::span<const std::int32_t>(graph.neighbour));
  const std::vector<std::int32_t> edge_weights = comm.gather(std::span<const std::int32_t>(graph.edge_weight));
  const std::vector<std::int32_t> weights = comm.gather(std::span<const std::int32_t>(weight));
  std::vector<std::vector<std::int32_t>> answers;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    std::vector<std::size_t> at(ids.size()), begin(ids.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      at[ids[i]] = i;
      begin[i] = next;
      next += degrees[i];
    }
    detail::CellGraph sorted;
    sorted.degree.reserve(ids.size());
    sorted.neighbour.reserve(neighbours.size());
    for (const std::size_t i : at) {
      sorted.degree.push_back(degrees[i]);
      const std::span list = std::span(neighbours).subspan(begin[i], degrees[i]);
      sorted.neighbour.insert(sorted.neighbour.end(), list.begin(), list.end());
      if (!edge_weights.empty()) {
        const std::span costs = std::span(edge_weights).subspan(begin[i], list.size());
        sorted.edge_weight.insert(sorted.edge_weight.end(), costs.begin(), costs.end());
      }
      if (!weights.empty()) sorted.weight.push_back(weights[i]);
    }
    const std::vector<std::int32_t> by_id = detail::partition_serially_with_metis(std::move(sorted), parts);
    std::size_t i = 0;
    for (const std::int64_t count : counts) {
      std::vector<std::int32_t>& answer = answers.emplace_back();
      for (std::int64_t k = 0; k < count; ++k) answer.push_back(by_id[ids[i++]]);
    }
  });
  return comm.scatter(answers);
}

}  // namespace

std::vector<PlannedSubdomain> planned_subdomains(const Mesh& mesh, int ranks) {
  if (ranks < 1) throw InputError(fmt::format("a mesh cannot be distributed over {} ranks", ranks), "ask for 1 or more");
  const Communicator& comm = mesh.comm;
  ArrayPair<std::int32_t> part(mesh.plan);
  std::ranges::copy(cut(mesh, ranks), part.storage().begin());
  ArrayTransformer(mesh.plan, {part}).pull().run();

  // The owners of cells count the required ghost cells, because the cells of one part may be distributed over all existing
  // ranks.
  RankLists<Need> asked;
  for (const LocalCellId c : mesh.owned()) {
    for (const LocalCellId n : mesh.cell_cells.row(c)) {
      const GhostRequest copy = mesh.plan.ghost(LocalRow(n.value()));
      if (part(n) == part(c) && copy.image == 0) continue;
      const Rank owner = mesh.plan.owner(LocalRow(n.value()));
      asked[owner].push_back({copy.row.value(), copy.image, part(c)});
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
    const std::int32_t from = part(need.row - mesh.plan.offsets().first().value());
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

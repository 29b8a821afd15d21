#include "weft/mesh/partition/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/build/subdomain.hpp"

namespace weft::mesh {

namespace detail {
namespace {

/// Minimum number of cells per part: with fewer METIS leaves parts empty, and the partition has no influence.
constexpr std::int64_t kWorthCutting = 8;

/// Neighbours of this chunk's cells; periodic meshes have repeated neighbours and cells that neighbour themselves.
CellGraph dual_graph(const RowOffsets& cells, const FaceLinks& links) {
  CellGraph graph;
  graph.degree.reserve(cells.local_rows());
  graph.neighbour.reserve(links.target.size());
  const bool periodic = !links.image.empty();
  if (periodic) graph.edge_weight.reserve(links.target.size());
  std::vector<GraphEdge> edges;
  for (std::size_t c = 0; c + 1 < links.offset.size(); ++c) {
    edges.clear();
    for (std::size_t s = links.slot(c, 0); s < links.slot(c + 1, 0); ++s) {
      const std::int64_t target = links.target[s];
      if (target < 0 || target == cells.first().value() + static_cast<std::int64_t>(c)) continue;
      edges.push_back({target, periodic && links.image[s] != 0 ? kPeriodicEdge : kEdge});
    }
    add_row(graph, edges, periodic);
  }
  return graph;
}

}  // namespace

void add_row(CellGraph& graph, std::vector<GraphEdge>& edges, bool weighted) {
  std::sort(edges.begin(), edges.end(),
            [](const GraphEdge& a, const GraphEdge& b) { return a.cell != b.cell ? a.cell < b.cell : a.weight > b.weight; });
  const auto end =
      std::unique(edges.begin(), edges.end(), [](const GraphEdge& a, const GraphEdge& b) { return a.cell == b.cell; });
  graph.degree.push_back(static_cast<std::int32_t>(end - edges.begin()));
  for (auto edge = edges.begin(); edge != end; ++edge) {
    graph.neighbour.push_back(static_cast<std::int32_t>(edge->cell));
    if (weighted) graph.edge_weight.push_back(edge->weight);
  }
}

std::string partitioners_other_than(Partitioner partitioner) {
  std::vector<std::string_view> others;
  for (const PartitionerRow& row : kPartitioners.rows) {
    if (row.partition != nullptr && row.value != partitioner) others.push_back(row.name);
  }
  return one_of(others);
}

TeamVector<Vec3> mean_corners(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes, Team& team) {
  const UsedNodes used = number_nodes(block.cells.node, block.cells.type.size(), team);
  const TeamVector<Vec3> coords = fetch<Vec3>(comm, nodes, used.global, block.coords, team);
  auto middle = list_of_size<Vec3>(team, block.cells.type.size());
  for_indices(team, block.cells.size(), [&](std::int64_t c) {
    const auto first = used.node.begin() + block.cells.offset[c], last = used.node.begin() + block.cells.offset[c + 1];
    Vec3 sum;
    for (auto node = first; node != last; ++node) sum += coords[node->index()];
    middle[c] = sum / static_cast<double>(last - first);
  });
  return middle;
}

bool worth_partitioning(std::int64_t cells, int parts) { return cells > kWorthCutting * parts; }

std::int32_t part_of_even_split(GlobalCellId cell, std::int64_t cells, int parts) {
  return static_cast<std::int32_t>(cell.value() * parts / cells);
}

std::vector<std::int32_t> weights_of(const Communicator& comm, std::int64_t cells, std::span<const CellType> type,
                                     std::span<const ZoneId> zone, std::span<const Vec3> middle,
                                     const PartitionOptions& options) {
  if (!options.weight) return {};
  std::vector<double> work(type.size());
  agreed(comm, [&] {
    for (std::size_t c = 0; c < type.size(); ++c) {
      work[c] = options.weight(type[c], zone[c], middle[c]);
      if (work[c] > 0 && std::isfinite(work[c])) continue;
      const Vec3 x = middle[c];
      throw InputError(
          fmt::format("the weight of the {} at ({:.6g}, {:.6g}, {:.6g}) is {:g}", shape(type[c]).name, x.x, x.y, x.z, work[c]),
          "weights of cells must be finite and above 0");
    }
  });
  // The unit of the integer weights depends on the largest only: a sum would depend on the distribution over ranks.
  const double largest = comm.max(work.empty() ? 0.0 : *std::max_element(work.begin(), work.end()));
  const double steps = std::min(1000.0, 1e9 / static_cast<double>(cells));
  std::vector<std::int32_t> weights;
  weights.reserve(work.size());
  for (const double w : work) weights.push_back(std::max(1, static_cast<std::int32_t>(std::lround(w / largest * steps))));
  return weights;
}

void check_graph_size(std::int64_t cells, std::int64_t sides, bool periodic, std::int64_t weight) {
  if (std::max({cells, periodic ? kEdge * sides : sides, weight}) <= std::numeric_limits<std::int32_t>::max()) return;
  throw LimitError(
      fmt::format("{} cells with {} sides of faces and a weight of {} are too many for the 32-bit ids of a partitioner "
                  "of graphs",
                  cells, sides, weight),
      fmt::format("choose the partitioner {}, which has no such limit", name_of(Partitioner::hilbert)));
}

std::vector<std::int32_t> partition(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells,
                                    const RowOffsets& nodes, const FaceLinks& links, const PartitionOptions& options, int parts,
                                    Team& team) {
  const auto mine = cells.local_rows();
  const PartitionerRow& chosen = row_of(chosen_partitioner(options.partitioner, cells.global_rows()));
  if (chosen.require != nullptr) chosen.require();
  if (options.partitioner == Partitioner::automatic && !options.weight && block.parts.count() == parts && parts == comm.size())
    return std::vector<std::int32_t>(mine, comm.rank().value());
  const bool partitions = parts > 1 && worth_partitioning(cells.global_rows(), parts);
  PartitionProblem problem{.comm = comm,
                           .team = team,
                           .cells = cells,
                           .dim = block.dim,
                           .parts = parts,
                           .middle = {},
                           .weight = {},
                           .graph = {},
                           .source_order = {}};
  if (options.weight || (partitions && !chosen.of_graph)) problem.middle = mean_corners(comm, block, nodes, team);
  problem.weight = weights_of(comm, cells.global_rows(), block.cells.type, block.cells.zone, problem.middle, options);
  if (parts == 1) return std::vector<std::int32_t>(mine, 0);
  if (!partitions) {
    std::vector<std::int32_t> part(mine);
    for (std::int32_t i = 0; i < mine; ++i)
      part[i] = part_of_even_split(GlobalCellId(cells.first().value() + i), cells.global_rows(), parts);
    return part;
  }
  if (chosen.of_graph) {
    check_graph_size(cells.global_rows(), comm.sum(static_cast<std::int64_t>(links.target.size())),
                     comm.any(!links.image.empty()),
                     comm.sum(std::accumulate(problem.weight.begin(), problem.weight.end(), std::int64_t{0})));
    problem.graph = dual_graph(cells, links);
  }
  return chosen.partition(std::move(problem));
}

}  // namespace detail
}  // namespace weft::mesh

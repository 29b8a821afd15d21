#include <fmt/format.h>
#include <metis.h>

#include <array>
#include <numeric>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/partition/partition_methods.hpp"

namespace weft::mesh::detail {

static_assert(sizeof(idx_t) == sizeof(std::int32_t), "this file speaks to a METIS with 32-bit ids");

namespace {

/// Renumbers rows and neighbours: row i becomes row `number[i]`. The neighbours stay in ascending order.
CellGraph renumbered(const CellGraph& graph, const std::vector<GlobalCellId>& number) {
  std::vector<std::size_t> at(number.size()), begin(number.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    at[number[i].index()] = i;
    begin[i] = next;
    next += graph.degree[i];
  }
  const bool weighted = !graph.edge_weight.empty();
  CellGraph sorted;
  std::vector<GraphEdge> edges;
  for (const std::size_t i : at) {
    edges.clear();
    const std::size_t end = begin[i] + graph.degree[i];
    for (std::size_t k = begin[i]; k < end; ++k)
      edges.push_back({number[graph.neighbour[k]].value(), weighted ? graph.edge_weight[k] : kEdge});
    add_row(sorted, edges, weighted);
  }
  return sorted;
}

/// Returns the values of rows that become the rows `number`.
std::vector<std::int32_t> renumbered(const std::vector<std::int32_t>& values, const std::vector<GlobalCellId>& number) {
  std::vector<std::int32_t> sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[number[i].index()] = values[i];
  return sorted;
}

/// Runs METIS for the graph of all cells.
std::vector<std::int32_t> run_metis(CellGraph graph, std::vector<std::int32_t> weight, int parts) {
  auto vertices = static_cast<idx_t>(graph.degree.size());
  std::vector<idx_t> offset(graph.degree.size() + 1, 0);
  std::partial_sum(graph.degree.begin(), graph.degree.end(), offset.begin() + 1);
  std::vector<std::int32_t>().swap(graph.degree);
  std::vector<idx_t> part(vertices, 0);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;  // makes runs reproducible
  idx_t constraints = 1, count = parts, cut = 0;
  const int result = METIS_PartGraphKway(&vertices, &constraints, offset.data(), graph.neighbour.data(),
                                         weight.empty() ? nullptr : weight.data(), nullptr,
                                         graph.edge_weight.empty() ? nullptr : graph.edge_weight.data(), &count, nullptr, nullptr,
                                         options.data(), &cut, part.data());
  if (result != METIS_OK) {
    throw MeshError(
        fmt::format("METIS could not partition {} cells into {} parts (code {})", vertices, parts, result),
        (result == METIS_ERROR_MEMORY ? "rank 0 has not enough memory for the graph of all cells: choose " : "choose ") +
            partitioners_other_than(Partitioner::metis));
  }
  return part;
}

}  // namespace

std::vector<std::int32_t> partition_with_metis(PartitionProblem problem) {
  const Communicator& comm = problem.comm;
  const auto gathered = [&](auto& values) {
    auto all = comm.gather(std::span(std::as_const(values)));
    values = {};
    return all;
  };
  CellGraph whole;
  whole.degree = gathered(problem.graph.degree);
  whole.neighbour = gathered(problem.graph.neighbour);
  whole.edge_weight = gathered(problem.graph.edge_weight);
  std::vector<std::int32_t> weight = gathered(problem.weight);
  const std::vector<GlobalCellId> number = gathered(problem.source_order);
  std::vector<std::vector<std::int32_t>> answers;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    if (!number.empty()) {
      whole = renumbered(whole, number);
      weight = renumbered(weight, number);
    }
    const std::vector<std::int32_t> part = run_metis(std::move(whole), std::move(weight), problem.parts);
    std::size_t row = 0;
    for (int r = 0; r < comm.size(); ++r) {
      std::vector<std::int32_t>& answer = answers.emplace_back(problem.cells.rows_of(Rank(r)));
      for (std::int32_t& p : answer) {
        p = part[number.empty() ? row : number[row].index()];
        ++row;
      }
    }
  });
  return comm.scatter(answers);
}

}  // namespace weft::mesh::detail

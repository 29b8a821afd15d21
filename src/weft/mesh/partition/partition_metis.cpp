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

std::vector<std::int32_t> partition_serially_with_metis(CellGraph graph, int parts) {
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
                                         graph.weight.empty() ? nullptr : graph.weight.data(), nullptr,
                                         graph.edge_weight.empty() ? nullptr : graph.edge_weight.data(), &count, nullptr, nullptr,
                                         options.data(), &cut, part.data());
  if (result != METIS_OK) {
    throw MeshError(fmt::format("METIS could not partition {} cells into {} parts (code {})", vertices, parts, result),
                    result == METIS_ERROR_MEMORY ? "rank 0 has not enough memory for the graph of all cells" : "");
  }
  return part;
}

std::vector<std::int32_t> partition_with_metis(const Communicator& comm, const RowOffsets& cells, CellGraph graph, int parts) {
  CellGraph whole;
  const auto gathered = [&](std::vector<std::int32_t>& values) {
    std::vector<std::int32_t> all = comm.gather(std::span<const std::int32_t>(values));
    std::vector<std::int32_t>().swap(values);
    return all;
  };
  whole.degree = gathered(graph.degree);
  whole.neighbour = gathered(graph.neighbour);
  whole.weight = gathered(graph.weight);
  whole.edge_weight = gathered(graph.edge_weight);
  std::vector<std::vector<std::int32_t>> answers;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    const std::vector<std::int32_t> part = partition_serially_with_metis(std::move(whole), parts);
    auto begin = part.begin();
    for (int r = 0; r < comm.size(); ++r) {
      answers.emplace_back(begin, begin + cells.rows_of(Rank(r)));
      begin += cells.rows_of(Rank(r));
    }
  });
  return comm.scatter(answers);
}

}  // namespace weft::mesh::detail

#include "weft/mesh/detail/partition.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::mesh::detail {
namespace {

/// Below this many cells per rank METIS leaves ranks empty, and its cut does not matter.
constexpr std::int64_t kWorthCutting = 8;

static_assert(sizeof(idx_t) == sizeof(std::int32_t), "this file speaks to a METIS with 32-bit ids");

/// Neighbours of this chunk's cells, once each, without the cell itself: periodic meshes have both repeats and self loops.
struct Graph {
  std::vector<std::int32_t> degree, neighbour;
};

Graph dual_graph(const Chunks& cells, const FaceLinks& links) {
  Graph graph;
  graph.degree.reserve(static_cast<std::size_t>(cells.size()));
  graph.neighbour.reserve(links.target.size());
  std::array<std::int64_t, kMaxCellFaces> around{};
  for (std::size_t c = 0; c + 1 < links.offset.size(); ++c) {
    auto end = around.begin();
    for (std::size_t s = links.slot(c, 0); s < links.slot(c + 1, 0); ++s) {
      const std::int64_t target = links.target[s];
      if (target >= 0 && target != cells.first() + static_cast<std::int64_t>(c)) *end++ = target;
    }
    std::sort(around.begin(), end);
    end = std::unique(around.begin(), end);
    graph.degree.push_back(static_cast<std::int32_t>(end - around.begin()));
    std::transform(around.begin(), end, std::back_inserter(graph.neighbour),
                   [](std::int64_t id) { return static_cast<std::int32_t>(id); });
  }
  return graph;
}

}  // namespace

bool worth_cutting(std::int64_t cells, int parts) { return cells > kWorthCutting * parts; }

std::int32_t even_part(std::int64_t cell, std::int64_t cells, int parts) {
  return static_cast<std::int32_t>(cell * parts / cells);
}

std::vector<std::int32_t> cut_graph(std::vector<std::int32_t> degree, std::vector<std::int32_t> neighbour, int parts) {
  auto vertices = static_cast<idx_t>(degree.size());
  std::vector<idx_t> offset(degree.size() + 1, 0);
  std::partial_sum(degree.begin(), degree.end(), offset.begin() + 1);
  std::vector<std::int32_t>().swap(degree);
  std::vector<idx_t> part(static_cast<std::size_t>(vertices), 0);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;  // the same parts in every run
  idx_t constraints = 1, count = parts, cut = 0;
  const int result = METIS_PartGraphKway(&vertices, &constraints, offset.data(), neighbour.data(), nullptr, nullptr, nullptr,
                                         &count, nullptr, nullptr, options.data(), &cut, part.data());
  if (result != METIS_OK) {
    throw MeshError(fmt::format("METIS could not partition {} cells into {} parts (code {})", vertices, parts, result),
                    result == METIS_ERROR_MEMORY ? "rank 0 has not enough memory for the graph of all cells" : "");
  }
  return part;
}

std::vector<std::int32_t> partition(const Communicator& comm, const Chunks& cells, const FaceLinks& links) {
  const auto mine = static_cast<std::size_t>(cells.size());
  if (comm.size() == 1) return std::vector<std::int32_t>(mine, 0);
  if (!worth_cutting(cells.total(), comm.size())) {
    std::vector<std::int32_t> part(mine);
    for (std::size_t i = 0; i < mine; ++i) {
      part[i] = even_part(cells.first() + static_cast<std::int64_t>(i), cells.total(), comm.size());
    }
    return part;
  }
  const std::int64_t edges = comm.sum(static_cast<std::int64_t>(links.target.size()));
  if (std::max(edges, cells.total()) > std::numeric_limits<idx_t>::max()) {
    throw LimitError(fmt::format("{} cells with {} faces are too many for the 32-bit ids of METIS", cells.total(), edges),
                     "use a coarser mesh");
  }
  Graph graph = dual_graph(cells, links);
  std::vector<std::int32_t> degree = comm.gather(std::span<const std::int32_t>(graph.degree));
  std::vector<std::int32_t>().swap(graph.degree);
  std::vector<std::int32_t> neighbour = comm.gather(std::span<const std::int32_t>(graph.neighbour));
  std::vector<std::int32_t>().swap(graph.neighbour);

  std::vector<std::vector<std::int32_t>> parts;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    const std::vector<std::int32_t> part = cut_graph(std::move(degree), std::move(neighbour), comm.size());
    auto begin = part.begin();
    for (int r = 0; r < comm.size(); ++r) {
      parts.emplace_back(begin, begin + cells.size(r));
      begin += cells.size(r);
    }
  });
  return comm.scatter(parts);
}

}  // namespace weft::mesh::detail

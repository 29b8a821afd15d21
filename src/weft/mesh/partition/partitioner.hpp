#pragma once
/// Options that determine the owner of each cell.
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/base/vec3.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::mesh {

enum class Partitioner {
  automatic,  ///< the parts stored in the source for this number of ranks, otherwise chosen_partitioner()
  metis,      ///< k-way partition of the graph of cells, on rank 0
  scotch,     ///< PT-Scotch: partitions the graph on all ranks together; optional in a build
  hilbert,    ///< equal pieces of a Hilbert curve through the cells: no graph, least memory, longer interfaces
};

namespace detail {
struct PartitionProblem;
// Each function returns the part of each cell of this rank. @collective
[[nodiscard]] std::vector<std::int32_t> partition_with_metis(PartitionProblem problem);
[[nodiscard]] std::vector<std::int32_t> partition_with_scotch(PartitionProblem problem);
[[nodiscard]] std::vector<std::int32_t> partition_along_hilbert_curve(PartitionProblem problem);
/// Checks that PT-Scotch is part of this build. @throws InputError if it is not.
void require_scotch();
}  // namespace detail

struct PartitionerRow {
  Partitioner value;
  std::string_view name, doc;
  bool of_graph;      ///< true where it partitions the graph of cells, false where it needs their mean corners only
  void (*require)();  ///< @throws InputError if it is not part of this build; null: it always is
  /// Null for `automatic`, which chosen_partitioner() replaces.
  std::vector<std::int32_t> (*partition)(detail::PartitionProblem problem);
};

inline constexpr Registry kPartitioners{
    "partitioner",
    std::array{PartitionerRow{Partitioner::automatic, "automatic",
                              "the parts of the file, else METIS, or hilbert beyond 20 million cells", false, nullptr, nullptr},
               PartitionerRow{Partitioner::metis, "metis", "METIS on rank 0", true, nullptr, detail::partition_with_metis},
               PartitionerRow{Partitioner::scotch, "scotch", "PT-Scotch on all ranks", true, detail::require_scotch,
                              detail::partition_with_scotch},
               PartitionerRow{Partitioner::hilbert, "hilbert", "pieces of a Hilbert curve, with the least memory", false, nullptr,
                              detail::partition_along_hilbert_curve}}};
[[nodiscard]] constexpr const auto& registry_of(Partitioner /*tag*/) { return kPartitioners; }
static_assert(is_complete<Partitioner>());

/// Maximum number of cells for METIS by default: it runs on rank 0 with the graph of all cells.
inline constexpr std::int64_t kMostCellsForMetis = 20'000'000;
/// Returns the partitioner for a mesh of `cells` cells without stored parts: the requested one; for `automatic`, metis, or
/// hilbert for more cells than kMostCellsForMetis.
[[nodiscard]] constexpr Partitioner chosen_partitioner(Partitioner asked, std::int64_t cells) {
  if (asked != Partitioner::automatic) return asked;
  return cells <= kMostCellsForMetis ? Partitioner::metis : Partitioner::hilbert;
}

/// Returns true if PT-Scotch is part of this build.
[[nodiscard]] bool has_scotch();

struct PartitionOptions {
  Partitioner partitioner = Partitioner::automatic;
  /// Computational work of a cell, finite and above 0, by its type, zone (invalid: none) and mean corner; parts get equal work.
  /// Weights are rounded to a thousandth of the largest (for meshes beyond a million cells, to a billionth of it times their
  /// number). Null: equal weights. Must be the same function on every rank.
  std::function<double(CellType, ZoneId zone, Vec3 middle)> weight = nullptr;
};

/// Returns the measured work of a cell in the flow solver: nanoseconds of one core per second-order residual, in tens
/// (docs/performance.md; pyramids and prisms interpolated by their faces).
[[nodiscard]] constexpr double measured_cost(CellType type) {
  constexpr std::array<double, kCellTypes> kCost{1, 5, 6, 8, 9, 9, 9};
  return kCost[static_cast<std::size_t>(type)];
}

}  // namespace weft::mesh

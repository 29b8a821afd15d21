#pragma once
/// The partitioners: each says which part each cell of a rank belongs to.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"

namespace weft::mesh::detail {

/// Rows of a graph of cells: `neighbour` lists those of the first cell, then those of the second, ...: each once, ascending,
/// never the cell itself, by global number. `weight` (of cells) and `edge_weight` (of neighbours) are empty where all are equal.
struct CellGraph {
  std::vector<std::int32_t> degree, neighbour, weight, edge_weight;
};

/// What it costs to cut between cells: where only a periodic face is between them there are ghosts on both sides anyway, and what
/// a cut adds is that they come from another rank.
inline constexpr std::int32_t kEdge = 4, kPeriodicEdge = 1;
struct GraphEdge {
  std::int64_t cell;  ///< global number, or any other
  std::int32_t weight;
};
/// Adds a cell's row. @param edges  in any order, also several to a cell, of which the heaviest counts; sorted by this.
/// @param weighted  whether edges differ.
void add_row(CellGraph& graph, std::vector<GraphEdge>& edges, bool weighted);

/// METIS k-way on rank 0. @param cells  who holds which rows of the graph. @throws MeshError if METIS fails. @collective
/// @cost on rank 0: 4 B per cell and 4 B per cell face, and what METIS needs.
[[nodiscard]] std::vector<std::int32_t> partition_with_metis(const Communicator& comm, const Chunks& cells, CellGraph graph,
                                                             int parts);
/// METIS alone, on this rank, of a whole graph. The same parts in every run.
[[nodiscard]] std::vector<std::int32_t> partition_serially_with_metis(CellGraph graph, int parts);

/// PT-Scotch, on all ranks; the parts depend on how many they are. @throws InputError where it is not built in. @collective
[[nodiscard]] std::vector<std::int32_t> partition_with_scotch(const Communicator& comm, const CellGraph& graph, int parts);

/// Pieces of equal weight of the Hilbert curve through all `places`; the same whoever holds them. Cells in one place (to 2^-21 of
/// the mesh's extent) are not separated. @param weight  empty: all equal. @collective
/// @cost 16 B per cell and a sort; 16 B per part; one sum of a number per part for each bit of a position on the curve.
[[nodiscard]] std::vector<std::int32_t> partition_along_hilbert_curve(const Communicator& comm, int dim,
                                                                      std::span<const Vec3> places,
                                                                      std::span<const std::int32_t> weight, int parts);

}  // namespace weft::mesh::detail

#pragma once
/// The partitioners, each of which computes the part of each cell of a rank.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"

namespace weft::mesh::detail {

/// Rows of the graph of cells: `neighbour` lists the neighbours of the first cell, then of the second, ...: unique,
/// ascending, without the cell itself, by global number. `weight` (of cells) and `edge_weight` (of neighbours) are empty if
/// all are equal.
struct CellGraph {
  std::vector<std::int32_t> degree, neighbour, weight, edge_weight;
};

/// Weights of edges. Cells on both sides of a periodic face are ghost cells in any case; a cut between them only adds that
/// they come from another rank.
inline constexpr std::int32_t kEdge = 4, kPeriodicEdge = 1;
struct GraphEdge {
  std::int64_t cell;  ///< global number, or any other number
  std::int32_t weight;
};
/// Adds the row of a cell. @param edges  in any order; of several edges to a cell the heaviest counts; sorted by the
/// function.
/// @param weighted  whether the weights of edges differ.
void add_row(CellGraph& graph, std::vector<GraphEdge>& edges, bool weighted);

/// Runs METIS k-way on rank 0. @param cells  distribution of the rows of the graph. @throws MeshError if METIS fails.
/// @collective
/// @cost on rank 0: 4 B per cell and 4 B per cell face, and the memory of METIS.
[[nodiscard]] std::vector<std::int32_t> partition_with_metis(const Communicator& comm, const RowOffsets& cells, CellGraph graph,
                                                             int parts);
/// Runs METIS on this rank for a whole graph. The result is the same in every run.
[[nodiscard]] std::vector<std::int32_t> partition_serially_with_metis(CellGraph graph, int parts);

/// Runs PT-Scotch on all ranks; the parts depend on the number of ranks. @throws InputError if it is not part of the build.
/// @collective
[[nodiscard]] std::vector<std::int32_t> partition_with_scotch(const Communicator& comm, const CellGraph& graph, int parts);

/// Divides the Hilbert curve through all `places` into pieces of equal weight, independently of their distribution over
/// ranks. Cells at the same position (up to 2^-21 of the extent of the mesh) are not separated. @param weight  empty: all
/// equal. @collective
/// @cost 16 B per cell and a sort; 16 B per part; one sum of a number per part for each bit of a position on the curve.
[[nodiscard]] std::vector<std::int32_t> partition_along_hilbert_curve(const Communicator& comm, int dim,
                                                                      std::span<const Vec3> places,
                                                                      std::span<const std::int32_t> weight, int parts);

}  // namespace weft::mesh::detail

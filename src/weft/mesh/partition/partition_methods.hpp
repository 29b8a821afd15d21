#pragma once
/// The partitioners, each of which computes the part of each cell of a rank.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/array/row_offsets.hpp"
#include "weft/base/team.hpp"
#include "weft/base/team_vector.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/ids.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh::detail {

/// Rows of the graph of cells: `neighbour` lists the neighbours of the first cell, then of the second, ...: unique,
/// ascending, without the cell itself, by row. `edge_weight` (of neighbours) is empty if all are equal.
struct CellGraph {
  std::vector<std::int32_t> degree, neighbour, edge_weight;
};

/// The arguments with which every partitioner of the registry is called.
struct PartitionProblem {
  const Communicator& comm;
  Team& team;
  const RowOffsets& cells;  ///< rows of the graph of each rank
  int dim, parts;
  TeamVector<Vec3> middle;           ///< mean corner of each cell of this rank; may be empty for a partitioner of graphs
  std::vector<std::int32_t> weight;  ///< weights of these cells; empty if all are equal
  CellGraph graph;                   ///< rows of these cells; empty for other partitioners than those of graphs
  /// Position of these cells in the source of the mesh, for the same parts as from the source; empty: in the order of rows.
  std::vector<GlobalCellId> source_order;
};

/// Returns the names of all partitioners but this one and `automatic`, for messages: "metis or hilbert".
[[nodiscard]] std::string partitioners_other_than(Partitioner partitioner);

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

// The partitioners, see kPartitioners:
// - partition_with_metis() runs METIS k-way on rank 0, with the same result in every run. @throws MeshError if METIS fails.
//   @cost on rank 0: 4 B per cell and 4 B per cell face, and the memory of METIS.
// - partition_with_scotch() runs PT-Scotch on all ranks; the parts depend on the number of ranks. @throws MeshError if it fails.
// - partition_along_hilbert_curve() divides the Hilbert curve through all mean corners into pieces of equal weight,
//   independently of their distribution over ranks. Cells at the same position (up to 2^-21 of the extent of the mesh) are not
//   separated. @cost 16 B per cell and a sort; 16 B per part; one sum of a number per part for each bit of a position on the
//   curve.

}  // namespace weft::mesh::detail

#pragma once
/// Partition of a mesh: the part of each cell.
#include <cstdint>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partition_methods.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh::detail {

/// Partitions the mesh into parts of nearly equal weight with few faces between them. If there are few cells per part,
/// contiguous ranges of cells are distributed evenly.
/// @returns the part of each cell of this rank's chunk.
/// @throws LimitError if the graph exceeds the partitioner's 32-bit ids; MeshError if the partitioner fails; InputError:
/// weight not above 0; a partitioner that is not part of the build. @collective
[[nodiscard]] std::vector<std::int32_t> partition(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells,
                                                  const RowOffsets& nodes, const FaceLinks& links,
                                                  const PartitionOptions& options, int parts, Team& team);

/// Returns the mean corner of each cell of this rank's chunk. @collective
/// @cost memory of 4 B per corner of a cell, and 36 B per node, until it returns. If the ids of nodes extend over many times the
/// number of cells, also a hash table of 24 to 48 B per cell, in which one thread enters the nodes.
[[nodiscard]] TeamVector<Vec3> mean_corners(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes,
                                            Team& team = kernels::calling_thread());

/// Returns true if there are enough cells for a partitioner; otherwise part_of_even_split() applies.
/// @param cells  their number in the whole mesh.
[[nodiscard]] bool worth_partitioning(std::int64_t cells, int parts);
[[nodiscard]] std::int32_t part_of_even_split(GlobalCellId cell, std::int64_t cells, int parts);

/// Returns the weights of cells as integers; empty if all are equal. @param cells  of all ranks. @param middle  mean corner
/// of each cell; may be empty if options have no weight. @throws InputError on every rank: a weight that is not finite or not
/// above 0. @collective
[[nodiscard]] std::vector<std::int32_t> weights_of(const Communicator& comm, std::int64_t cells, std::span<const CellType> type,
                                                   std::span<const ZoneId> zone, std::span<const Vec3> middle,
                                                   const PartitionOptions& options);

/// Checks the sizes of a graph. @throws LimitError if 32-bit ids cannot number the cells and their faces, or represent the
/// weight.
void check_graph_size(std::int64_t cells, std::int64_t sides, bool periodic, std::int64_t weight);

}  // namespace weft::mesh::detail

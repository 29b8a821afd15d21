#pragma once
/// Which part each cell belongs to.
#include <cstdint>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partition_methods.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh::detail {

/// Parts of nearly equal weight with few faces between them. Where there are not many more cells than parts, cells are dealt out
/// in runs.
/// @returns the part of each cell of this rank's chunk.
/// @throws LimitError if the graph is too large for the partitioner's 32-bit ids; MeshError if the partitioner fails; InputError:
/// weight not above 0; a partitioner that is not built in. @collective
[[nodiscard]] std::vector<std::int32_t> partition(const Communicator& comm, const MeshBlock& block, const Chunks& cells,
                                                  const Chunks& nodes, const FaceLinks& links, const PartitionOptions& options,
                                                  int parts);

/// The mean corner of each cell of this rank's chunk. @collective
[[nodiscard]] std::vector<Vec3> mean_corners(const Communicator& comm, const MeshBlock& block, const Chunks& nodes);

/// Whether there are cells enough for a partitioner; else each has its part_of_even_split.
[[nodiscard]] bool worth_partitioning(std::int64_t cells, int parts);
[[nodiscard]] std::int32_t part_of_even_split(std::int64_t cell, std::int64_t cells, int parts);

/// The weight of each cell, in whole numbers; empty where all are equal. @param cells  of all ranks. @param middle  of each cell;
/// need not be there where options have no weight. @throws InputError on every rank: one not finite or not above 0. @collective
[[nodiscard]] std::vector<std::int32_t> weights_of(const Communicator& comm, std::int64_t cells, std::span<const CellType> type,
                                                   std::span<const std::int32_t> zone, std::span<const Vec3> middle,
                                                   const PartitionOptions& options);

/// @throws LimitError unless 32-bit ids can number so many cells and sides of faces, and hold so much weight.
void check_graph_size(std::int64_t cells, std::int64_t sides, bool periodic, std::int64_t weight);

}  // namespace weft::mesh::detail

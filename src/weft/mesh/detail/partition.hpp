#pragma once
/// Which rank owns which cell.
#include <cstdint>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/detail/distribution.hpp"
#include "weft/mesh/detail/face_match.hpp"

namespace weft::mesh::detail {

/// Parts of nearly equal size with few faces between them, by METIS k-way on rank 0. Where there are not more cells than ranks,
/// each cell is a part of its own and the other ranks stay empty.
/// @returns the owner of each cell of this rank's chunk.
/// @throws LimitError if the graph is too large for METIS's 32-bit ids; MeshError if METIS fails. @collective
/// @cost on rank 0: 4 B per cell and 4 B per cell face, and what METIS needs.
[[nodiscard]] std::vector<std::int32_t> partition(const Communicator& comm, const Chunks& cells, const FaceLinks& links);

/// METIS alone, on this rank: the part of each cell. `neighbour` lists those of cell 0, then those of cell 1, ...: each once,
/// ascending, never the cell itself. The same parts in every run.
[[nodiscard]] std::vector<std::int32_t> cut_graph(std::vector<std::int32_t> degree, std::vector<std::int32_t> neighbour,
                                                  int parts);
/// Whether there are cells enough for METIS; else each has its even_part.
[[nodiscard]] bool worth_cutting(std::int64_t cells, int parts);
[[nodiscard]] std::int32_t even_part(std::int64_t cell, std::int64_t cells, int parts);

}  // namespace weft::mesh::detail

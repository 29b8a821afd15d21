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

}  // namespace weft::mesh::detail

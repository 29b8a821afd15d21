#pragma once
/// Conversion between a whole mesh on rank 0 and chunks on all ranks.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Distributes rank 0's whole mesh in even, contiguous chunks: rank r of p gets [n r / p, n (r + 1) / p). The argument of
/// other ranks is ignored. @collective
[[nodiscard]] MeshBlock scatter_whole(const Communicator& comm, MeshBlock whole);

/// Collects all chunks on rank 0 in the order of ranks; other ranks get only dim, source and zones. @collective
[[nodiscard]] MeshBlock gather_whole(const Communicator& comm, const MeshBlock& block);

}  // namespace weft::mesh::detail

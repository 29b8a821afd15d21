#pragma once
/// A whole mesh on rank 0 against its chunks on all ranks.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Rank 0's whole mesh in even, contiguous chunks: rank r of p gets what lies in [n r / p, n (r + 1) / p). Other ranks' argument
/// is not looked at. @collective
[[nodiscard]] MeshBlock scatter_whole(const Communicator& comm, MeshBlock whole);

/// The inverse: all chunks on rank 0, in rank order; elsewhere nothing but dim, source and zones. @collective
[[nodiscard]] MeshBlock gather_whole(const Communicator& comm, const MeshBlock& block);

}  // namespace weft::mesh::detail

#pragma once
/// A mesh whose cells lie in the order of the parts that a number of ranks will own.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh {

/// Cuts the mesh into `parts` parts and renumbers it: cells by part, in a part as they were; nodes and boundary elements with the
/// first part that they touch. Elements keep their file ids. Each rank gets an even chunk; `parts` of the result says where the
/// parts end. Zones that a case makes periodic are taken for boundaries.
/// @throws InputError unless parts > 0; otherwise as build(). @collective
/// @cost  about 200 B per cell besides the mesh, and the partitioner's.
[[nodiscard]] MeshBlock partition_mesh(const Communicator& comm, MeshBlock block, int parts,
                                       const PartitionOptions& options = {});

}  // namespace weft::mesh

#pragma once
/// A mesh whose cells are ordered by the parts that a number of ranks will own.
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"
#include "weft/mesh/partition/partitioner.hpp"

namespace weft::mesh {

/// Partitions the mesh into `parts` parts and renumbers it: cells by part, within a part in their previous order; nodes and
/// boundary elements with the first part in which they occur. Elements keep their file ids. Each rank gets an even chunk;
/// `parts` of the result contains the sizes of the parts. Zones that a case makes periodic count as boundaries.
/// @throws InputError unless parts > 0; otherwise as build(). @collective
/// @cost  about 200 B per cell in addition to the mesh, and the memory of the partitioner.
[[nodiscard]] MeshBlock partition_mesh(const Communicator& comm, MeshBlock block, int parts,
                                       const PartitionOptions& options = {});

}  // namespace weft::mesh

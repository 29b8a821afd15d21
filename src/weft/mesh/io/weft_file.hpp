#pragma once
/// Weft's own mesh file in HDF5; every rank reads and writes its share. docs/guide/meshes.md describes the layout.
#include <string>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Writes the chunks of all ranks; on failure an old file is unchanged.
/// @throws IoError on every rank: write error; a zone name with a line break. @collective
/// @cost one byte per element; no rank receives another rank's chunk.
void write_weft_file(const Communicator& comm, const MeshBlock& block, const std::string& path);

/// Reads even chunks: rank r of p gets [n r / p, n (r + 1) / p); of a file with p parts, part r.
/// @throws IoError or MeshError, the same on every rank. @collective
/// @cost each rank reads and stores only its share, which is checked while it is read.
[[nodiscard]] MeshBlock read_weft_file(const Communicator& comm, const std::string& path, Team& team);

}  // namespace weft::mesh::detail

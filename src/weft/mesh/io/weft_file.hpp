#pragma once
/// Weft's own mesh file: HDF5, of which every rank reads and writes its share. docs/guide/meshes.md describes the layout.
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// What the HDF5 file at `path` says that it is. This rank alone. @throws IoError: HDF5 cannot open it.
enum class Hdf5Kind { weft, other };
[[nodiscard]] Hdf5Kind hdf5_kind(const std::string& path);

/// Writes the ranks' chunks one after the other: a new file, or the old one stays as it is.
/// @throws IoError on every rank: it cannot be written; a zone name with a line break. @collective
/// @cost one byte per element; no rank sees another's chunk (but rank 0 where HDF5 is built without MPI).
void write_weft_file(const Communicator& comm, const MeshBlock& block, const std::string& path);

/// Reads even chunks: rank r of p gets what lies in [n r / p, n (r + 1) / p); of a file that is cut into p parts, part r.
/// @throws IoError or MeshError, the same on every rank. @collective
/// @cost each rank reads its share once, and holds no more; it is checked while it is read.
[[nodiscard]] MeshBlock read_weft_file(const Communicator& comm, const std::string& path);

}  // namespace weft::mesh::detail

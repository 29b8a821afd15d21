#pragma once
/// Writers of mesh files: Gmsh MSH 2.2 and 4.1 (text and binary), SU2 and Weft's own format (HDF5).
///
/// Reading a written file yields the same coordinates to the last bit, types, nodes, zones and their order. Elements are
/// renumbered except in Weft's own format. SU2 has no volume zones, and lists boundary elements by marker.
#include <bit>
#include <string>
#include <string_view>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

enum class MeshFormat { gmsh41, gmsh41_binary, gmsh22, gmsh22_binary, su2, weft };

/// Returns the format "gmsh41", "gmsh41-binary", "gmsh22", "gmsh22-binary", "su2" or "weft".
/// @throws InputError with the closest name.
[[nodiscard]] MeshFormat mesh_format(std::string_view name);
/// Returns the format of a file name's extension: .su2, .msh (Gmsh 4.1 as text) or .h5 (Weft's own).
/// @throws InputError for other extensions.
[[nodiscard]] MeshFormat mesh_format_of(const std::string& path);

/// Writes the chunks of all ranks as one file: together in Weft's own format, otherwise gathered on rank 0.
/// @throws IoError on every rank: write error; a zone name that is invalid in the format.
/// @collective
/// @cost  except for Weft's own format, rank 0 stores the whole mesh and the file.
void write_mesh(const Communicator& comm, const MeshBlock& block, const std::string& path, MeshFormat format);

/// Returns the bytes of the file of a whole mesh (first_node and first_cell 0). `order` applies to binary formats.
/// @throws IoError for a zone name that is invalid in the format; `name` is for that message. InputError for Weft's own
/// format.
[[nodiscard]] std::string format_mesh(const MeshBlock& whole, MeshFormat format, const std::string& name,
                                      std::endian order = std::endian::native);

}  // namespace weft::mesh

#pragma once
/// Mesh files out: Gmsh MSH 2.2 and 4.1 (text and binary) and SU2.
///
/// What is written reads back the same: coordinates to the last bit, types, nodes, zones and their order. Elements are numbered
/// anew. SU2 has no volume zones, and lists boundary elements by marker.
#include <bit>
#include <string>
#include <string_view>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

enum class MeshFormat { gmsh41, gmsh41_binary, gmsh22, gmsh22_binary, su2 };

/// "gmsh41", "gmsh41-binary", "gmsh22", "gmsh22-binary" or "su2".
/// @throws InputError naming the closest of them.
[[nodiscard]] MeshFormat mesh_format(std::string_view name);
/// The format that a file name's extension stands for: .su2, or .msh (Gmsh 4.1 as text).
/// @throws InputError for other extensions.
[[nodiscard]] MeshFormat mesh_format_of(const std::string& path);

/// Writes the ranks' chunks as one file, gathered on rank 0.
/// @throws IoError on every rank: the file cannot be written; a zone name that the format cannot hold.
/// @collective
/// @cost  rank 0 holds the whole mesh and the file.
void write_mesh(const Communicator& comm, const MeshBlock& block, const std::string& path, MeshFormat format);

/// The bytes of the file of a whole mesh (first_node and first_cell 0). `order` is for the binary formats.
/// @throws IoError for a zone name that the format cannot hold; `name` is for that message.
[[nodiscard]] std::string format_mesh(const MeshBlock& whole, MeshFormat format, const std::string& name,
                                      std::endian order = std::endian::native);

}  // namespace weft::mesh

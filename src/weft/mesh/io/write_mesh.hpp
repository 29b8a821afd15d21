#pragma once
/// Writers of mesh files: Gmsh MSH 2.2 and 4.1 (text and binary), SU2 and Weft's own format (HDF5).
///
/// What is written reads back the same: coordinates to the last bit, types, nodes, zones and their order. Elements are numbered
/// anew, but in Weft's own format. SU2 has no volume zones, and lists boundary elements by marker.
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "weft/base/registry.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/io/weft_file.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

enum class MeshFormat { gmsh41, gmsh41_binary, gmsh22, gmsh22_binary, su2, weft };

struct MeshFormatRow {
  MeshFormat value;
  std::string_view name;
  std::string_view doc;
  std::string_view extension;  ///< file extension that selects this format; empty: none does
  /// Returns the bytes of the file; `name` is for messages. Null: the ranks `write` it together.
  /// @throws IoError for a zone name that the format cannot hold; LimitError for more nodes or elements than it can number.
  std::string (*bytes)(const MeshBlock& whole, const std::string& name, std::endian order);
  /// Writes the chunks of all ranks; null: rank 0 writes the `bytes` of the whole mesh.
  void (*write)(const Communicator& comm, const MeshBlock& block, const std::string& path);
};

namespace detail {
[[nodiscard]] std::string gmsh41_bytes(const MeshBlock& whole, const std::string& name, std::endian order);
[[nodiscard]] std::string gmsh41_binary_bytes(const MeshBlock& whole, const std::string& name, std::endian order);
[[nodiscard]] std::string gmsh22_bytes(const MeshBlock& whole, const std::string& name, std::endian order);
[[nodiscard]] std::string gmsh22_binary_bytes(const MeshBlock& whole, const std::string& name, std::endian order);
[[nodiscard]] std::string su2_bytes(const MeshBlock& whole, const std::string& name, std::endian order);
}  // namespace detail

inline constexpr Registry kMeshFormats{
    "mesh format",
    std::array{MeshFormatRow{MeshFormat::gmsh41, "gmsh41", "Gmsh MSH 4.1, text", ".msh", detail::gmsh41_bytes, nullptr},
               MeshFormatRow{MeshFormat::gmsh41_binary, "gmsh41-binary", "Gmsh MSH 4.1, binary", "", detail::gmsh41_binary_bytes,
                             nullptr},
               MeshFormatRow{MeshFormat::gmsh22, "gmsh22", "Gmsh MSH 2.2, text", "", detail::gmsh22_bytes, nullptr},
               MeshFormatRow{MeshFormat::gmsh22_binary, "gmsh22-binary", "Gmsh MSH 2.2, binary", "", detail::gmsh22_binary_bytes,
                             nullptr},
               MeshFormatRow{MeshFormat::su2, "su2", "SU2", ".su2", detail::su2_bytes, nullptr},
               MeshFormatRow{MeshFormat::weft, "weft", "Weft's own (HDF5)", ".h5", nullptr, detail::write_weft_file}}};
[[nodiscard]] constexpr const auto& registry_of(MeshFormat /*tag*/) { return kMeshFormats; }
static_assert(is_complete<MeshFormat>());

/// Returns the extensions of file names that can be written: ".msh, .su2 or .h5".
[[nodiscard]] std::string writable_extensions();

/// Returns the format that a file name's extension stands for.
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

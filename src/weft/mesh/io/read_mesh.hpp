#pragma once
/// Reads mesh files, 2-D and 3-D, of the formats of kMeshReaders: Gmsh MSH 2.2 and 4.1 in text and binary of both byte orders,
/// SU2, CGNS in HDF5, and Weft's own format. Of elements of second order (Gmsh, CGNS) the corners are read; MeshBlock::warnings
/// says what that loses.
///
/// Physical groups, markers and boundary conditions become zones (docs/guide/meshes.md). Of all formats but Weft's own, nodes
/// that no cell uses are dropped and the others numbered in the file's order, and left-handed cells are turned, each by the
/// sign of its own measure; coordinates of a CGNS file that names its unit of length are converted to metres.
/// MeshBlock::notes says so.
///
/// Functions with a communicator are collective and throw the same error on every rank; parse_...() and load_...() work on the
/// calling rank alone. A file of Weft's own format is read by all ranks, a share each; any other by rank 0, which distributes
/// the mesh. The threads of a team divide this work:
///
///     step                                   Gmsh, SU2     CGNS                                Weft's own
///     bytes from the file                    all threads   one (HDF5)                          all threads
///     numbers and elements from the bytes    all threads   all threads, but one for faces,     all threads, with checksums
///                                                          mixed sections and polyhedra
///     node numbers, zones, orientation       all threads   all threads                         only checked, by all threads
///
/// Mesh and error do not depend on the number of threads. An error names the file, and line or byte, element and zone where the
/// format has them; its suggestion says what to do.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "weft/base/registry.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

enum class MeshReader { gmsh, su2, cgns, weft };

/// A format of mesh files that is read. One in text or in a binary form of its own has `recognizes` and `parse`; one in HDF5 has
/// `recognizes_hdf5`, and `load`, or `read` where the ranks read it together.
struct MeshReaderRow {
  MeshReader value;
  std::string_view name;       ///< the usual name of the format
  std::string_view doc;        ///< supported versions, and the start of a file
  std::string_view extension;  ///< usual file extension with the dot; readers are chosen by the content
  bool (*recognizes)(std::string_view bytes) = nullptr;
  /// Returns the whole mesh from a file's bytes, on this rank alone; `name` is for messages.
  /// @throws MeshError; nothing else, whatever the bytes. Memory is bounded by a multiple of bytes.size().
  MeshBlock (*parse)(std::string_view bytes, const std::string& name, Team& team) = nullptr;
  /// Called by one rank for a file in HDF5. @throws IoError: HDF5 cannot open it; it is a checkpoint, or results (VTKHDF).
  bool (*recognizes_hdf5)(const std::string& path) = nullptr;
  /// Returns the whole mesh from a file, on this rank alone.
  /// @throws MeshError; IoError where HDF5 fails. Memory is bounded by a multiple of the file's size.
  MeshBlock (*load)(const std::string& path, Team& team) = nullptr;
  /// As read_mesh().
  MeshBlock (*read)(const Communicator& comm, const std::string& path, Team& team) = nullptr;
};

[[nodiscard]] MeshBlock parse_gmsh(std::string_view bytes, const std::string& name, Team& team = kernels::calling_thread());
[[nodiscard]] MeshBlock parse_su2(std::string_view bytes, const std::string& name, Team& team = kernels::calling_thread());
[[nodiscard]] MeshBlock load_cgns(const std::string& path, Team& team = kernels::calling_thread());
/// Reads a file of Weft's own format like read_mesh, without checking its declared format. @collective
/// @cost  each rank stores only its share.
[[nodiscard]] MeshBlock read_weft(const Communicator& comm, const std::string& path, Team& team = kernels::calling_thread());

namespace detail {
[[nodiscard]] bool is_gmsh(std::string_view bytes);
[[nodiscard]] bool is_su2(std::string_view bytes);
/// Returns true for HDF5 in any other format than Weft's own; load_cgns() says what is not CGNS.
[[nodiscard]] bool is_cgns(const std::string& path);
[[nodiscard]] bool is_weft(const std::string& path);
/// Returns the rest of the text from its first line on that is neither blank nor a comment of `%`, without blanks before.
[[nodiscard]] std::string_view from_first_line(std::string_view bytes);
}  // namespace detail

inline constexpr Registry kMeshReaders{
    "mesh format",
    std::array{
        MeshReaderRow{MeshReader::gmsh, "Gmsh", "MSH 2.2 and 4.1, which begin with $MeshFormat", ".msh", detail::is_gmsh,
                      parse_gmsh},
        MeshReaderRow{MeshReader::su2, "SU2", "which begins with NDIME=", ".su2", detail::is_su2, parse_su2},
        MeshReaderRow{MeshReader::cgns, "CGNS", "in HDF5", ".cgns", nullptr, nullptr, detail::is_cgns, load_cgns},
        MeshReaderRow{MeshReader::weft, "Weft's own", "in HDF5", ".h5", nullptr, nullptr, detail::is_weft, nullptr, read_weft}}};
[[nodiscard]] constexpr const auto& registry_of(MeshReader /*tag*/) { return kMeshReaders; }
static_assert(is_complete<MeshReader>());

/// Returns the formats that are read: "Gmsh (.msh), SU2 (.su2), CGNS (.cgns) or Weft's own (.h5)".
[[nodiscard]] std::string readable_meshes();
/// Returns true if the extension of the file's name is that of a format that is read.
[[nodiscard]] bool has_mesh_extension(const std::filesystem::path& file);

/// Reads a mesh file in the format that its content shows. Every rank gets a contiguous chunk of nodes and cells and a share of
/// the boundary elements: in Weft's own format it reads nothing else; files of other formats rank 0 reads whole.
/// @param team  threads of this rank; those of rank 0 alone are used for other formats than Weft's own.
/// @throws IoError (missing, unreadable, not a mesh file, damaged HDF5) or MeshError (wrong in itself), the same on every rank.
/// @collective
/// @cost  O(file). Each rank stores its share; except for Weft's own format, rank 0 stores the file and the whole mesh in
///   addition: about 150 B per tetrahedron.
[[nodiscard]] MeshBlock read_mesh(const Communicator& comm, const std::string& path, Team& team = kernels::calling_thread());
/// Reads a Gmsh file like read_mesh. @collective
[[nodiscard]] MeshBlock read_gmsh(const Communicator& comm, const std::string& path, Team& team = kernels::calling_thread());
/// Reads an SU2 file like read_mesh. @collective
[[nodiscard]] MeshBlock read_su2(const Communicator& comm, const std::string& path, Team& team = kernels::calling_thread());
/// Reads a CGNS file in HDF5 like read_mesh. @collective
[[nodiscard]] MeshBlock read_cgns(const Communicator& comm, const std::string& path, Team& team = kernels::calling_thread());

}  // namespace weft::mesh

#pragma once
/// Mesh files in: Gmsh MSH 2.2 and 4.1 (text and binary), SU2, CGNS (HDF5) and Weft's own (HDF5), 2-D and 3-D. Of elements of
/// second order (Gmsh, CGNS) the corners are read; MeshBlock::warnings says what that loses.
///
/// Physical groups, markers and boundary conditions become zones (docs/guide/meshes.md). Nodes that no cell uses are dropped and
/// the others numbered in the file's order. Left-handed cells of all formats but Weft's own are turned, each by the sign of its
/// own measure; coordinates of a CGNS file that names its unit of length are converted to metres. MeshBlock::notes says so.
#include <string>
#include <string_view>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

/// Reads a mesh file in the format that its content shows. Every rank gets a contiguous chunk of nodes and cells and a share of
/// the boundary elements: in Weft's own format it reads nothing else; files of other formats rank 0 reads whole.
/// @throws IoError (missing, unreadable, not a mesh file) or MeshError (wrong in itself: file, line or byte, element, zone), the
///   same on every rank.
/// @collective
/// @cost  but for Weft's own format, rank 0 holds the file and the whole mesh: about 150 B per tetrahedron.
[[nodiscard]] MeshBlock read_mesh(const Communicator& comm, const std::string& path);
/// As read_mesh, of a Gmsh file. @collective
[[nodiscard]] MeshBlock read_gmsh(const Communicator& comm, const std::string& path);
/// As read_mesh, of an SU2 file. @collective
[[nodiscard]] MeshBlock read_su2(const Communicator& comm, const std::string& path);
/// As read_mesh, of a CGNS file in HDF5. @collective
[[nodiscard]] MeshBlock read_cgns(const Communicator& comm, const std::string& path);

/// As read_mesh, of a file of Weft's own, whatever it says of itself. @collective
/// @cost  each rank holds its share and nothing else.
[[nodiscard]] MeshBlock read_weft(const Communicator& comm, const std::string& path);

/// The whole mesh from a file's bytes, on this rank alone; `name` is for messages.
/// @throws MeshError; nothing else, whatever the bytes. Memory is bounded by a multiple of bytes.size().
[[nodiscard]] MeshBlock parse_gmsh(std::string_view bytes, const std::string& name);
[[nodiscard]] MeshBlock parse_su2(std::string_view bytes, const std::string& name);
/// The whole mesh from a CGNS file, on this rank alone.
/// @throws MeshError; IoError where HDF5 fails. Memory is bounded by a multiple of the file's size.
[[nodiscard]] MeshBlock load_cgns(const std::string& path);

}  // namespace weft::mesh

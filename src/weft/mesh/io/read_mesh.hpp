#pragma once
/// Readers of mesh files: Gmsh MSH 2.2 and 4.1 (text and binary), SU2, CGNS (HDF5) and Weft's own format (HDF5), 2-D and 3-D.
/// Of second-order elements (Gmsh, CGNS) only the corners are read; MeshBlock::warnings reports the loss.
///
/// Physical groups, markers and boundary conditions become zones (docs/guide/meshes.md). Nodes without cells are removed, and
/// the others numbered in the order of the file. Left-handed cells of all formats but Weft's own are reversed, each by the
/// sign of its own measure; coordinates of a CGNS file with a unit of length are converted to metres. MeshBlock::notes
/// reports both.
#include <string>
#include <string_view>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh {

/// Reads a mesh file; determines the format from its content. Each rank gets a contiguous chunk of nodes and cells and a
/// share of the boundary elements: with Weft's own format it reads only these; rank 0 reads files of other formats as a
/// whole.
/// @throws IoError (missing, unreadable, not a mesh file) or MeshError (invalid: file, line or byte, element, zone), the same
/// on every rank.
/// @collective
/// @cost  except for Weft's own format, rank 0 stores the file and the whole mesh: about 150 B per tetrahedron.
[[nodiscard]] MeshBlock read_mesh(const Communicator& comm, const std::string& path);
/// Reads a Gmsh file like read_mesh. @collective
[[nodiscard]] MeshBlock read_gmsh(const Communicator& comm, const std::string& path);
/// Reads an SU2 file like read_mesh. @collective
[[nodiscard]] MeshBlock read_su2(const Communicator& comm, const std::string& path);
/// Reads a CGNS file in HDF5 like read_mesh. @collective
[[nodiscard]] MeshBlock read_cgns(const Communicator& comm, const std::string& path);

/// Reads a file of Weft's own format like read_mesh, without checking its declared format. @collective
/// @cost  each rank stores only its share.
[[nodiscard]] MeshBlock read_weft(const Communicator& comm, const std::string& path);

/// Returns the whole mesh from the bytes of a file, on this rank; `name` is for messages.
/// @throws MeshError, and no other error, for any bytes. Memory is bounded by a multiple of bytes.size().
[[nodiscard]] MeshBlock parse_gmsh(std::string_view bytes, const std::string& name);
[[nodiscard]] MeshBlock parse_su2(std::string_view bytes, const std::string& name);
/// Returns the whole mesh from a CGNS file, on this rank.
/// @throws MeshError; IoError if HDF5 fails. Memory is bounded by a multiple of the file's size.
[[nodiscard]] MeshBlock load_cgns(const std::string& path);

}  // namespace weft::mesh

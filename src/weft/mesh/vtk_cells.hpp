#pragma once
/// Cells and boundary faces of a mesh in the form of VTK, for files that ParaView and the drawing tools read.
#include <cstdint>
#include <filesystem>
#include <string>

#include "weft/base/team.hpp"
#include "weft/base/team_vector.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

/// Selected cells and faces of this rank, with types and node order of VTK.
struct VtkCells {
  TeamVector<std::int32_t> connectivity;
  TeamVector<std::int64_t> offsets = TeamVector<std::int64_t>(1, 0);
  TeamVector<std::uint8_t> types;

  /// Returns the owned cells of a mesh.
  [[nodiscard]] static VtkCells owned(const Mesh& mesh, Team& team);
  /// Adds a face: a line in 2-D, a triangle or a quad in 3-D, whose nodes are right-handed about the normal of the face.
  void add_face(const Mesh& mesh, LocalFaceId face);
  /// Returns a view of this object and of the nodes of `mesh`; both must exist as long as the view.
  [[nodiscard]] io::VtkGrid grid(const Mesh& mesh) const {
    return {.points = mesh.node_coord, .connectivity = connectivity, .offsets = offsets, .types = types};
  }
};

/// Writes the owned cells as a VTKHDF grid with the field `rank`.  @throws IoError  @collective
void write_cells(const Mesh& mesh, const std::filesystem::path& file);

/// Writes all boundary faces as cells of a VTKHDF grid with the field `zone`, the index in Mesh::boundary. Writes no file for
/// a mesh without boundary faces.
/// @throws IoError  @collective
void write_boundary(const Mesh& mesh, const std::filesystem::path& file, const std::string& provenance = {});

}  // namespace weft::mesh

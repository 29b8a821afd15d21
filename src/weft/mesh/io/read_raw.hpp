#pragma once
/// The conversion of a mesh as listed by a file to a MeshBlock, for all formats.
#include "weft/base/team.hpp"
#include "weft/mesh/io/raw_mesh.hpp"
#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Suggestions to the users of a format for missing data.
struct FormatAdvice {
  const char* no_cells;
  const char* no_boundary;
  bool z_is_read;  ///< for 2-D meshes: z must be checked and set to 0
};

/// Converts a raw mesh. Cells are the elements of dimension `dim`, boundary elements those of one less; all others and unused
/// nodes are removed. Elements without a group are cells without zone, or no boundary. Zones are the groups of both
/// dimensions in the order of the file, then groups without a name, named by number. The result and the error are the same on any
/// number of threads.
/// @throws MeshError: invalid node, repeated node, element in two zones, duplicate tags or names, non-planar, empty.
[[nodiscard]] MeshBlock assemble(const MeshCursor& file, RawMesh&& raw, int dim, const FormatAdvice& advice, Team& team);

}  // namespace weft::mesh::detail

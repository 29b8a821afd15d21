#pragma once
/// Last steps of build(): a Mesh from owned cells and a list of ghost cells.
#include <cstdint>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/mesh/build/adjacency.hpp"
#include "weft/mesh/build/subdomain.hpp"
#include "weft/mesh/build/translations.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::detail {

/// Adds owned cells, ghost cells, their nodes and cell_cells to `mesh`, whose plan exists. The geometry of periodic images is
/// translated, that of their nodes not yet (see add_faces). Moves data out of `part`; only the face fields remain, where
/// `neighbour` contains the final local cell numbers.
/// @param node_now  new numbers of the nodes in part.node_table. @collective
void add_cells(Mesh& mesh, Subdomain& part, const IdVector<LocalNodeId, LocalNodeId>& node_now, const Adjacency& adjacency,
               const RowOffsets& rows, const TeamVector<GlobalRow>& remote_row, const RowOffsets& nodes,
               std::span<const Vec3> held_coords, const Translations& translations, Team& team);

/// Adds the faces with their geometry, and then translates the nodes of periodic images.
///
/// Both sides of a face compute with the same numbers in the same order, so that their normals are bitwise opposite: from the
/// lowest global node towards the lower of its two neighbours; on a periodic face, with the nodes of the side whose neighbour
/// has a negative image.
/// @param periodic_zone  by zone: whether it is periodic.
/// @throws MeshError on every rank for a face without area. @collective
void add_faces(Mesh& mesh, const Subdomain& part, const IdVector<ZoneId, char>& periodic_zone, const Translations& translations,
               Team& team);

/// Checks that the area vectors of each owned cell add to zero. @throws ContractError on every rank otherwise, which is a
/// bug. @collective
void check_closed(const Mesh& mesh, Team& team);

}  // namespace weft::mesh::detail

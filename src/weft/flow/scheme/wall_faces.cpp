#include "weft/flow/scheme/wall_faces.hpp"

#include <algorithm>

#include "weft/array/array_transformer.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::flow::detail {

using mesh::LocalCellId;
using mesh::LocalFaceId;
using mesh::LocalNodeId;

WallFaces::WallFaces(const mesh::Mesh& mesh, const BoundaryKinds& kinds, Team& team) : mesh_(mesh) {
  const ArrayPair<std::int32_t> of_faces = kinds_of_faces(kinds, team);
  const std::vector<LocalCellId> at_walls = select_cells(team, mesh.cells(), [&](LocalCellId c) { return of_faces(c) != 0; });
  find_nodes(of_faces, at_walls, team);
  resize_by_team(team, first_, static_cast<std::size_t>(mesh.cells()) + 1);
  for (const LocalCellId cell : at_walls) {
    const std::size_t before = faces_.size();
    add_faces(cell, of_faces(cell));
    first_[cell.index() + 1] = static_cast<std::int32_t>(faces_.size() - before);
  }
  (void)checked_local(static_cast<std::int64_t>(faces_.size()), "faces on walls");
  kernels::sum_up(first_, team);
}

/// Returns for each owned and ghost cell, bit k: face k of the shape is on a solid wall; times kSymmetry: on a symmetry plane.
ArrayPair<std::int32_t> WallFaces::kinds_of_faces(const BoundaryKinds& kinds, Team& team) const {
  const std::int32_t first = mesh_.interface_faces.last().value();
  std::vector<std::int32_t> bit_of(mesh_.faces() - first);
  for (const mesh::BoundaryZoneId z : mesh_.boundary.ids()) {
    for (const LocalFaceId face : mesh_.boundary[z].faces) {
      bit_of[face.value() - first] = is_solid(kinds[z]) ? 1 : is_symmetry_plane(kinds[z]) ? kSymmetry : 0;
    }
  }
  ArrayPair<std::int32_t> of_faces(mesh_.plan);
  for_indices(team, mesh_.owned_cells, [&](std::int64_t c) {
    const LocalCellId cell(c);
    const auto faces = mesh_.cell_faces.row(cell.index());
    std::int32_t bits = 0;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const std::int32_t i = faces[k].value() - first;
      if (i >= 0) bits |= bit_of[i] << k;
    }
    of_faces(cell) = bits;
  });
  ArrayTransformer(mesh_.plan, {of_faces}).pull().run();
  return of_faces;
}

void WallFaces::find_nodes(const ArrayPair<std::int32_t>& kinds, const std::vector<LocalCellId>& cells_at_walls, Team& team) {
  resize_by_team(team, on_wall_, mesh_.node_coord.size());
  const auto is_image = [&](LocalCellId cell) { return mesh_.plan.ghost(LocalRow(cell.value())).image != 0; };
  for (const LocalCellId cell : cells_at_walls) {
    const auto nodes = mesh_.cell_nodes.row(cell.index());
    for (int k = 0; k < mesh::kMaxCellFaces && (kinds(cell) & kSlip) != 0; ++k) {
      if ((kinds(cell) >> k & 1) == 0) continue;
      const mesh::CellFace& face = mesh::shape(mesh_.cell_type[cell]).face[k];
      for (int i = 0; i < face.size; ++i) on_wall_[nodes[face.node[i]]] = 1;
    }
  }
  if (mesh_.periodic.empty()) return;
  // The nodes of a periodic image have ids of their own: every node of a cell next to one on a wall counts.
  for (const LocalCellId cell : mesh_.owned()) {
    if (std::ranges::none_of(mesh_.cell_cells.row(cell.index()),
                             [&](LocalCellId other) { return (kinds(other) & kSlip) != 0 && is_image(other); })) {
      continue;
    }
    for (const LocalNodeId node : mesh_.cell_nodes.row(cell.index())) on_wall_[node] = 1;
  }
}

void WallFaces::add_faces(LocalCellId cell, std::int32_t kinds) {
  const auto nodes = mesh_.cell_nodes.row(cell.index());
  const bool image = mesh_.plan.ghost(LocalRow(cell.value())).image != 0;
  for (int k = 0; k < mesh::kMaxCellFaces; ++k) {
    const bool symmetry = (kinds / kSymmetry >> k & 1) != 0;
    if (!symmetry && (kinds >> k & 1) == 0) continue;
    const mesh::CellFace& corners = mesh::shape(mesh_.cell_type[cell]).face[k];
    WallFace face{.cell = cell, .number = k, .symmetry = symmetry, .image = image, .nodes = corners.size};
    bool at_wall = !symmetry || image;
    for (std::size_t i = 0; i < static_cast<std::size_t>(corners.size); ++i) {
      face.id[i] = nodes[corners.node[i]];
      face.node[i] = mesh_.node_coord[face.id[i]];
      at_wall = at_wall || on_wall(face.id[i]);
    }
    if (!at_wall) continue;
    const mesh::FaceGeometry geometry = mesh::face_geometry(face.corners());
    face.normal = geometry.area / norm(geometry.area);
    face.centroid = geometry.centroid;
    faces_.push_back(face);
  }
}

}  // namespace weft::flow::detail

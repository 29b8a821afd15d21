#include "weft/flow/scheme/wall_faces.hpp"

#include "weft/array/array_transformer.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::flow::detail {

using mesh::LocalCellId;
using mesh::LocalFaceId;

WallFaces::WallFaces(const mesh::Mesh& mesh, const std::vector<BoundaryKind>& kinds) : mesh_(mesh), kinds_(mesh.plan) {
  const std::int32_t first = mesh.ghost_faces.last().value();
  std::vector<std::int32_t> bit_of(mesh.faces() - first);
  for (std::size_t z = 0; z < mesh.boundary.size(); ++z) {
    for (const LocalFaceId face : mesh.boundary[z].faces) {
      bit_of[face.value() - first] = kinds[z] == BoundaryKind::slip_wall ? 1 : kinds[z] == BoundaryKind::symmetry ? kSymmetry : 0;
    }
  }
  for (const LocalCellId cell : mesh.owned()) {
    const auto faces = mesh.cell_faces.row(cell.index());
    std::int32_t bits = 0;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const std::int32_t i = faces[k].value() - first;
      if (i >= 0) bits |= bit_of[i] << k;
    }
    kinds_(cell) = bits;
  }
  ArrayTransformer(mesh.plan, {kinds_}).pull().run();
}

void WallFaces::append(LocalCellId cell, std::vector<WallFace>& faces) const {
  const std::int32_t bits = kinds_(cell);
  if (bits == 0) return;
  const auto nodes = mesh_.cell_nodes.row(cell.index());
  const bool image = mesh_.plan.ghost(LocalRow(cell.value())).image != 0;
  for (int k = 0; k < mesh::kMaxCellFaces; ++k) {
    const bool symmetry = (bits / kSymmetry >> k & 1) != 0;
    if (!symmetry && (bits >> k & 1) == 0) continue;
    const mesh::CellFace& corners = mesh::shape(mesh_.cell_type[cell]).face[k];
    WallFace face{.cell = cell, .number = k, .symmetry = symmetry, .image = image, .nodes = corners.size};
    for (std::size_t i = 0; i < static_cast<std::size_t>(corners.size); ++i) {
      face.id[i] = nodes[corners.node[i]];
      face.node[i] = mesh_.node_coord[face.id[i]];
    }
    const mesh::FaceGeometry geometry = mesh::face_geometry(face.corners());
    face.normal = geometry.area / norm(geometry.area);
    face.centroid = geometry.centroid;
    faces.push_back(face);
  }
}

}  // namespace weft::flow::detail

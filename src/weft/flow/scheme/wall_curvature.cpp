#include "weft/flow/scheme/wall_curvature.hpp"

#include <algorithm>

#include "weft/flow/scheme/wall_faces.hpp"

namespace weft::flow {
namespace {

using detail::WallFace;
using mesh::LocalCellId;
using mesh::Mesh;

/// Returns whether two faces have a node in common. Nodes are compared by position, because a periodic neighbour has its own.
bool share_a_node(const WallFace& a, const WallFace& b) {
  constexpr double kSamePosition = 1e-3;  // relative to the shortest edge
  double shortest = norm(a.node[1] - a.node[0]);
  for (int i = 1; i < a.nodes; ++i) {
    const Vec3 next = a.node[(i + 1) % a.nodes];
    shortest = std::min(shortest, norm(next - a.node[i]));
  }
  for (const Vec3 x : a.corners()) {
    for (const Vec3 y : b.corners()) {
      if (norm(x - y) <= kSamePosition * shortest) return true;
    }
  }
  return false;
}

/// Returns the curvature between two faces, or 0 if they do not share a node or meet in a corner.
double curvature_between(const WallFace& face, const WallFace& other) {
  constexpr double kCorner = 0.866;  // cosine of 30 degrees
  const double distance = norm(other.centroid - face.centroid);
  if (!share_a_node(face, other) || dot(face.normal, other.normal) < kCorner || distance == 0) return 0;
  return norm(other.normal - face.normal) / distance;
}

}  // namespace

std::vector<double> wall_curvature(const Mesh& mesh, const std::vector<BoundaryKind>& kinds) {
  const detail::WallFaces walls(mesh, kinds);
  const std::int32_t first = mesh.ghost_faces.last().value();
  std::vector<double> curvature(mesh.faces() - first);
  std::vector<WallFace> faces;
  for (const LocalCellId cell : mesh.owned()) {
    if (!walls.on_wall(cell)) continue;
    faces.clear();
    walls.append(cell, faces);
    for (const LocalCellId other : mesh.cell_cells.row(cell.index())) walls.append(other, faces);
    std::erase_if(faces, [](const WallFace& face) { return face.symmetry; });
    for (const WallFace& face : faces) {
      if (face.cell != cell) break;
      double& largest = curvature[mesh.cell_faces.row(cell.index())[face.number].value() - first];
      for (const WallFace& other : faces) {
        if (&other != &face) largest = std::max(largest, curvature_between(face, other));
      }
    }
  }
  return curvature;
}

}  // namespace weft::flow

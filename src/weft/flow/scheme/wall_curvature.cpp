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

std::vector<double> wall_curvature(const Mesh& mesh, const BoundaryKinds& kinds, Team& team) {
  const detail::WallFaces walls(mesh, kinds, team);
  const std::int32_t first = mesh.interface_faces.last().value();
  std::vector<double> curvature(mesh.faces() - first);
  std::vector<const WallFace*> near;
  const auto has_wall = [&](LocalCellId cell) { return !std::ranges::all_of(walls.of(cell), &WallFace::symmetry); };
  for (const LocalCellId cell : detail::select_cells(team, mesh.owned_cells, has_wall)) {
    near.clear();
    const auto append = [&](LocalCellId other) {
      for (const WallFace& face : walls.of(other)) {
        if (!face.symmetry) near.push_back(&face);
      }
    };
    append(cell);
    for (const LocalCellId other : mesh.cell_cells.row(cell.index())) append(other);
    for (const WallFace* face : near) {
      if (face->cell != cell) break;
      double& largest = curvature[mesh.cell_faces.row(cell.index())[face->number].value() - first];
      for (const WallFace* other : near) {
        if (other != face) largest = std::max(largest, curvature_between(*face, *other));
      }
    }
  }
  return curvature;
}

}  // namespace weft::flow

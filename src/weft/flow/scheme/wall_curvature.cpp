#include "weft/flow/scheme/wall_curvature.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::flow {
namespace {

using mesh::LocalCellId;
using mesh::LocalFaceId;
using mesh::Mesh;

struct WallFace {
  std::array<Vec3, mesh::kMaxFaceNodes> node;
  int nodes;
  Vec3 normal, centroid;

  [[nodiscard]] std::span<const Vec3> corners() const { return std::span(node).first(nodes); }
};

/// Returns face k of the shape of an owned or ghost cell.
WallFace face_of(const Mesh& mesh, LocalCellId cell, int k) {
  const mesh::CellFace& corners = mesh::shape(mesh.cell_type[cell]).face[k];
  WallFace face{};
  face.nodes = corners.size;
  for (std::size_t i = 0; i < static_cast<std::size_t>(corners.size); ++i) {
    face.node[i] = mesh.node_coord[mesh.cell_nodes.row(cell.index())[corners.node[i]]];
  }
  const mesh::FaceGeometry geometry = mesh::face_geometry(face.corners());
  face.normal = geometry.area / norm(geometry.area);
  face.centroid = geometry.centroid;
  return face;
}

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
  const std::int32_t first = mesh.ghost_faces.last().value();
  std::vector<char> is_slip_wall(mesh.faces() - first);
  for (std::size_t z = 0; z < mesh.boundary.size(); ++z) {
    for (const LocalFaceId face : mesh.boundary[z].faces) {
      is_slip_wall[face.value() - first] = kinds[z] == BoundaryKind::slip_wall ? 1 : 0;
    }
  }
  ArrayPair<std::int32_t> walls(mesh.plan);  // bit k: face k of the shape is on a slip wall
  for (const LocalCellId cell : mesh.owned()) {
    const auto faces = mesh.cell_faces.row(cell.index());
    std::int32_t bits = 0;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const std::int32_t i = faces[k].value() - first;
      if (i >= 0 && is_slip_wall[i] != 0) bits |= 1 << k;
    }
    walls(cell) = bits;
  }
  ArrayTransformer(mesh.plan, {walls}).pull().run();

  std::vector<double> curvature(is_slip_wall.size());
  for (const LocalCellId cell : mesh.owned()) {
    const auto faces = mesh.cell_faces.row(cell.index());
    for (int k = 0; k < mesh::kMaxCellFaces && walls(cell) != 0; ++k) {
      if ((walls(cell) >> k & 1) == 0) continue;
      const WallFace face = face_of(mesh, cell, k);
      double& largest = curvature[faces[k].value() - first];
      const auto compare = [&](LocalCellId other) {
        for (int j = 0; j < mesh::kMaxCellFaces; ++j) {
          if ((walls(other) >> j & 1) == 0 || (other == cell && j == k)) continue;
          largest = std::max(largest, curvature_between(face, face_of(mesh, other, j)));
        }
      };
      compare(cell);
      for (const LocalCellId other : mesh.cell_cells.row(cell.index())) compare(other);
    }
  }
  return curvature;
}

}  // namespace weft::flow

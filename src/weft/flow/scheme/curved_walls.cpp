#include "weft/flow/scheme/curved_walls.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "weft/flow/scheme/wall_faces.hpp"

namespace weft::flow {
namespace {

using detail::WallFace;
using mesh::LocalCellId;
using mesh::Mesh;

constexpr double kCorner = 0.866;  // cosine of 30 degrees: faces with larger angles meet in a corner

/// Returns a sum that does not depend on the order of the terms.
Vec3 sum(std::vector<Vec3>& terms) {
  std::ranges::sort(terms, {}, [](const Vec3& v) { return std::tuple(v.x, v.y, v.z); });
  Vec3 total;
  for (const Vec3& term : terms) total += term;
  return total;
}

/// The wall faces near a cell. Nodes are compared by position, because a periodic neighbour has its own.
class NearWalls {
 public:
  std::vector<WallFace> faces;

  /// Returns the sliver at the edge from a to b.
  [[nodiscard]] Vec3 sliver(const Vec3& a, const Vec3& b) {
    tolerance_ = 1e-3 * norm(b - a);
    std::vector<const WallFace*> at_edge;
    bool triangle = false;
    for (const WallFace& face : faces) {
      if (face.symmetry || corner(face, a) < 0 || corner(face, b) < 0) continue;
      at_edge.push_back(&face);
      triangle = triangle || face.nodes == 3;
    }
    if (!triangle) return {};
    // Faces on one smooth wall have one sliver; at a corner, each wall has its own.
    const bool smooth =
        std::ranges::all_of(at_edge, [&](const WallFace* f) { return dot(f->normal, at_edge[0]->normal) >= kCorner; });
    std::vector<Vec3> normals, slivers;
    for (const WallFace* face : at_edge) normals.push_back(face->normal);
    if (smooth) normals = {sum(normals)};
    for (const Vec3& n : normals) slivers.push_back(sliver(a, b, n / norm(n)));
    return sum(slivers);
  }

 private:
  [[nodiscard]] Vec3 sliver(const Vec3& a, const Vec3& b, const Vec3& normal) {
    constexpr double kPlane = 1e-9;  // change of the normal that is one of rounding
    const Vec3 change = normal_at(b, normal) - normal_at(a, normal), d = b - a;
    if (norm(change) <= kPlane) return {};
    return dot(change, d) / 12 * cross(normal, d);
  }

  /// Returns the corner of a face at x, or -1.
  [[nodiscard]] int corner(const WallFace& face, const Vec3& x) const {
    for (int i = 0; i < face.nodes; ++i) {
      if (norm(face.node[i] - x) <= tolerance_) return i;
    }
    return -1;
  }

  /// Returns the normal to the wall with about the normal `near` at node x.
  [[nodiscard]] Vec3 normal_at(const Vec3& x, const Vec3& near) const {
    std::vector<Vec3> terms;
    for (const WallFace& face : faces) {
      const int i = corner(face, x);
      if (i < 0 || face.symmetry || dot(face.normal, near) < kCorner) continue;
      const Vec3 after = face.node[(i + 1) % face.nodes] - face.node[i];
      const Vec3 before = face.node[(i + face.nodes - 1) % face.nodes] - face.node[i];
      terms.push_back(cross(after, before) / (dot(after, after) * dot(before, before)));
    }
    Vec3 normal = sum(terms);
    const double before = norm(normal);
    for (const Vec3& axis : symmetry_axes(x)) normal -= dot(normal, axis) * axis;
    const double length = norm(normal);
    return length > 1e-6 * before ? normal / length : near;
  }

  /// Returns orthogonal unit vectors that span the normals of the symmetry planes at node x. They do not depend on the order of
  /// the faces.
  [[nodiscard]] std::vector<Vec3> symmetry_axes(const Vec3& x) const {
    constexpr double kParallel = 1e-3;
    std::vector<Vec3> planes, axes;
    for (const WallFace& face : faces) {
      if (face.symmetry && corner(face, x) >= 0) planes.push_back(face.normal);
    }
    std::ranges::sort(planes, {}, [](const Vec3& v) { return std::tuple(v.x, v.y, v.z); });
    for (Vec3 axis : planes) {
      for (const Vec3& other : axes) axis -= dot(axis, other) * other;
      if (norm(axis) > kParallel) axes.push_back(axis / norm(axis));
    }
    return axes;
  }

  double tolerance_ = 0;
};

}  // namespace

FaceAreas areas_at_curved_walls(const Mesh& mesh, const std::vector<BoundaryKind>& kinds) {
  if (mesh.dim == 2) return {};
  const detail::WallFaces walls(mesh, kinds);
  FaceAreas areas;
  NearWalls near;
  std::vector<Vec3> slivers;
  for (const LocalCellId cell : mesh.owned()) {
    near.faces.clear();
    const auto append = [&](LocalCellId other) {
      if (mesh.cell_type[other] != mesh::CellType::hexahedron) walls.append(other, near.faces);
    };
    append(cell);
    for (const LocalCellId other : mesh.cell_cells.row(cell)) append(other);
    if (std::ranges::all_of(near.faces, &WallFace::symmetry)) continue;
    for (const mesh::LocalFaceId f : mesh.cell_faces.row(cell)) {
      if (mesh.face_left[f] != cell) continue;
      const auto nodes = mesh.face_nodes.row(f);
      slivers.clear();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Vec3 sliver = near.sliver(mesh.node_coord[nodes[i]], mesh.node_coord[nodes[(i + 1) % nodes.size()]]);
        if (!(sliver == Vec3{})) slivers.push_back(sliver);
      }
      if (slivers.empty()) continue;
      if (areas.area.empty()) areas = {.normal = mesh.face_normal, .area = mesh.face_area};
      const Vec3 vector = mesh.face_area[f] * mesh.face_normal[f] + sum(slivers);
      areas.area[f] = norm(vector);
      areas.normal[f] = vector / areas.area[f];
    }
  }
  return areas;
}

}  // namespace weft::flow

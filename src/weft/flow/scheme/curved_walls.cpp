#include "weft/flow/scheme/curved_walls.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "weft/flow/scheme/wall_faces.hpp"

namespace weft::flow {
namespace {

using detail::WallFace;
using mesh::LocalCellId;
using mesh::LocalNodeId;
using mesh::Mesh;

constexpr double kCorner = 0.866;  // cosine of 30 degrees: faces with larger angles meet in a corner

/// Returns a sum that does not depend on the order of the terms.
Vec3 sum(std::vector<Vec3>& terms) {
  std::ranges::sort(terms, {}, [](const Vec3& v) { return std::tuple(v.x, v.y, v.z); });
  Vec3 total;
  for (const Vec3& term : terms) total += term;
  return total;
}

/// A node of an owned cell.
struct Node {
  LocalNodeId id;
  Vec3 x;
};

/// A smooth wall or a symmetry plane at an edge.
struct Surface {
  Vec3 first;   ///< normal to the first face
  Vec3 normal;  ///< mean of the normals to all faces, on the side of the first
  bool plane;   ///< some faces are on a symmetry plane
};

/// The faces on slip walls and symmetry planes near a cell.
class NearWalls {
 public:
  std::vector<WallFace> faces;

  /// Returns the sliver at the edge from a to b.
  [[nodiscard]] Vec3 sliver(const Node& a, const Node& b) {
    const Vec3 d = b.x - a.x;
    tolerance_ = 1e-3 * norm(d);
    at_edge_.clear();
    bool triangle = false;
    for (const WallFace& face : faces) {
      if (corner(face, a) < 0 || corner(face, b) < 0) continue;
      at_edge_.push_back(&face);
      triangle = triangle || (!face.symmetry && face.nodes == 3);
    }
    if (!triangle) return {};
    constexpr double kPlane = 1e-9;  // change of the normal that is one of rounding
    bool curved = false;
    find_surfaces();
    sag_.clear();
    for (const Surface& surface : surfaces_) {
      const Vec3 change = surface.plane ? Vec3{} : normal_at(b, surface.normal) - normal_at(a, surface.normal);
      curved = curved || norm(change) > kPlane;
      sag_.push_back(dot(change, d));
    }
    return curved ? cross(arc(d), d) / 12 : Vec3{};
  }

 private:
  /// Groups the faces at the edge. Opposite sides of a thin wall are one surface. The result does not depend on the order of the
  /// faces.
  void find_surfaces() {
    std::ranges::sort(at_edge_, {}, [](const WallFace* face) {
      const Vec3 n = face->normal;
      return std::tuple(n.x, n.y, n.z, face->symmetry);
    });
    surfaces_.clear();
    for (const WallFace* face : at_edge_) {
      const Vec3 n = face->normal;
      const auto same = std::ranges::find_if(surfaces_, [&](const Surface& s) { return std::abs(dot(s.first, n)) >= kCorner; });
      if (same == surfaces_.end()) {
        surfaces_.push_back({.first = n, .normal = n, .plane = face->symmetry});
      } else {
        same->normal += dot(same->first, n) > 0 ? n : -n;
        same->plane = same->plane || face->symmetry;
      }
    }
    for (Surface& surface : surfaces_) surface.normal = surface.normal / norm(surface.normal);
  }

  /// Returns the vector in the plane normal to the edge d whose components along the normals to the surfaces are sag_. Where more
  /// than two surfaces meet, the squares of the differences are least.
  [[nodiscard]] Vec3 arc(const Vec3& d) const {
    const Vec3 e = surfaces_[0].normal, f = cross(d, e) / norm(d);
    if (surfaces_.size() == 1) return sag_[0] * e;
    double ee = 0, ef = 0, ff = 0, along_e = 0, along_f = 0;
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      const double x = dot(surfaces_[i].normal, e), y = dot(surfaces_[i].normal, f);
      ee += x * x, ef += x * y, ff += y * y;
      along_e += sag_[i] * x, along_f += sag_[i] * y;
    }
    const double determinant = ee * ff - ef * ef;
    return (ff * along_e - ef * along_f) / determinant * e + (ee * along_f - ef * along_e) / determinant * f;
  }

  /// Returns the corner of a face at a node, or -1. The nodes of a periodic image are compared by position.
  [[nodiscard]] int corner(const WallFace& face, const Node& node) const {
    for (int i = 0; i < face.nodes; ++i) {
      if (face.id[i] == node.id || (face.image && norm(face.node[i] - node.x) <= tolerance_)) return i;
    }
    return -1;
  }

  /// Returns the normal to the wall with about the normal `near` at a node.
  [[nodiscard]] Vec3 normal_at(const Node& node, const Vec3& near) const {
    std::vector<Vec3> terms;
    for (const WallFace& face : faces) {
      const int i = corner(face, node);
      if (i < 0 || face.symmetry || dot(face.normal, near) < kCorner) continue;
      const Vec3 after = face.node[(i + 1) % face.nodes] - face.node[i];
      const Vec3 before = face.node[(i + face.nodes - 1) % face.nodes] - face.node[i];
      terms.push_back(cross(after, before) / (dot(after, after) * dot(before, before)));
    }
    Vec3 normal = sum(terms);
    const double before = norm(normal);
    for (const Vec3& axis : symmetry_axes(node, near)) normal -= dot(normal, axis) * axis;
    const double length = norm(normal);
    return length > 1e-6 * before ? normal / length : near;
  }

  /// Returns orthogonal unit vectors that span the normals of those symmetry planes at a node in which the wall and its mirror
  /// image do not meet in a corner. They do not depend on the order of the faces.
  [[nodiscard]] std::vector<Vec3> symmetry_axes(const Node& node, const Vec3& near) const {
    constexpr double kParallel = 1e-3;
    constexpr double kHalfCorner = 0.2588;  // sine of 15 degrees: the wall turns by twice the angle to the normal of the plane
    std::vector<Vec3> planes, axes;
    for (const WallFace& face : faces) {
      if (face.symmetry && corner(face, node) >= 0 && std::abs(dot(face.normal, near)) <= kHalfCorner) {
        planes.push_back(face.normal);
      }
    }
    std::ranges::sort(planes, {}, [](const Vec3& v) { return std::tuple(v.x, v.y, v.z); });
    for (Vec3 axis : planes) {
      for (const Vec3& other : axes) axis -= dot(axis, other) * other;
      if (norm(axis) > kParallel) axes.push_back(axis / norm(axis));
    }
    return axes;
  }

  std::vector<const WallFace*> at_edge_;
  std::vector<Surface> surfaces_;
  std::vector<double> sag_;  ///< one per surface: 8 times the sag of the arc along its normal
  double tolerance_ = 0;     ///< m
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
        const LocalNodeId a = nodes[i], b = nodes[(i + 1) % nodes.size()];
        const Vec3 sliver = near.sliver({a, mesh.node_coord[a]}, {b, mesh.node_coord[b]});
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

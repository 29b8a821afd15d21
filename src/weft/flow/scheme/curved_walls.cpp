#include "weft/flow/scheme/curved_walls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "weft/flow/scheme/wall_faces.hpp"

namespace weft::flow {
namespace {

using detail::WallFace;
using mesh::LocalCellId;
using mesh::LocalNodeId;
using mesh::Mesh;

constexpr double kCorner = 0.866;       // cosine of 30 degrees: faces with larger angles meet in a corner
constexpr double kHalfCorner = 0.2588;  // sine of 15 degrees: at a symmetry plane the wall turns by twice the angle to its normal

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
  std::vector<const WallFace*> faces;

  /// Returns the sliver at the edge from a to b.
  [[nodiscard]] Vec3 sliver(const Node& a, const Node& b) {
    const Vec3 d = b.x - a.x;
    find_faces_at(a, 1e-3 * norm(d), at_a_);
    find_faces_at(b, 1e-3 * norm(d), at_b_);
    at_edge_.clear();
    bool triangle = false;
    for (const auto& [face, corner] : at_a_) {
      if (std::ranges::find(at_b_, face, &FaceAtNode::face) == at_b_.end()) continue;
      at_edge_.push_back(face);
      triangle = triangle || (!face->symmetry && face->nodes == 3);
    }
    if (!triangle) return {};
    constexpr double kPlane = 1e-9;  // change of the normal that is one of rounding
    bool curved = false;
    find_surfaces();
    sag_.clear();
    for (const Surface& surface : surfaces_) {
      const auto [normal_a, normal_b] = surface.plane ? std::pair<Vec3, Vec3>{} : normals(d, surface.normal);
      curved = curved || norm(normal_b - normal_a) > kPlane;
      sag_.push_back(dot(normal_b - normal_a, d));
    }
    return curved ? cross(arc(d), d) / 12 : Vec3{};
  }

 private:
  struct FaceAtNode {
    const WallFace* face;
    int corner;
  };

  /// Finds the faces at a node. The nodes of a periodic image are compared by position. @param tolerance  m.
  void find_faces_at(const Node& node, double tolerance, std::vector<FaceAtNode>& found) const {
    found.clear();
    for (const WallFace* face : faces) {
      for (int i = 0; i < face->nodes; ++i) {
        if (face->id[i] != node.id && !(face->image && norm(face->node[i] - node.x) <= tolerance)) continue;
        found.push_back({face, i});
        break;
      }
    }
  }

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

  /// Returns the normals to the wall with about the normal `near` at the ends of an edge. Where the wall continues beyond one of
  /// the ends only, that at the other end is its mirror image, as on a sphere; where it continues beyond none of them, the one
  /// that is nearer to a right angle to the edge is the mirror image of the other, because normals of faces on one side turn too
  /// little.
  [[nodiscard]] std::pair<Vec3, Vec3> normals(const Vec3& edge, const Vec3& near) const {
    const Vec3 normal_a = normal_at(at_a_, near), normal_b = normal_at(at_b_, near);
    const bool ends_a = !continues(at_a_, -edge, near), ends_b = !continues(at_b_, edge, near);
    if (!ends_a && !ends_b) return {normal_a, normal_b};
    const auto opposite = [&](const Vec3& normal) { return normal - (2 * dot(normal, edge) / dot(edge, edge)) * edge; };
    const bool take_b = ends_a && (!ends_b || std::abs(dot(normal_b, edge)) > std::abs(dot(normal_a, edge)));
    return take_b ? std::pair{opposite(normal_b), normal_b} : std::pair{normal_a, opposite(normal_a)};
  }

  /// Returns whether the wall with about the normal `near` continues from a node in a direction: within a face or its image
  /// behind a symmetry plane. Elsewhere only faces on one side of the node are known, and the mean of their normals is not that
  /// at it.
  [[nodiscard]] static bool continues(const std::vector<FaceAtNode>& at_node, Vec3 direction, const Vec3& near) {
    constexpr double kAside = 0.2;  // sine of the angle by which the edge of a wall may turn
    for (const Vec3& plane : planes_at(at_node, near)) {
      const double behind = dot(plane, direction);
      if (behind > 0) direction -= 2 * behind * plane;
    }
    const double aside = -kAside * norm(direction);
    return std::ranges::any_of(at_node, [&](const FaceAtNode& at) {
      if (at.face->symmetry || dot(at.face->normal, near) < kCorner) return false;
      const int nodes = at.face->nodes;
      const Vec3 x = at.face->node[at.corner], after = at.face->node[(at.corner + 1) % nodes] - x,
                 before = at.face->node[(at.corner + nodes - 1) % nodes] - x;
      const double aa = dot(after, after), ab = dot(after, before), bb = dot(before, before), determinant = aa * bb - ab * ab;
      const double along_a = dot(after, direction), along_b = dot(before, direction);
      return (bb * along_a - ab * along_b) * std::sqrt(aa) >= aside * determinant &&
             (aa * along_b - ab * along_a) * std::sqrt(bb) >= aside * determinant;
    });
  }

  /// Returns the normal to the wall with about the normal `near` at a node.
  [[nodiscard]] Vec3 normal_at(const std::vector<FaceAtNode>& at_node, const Vec3& near) const {
    std::vector<Vec3> terms;
    for (const auto& [face, i] : at_node) {
      if (face->symmetry || dot(face->normal, near) < kCorner) continue;
      const Vec3 after = face->node[(i + 1) % face->nodes] - face->node[i];
      const Vec3 before = face->node[(i + face->nodes - 1) % face->nodes] - face->node[i];
      terms.push_back(cross(after, before) / (dot(after, after) * dot(before, before)));
    }
    Vec3 normal = sum(terms);
    const double before = norm(normal);
    for (const Vec3& axis : symmetry_axes(at_node, near)) normal -= dot(normal, axis) * axis;
    const double length = norm(normal);
    return length > 1e-6 * before ? normal / length : near;
  }

  /// Returns the normals of those faces on symmetry planes at a node in which the wall and its mirror image do not meet in a
  /// corner, in an order that does not depend on that of the faces.
  [[nodiscard]] static std::vector<Vec3> planes_at(const std::vector<FaceAtNode>& at_node, const Vec3& near) {
    std::vector<Vec3> planes;
    for (const auto& [face, i] : at_node) {
      if (face->symmetry && std::abs(dot(face->normal, near)) <= kHalfCorner) planes.push_back(face->normal);
    }
    std::ranges::sort(planes, {}, [](const Vec3& v) { return std::tuple(v.x, v.y, v.z); });
    return planes;
  }

  /// Returns orthogonal unit vectors that span the normals of those symmetry planes at a node in which the wall and its mirror
  /// image do not meet in a corner. They do not depend on the order of the faces.
  [[nodiscard]] std::vector<Vec3> symmetry_axes(const std::vector<FaceAtNode>& at_node, const Vec3& near) const {
    constexpr double kParallel = 1e-3;
    std::vector<Vec3> axes;
    for (Vec3 axis : planes_at(at_node, near)) {
      for (const Vec3& other : axes) axis -= dot(axis, other) * other;
      if (norm(axis) > kParallel) axes.push_back(axis / norm(axis));
    }
    return axes;
  }

  std::vector<FaceAtNode> at_a_, at_b_;
  std::vector<const WallFace*> at_edge_;
  std::vector<Surface> surfaces_;
  std::vector<double> sag_;  ///< one per surface: 8 times the sag of the arc along its normal
};

/// The area vector of a face with arcs as edges.
struct ChangedArea {
  mesh::LocalFaceId face;
  Vec3 vector;  ///< m^2, out of the left cell
};

/// The slivers at the edges of owned cells, for one thread. All cells at an edge see the same faces at its nodes, so that a
/// thread computes an edge once, with the same result for whichever cell.
class EdgeSlivers {
 public:
  EdgeSlivers(const Mesh& mesh, const detail::WallFaces& walls) : mesh_(mesh), walls_(walls) {}

  /// Appends the area vectors of those faces of which this is the left cell and which have slivers.
  void append_areas(LocalCellId cell, std::vector<ChangedArea>& changed) {
    for (const mesh::LocalFaceId face : mesh_.cell_faces.row(cell)) {
      if (mesh_.face_left[face] != cell) continue;
      const auto nodes = mesh_.face_nodes.row(face);
      slivers_.clear();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Vec3 sliver = at(cell, nodes[i], nodes[(i + 1) % nodes.size()]);
        if (!(sliver == Vec3{})) slivers_.push_back(sliver);
      }
      if (!slivers_.empty()) changed.push_back({face, mesh_.face_area[face] * mesh_.face_normal[face] + sum(slivers_)});
    }
  }

 private:
  /// Returns the sliver at the edge from a to b of a cell.
  [[nodiscard]] Vec3 at(LocalCellId cell, LocalNodeId a, LocalNodeId b) {
    if (!walls_.on_wall(a) || !walls_.on_wall(b)) return {};
    const auto [low, high] = std::minmax(a, b);
    const auto [known, is_new] = known_.try_emplace(std::int64_t{low.value()} << 32 | high.value());
    if (is_new) {
      find_walls(cell);
      known->second = near_.sliver({low, mesh_.node_coord[low]}, {high, mesh_.node_coord[high]});
    }
    return a == low ? known->second : -known->second;
  }

  /// Finds the faces on walls of a cell and its neighbours.
  void find_walls(LocalCellId cell) {
    if (cell == cell_) return;
    cell_ = cell;
    near_.faces.clear();
    const auto append = [&](LocalCellId other) {
      if (mesh_.cell_type[other] == mesh::CellType::hexahedron) return;
      for (const WallFace& face : walls_.of(other)) near_.faces.push_back(&face);
    };
    append(cell);
    for (const LocalCellId other : mesh_.cell_cells.row(cell)) append(other);
  }

  const Mesh& mesh_;
  const detail::WallFaces& walls_;
  NearWalls near_;
  LocalCellId cell_;                              ///< the cell to which near_ belongs
  std::vector<Vec3> slivers_;                     ///< those at the edges of the present face
  std::unordered_map<std::int64_t, Vec3> known_;  ///< from the lower node to the higher
};

}  // namespace

FaceAreas areas_at_curved_walls(const Mesh& mesh, const BoundaryKinds& kinds, Team& team) {
  if (mesh.dim == 2) return {};
  const detail::WallFaces walls(mesh, kinds, team);
  if (!walls.has_triangles()) return {};
  const auto has_edge_on_wall = [&](LocalCellId cell) {
    return std::ranges::count_if(mesh.cell_nodes.row(cell), [&](LocalNodeId n) { return walls.on_wall(n); }) >= 2;
  };
  const std::vector<LocalCellId> cells = detail::select_cells(team, mesh.owned_cells, has_edge_on_wall);
  std::vector<std::vector<ChangedArea>> of_share(shares_of(team, std::ssize(cells)));
  for_shares(team, std::ssize(cells), [&](LoopShare share) {
    EdgeSlivers edges(mesh, walls);
    for (std::int64_t i = share.begin; i < share.end; ++i) edges.append_areas(cells[i], of_share[share.number]);
  });
  FaceAreas areas;
  for (const std::vector<ChangedArea>& changed : of_share) {
    if (areas.area.empty() && !changed.empty()) areas = {.normal = mesh.face_normal, .area = mesh.face_area};
    for (const ChangedArea& face : changed) {
      areas.area[face.face] = norm(face.vector);
      areas.normal[face.face] = face.vector / areas.area[face.face];
    }
  }
  return areas;
}

}  // namespace weft::flow

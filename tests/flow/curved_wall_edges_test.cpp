// Area vectors at the edges of curved walls of triangles: thin walls, walls that end within the domain, corners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/flow/scheme/curved_walls.hpp"
#include "weft/mesh/io/read_scatter.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::curved_wall_edges_test {
namespace {

using mesh::GlobalNodeId;

constexpr std::int64_t kCells = 8;  // along an edge of the box
constexpr double kLayer = 1.0 / kCells;
constexpr double kSamePlace = 1e-9;

/// Returns the unit box with four layers in z, of rank 0 alone.
mesh::MeshBlock box(const std::string& elements) {
  return mesh::generate(Communicator::self(), "box",
                        {{"nx", kCells}, {"ny", kCells}, {"nz", std::int64_t{4}}, {"zmax", 4 * kLayer}, {"elements", elements}});
}

Vec3 centre(const mesh::MeshBlock& block, std::span<const GlobalNodeId> nodes) {
  Vec3 sum;
  for (const GlobalNodeId n : nodes) sum += block.coords[n.index()];
  return sum / static_cast<double>(nodes.size());
}

/// Parts of a box where a thin wall is put between its cells.
struct Sheet {
  std::function<bool(Vec3)> on;     ///< nodes of the wall
  std::function<bool(Vec3)> split;  ///< those of them that the cells on both sides do not share
  std::function<bool(Vec3)> behind;
};

/// Puts a thin wall, the zone "sheet", between cells.
void insert(mesh::MeshBlock& block, const Sheet& sheet) {
  const std::size_t nodes = block.coords.size();
  std::vector<GlobalNodeId> behind(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    behind[n] = GlobalNodeId(static_cast<std::int64_t>(n));
    if (!sheet.on(block.coords[n]) || !sheet.split(block.coords[n])) continue;
    behind[n] = GlobalNodeId(static_cast<std::int64_t>(block.coords.size()));
    block.coords.push_back(block.coords[n]);
  }
  for (mesh::Elements* elements : {&block.cells, &block.boundary}) {
    for (std::int64_t i = 0; i < elements->size(); ++i) {
      if (!sheet.behind(centre(block, elements->nodes(i)))) continue;
      for (std::int64_t k = elements->offset[i]; k < elements->offset[i + 1]; ++k) {
        elements->node[k] = behind[elements->node[k].index()];
      }
    }
  }
  const mesh::ZoneId zone = block.zones.push_back({"sheet", 2});
  for (std::int64_t i = 0; i < block.cells.size(); ++i) {
    const mesh::CellShape& shape = mesh::shape(block.cells.type[i]);
    for (int f = 0; f < shape.faces; ++f) {
      std::vector<GlobalNodeId> corners;
      for (int k = 0; k < shape.face[f].size; ++k) corners.push_back(block.cells.nodes(i)[shape.face[f].node[k]]);
      if (!std::ranges::all_of(corners, [&](GlobalNodeId n) { return sheet.on(block.coords[n.index()]); })) continue;
      block.boundary.add(corners.size() == 3 ? mesh::CellType::triangle : mesh::CellType::quad, corners, zone,
                         block.boundary.size());
    }
  }
}

mesh::Mesh built(mesh::MeshBlock block, const std::function<Vec3(Vec3)>& place) {
  for (Vec3& x : block.coords) x = place(x);
  const Communicator& world = Communicator::world();
  return mesh::build(world, mesh::detail::scatter_whole(world, world.is_root() ? std::move(block) : mesh::MeshBlock{}));
}

/// Returns slip walls on the zones named, `others` elsewhere.
BoundaryKinds walls(const mesh::Mesh& m, const std::vector<std::string>& names, BoundaryKind others = BoundaryKind::far_field) {
  BoundaryKinds kinds;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    kinds.push_back(std::ranges::find(names, zone.name) != names.end() ? BoundaryKind::slip_wall : others);
  }
  return kinds;
}

/// Area vectors of a mesh, those of the mesh on ranks where they do not change.
FaceAreas areas_of(const mesh::Mesh& m, const BoundaryKinds& kinds) {
  FaceAreas areas = areas_at_curved_walls(m, kinds);
  EXPECT_FALSE(m.comm.all(areas.area.empty()));
  if (areas.area.empty()) areas = {.normal = m.face_normal, .area = m.face_area};
  return areas;
}

void expect_closed(const mesh::Mesh& m, const FaceAreas& areas, const std::string& what) {
  double worst = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    Vec3 sum;
    double largest = 0;
    for (const mesh::LocalFaceId f : m.cell_faces.row(c)) {
      sum += (m.face_left[f] == c ? 1 : -1) * areas.area[f] * areas.normal[f];
      largest = std::max(largest, areas.area[f]);
    }
    worst = std::max(worst, norm(sum) / largest);
  }
  EXPECT_LE(m.comm.max(worst), 1e-14) << what;
}

/// Returns the largest angle between the normals to the faces of a zone and the lines `exact` at their centroids.
double largest_angle(const mesh::Mesh& m, const IdVector<mesh::LocalFaceId, Vec3>& normal, const std::string& name,
                     const std::function<Vec3(Vec3)>& exact, const std::function<bool(Vec3)>& counts) {
  double largest = 0;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    for (const mesh::LocalFaceId face : zone.faces) {
      const Vec3 at = m.face_centroid[face];
      if (zone.name == name && counts(at)) largest = std::max(largest, norm(cross(normal[face], exact(at))));
    }
  }
  return m.comm.max(largest);
}

bool anywhere(Vec3 /*x*/) { return true; }

Vec3 on_cylinder(Vec3 x) { return {(2 + x.z) * std::sin(x.x - 0.5), x.y, (2 + x.z) * std::cos(x.x - 0.5)}; }
Vec3 on_sphere(Vec3 x) {
  const Vec3 direction{x.x - 0.5, x.y - 0.5, 1};
  return ((2 + x.z) / norm(direction)) * direction;
}

// A thin wall on a cylinder, both of whose edges along its axis end within the gas, where the cells on both sides share nodes.
TEST(CurvedWallEdges, ThinWallsHaveTheNormalOfTheSurfaceOnBothSides) {
  for (const char* elements : {"tetrahedra", "prisms"}) {
    mesh::MeshBlock block = box(elements);
    insert(block, {.on = [](Vec3 x) { return std::abs(x.z - 2 * kLayer) < kSamePlace && std::abs(x.x - 0.5) < 0.26; },
                   .split = [](Vec3 x) { return std::abs(x.x - 0.5) < 0.24; },
                   .behind = [](Vec3 x) { return x.z > 2 * kLayer; }});
    const mesh::Mesh m = built(std::move(block), on_cylinder);
    const FaceAreas areas = areas_of(m, walls(m, {"sheet"}));
    expect_closed(m, areas, elements);
    const auto exact = [](Vec3 x) { return Vec3{x.x, 0, x.z} / std::hypot(x.x, x.z); };
    // In its corners the wall has neighbours on one side only.
    const auto inside = [](Vec3 x) { return std::abs(std::atan2(x.x, x.z)) < 0.12 && std::abs(x.y - 0.5) < 0.37; };
    const double of_mesh = largest_angle(m, m.face_normal, "sheet", exact, inside);
    EXPECT_GE(of_mesh, 0.06 * kLayer) << elements;
    EXPECT_LE(largest_angle(m, areas.normal, "sheet", exact, inside), 0.01 * of_mesh) << elements;
    EXPECT_LE(largest_angle(m, areas.normal, "sheet", exact, anywhere), 1.1 * of_mesh) << elements;
  }
}

// A plane thin wall that stands on a sphere: at its foot there are four faces on walls, of both sides of it and of the sphere.
TEST(CurvedWallEdges, AWallThatStandsOnAnotherLeavesItItsNormal) {
  for (const char* elements : {"tetrahedra", "prisms"}) {
    for (const bool shared : {false, true}) {  // the nodes at its foot
      const std::string what = std::string(elements) + (shared ? ", shared nodes" : "");
      mesh::MeshBlock block = box(elements);
      insert(block, {.on = [](Vec3 x) { return std::abs(x.x - 0.5) < kSamePlace && x.z < 2.1 * kLayer; },
                     .split = [&](Vec3 x) { return x.z < 1.9 * kLayer && !(shared && x.z < kSamePlace); },
                     .behind = [](Vec3 x) { return x.x > 0.5; }});
      const mesh::Mesh m = built(std::move(block), on_sphere);
      const FaceAreas areas = areas_of(m, walls(m, {"sheet", "zmin"}));
      expect_closed(m, areas, what);
      EXPECT_LE(largest_angle(
                    m, areas.normal, "sheet",
                    [](Vec3) {
                      return Vec3{1, 0, 0};
                    },
                    anywhere),
                1e-14)
          << what;
      const auto sphere = [](Vec3 x) { return x / norm(x); };
      const auto at_foot = [](Vec3 x) { return std::abs(x.x) < 2 * kLayer && std::abs(x.y) < 0.6; };
      const double of_mesh = largest_angle(m, m.face_normal, "zmin", sphere, at_foot);
      EXPECT_GE(of_mesh, 0.06 * kLayer) << what;
      // Without shared nodes each part of the sphere ends at the foot.
      EXPECT_LE(largest_angle(m, areas.normal, "zmin", sphere, at_foot), (shared ? 0.2 : 0.5) * of_mesh) << what;
    }
  }
}

/// Returns the box between a sphere and a plane at x = 1 that cuts it at 30 degrees from the perpendicular.
Vec3 cut_sphere(Vec3 x) { return {1 + 0.5 * x.x, 0.5 * x.y, std::sqrt(4 - std::pow(1 + 0.5 * x.x, 2) - 0.25 * x.y * x.y) + x.z}; }

// The arc where a sphere meets a plane lies in the plane.
TEST(CurvedWallEdges, PlanesKeepTheirNormalAtCornersAndSymmetryPlanes) {
  for (const char* elements : {"tetrahedra", "prisms"}) {
    for (const BoundaryKind of_plane : {BoundaryKind::slip_wall, BoundaryKind::symmetry}) {
      const mesh::Mesh m = built(box(elements), cut_sphere);
      BoundaryKinds kinds = walls(m, {"zmin"});
      for (const mesh::BoundaryZoneId z : kinds.ids()) {
        if (m.boundary[z].name == "xmin") kinds[z] = of_plane;
      }
      const FaceAreas areas = areas_of(m, kinds);
      expect_closed(m, areas, elements);
      EXPECT_LE(largest_angle(
                    m, areas.normal, "xmin",
                    [](Vec3) {
                      return Vec3{1, 0, 0};
                    },
                    anywhere),
                1e-14)
          << elements;
    }
  }
}

// At a plane wall that is not normal to a symmetry plane, or that begins where a symmetry plane ends, nothing is curved.
TEST(CurvedWallEdges, PlaneWallsAreNotCurvedAtSymmetryPlanes) {
  const auto slanted = [](Vec3 x) { return Vec3{x.x, x.y, x.z + 0.6 * x.x}; };
  const auto wedge = [](Vec3 x) { return Vec3{x.x, x.y, x.z + 0.18 * std::max(0.0, x.x - 0.5)}; };
  for (const char* elements : {"tetrahedra", "prisms"}) {
    const mesh::Mesh between = built(box(elements), slanted);
    EXPECT_TRUE(areas_at_curved_walls(between, walls(between, {"zmin"}, BoundaryKind::symmetry)).area.empty()) << elements;

    mesh::MeshBlock block = box(elements);
    const mesh::ZoneId wall(std::ranges::find(block.zones, "zmin", &mesh::Zone::name) - block.zones.begin());
    const mesh::ZoneId floor = block.zones.push_back({"floor", 2});
    for (std::int64_t i = 0; i < block.boundary.size(); ++i) {
      if (block.boundary.zone[i] == wall && centre(block, block.boundary.nodes(i)).x < 0.5) {
        block.boundary.zone[i] = floor;
      }
    }
    const mesh::Mesh behind = built(std::move(block), wedge);
    BoundaryKinds kinds = walls(behind, {"zmin"});
    for (const mesh::BoundaryZoneId z : kinds.ids()) {
      if (behind.boundary[z].name == "floor") kinds[z] = BoundaryKind::symmetry;
    }
    EXPECT_TRUE(areas_at_curved_walls(behind, kinds).area.empty()) << elements;
  }
}

}  // namespace
}  // namespace weft::flow::curved_wall_edges_test

// Area vectors at curved walls of triangles: normals of the wall, closed cells, the same on any number of ranks.
#include "weft/flow/scheme/curved_walls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "flow/solver_support.hpp"

namespace weft::flow::curved_walls_test {
namespace {

/// Returns a mesh of the part of a shell between the radii 2 and 3 that `place` makes of the unit cube; the wall is zmin.
mesh::Mesh shell(const char* elements, const std::function<Vec3(Vec3)>& place, std::int64_t cells,
                 const mesh::BuildOptions& options = {}) {
  const Communicator& world = Communicator::world();
  mesh::MeshBlock block = mesh::generate(world, "box",
                                         {{"nx", cells},
                                          {"ny", cells},
                                          {"nz", std::int64_t{std::string_view(elements) == "mixed" ? 6 : 2}},
                                          {"zmax", 2.0 / static_cast<double>(cells)},
                                          {"elements", elements}});
  for (Vec3& x : block.coords) x = place(x);
  return mesh::build(world, std::move(block), options);
}

Vec3 on_cylinder(Vec3 x) { return {(2 + x.z) * std::sin(x.x), x.y, (2 + x.z) * std::cos(x.x)}; }
Vec3 on_sphere(Vec3 x) {
  const Vec3 direction{x.x - 0.5, x.y - 0.5, 1};
  return ((2 + x.z) / norm(direction)) * direction;
}

BoundaryKinds kinds_with(const mesh::Mesh& m, BoundaryKind others) {
  BoundaryKinds kinds;
  for (const mesh::BoundaryZone& zone : m.boundary) kinds.push_back(zone.name == "zmin" ? BoundaryKind::slip_wall : others);
  return kinds;
}

/// Returns the largest angle between the normals to the faces of the wall and those of the surface at their centroids, where
/// counts(centroid).
double largest_angle(const mesh::Mesh& m, const IdVector<mesh::LocalFaceId, Vec3>& normal, const std::function<Vec3(Vec3)>& exact,
                     const std::function<bool(Vec3)>& counts) {
  double largest = 0;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    for (const mesh::LocalFaceId face : zone.faces) {
      const Vec3 at = m.face_centroid[face];
      if (zone.name != "zmin" || !counts(at)) continue;
      largest = std::max(largest, norm(cross(normal[face], exact(at))));
    }
  }
  return m.comm.max(largest);
}

void expect_closed(const mesh::Mesh& m, const FaceAreas& areas) {
  for (const mesh::LocalCellId c : m.owned()) {
    Vec3 sum;
    double largest = 0;
    for (const mesh::LocalFaceId f : m.cell_faces.row(c)) {
      sum += (m.face_left[f] == c ? 1 : -1) * areas.area[f] * areas.normal[f];
      largest = std::max(largest, areas.area[f]);
    }
    EXPECT_LE(norm(sum), 1e-14 * largest) << c.value();
  }
}

TEST(CurvedWalls, TrianglesHaveTheNormalOfTheSurface) {
  struct Surface {
    std::function<Vec3(Vec3)> place, normal;
    std::function<bool(Vec3)> counts;  ///< not in corners of the wall, where edges have nodes on its ends only
  };
  const auto at_end = [](double angle) { return std::abs(angle) > 0.3; };
  const Surface cylinder{[](Vec3 x) {
                           return on_cylinder({x.x - 0.5, x.y, x.z});
                         },
                         [](Vec3 x) {
                           return Vec3{x.x, 0, x.z} / std::hypot(x.x, x.z);
                         },
                         [&](Vec3 x) { return !(at_end(std::atan2(x.x, x.z)) && at_end(x.y - 0.5)); }};
  const Surface sphere{on_sphere, [](Vec3 x) { return x / norm(x); },
                       [&](Vec3 x) { return !(at_end(std::atan2(x.x, x.z)) && at_end(std::atan2(x.y, x.z))); }};
  for (const Surface& surface : {cylinder, sphere}) {
    for (const char* elements : {"tetrahedra", "prisms"}) {
      double before = 0;
      for (const std::int64_t cells : {8, 16}) {
        const mesh::Mesh m = shell(elements, surface.place, cells);
        const FaceAreas areas = areas_at_curved_walls(m, kinds_with(m, BoundaryKind::far_field));
        ASSERT_EQ(areas.area.size(), static_cast<std::size_t>(m.faces()));
        expect_closed(m, areas);
        const double of_mesh = largest_angle(m, m.face_normal, surface.normal, surface.counts),
                     angle = largest_angle(m, areas.normal, surface.normal, surface.counts);
        EXPECT_GE(of_mesh, 0.06 / static_cast<double>(cells)) << elements;  // first order
        EXPECT_LE(angle, 0.15 * of_mesh) << elements;
        if (before > 0) {
          EXPECT_LE(angle, 0.4 * before + 1e-12) << elements;
        }
        before = angle;
      }
    }
  }
}

TEST(CurvedWalls, AreThoseOfTheMeshOnPlanesOnQuadsAndAtSymmetryPlanes) {
  const auto box = [](Vec3 x) { return x; };
  for (const char* elements : {"tetrahedra", "prisms", "pyramids", "mixed"}) {
    const mesh::Mesh m = shell(elements, box, 4);
    EXPECT_TRUE(areas_at_curved_walls(m, kinds_with(m, BoundaryKind::slip_wall)).area.empty()) << elements;
  }
  const mesh::Mesh hexahedra = shell("hexahedra", on_sphere, 4), tetrahedra = shell("tetrahedra", on_sphere, 4);
  EXPECT_TRUE(areas_at_curved_walls(hexahedra, kinds_with(hexahedra, BoundaryKind::far_field)).area.empty());
  const BoundaryKinds planes(tetrahedra.boundary.size(), BoundaryKind::symmetry);
  EXPECT_TRUE(areas_at_curved_walls(tetrahedra, planes).area.empty());
}

// Between two ranks, and across a periodic boundary, a face has one area vector.
TEST(CurvedWalls, BothSidesOfAFaceAgree) {
  mesh::BuildOptions options;
  options.periodic.push_back({"ymin", "ymax", {0, 1, 0}});
  for (const char* elements : {"tetrahedra", "prisms", "mixed"}) {
    // The walls of mixed cells that are curved here, xmin and xmax, have hexahedra, pyramids, tetrahedra and prisms.
    const auto bent = [](Vec3 x) { return Vec3{(2 + x.x) * std::cos(x.z), x.y, (2 + x.x) * std::sin(x.z)}; };
    const mesh::Mesh m =
        std::string_view(elements) == "mixed" ? shell(elements, bent, 6, options) : shell(elements, on_cylinder, 6, options);
    const FaceAreas areas = areas_at_curved_walls(m, kinds_with(m, BoundaryKind::slip_wall));
    if (m.comm.all(areas.area.empty())) {
      ADD_FAILURE() << elements;
      continue;
    }
    // The sum of area vectors over all owned cells is that over the boundary: faces between ranks cancel out.
    std::array<double, 3> sum{};
    for (const mesh::LocalFaceId f : m.face_area.ids()) {
      const Vec3 area = areas.area.empty() ? m.face_area[f] * m.face_normal[f] : areas.area[f] * areas.normal[f];
      const bool between = m.face_right[f].valid() && m.face_right[f].value() >= m.owned_cells;
      for (int k = 0; k < 3 && between; ++k) sum[k] += area[k];
    }
    for (const double s : sum) EXPECT_NEAR(m.comm.sum(s), 0, 1e-13) << elements;
    if (!areas.area.empty()) expect_closed(m, areas);
  }
}

/// Places a cube between two planes, xmin and ymin, that meet at 60 degrees on a sphere.
Vec3 sector(Vec3 x) {
  const Vec3 direction{x.x + 0.5 * x.y, std::sqrt(0.75) * x.y, 1};
  return ((2 + x.z) / norm(direction)) * direction;
}

BoundaryKinds kinds_of_sector(const mesh::Mesh& m) {
  BoundaryKinds kinds = kinds_with(m, BoundaryKind::far_field);
  for (const mesh::BoundaryZoneId z : kinds.ids()) {
    if (m.boundary[z].name == "xmin" || m.boundary[z].name == "ymin") kinds[z] = BoundaryKind::symmetry;
  }
  return kinds;
}

// Where two symmetry planes meet, all cells have the same normal at the pole: their common line.
TEST(CurvedWalls, CellsBetweenTwoSymmetryPlanesAreClosed) {
  for (const char* elements : {"tetrahedra", "prisms"}) {
    const mesh::Mesh m = shell(elements, sector, 6);
    const FaceAreas areas = areas_at_curved_walls(m, kinds_of_sector(m));
    if (!areas.area.empty()) expect_closed(m, areas);
    EXPECT_FALSE(m.comm.all(areas.area.empty())) << elements;
  }
}

TEST(CurvedWalls, ThreadsGiveTheSameAreas) {
  for (const char* elements : {"tetrahedra", "prisms"}) {
    for (const bool between_planes : {false, true}) {
      const mesh::Mesh m = shell(elements, between_planes ? sector : on_sphere, 24);
      const BoundaryKinds kinds = between_planes ? kinds_of_sector(m) : kinds_with(m, BoundaryKind::slip_wall);
      const FaceAreas alone = areas_at_curved_walls(m, kinds);
      EXPECT_FALSE(m.comm.all(alone.area.empty())) << elements;
      for (const int threads : {2, 3, 8}) {
        Team team(threads);
        const FaceAreas areas = areas_at_curved_walls(m, kinds, team);
        EXPECT_EQ(areas.area, alone.area) << elements << ' ' << threads;
        EXPECT_EQ(areas.normal, alone.normal) << elements << ' ' << threads;
      }
    }
  }
}

}  // namespace
}  // namespace weft::flow::curved_walls_test

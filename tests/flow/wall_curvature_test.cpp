// Curvature of slip walls from their faces: circles, cylinders and spheres, corners, any number of ranks.
#include "weft/flow/scheme/wall_curvature.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "flow/solver_support.hpp"

namespace weft::flow::wall_curvature_test {
namespace {

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = 0;
};

/// Returns the range of the curvature on one zone, if that and the zones whose name begins with `others` are slip walls.
Range curvature_of(const mesh::Mesh& m, const std::string& zone, const std::string& others = "none") {
  BoundaryKinds kinds;
  for (const mesh::BoundaryZone& z : m.boundary) {
    kinds.push_back(z.name == zone || z.name.starts_with(others) ? BoundaryKind::slip_wall : BoundaryKind::far_field);
  }
  const std::vector<double> curvature = wall_curvature(m, kinds);
  Range range;
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const double of_face = curvature[static_cast<std::size_t>(face.value() - m.interface_faces.last().value())];
      if (kinds[z] != BoundaryKind::slip_wall) {
        EXPECT_EQ(of_face, 0);
      }
      if (m.boundary[z].name != zone) continue;
      range.least = std::min(range.least, of_face);
      range.most = std::max(range.most, of_face);
    }
  }
  return {m.comm.min(range.least), m.comm.max(range.most)};
}

/// Returns a mesh of the part of a shell between the radii 2 and 3 that `place` makes of the unit cube; the wall is zmin.
mesh::Mesh shell(const std::string& elements, const std::function<Vec3(Vec3)>& place, const mesh::BuildOptions& options = {}) {
  const Communicator& world = Communicator::world();
  mesh::MeshBlock block = mesh::generate(
      world, "box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{6}}, {"nz", std::int64_t{2}}, {"elements", elements}});
  for (Vec3& x : block.coords) x = place(x);
  return mesh::build(world, std::move(block), options);
}

TEST(WallCurvature, IsThatOfACircle) {
  for (const char* elements : {"quads", "triangles", "mixed"}) {
    const Range k = curvature_of(
        test::generated("cylinder", {{"around", std::int64_t{24}}, {"radial", std::int64_t{6}}, {"elements", elements}}),
        "cylinder");
    EXPECT_NEAR(k.least, 1, 0.01) << elements;
    EXPECT_NEAR(k.most, 1, 0.01) << elements;
  }
}

TEST(WallCurvature, IsAboutThatOfACylinderAcrossAPeriodicBoundary) {
  const auto cylinder = [](Vec3 x) { return Vec3{(2 + x.z) * std::sin(x.x), x.y, (2 + x.z) * std::cos(x.x)}; };
  mesh::BuildOptions options;
  options.periodic.push_back({"ymin", "ymax", {0, 1, 0}});
  for (const char* elements : {"hexahedra", "tetrahedra", "prisms", "pyramids"}) {
    const Range k = curvature_of(shell(elements, cylinder, options), "zmin");
    EXPECT_GE(k.least, 0.49) << elements;
    EXPECT_LE(k.most, 0.9) << elements;  // 1.5 / R on right triangles
  }
}

TEST(WallCurvature, IsAboutThatOfASphere) {
  const auto sphere = [](Vec3 x) {
    const Vec3 direction{x.x - 0.5, x.y - 0.5, 1};
    return ((2 + x.z) / norm(direction)) * direction;
  };
  for (const char* elements : {"hexahedra", "tetrahedra", "prisms", "pyramids"}) {
    const Range k = curvature_of(shell(elements, sphere), "zmin");
    EXPECT_GE(k.least, 0.45) << elements;
    EXPECT_LE(k.most, 0.9) << elements;
  }
}

TEST(WallCurvature, IsZeroOnPlanesAndAtCorners) {
  for (const auto& [elements, dim] : {std::pair{"quads", 2}, std::pair{"triangles", 2}, std::pair{"hexahedra", 3},
                                      std::pair{"tetrahedra", 3}, std::pair{"prisms", 3}, std::pair{"pyramids", 3}}) {
    mesh::GeneratorParameters p{{"nx", std::int64_t{4}}, {"ny", std::int64_t{3}}, {"elements", elements}};
    if (dim == 3) p["nz"] = std::int64_t{3};
    EXPECT_LE(curvature_of(test::generated("box", p), "ymin", "x").most, 1e-12) << elements;
  }
}

}  // namespace
}  // namespace weft::flow::wall_curvature_test

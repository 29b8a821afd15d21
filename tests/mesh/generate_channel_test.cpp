#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"

#include "mesh/generate_check.hpp"

namespace weft::mesh::generate_channel_test {
namespace {

using testing::check_mesh;
using testing::expect_equal;
using testing::Totals;
using testing::whole_mesh;

const double kTan10 = std::tan(std::numbers::pi / 18);

/// Checks the mesh, and that it is the same on 2, 3 and 7 ranks.
Totals check_on_ranks(const GeneratorSpec& spec) {
  const MeshBlock mesh = whole_mesh(spec);
  for (const int ranks : {2, 3, 7}) expect_equal(whole_mesh(spec, ranks), mesh);
  return check_mesh(mesh);
}

bool has_node(const MeshBlock& mesh, Vec3 x) {
  return std::any_of(mesh.coords.begin(), mesh.coords.end(), [x](Vec3 p) { return norm(p - x) < 1e-12; });
}

TEST(GenerateChannel, Wedge) {
  const WedgeSpec spec;
  const Totals totals = check_on_ranks(spec);
  EXPECT_NEAR(totals.volume, 1.5 - 0.5 * kTan10, 1e-13);
  EXPECT_EQ(totals.cells.at(CellType::quad), 48 * 32);
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"inlet", 32}, {"outlet", 32}, {"wall", 48}, {"upper", 48}}));
  EXPECT_NEAR(totals.area.at("inlet"), 1, 1e-14);
  EXPECT_NEAR(totals.area.at("outlet"), 1 - kTan10, 1e-14);
  EXPECT_NEAR(totals.area.at("wall"), 0.5 + std::hypot(1, kTan10), 1e-13);
  const MeshBlock mesh = whole_mesh(spec);
  EXPECT_TRUE(has_node(mesh, {0, 0, 0}));
  EXPECT_TRUE(has_node(mesh, {1, kTan10, 0}));
  EXPECT_TRUE(has_node(mesh, {-0.5, 1, 0}));
}

TEST(GenerateChannel, Expansion) {
  ExpansionSpec spec;
  spec.elements = CellMix::triangles;
  const Totals totals = check_on_ranks(spec);
  EXPECT_NEAR(totals.volume, 1.5 + 0.5 * kTan10, 1e-13);
  EXPECT_EQ(totals.cells.at(CellType::triangle), 2 * 48 * 32);
  EXPECT_TRUE(has_node(whole_mesh(spec), {1, -kTan10, 0}));
}

TEST(GenerateChannel, ExtrudedWedge) {
  for (const CellMix elements : {CellMix::quads, CellMix::triangles, CellMix::mixed, CellMix::tetrahedra, CellMix::hex_prism}) {
    WedgeSpec spec;
    spec.nx = 9;
    spec.ny = 5;
    spec.elements = elements;
    spec.layers = 6;
    spec.depth = 0.5;
    const Totals totals = check_on_ranks(spec);
    EXPECT_NEAR(totals.volume, 0.5 * (1.5 - 0.5 * kTan10), 1e-13);
    EXPECT_NEAR(totals.area.at("zmin"), 1.5 - 0.5 * kTan10, 1e-13);
    EXPECT_EQ(totals.faces.size(), 6U);
  }
}

TEST(GenerateChannel, ForwardStep) {
  const Totals totals = check_on_ranks(ForwardStepSpec{.h = 0.1});
  EXPECT_EQ(totals.cells.at(CellType::quad), 30 * 10 - 24 * 2);
  EXPECT_NEAR(totals.volume, 3 - 2.4 * 0.2, 1e-13);
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"inlet", 10}, {"outlet", 8}, {"wall", 6 + 2 + 24 + 30}}));
  EXPECT_EQ(whole_mesh(ForwardStepSpec{.h = 0.1}).coords.size(), 31U * 11 - 24 * 2);

  for (const CellMix elements : {CellMix::triangles, CellMix::mixed}) {
    ForwardStepSpec spec{.h = 0.05};
    spec.elements = elements;
    EXPECT_NEAR(check_on_ranks(spec).volume, 3 - 2.4 * 0.2, 1e-13);
  }
}

TEST(GenerateChannel, ExtrudedForwardStep) {
  for (const CellMix elements : {CellMix::quads, CellMix::triangles, CellMix::mixed, CellMix::pyramids, CellMix::tetrahedra_5}) {
    ForwardStepSpec spec{.h = 0.2};
    spec.elements = elements;
    spec.layers = 6;
    spec.depth = 1.2;
    const Totals totals = check_on_ranks(spec);
    EXPECT_NEAR(totals.volume, 1.2 * (3 - 2.4 * 0.2), 1e-13);
    EXPECT_EQ(totals.faces.size(), 5U);
  }
}

TEST(GenerateChannel, ForwardStepSuggestsPossibleSizes) {
  try {
    (void)generate(Share{}, ForwardStepSpec{.h = 0.07});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "h: 0.07 does not divide length = 3; choose 0.0666666667 or 0.1");
  }
  EXPECT_EQ(check_mesh(whole_mesh(ForwardStepSpec{.h = 0.0666666667})).cells.at(CellType::quad), 45 * 15 - 36 * 3);
}

/// Returns the lengths of the edges of a zone's boundary elements whose centres have lower <= x <= upper, by x and then by y.
std::vector<double> edges(const MeshBlock& mesh, const std::string& name, Vec3 lower, Vec3 upper) {
  std::map<std::pair<double, double>, double> found;
  for (std::int64_t b = 0; b < mesh.boundary.size(); ++b) {
    if (mesh.zones[mesh.boundary.zone[b]].name != name) continue;
    const auto ends = testing::coordinates(mesh, mesh.boundary.nodes(b));
    const Vec3 centre = 0.5 * (ends[0] + ends[1]);
    if (centre.x < lower.x || centre.x > upper.x || centre.y < lower.y || centre.y > upper.y) continue;
    found[{centre.x, centre.y}] = norm(ends[1] - ends[0]);
  }
  std::vector<double> lengths;
  for (const auto& [at, length] : found) lengths.push_back(length);
  return lengths;
}

/// Checks that lengths grow by the same factor from a first one.
void expect_growth(std::vector<double> lengths, std::size_t count, double first, bool first_is_last = false) {
  if (first_is_last) std::reverse(lengths.begin(), lengths.end());
  ASSERT_EQ(lengths.size(), count);
  EXPECT_NEAR(lengths[0], first, 1e-6 * first);
  const double growth = lengths[1] / lengths[0];
  EXPECT_GT(growth, 1);
  EXPECT_LT(growth, 2);
  for (std::size_t n = 1; n < count; ++n) EXPECT_NEAR(lengths[n] / lengths[n - 1], growth, 1e-6) << n;
}

constexpr double kFar = 1e9;

TEST(GenerateChannel, CellsGrowFromACorner) {
  ExpansionSpec spec;
  spec.angle = 30;
  spec.corner_size = 1.0 / 1280;
  const Totals totals = check_on_ranks(spec);
  const double slope = std::tan(std::numbers::pi / 6), stretch = std::hypot(1, slope);
  EXPECT_NEAR(totals.volume, 1.5 + 0.5 * slope, 1e-13);
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"inlet", 32}, {"outlet", 32}, {"wall", 48}, {"upper", 48}}));
  const MeshBlock mesh = whole_mesh(spec);
  expect_growth(edges(mesh, "wall", {-kFar, -kFar, 0}, {0, kFar, 0}), 16, spec.corner_size, true);
  expect_growth(edges(mesh, "wall", {0, -kFar, 0}, {kFar, kFar, 0}), 32, spec.corner_size * stretch);
  expect_growth(edges(mesh, "inlet", {-kFar, -kFar, 0}, {kFar, kFar, 0}), 32, spec.corner_size);
  for (const Vec3 x : {Vec3{-0.5, 0, 0}, Vec3{0, 0, 0}, Vec3{1, -slope, 0}, Vec3{1, 1, 0}}) EXPECT_TRUE(has_node(mesh, x));
  EXPECT_TRUE(has_node(mesh, {0, spec.corner_size, 0}));

  WedgeSpec wedge;
  wedge.corner_size = 1e-3;
  EXPECT_NEAR(check_on_ranks(wedge).volume, 1.5 - 0.5 * kTan10, 1e-13);
}

TEST(GenerateChannel, CellsGrowFromAStep) {
  const ForwardStepSpec spec{.h = 0.05, .corner_size = 0.02};
  const Totals totals = check_on_ranks(spec);
  EXPECT_NEAR(totals.volume, 3 - 2.4 * 0.2, 1e-13);
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"inlet", 20}, {"outlet", 16}, {"wall", 12 + 4 + 48 + 60}}));
  const MeshBlock mesh = whole_mesh(spec);
  expect_growth(edges(mesh, "wall", {-kFar, -kFar, 0}, {0.5999, 0.01, 0}), 12, 0.02, true);
  expect_growth(edges(mesh, "wall", {0.6001, 0.1999, 0}, {kFar, 0.2001, 0}), 48, 0.02);
  expect_growth(edges(mesh, "wall", {0.5999, -kFar, 0}, {0.6001, 0.1999, 0}), 4, 0.02, true);
  expect_growth(edges(mesh, "outlet", {-kFar, 0.2, 0}, {kFar, kFar, 0}), 16, 0.02);
  for (const Vec3 x : {Vec3{0, 0, 0}, Vec3{0.6, 0.2, 0}, Vec3{0.58, 0.22, 0}, Vec3{3, 1, 0}}) EXPECT_TRUE(has_node(mesh, x));
}

TEST(GenerateChannel, CellsOfAllKindsGrowFromACorner) {
  for (const CellMixRow& row : kCellMixes.rows) {
    for (const std::int64_t layers : {0, 6}) {
      if (layers == 0 && !row.flat) continue;
      SCOPED_TRACE(row.name);
      const double depth = layers > 0 ? 0.5 : 1;
      ExpansionSpec corner;
      corner.nx = 24;
      corner.ny = 8;
      corner.corner_size = 0.02;
      corner.elements = row.value;
      corner.layers = layers;
      corner.depth = depth;
      EXPECT_NEAR(check_on_ranks(corner).volume, depth * (1.5 + 0.5 * kTan10), 1e-13);
      ForwardStepSpec step{.h = 0.1, .corner_size = 0.08};
      step.elements = row.value;
      step.layers = layers;
      step.depth = depth;
      EXPECT_NEAR(check_on_ranks(step).volume, depth * (3 - 2.4 * 0.2), 1e-13);
    }
  }
}

TEST(GenerateChannel, CornerOfUniformSizeHasUniformCells) {
  const MeshBlock uniform = whole_mesh(ForwardStepSpec{.h = 0.05}),
                  graded = whole_mesh(ForwardStepSpec{.h = 0.05, .corner_size = 0.05});
  ASSERT_EQ(uniform.coords.size(), graded.coords.size());
  for (std::size_t n = 0; n < uniform.coords.size(); ++n) EXPECT_LT(norm(uniform.coords[n] - graded.coords[n]), 1e-13);
}

TEST(GenerateChannel, Bump) {
  const BumpSpec spec{.nx = 24, .ny = 8};
  const Totals totals = check_on_ranks(spec);
  double area = 0;
  const auto floor = [](double x) { return 0.0625 * std::exp(-25 * x * x); };
  for (int i = 0; i < 24; ++i) area += 0.125 * (0.8 - 0.5 * (floor(-1.5 + 0.125 * i) + floor(-1.375 + 0.125 * i)));
  EXPECT_NEAR(totals.volume, area, 1e-13);
  EXPECT_TRUE(has_node(whole_mesh(spec), {0, 0.0625, 0}));
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"inlet", 8}, {"outlet", 8}, {"wall", 24}, {"upper", 24}}));
}

TEST(GenerateChannel, Nozzle) {
  for (const CellMix elements : {CellMix::quads, CellMix::triangles, CellMix::tetrahedra}) {
    NozzleSpec spec{.nx = 24, .ny = 3, .inlet = 0.2, .exit = 0.3, .converging = 1, .diverging = 2};
    spec.elements = elements;
    spec.layers = elements == CellMix::tetrahedra ? 2 : 0;
    const double depth = spec.layers > 0 ? spec.depth : 1;
    const Totals totals = check_on_ranks(spec);
    // The mean of half a cosine is the mean of its ends, as is the sum of the trapezia below it.
    EXPECT_NEAR(totals.volume, depth * (0.15 * 1 + 0.2 * 2), 1e-13);
    EXPECT_NEAR(totals.area.at("inlet"), 0.2 * depth, 1e-14);
    EXPECT_NEAR(totals.area.at("outlet"), 0.3 * depth, 1e-14);
    EXPECT_NEAR(totals.area.at("axis"), 3 * depth, 1e-13);
    EXPECT_EQ(totals.faces.size(), spec.layers > 0 ? 6U : 4U);
    EXPECT_TRUE(has_node(whole_mesh(spec), {0, 0.1, 0}));
  }
  const Totals converging = check_on_ranks(NozzleSpec{.nx = 10, .ny = 2, .diverging = 0});
  EXPECT_NEAR(converging.area.at("outlet"), 0.1, 1e-15);
  EXPECT_NEAR(converging.volume, 0.125, 1e-14);
}

TEST(GenerateChannel, ShockReflection) {
  const Totals totals = check_on_ranks(ShockReflectionSpec{.nx = 12, .ny = 4});
  EXPECT_NEAR(totals.volume, 4, 1e-13);
  EXPECT_NEAR(totals.area.at("wall"), 4, 1e-13);
  EXPECT_NEAR(totals.area.at("upper"), 4, 1e-13);
}

TEST(GenerateCylinder, IsHalfAnEllipseMinusHalfACircle) {
  for (const CellMix elements : {CellMix::quads, CellMix::triangles}) {
    CylinderSpec spec{.around = 12, .radial = 5, .radius = 2, .front = 0.5, .side = 1.5};
    spec.elements = elements;
    const Totals totals = check_on_ranks(spec);
    EXPECT_NEAR(totals.volume, 0.5 * 12 * std::sin(std::numbers::pi / 12) * (3 * 5 - 2 * 2), 1e-12);
    EXPECT_NEAR(totals.area.at("cylinder"), 12 * 4 * std::sin(std::numbers::pi / 24), 1e-12);
    EXPECT_NEAR(totals.area.at("outflow"), 2 * 3, 1e-12);
    EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"cylinder", 12}, {"inflow", 12}, {"outflow", 10}}));
    for (const Vec3 x : {Vec3{-2, 0, 0}, Vec3{-3, 0, 0}, Vec3{0, 2, 0}, Vec3{0, -5, 0}})
      EXPECT_TRUE(has_node(whole_mesh(spec), x));
  }
  CylinderSpec layers{.around = 6, .radial = 4, .layers = 3, .depth = 0.6};
  layers.elements = CellMix::tetrahedra;
  check_on_ranks(layers);
}

}  // namespace
}  // namespace weft::mesh::generate_channel_test

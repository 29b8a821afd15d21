#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"

#include "mesh/generate_check.hpp"

namespace weft::mesh::generate_naca_test {
namespace {

using testing::check_mesh;
using testing::expect_equal;
using testing::Totals;
using testing::whole_mesh;

double half_thickness(double x, double t) {
  return 5 * t * (0.2969 * std::sqrt(x) - 0.1260 * x - 0.3516 * x * x + 0.2843 * x * x * x - 0.1036 * x * x * x * x);
}

/// Returns the maximum angle between a grid line from the aerofoil and the normal there (degrees), without the cells at the
/// edge.
double largest_skew(const MeshBlock& mesh, std::int64_t around) {
  double worst = 0;
  const auto n = static_cast<std::size_t>(around);
  for (std::size_t i = 3; i + 3 < n; ++i) {
    const Vec3 along = mesh.coords[i + 1] - mesh.coords[i - 1], out = mesh.coords[n + i] - mesh.coords[i];
    worst = std::max(worst, std::asin(std::abs(dot(along, out)) / (norm(along) * norm(out))));
  }
  return worst * 180 / std::numbers::pi;
}

TEST(GenerateNaca, DefaultIsValidAndOnTheAerofoil) {
  const NacaSpec spec;
  const MeshBlock mesh = whole_mesh(spec);
  const Totals totals = check_mesh(mesh);
  EXPECT_EQ(totals.cells, (std::map<CellType, std::int64_t>{{CellType::quad, 256 * 128}}));
  EXPECT_EQ(totals.faces, (std::map<std::string, std::int64_t>{{"airfoil", 256}, {"farfield", 256}}));
  EXPECT_NEAR(totals.volume, std::numbers::pi * 2500, 10);
  EXPECT_TRUE((mesh.coords[0] == Vec3{1, 0, 0}));
  for (std::size_t i = 0; i < 256; ++i) {
    const Vec3 x = mesh.coords[i];
    EXPECT_NEAR(std::abs(x.y), half_thickness(x.x, 0.12), 1e-12);
    EXPECT_NEAR(mesh.coords[(256 - i) % 256].y, -x.y, 1e-9);  // symmetric
    EXPECT_NEAR(mesh.coords[(256 - i) % 256].x, x.x, 1e-9);
  }
  EXPECT_LT(mesh.coords[64].y, 0) << "clockwise: the lower side first";
  for (std::size_t i = 256 * 128; i < 256 * 129; ++i) EXPECT_NEAR(norm(mesh.coords[i] - Vec3{0.5, 0, 0}), 50, 0.1);
  EXPECT_LT(largest_skew(mesh, 256), 10);
  // The sizes of adjacent cells differ little.
  for (std::size_t j = 1; j + 1 < 128; ++j) {
    const auto height = [&](std::size_t k) { return norm(mesh.coords[256 * (k + 1) + 64] - mesh.coords[256 * k + 64]); };
    EXPECT_LT(height(j) / height(j - 1), 1.15);
    EXPECT_GT(height(j) / height(j - 1), 0.9);
  }
}

TEST(GenerateNaca, ManyAerofoils) {
  for (const char* digits : {"0006", "0012", "0024", "0040", "2412", "4412", "6409", "4706", "9210", "6712", "9415"}) {
    SCOPED_TRACE(digits);
    NacaSpec spec;
    spec.digits = digits;
    spec.around = 128;
    spec.radial = 64;
    const MeshBlock mesh = whole_mesh(spec);
    check_mesh(mesh);
    EXPECT_LT(largest_skew(mesh, 128), 30);
    spec.elements = CellMix::triangles;
    const MeshBlock triangles = whole_mesh(spec);
    EXPECT_EQ(check_mesh(triangles).cells.at(CellType::triangle), 2 * 128 * 64);
    expect_equal(whole_mesh(spec, 3), triangles);
  }
}

TEST(GenerateNaca, WallSpacingChordAndLayers) {
  NacaSpec spec;
  spec.around = 32;
  spec.radial = 20;
  spec.chord = 2;
  spec.radius = 20;
  spec.wall_spacing = 0.005;
  const MeshBlock flat = whole_mesh(spec);
  const Totals area = check_mesh(flat);
  EXPECT_NEAR(norm(flat.coords[32 + 8] - flat.coords[8]), 0.01, 0.002);
  spec.layers = 6;
  for (const CellMix elements : {CellMix::quads, CellMix::mixed, CellMix::tetrahedra, CellMix::tetrahedra_5}) {
    spec.elements = elements;
    const Totals totals = check_mesh(whole_mesh(spec));
    EXPECT_EQ(totals.faces.size(), 4U);
    EXPECT_NEAR(totals.area.at("zmin"), area.volume, 1e-9 * area.volume);
  }
}

TEST(GenerateNaca, RejectsInvalidAerofoils) {
  const auto message = [](auto change) -> std::string {
    NacaSpec spec;
    change(spec);
    try {
      (void)generate(Share{}, spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([](NacaSpec& s) { s.digits = "23012"; }),
            "digits: \"23012\" is not a NACA 4-digit aerofoil; choose four digits, such as \"0012\" or \"2412\"");
  EXPECT_EQ(message([](NacaSpec& s) { s.digits = "0000"; }),
            "digits: \"0000\" is 0 % thick; choose 01 to 40 as the last two digits");
  EXPECT_EQ(message([](NacaSpec& s) { s.digits = "2012"; }),
            "digits: \"2012\" has its largest camber at 0 % of the chord; choose 2 to 7 as the second digit");
  EXPECT_EQ(message([](NacaSpec& s) { s.around = 255; }), "around: 255 is odd; choose an even number");
  EXPECT_EQ(message([](NacaSpec& s) { s.wall_spacing = 0.1; }),
            "wall_spacing: 128 radial cells from the aerofoil to 50 chords cannot begin with 0.1 chords; "
            "choose at most 0.02, or fewer radial cells");
  // The printed limits are accepted.
  const auto expect_accepted = [&](std::int64_t radial, double wrong, const std::string& words) {
    const auto with = [&](double spacing) {
      return message([&](NacaSpec& s) { s.around = 32, s.radial = radial, s.wall_spacing = spacing; });
    };
    const std::string said = with(wrong);
    const std::size_t at = said.find(words);
    ASSERT_NE(at, std::string::npos) << radial << ' ' << said;
    EXPECT_EQ(with(std::stod(said.substr(at + words.size()))), "accepted") << radial << ' ' << said;
  };
  for (std::int64_t radial = 60; radial < 80; ++radial) expect_accepted(radial, 0.1, "choose at most ");
  for (std::int64_t radial = 12; radial < 22; ++radial) expect_accepted(radial, 1e-9, "choose at least ");
}

TEST(GenerateRingleb, IsTheExactDomain) {
  const RinglebSpec spec{.nx = 40, .ny = 12};
  const MeshBlock mesh = whole_mesh(spec);
  const Totals totals = check_mesh(mesh);
  EXPECT_EQ(totals.faces,
            (std::map<std::string, std::int64_t>{{"inlet", 12}, {"outlet", 12}, {"wall_inner", 40}, {"wall_outer", 40}}));
  for (const int ranks : {2, 3, 7}) expect_equal(whole_mesh(spec, ranks), mesh);
  for (std::size_t j = 0; j <= 12; ++j) {
    for (std::size_t i = 0; i <= 40; ++i) {  // symmetric about y = 0
      const Vec3 a = mesh.coords[41 * j + i], b = mesh.coords[41 * j + 40 - i];
      EXPECT_NEAR(a.x, b.x, 1e-12);
      EXPECT_NEAR(a.y, -b.y, 1e-12);
    }
  }
  // q = k on the line of symmetry: x = 1 / (2 rho k^2) - J / 2.
  const auto middle = [](double k) {
    const double a = std::sqrt(1 - 0.2 * k * k);
    const double j = 1 / a + 1 / (3 * std::pow(a, 3)) + 1 / (5 * std::pow(a, 5)) - 0.5 * std::log((1 + a) / (1 - a));
    return 1 / (2 * std::pow(a, 5) * k * k) - 0.5 * j;
  };
  EXPECT_NEAR(mesh.coords[20].x, middle(0.8), 1e-13);
  EXPECT_NEAR(mesh.coords[41 * 12 + 20].x, middle(0.5), 1e-13);

  // The area converges with second order.
  const double coarse = totals.volume, medium = check_mesh(whole_mesh(RinglebSpec{.nx = 80, .ny = 24})).volume,
               fine = check_mesh(whole_mesh(RinglebSpec{.nx = 160, .ny = 48})).volume;
  EXPECT_NEAR((coarse - medium) / (medium - fine), 4, 0.2);
}

TEST(GenerateRingleb, Extruded) {
  const double area = check_mesh(whole_mesh(RinglebSpec{.nx = 12, .ny = 6})).volume;
  for (const CellMix elements : {CellMix::quads, CellMix::triangles, CellMix::mixed, CellMix::tetrahedra, CellMix::pyramids}) {
    RinglebSpec spec{.nx = 12, .ny = 6, .elements = elements};
    spec.layers = 6;
    spec.depth = 0.5;
    const MeshBlock mesh = whole_mesh(spec);
    const Totals totals = check_mesh(mesh);
    EXPECT_NEAR(totals.volume, 0.5 * area, 1e-13);
    EXPECT_NEAR(totals.area.at("zmin"), area, 1e-13);
    EXPECT_EQ(totals.faces.size(), 6U);
    for (const int ranks : {2, 3}) expect_equal(whole_mesh(spec, ranks), mesh);
  }
  RinglebSpec flat{.elements = CellMix::hexahedra};
  EXPECT_THROW((void)whole_mesh(flat), InputError);
}

TEST(GenerateRingleb, TransonicTrianglesAndBadParameters) {
  RinglebSpec spec{.nx = 32, .ny = 16, .k_inner = 1.4, .k_outer = 0.7, .q0 = 0.5};
  spec.elements = CellMix::triangles;
  check_mesh(whole_mesh(spec));
  spec.q0 = 0.7;
  EXPECT_THROW((void)whole_mesh(spec), InputError);
  spec.q0 = 0.5;
  spec.k_inner = 0.6;
  EXPECT_THROW((void)whole_mesh(spec), InputError);
}

}  // namespace
}  // namespace weft::mesh::generate_naca_test

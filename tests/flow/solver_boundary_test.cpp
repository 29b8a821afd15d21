// Second order at walls and outlets: linear fields, and convergence of errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "weft/flow/host/host_stepper.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_boundary_test {
namespace {

using test::advance;
using test::everywhere;
using test::generated;

mesh::Mesh box(std::int64_t n, const std::string& elements, int dim = 2) {
  mesh::GeneratorParameters p{{"nx", n}, {"ny", n}, {"elements", elements}};
  if (dim == 3) p["nz"] = n;
  return generated("box", p);
}

/// Returns the largest difference to a linear field on all faces of all cells, in the variables from `first` on. The field is
/// prescribed at all zones except those of y and the cylinder, whose condition is `elsewhere`. Barth's limiter does not change
/// linear fields on boxes, where states on faces are means of two cells.
/// @param acceleration  of the body force, without which a wall allows no gradient of pressure.
double linear_error(const mesh::Mesh& m, BoundaryKind elsewhere, GradientKind gradient, int first,
                    const std::function<Primitive(Vec3)>& field, const Vec3& acceleration = {}) {
  BoundaryConditions boundary = everywhere(m, {.kind = elsewhere});
  bool limited = mesh::is_quad_or_hexahedron(m.cell_type[mesh::LocalCellId(0)]);
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    limited = limited && m.boundary[z].name != "cylinder";
    if (m.boundary[z].name[0] != 'y' && m.boundary[z].name != "cylinder") {
      boundary[z] = {{}, [&](Vec3 x, double) { return field(x); }};
    }
  }
  const LimiterKind limiter = limited ? LimiterKind::barth_jespersen : LimiterKind::none;
  SourceTerm force;
  force.acceleration = acceleration;
  const Scheme scheme(m, {.boundary = boundary, .numerics = {.gradient = gradient, .limiter = limiter}, .source = force});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  for (const mesh::LocalCellId c : m.owned()) {
    detail::store(residual.values().row(c).data(), field(m.cell_centroid[c]));
  }
  stepper.refresh(0);
  double worst = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    int neighbours = 0;
    for (const mesh::LocalFaceId face : m.cell_faces.row(c)) neighbours += m.face_right[face].valid() ? 1 : 0;
    if (neighbours < m.dim) continue;  // they determine no slope
    for (const mesh::LocalFaceId face : m.cell_faces.row(c)) {
      const Vec3 x = m.face_centroid[face];
      const Primitive difference = residual.cell_state(c, x) - field(x);
      for (int k = first; k < Residual::kVars; ++k) worst = std::max(worst, std::abs(difference[k]));
    }
  }
  return m.comm.max(worst);
}

TEST(AtWalls, LinearFieldsKeepTheirSlopes) {
  // Along the wall in y; slopes of all variables except the normal velocity.
  const auto field = [](Vec3 x) { return Primitive{2 - 0.3 * x.y, {0.4 + 0.3 * x.y, 0, 0}, 3 + 0.6 * x.y}; };
  const Vec3 force{0, 0.3, 0};
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::green_gauss}) {
    EXPECT_LE(linear_error(box(4, "quads"), BoundaryKind::slip_wall, gradient, 0, field, force), 1e-14);
    EXPECT_LE(linear_error(box(4, "hexahedra", 3), BoundaryKind::slip_wall, gradient, 0, field, force), 1e-14);
  }
  EXPECT_LE(linear_error(box(4, "triangles"), BoundaryKind::slip_wall, GradientKind::least_squares, 0, field, force), 1e-14);
  for (const char* elements : {"tetrahedra", "tetrahedra_5", "prisms", "pyramids"}) {
    EXPECT_LE(linear_error(box(4, elements, 3), BoundaryKind::slip_wall, GradientKind::least_squares, 0, field, force), 1e-14)
        << elements;
  }
}

/// Returns the largest magnitude of the increment of pressure from a cell to its boundary row at ymin and ymax, which are slip
/// walls of a box, in a gas whose pressure is 1 + 0.04 x + 0.06 y.
double increment_at_walls(const std::string& elements, int dim, const SourceTerm& source) {
  const mesh::Mesh m = box(4, elements, dim);
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::supersonic_outflow});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name[0] == 'y') boundary[z].params.kind = BoundaryKind::slip_wall;
  }
  const Scheme scheme(m, {.boundary = boundary, .source = source});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    detail::store(residual.values().row(c).data(), {1, {2, 0, 0}, 1 + 0.04 * x.x + 0.06 * x.y});
  }
  stepper.refresh(0);
  double largest = 0;
  const Discretization& d = scheme.discretization();
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (boundary[z].params.kind != BoundaryKind::slip_wall) continue;
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const Vec3 r = d.centroid[LocalRow(d.face_right[face])] - d.centroid[LocalRow(d.face_left[face])];
      const double increment =
          residual.values().row(d.face_right[face])[4] - residual.values().row(d.face_left[face])[4] - 0.04 * r.x;
      largest = std::max(largest, std::abs(increment / r.y));
    }
  }
  return m.comm.max(largest);
}

TEST(AtWalls, ThePressureHasNoSlopeAlongTheNormalOfAPlaneOneUnlessAForceCausesIt) {
  SourceTerm weight, strong;
  weight.acceleration = {0, -0.01, 0};
  strong.acceleration = {0, -1, 0};
  const SourceTerm function = [](Vec3, double, const Primitive&) { return Conserved{}; };
  for (const auto& [elements, dim] : {std::pair{"quads", 2}, std::pair{"triangles", 2}, std::pair{"hexahedra", 3},
                                      std::pair{"tetrahedra", 3}, std::pair{"prisms", 3}}) {
    EXPECT_LE(increment_at_walls(elements, dim, {}), 1e-14) << elements;
    EXPECT_NEAR(increment_at_walls(elements, dim, weight), 0.02, 1e-14) << elements;  // twice density times acceleration
    EXPECT_NEAR(increment_at_walls(elements, dim, strong), 0.06, 1e-14) << elements;
    EXPECT_NEAR(increment_at_walls(elements, dim, function), 0.06, 1e-14) << elements;
  }
}

TEST(AtWalls, LinearFieldsKeepTheirSlopesOnCurvedOnes) {
  // A rotation, whose velocity is along each chord of the circle at its midpoint, but not at the feet of the perpendiculars from
  // the centroids of triangles.
  const auto field = [](Vec3 x) {
    return Primitive{2 + 0.02 * x.x - 0.03 * x.y, {-0.05 * x.y, 0.05 * x.x, 0}, 3 - 0.04 * x.x + 0.06 * x.y};
  };
  for (const char* elements : {"quads", "triangles", "mixed"}) {
    for (const char* diagonal : {"alternating", "same"}) {
      const mesh::Mesh m =
          generated("cylinder",
                    {{"around", std::int64_t{12}}, {"radial", std::int64_t{6}}, {"elements", elements}, {"diagonal", diagonal}});
      EXPECT_LE(linear_error(m, BoundaryKind::slip_wall, GradientKind::least_squares, 0, field, {-0.02, 0.03, 0}), 1e-14)
          << elements << diagonal;
    }
  }
}

TEST(AtWalls, AUniformStreamStaysUniformOnCellsOfAnyAspectRatio) {
  if (test::too_many_ranks_to_integrate()) GTEST_SKIP() << test::kComparedOnMoreRanks;
  const Primitive stream{1, {0.6, 0, 0}, 1};
  for (const char* elements :
       {"quads", "triangles", "mixed", "hexahedra", "prisms", "hex_prism", "tetrahedra", "tetrahedra_5", "pyramids"}) {
    const bool plane =
        std::string(elements) == "quads" || std::string(elements) == "triangles" || std::string(elements) == "mixed";
    for (const auto& [nx, ny] : {std::pair<std::int64_t, std::int64_t>{12, 3}, {8, 6}, {6, 6}, {4, 12}}) {
      for (const LimiterKind limiter : {LimiterKind::barth_jespersen, LimiterKind::none}) {
        mesh::GeneratorParameters p{{"nx", nx}, {"ny", ny}, {"elements", elements}};
        if (!plane) p["nz"] = std::int64_t{4};
        const mesh::Mesh m = generated("box", p);
        BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
        for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
          if (m.boundary[z].name[0] == 'x') boundary[z].params = {.kind = BoundaryKind::far_field, .state = stream};
        }
        Solver solver(m, {.boundary = boundary, .numerics = {.limiter = limiter, .rk_stages = 2, .cfl = 0.8}});
        solver.initialise([&](Vec3) { return stream; });
        for (int step = 0; step < (kSanitized ? 40 : 400); ++step) solver.step(1);
        EXPECT_LE(solver.residual_norms()[0], 1e-12)
            << elements << " " << nx << " x " << ny << ", limiter " << static_cast<int>(limiter);
      }
    }
  }
}

/// Returns the largest minus the least pressure after 300 steps in a box of gas at rest with noise in its pressure.
double noise_left(const std::string& elements, int dim, BoundaryKind at_x, BoundaryKind elsewhere, double noise) {
  const mesh::Mesh m = box(4, elements, dim);
  BoundaryConditions boundary = everywhere(m, {.kind = elsewhere});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name[0] == 'x') boundary[z].params.kind = at_x;
  }
  Solver solver(m, {.boundary = boundary, .numerics = {.limiter = LimiterKind::none, .cfl = 0.4}});
  solver.initialise([noise](Vec3 x) { return Primitive{1.4, {}, 1 + noise * std::sin(37 * x.x + 91 * x.y + 55 * x.z)}; });
  for (int i = 0; i < (kSanitized ? 30 : 300); ++i) solver.step(1);
  double most = 0, least = 2;
  for (const mesh::LocalCellId c : m.owned()) {
    const double pressure = solver.primitive(c).pressure;
    most = std::max(most, pressure);
    least = std::min(least, pressure);
  }
  return m.comm.max(most) - m.comm.min(least);
}

TEST(AtWalls, NoiseInAGasAtRestDiesOutInEdgesAndCornersBetweenThem) {
  if (test::too_many_ranks_to_integrate()) GTEST_SKIP() << test::kComparedOnMoreRanks;
  constexpr double kNoise = 1e-8;
  for (const auto& [elements, dim] : {std::pair{"triangles", 2}, std::pair{"tetrahedra", 3}, std::pair{"tetrahedra_5", 3},
                                      std::pair{"pyramids", 3}, std::pair{"prisms", 3}}) {
    for (const auto& [at_x, elsewhere] :
         {std::pair{BoundaryKind::slip_wall, BoundaryKind::slip_wall}, std::pair{BoundaryKind::symmetry, BoundaryKind::symmetry},
          std::pair{BoundaryKind::slip_wall, BoundaryKind::symmetry}}) {
      EXPECT_LE(noise_left(elements, dim, at_x, elsewhere, kNoise), (kSanitized ? 2 : 1) * kNoise)  // twice kNoise at the start
          << elements << ", " << name_of(at_x) << ", " << name_of(elsewhere);
    }
  }
}

TEST(AtWalls, HalfAModelHasTheFlowOfTheWhole) {
  const auto pulse = [](Vec3 x) {
    const double p = 1 + 0.5 * std::exp(-40 * (x.x * x.x + x.y * x.y));
    return Primitive{std::pow(p, 1 / 1.4), {0, 0, 0}, p};
  };
  const auto pressure_at = [&](double ymin, std::int64_t ny, BoundaryKind below) {
    const mesh::Mesh m = generated("box", {{"nx", std::int64_t{16}}, {"ny", ny}, {"xmin", -1.0}, {"ymin", ymin}});
    BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      if (m.boundary[z].name == "ymin") boundary[z].params.kind = below;
    }
    Solver solver(m, {.boundary = boundary, .numerics = {.limiter = LimiterKind::none}});
    solver.initialise(pulse);
    advance(solver, 0.4);
    double pressure = 0;  // pressure of the cell above the plane, nearest to x = 0
    for (const mesh::LocalCellId c : m.owned()) {
      const Vec3 x = m.cell_centroid[c];
      if (x.y > 0 && x.y < 1.0 / 16 && x.x > 0 - 1.0 / 8 && x.x < 0) pressure = solver.primitive(c).pressure;
    }
    return m.comm.max(pressure);
  };
  const double whole = pressure_at(-1, 32, BoundaryKind::slip_wall), half = pressure_at(0, 16, BoundaryKind::symmetry);
  EXPECT_GT(whole, 0);
  // A wall's flux is that of the exact Riemann problem, which HLLC approximates between mirror images.
  EXPECT_NEAR(half, whole, 1e-6);
  EXPECT_GT(std::abs(pressure_at(0, 16, BoundaryKind::slip_wall) - whole), 1e-6);
}

TEST(AtWalls, BoundaryRowsOfSymmetryPlanesHoldMirrorImagesAlsoAtEdgesWithSlipWalls) {
  const mesh::Mesh m = box(4, "tetrahedra", 3);
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name == "zmin" || m.boundary[z].name == "zmax") boundary[z].params.kind = BoundaryKind::symmetry;
  }
  const Scheme scheme(m, {.boundary = boundary, .numerics = {.limiter = LimiterKind::none}});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    const double z = std::sin(7 * x.z);
    detail::store(residual.values().row(c).data(), {1 + 0.02 * z, {0.2 + x.x * z, x.y * z, 0.1 * z + 0.3 * x.x}, 1 - 0.01 * z});
  }
  stepper.refresh(0);
  std::int64_t at_walls = 0;
  for (const mesh::BoundaryZoneId zone : m.boundary.ids()) {
    if (boundary[zone].params.kind != BoundaryKind::symmetry) continue;
    for (const mesh::LocalFaceId face : m.boundary[zone].faces) {
      const mesh::LocalCellId c = m.face_left[face];
      std::int64_t inner = 0;
      for (const mesh::LocalFaceId f : m.cell_faces.row(c)) inner += m.face_right[f].valid() ? 1 : 0;
      at_walls += inner < 3 ? 1 : 0;
      Primitive image = detail::load(std::as_const(residual).values().row(c).data());
      image.velocity.z = -image.velocity.z;
      const Primitive held = detail::load(std::as_const(residual).values().row(scheme.discretization().face_right[face]).data());
      for (int k = 0; k < Residual::kVars; ++k) EXPECT_NEAR(held[k], image[k], 1e-15) << inner << " neighbours";
    }
  }
  EXPECT_GT(m.comm.sum(at_walls), 0);
}

TEST(AtOutlets, LinearFieldsThatLeaveFasterThanSoundKeepTheirSlopes) {
  const auto field = [](Vec3 x) {
    const double side = x.y < 0.5 ? -1 : 1;  // away from the middle, where the slopes of the velocity are not prescribed
    return Primitive{2 - 0.3 * x.x + 0.1 * x.y, {0.4, 9 * side, 0}, 3 + 0.6 * x.y - 0.2 * x.x};
  };
  for (const BoundaryKind kind : {BoundaryKind::supersonic_outflow, BoundaryKind::static_pressure_outflow}) {
    EXPECT_LE(linear_error(box(4, "quads"), kind, GradientKind::least_squares, 4, field), 1e-14);
    EXPECT_LE(linear_error(box(4, "quads"), kind, GradientKind::green_gauss, 4, field), 1e-14);
    EXPECT_LE(linear_error(box(4, "hexahedra", 3), kind, GradientKind::least_squares, 4, field), 1e-14);
    EXPECT_LE(linear_error(box(4, "triangles"), kind, GradientKind::least_squares, 4, field), 1e-14);
    for (const char* elements : {"tetrahedra", "prisms", "pyramids"}) {
      EXPECT_LE(linear_error(box(4, elements, 3), kind, GradientKind::least_squares, 4, field), 1e-14) << elements;
    }
  }
}

/// Returns the largest error of density of an entropy wave that has left through xmax.
double outflow_error(std::int64_t n, const std::string& elements, GradientKind gradient, const BoundaryParams& at_xmax) {
  const auto wave = [](Vec3 x, double t) {
    const double phase = x.x + x.y - 4 * t;
    return Primitive{1 + 0.2 * std::sin(2 * std::numbers::pi * phase), {3, 1, 0}, 1};
  };
  mesh::BuildOptions options;
  options.periodic.push_back({"ymin", "ymax", {0, 1, 0}});
  const mesh::Mesh m = generated("box", {{"nx", n}, {"ny", n}, {"elements", elements}}, options);
  BoundaryConditions boundary = everywhere(m, at_xmax);
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name == "xmin") boundary[z].prescribed = wave;
  }
  Solver solver(m, {.boundary = boundary, .numerics = {.gradient = gradient, .limiter = LimiterKind::none, .cfl = 0.5}});
  solver.initialise([&](Vec3 x) { return wave(x, 0); });
  constexpr double kEnd = full_or_sanitized(0.4, 0.05);
  advance(solver, kEnd);
  return errors(solver, [&](Vec3 x) { return wave(x, kEnd); })[0].linf;
}

TEST(AtOutlets, AnEntropyWaveLeavesWithSecondOrder) {
  // The state of the far field, to which the waves of the flow cannot go, is not that of the flow.
  const BoundaryParams outflow{.kind = BoundaryKind::supersonic_outflow},
      far_field{.kind = BoundaryKind::far_field, .state = {1, {4, 0, 0}, 1.5}};
  for (const auto& [elements, gradient] :
       {std::pair{"quads", GradientKind::least_squares}, std::pair{"quads", GradientKind::green_gauss},
        std::pair{"triangles", GradientKind::least_squares}}) {
    for (const BoundaryParams& at_xmax : {outflow, far_field}) {
      const double coarse = outflow_error(16, elements, gradient, at_xmax), fine = outflow_error(32, elements, gradient, at_xmax);
      EXPECT_GE(test::order(coarse, fine), 1.9)
          << elements << ", " << name_of(gradient) << ", " << name_of(at_xmax.kind) << ": " << coarse << " to " << fine;
    }
  }
}

/// Returns the largest velocity in an isothermal column at rest between slip walls at its ends. @param sides  at the others.
double column_velocity(std::int64_t n, const std::string& elements, int dim, BoundaryKind sides) {
  const std::int64_t across = dim == 3 ? 2 : 1;
  const double width = static_cast<double>(across) / static_cast<double>(n);
  mesh::GeneratorParameters p{{"nx", across}, {"ny", n}, {"xmax", width}, {"elements", elements}};
  if (dim == 3) p["nz"] = across, p["zmax"] = width;
  const mesh::Mesh m = generated("box", p);
  SourceTerm gravity;
  gravity.acceleration = {0, -1, 0};
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::slip_wall});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name[0] != 'y') boundary[z].params.kind = sides;
  }
  Solver solver(m, {.boundary = boundary, .numerics = {.limiter = LimiterKind::none}, .source = gravity});
  solver.initialise([](Vec3 x) { return Primitive{std::exp(-x.y), {0, 0, 0}, std::exp(-x.y)}; });
  double fastest = 0;
  while (solver.time() < 0.4) {
    solver.step(0.4 - solver.time());
    for (const mesh::LocalCellId c : m.owned()) fastest = std::max(fastest, norm(solver.primitive(c).velocity));
  }
  return m.comm.max(fastest);
}

TEST(AtWalls, AColumnComesToRestWithSecondOrder) {
  for (const auto& [elements, dim, least] : {std::tuple{"quads", 2, 1.9}, std::tuple{"tetrahedra", 3, 1.8}}) {
    for (const BoundaryKind sides : {BoundaryKind::slip_wall, BoundaryKind::symmetry}) {
      const double coarse = column_velocity(16, elements, dim, sides), fine = column_velocity(32, elements, dim, sides);
      EXPECT_GE(test::order(coarse, fine), least) << elements << ", " << name_of(sides) << ": " << coarse << " to " << fine;
    }
  }
}

}  // namespace
}  // namespace weft::flow::solver_boundary_test

// Body forces, user sources, and the source of axisymmetric flow.
#include "weft/flow/physics/source.hpp"

#include <gtest/gtest.h>

#include "weft/flow/app/initial.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/function_error.hpp"
#include "flow/solver_settings.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::source_test {
namespace {

using test::advance;
using test::everywhere;
using test::gathered;
using test::generated;
using test::periodic_box;
using test::relative_difference;

TEST(VolumeSource, OfHandCheckedStates) {
  const Primitive w{2, {3, -1, 0.5}, 6};
  EXPECT_FALSE(VolumeSource{}.any());
  EXPECT_TRUE((VolumeSource{.axisymmetric = true}.any()));
  const VolumeSource falling{.acceleration = {1, -10, 0}};
  EXPECT_TRUE(falling.any());
  EXPECT_EQ(falling({0, 1, 0}, w), (Conserved{0, {2, -20, 0}, 2 * (3 + 10)}));
  const VolumeSource round{.axisymmetric = true};
  EXPECT_EQ(round({5, 3, 0}, w), (Conserved{0, {0, 2, 0}, 0}));
}

SourceTerm falling(Vec3 acceleration) {
  SourceTerm source;
  source.acceleration = acceleration;
  return source;
}

TEST(BodyForce, AUniformGasFallsFreely) {
  for (const int dim : {2, 3}) {
    mesh::GeneratorParameters parameters{{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"elements", "mixed"}};
    if (dim == 3) parameters["nz"] = std::int64_t{6};
    const mesh::Mesh m = generated("box", parameters, periodic_box(dim, 1));
    const Vec3 g{0.5, -2, dim == 3 ? 1.0 : 0.0}, u{0.3, 0.4, 0};
    Solver solver(m, {.source = falling(g)});
    solver.initialise([&](Vec3) { return Primitive{1.2, u, 0.9}; });
    advance(solver, 0.7);
    for (const ErrorNorms& norm : errors(solver, [&](Vec3) { return Primitive{1.2, u + 0.7 * g, 0.9}; })) {
      EXPECT_LE(norm.linf, 1e-13);
    }
  }
}

double falling_wave_error(std::int64_t n) {
  const mesh::Mesh m = generated("box", {{"nx", n}, {"ny", n}}, periodic_box(2, 1));
  const Vec3 g{3, -1, 0};
  const EntropyWave wave{.amplitude = 0.2, .wave = {1, 1, 0}, .velocity = {1, 1, 0}};
  Solver solver(m, {.numerics = {.limiter = LimiterKind::none}, .source = falling(g)});
  solver.initialise([&](Vec3 x) { return wave(x, 0); });
  const double t = 0.25;
  advance(solver, t);
  return errors(solver,
                [&](Vec3 x) {
                  Primitive w = wave(x - 0.5 * t * t * g, t);
                  w.velocity += t * g;
                  return w;
                })[0]
      .l2;
}

TEST(BodyForce, AWaveFallsWithSecondOrder) {
  const double coarse = falling_wave_error(16), fine = falling_wave_error(32);
  EXPECT_GE(test::order(coarse, fine), 1.8) << coarse << " to " << fine;
}

TEST(BodyForce, IsTheSourceThatAUserCouldWrite) {
  for (const test::Setting& setting : test::settings()) {
    const mesh::Mesh m = generated(setting.generator, setting.parameters, setting.options);
    const Vec3 g{0.2, -0.5, 0};
    const auto after_steps = [&](const SourceTerm& source) {
      Solver solver(m, {.boundary = test::conditions(m),
                        .numerics = {.limiter = setting.limiter, .cfl = 0.5},
                        .stencil = setting.options.stencil,
                        .source = source});
      solver.initialise([&](Vec3 x) { return test::wavy(x, setting.dim); });
      for (int i = 0; i < 10; ++i) solver.step(1);
      return gathered(solver);
    };
    const auto heat = [](Vec3 x, double t, const Primitive& w) { return Conserved{0, {}, w.density * (x.x + t)}; };
    SourceTerm both = heat;
    both.acceleration = g;
    const std::vector<double> apart = after_steps([&](Vec3 x, double t, const Primitive& w) {
      return Conserved{0, w.density * g, w.density * dot(g, w.velocity)} + heat(x, t, w);
    });
    EXPECT_LE(relative_difference(IdealGas{}, apart, after_steps(both)), 1e-14) << setting.name;
  }
}

TEST(Source, AnErrorOfAFunctionEndsTheStepOnEveryRank) { test::expect_error_of_function_ends_step(Backend::host); }
TEST(Source, AnExceptionOfAFunctionEndsTheStepOnEveryRank) { test::expect_exception_of_function_ends_step(Backend::host); }

/// Returns a 2-D mesh that is revolved about the axis.
mesh::Mesh revolved(const std::string& name, const mesh::GeneratorParameters& parameters,
                    const Communicator& comm = Communicator::world()) {
  mesh::Mesh m = generated(name, parameters, {}, comm);
  mesh::revolve(m);
  return m;
}

TEST(Axisymmetric, AStreamAlongTheAxisStaysUniform) {
  for (const char* elements : {"quads", "triangles", "mixed"}) {
    const mesh::Mesh m =
        revolved("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}, {"elements", elements}, {"warp", 0.04}});
    const Primitive stream{1.2, {0.7, 0, 0}, 0.9};
    BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = stream});
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      if (m.boundary[z].name == "ymin") boundary[z].params.kind = BoundaryKind::symmetry;
    }
    Solver solver(m, {.boundary = boundary});
    solver.initialise([&](Vec3) { return stream; });
    for (int i = 0; i < 100; ++i) solver.step(1);
    for (const ErrorNorms& norm : errors(solver, [&](Vec3) { return stream; })) EXPECT_LE(norm.linf, 1e-12) << elements;
  }
}

TEST(Axisymmetric, AClosedVesselKeepsItsMassAndEnergy) {
  const mesh::Mesh m = revolved("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}});
  Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}), .numerics = {.cfl = 0.5}});
  solver.initialise([](Vec3 x) { return Primitive{1 + 0.5 * x.x, {0.1, x.y < 0.5 ? 0.1 : -0.1, 0}, x.x < 0.5 ? 2.0 : 1.0}; });
  const auto before = totals(solver);
  for (int i = 0; i < 100; ++i) solver.step(1);
  const auto after = totals(solver);
  EXPECT_NEAR(after[0], before[0], 1e-12 * before[0]);
  EXPECT_NEAR(after[4], before[4], 1e-12 * before[4]);
}

TEST(Axisymmetric, GradientsAndLimitersAreThoseOfThePlane) {
  // Away from the axis, at which the plane has a wall and the revolved mesh has none.
  const mesh::GeneratorParameters parameters{
      {"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}, {"elements", "mixed"}, {"ymin", 0.1}};
  const mesh::Mesh plane = generated("box", parameters), turned = revolved("box", parameters);
  for (const LimiterKind limiter : {LimiterKind::none, LimiterKind::barth_jespersen, LimiterKind::venkatakrishnan}) {
    const auto values = [&](const mesh::Mesh& m) {
      Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}),
                        .numerics = {.limiter = limiter, .reference_length = 1}});
      solver.set_reference({1, {}, 1});  // averages over a body of revolution differ
      solver.initialise([](Vec3 x) { return test::wavy(x, 2); });
      solver.refresh();
      std::vector<double> all;
      for (const mesh::LocalCellId c : m.owned()) {
        const Primitive w = solver.cell_state(c, m.cell_centroid[c] + Vec3{0.01, -0.02, 0});
        for (int k = 0; k < Solver::kVars; ++k) all.push_back(w[k]);
      }
      return all;
    };
    const std::vector<double> of_plane = values(plane), of_turned = values(turned);
    for (std::size_t i = 0; i < of_plane.size(); ++i) EXPECT_NEAR(of_plane[i], of_turned[i], 1e-14);
  }
}

/// Returns a gas that flows from the origin in all directions, supersonic from radius 0.5 on.
Primitive spherical_source(Vec3 x) {
  const IdealGas gas;
  const double radius = norm(x), area = 4 * radius * radius;  // area relative to that of the throat
  const auto excess = [&](double mach) { return std::pow((1 + 0.2 * mach * mach) / 1.2, 3) / mach - area; };
  double low = 1, high = 50;
  for (int i = 0; i < 100; ++i) (excess(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  const double temperature = 1 / (1 + 0.2 * low * low), density = std::pow(temperature, 2.5);
  const Primitive w{1.4 * density, {}, density * temperature};
  return {w.density, (low * gas.sound_speed(w) / radius) * x, w.pressure};
}

double source_error(std::int64_t n, const char* elements) {
  const mesh::Mesh m = revolved("box", {{"nx", n}, {"ny", n}, {"xmin", 1.0}, {"xmax", 2.0}, {"elements", elements}});
  BoundaryConditions boundary = everywhere(m, {.kind = BoundaryKind::supersonic_outflow});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (m.boundary[z].name == "ymin") boundary[z].params.kind = BoundaryKind::symmetry;
    if (m.boundary[z].name != "ymin") boundary[z].prescribed = [](Vec3 x, double) { return spherical_source(x); };
  }
  Solver solver(m, {.boundary = boundary, .numerics = {.limiter = LimiterKind::none, .local_time_step = true}});
  solver.initialise(spherical_source);
  for (std::int64_t i = 0; i < 16 * n; ++i) solver.step(1e9);
  EXPECT_LE(solver.residual_norms()[0], 1e-6);
  return errors(solver, spherical_source)[0].l2;
}

TEST(Axisymmetric, ASphericalFlowConvergesWithSecondOrder) {
  for (const char* elements : {"quads", "triangles"}) {
    constexpr std::int64_t kCells = full_or_sanitized(16, 8);
    const double coarse = source_error(kCells, elements), fine = source_error(2 * kCells, elements);
    EXPECT_GE(test::order(coarse, fine), 1.8) << elements << ": " << coarse << " to " << fine;
  }
}

}  // namespace
}  // namespace weft::flow::source_test

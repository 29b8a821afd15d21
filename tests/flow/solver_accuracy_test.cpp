// Order of accuracy and exact solutions on the smallest meshes that show them; tools/verify has the full tables.
#include <gtest/gtest.h>

#include "weft/flow/app/initial.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_accuracy_test {
namespace {

using test::advance;
using test::everywhere;
using test::generated;
using test::periodic_box;

double vortex_error(std::int64_t n, const std::string& elements = "quads", LimiterKind limiter = LimiterKind::none) {
  const mesh::Mesh m = generated("vortex_box", {{"n", n}, {"elements", elements}}, periodic_box(2, 10));
  Solver solver(m, {.numerics = {.limiter = limiter}});
  const IsentropicVortex vortex;
  solver.initialise([&](Vec3 x) { return vortex(x, 0); });
  advance(solver, 0.5);
  return errors(solver, [&](Vec3 x) { return vortex(x, 0.5); })[0].l2;
}

TEST(Accuracy, TheVortexConvergesWithSecondOrder) {
  const double coarse = vortex_error(32), fine = vortex_error(64);
  EXPECT_GE(test::order(coarse, fine), 1.9) << coarse << " to " << fine;
}

TEST(Accuracy, TheVortexConvergesWithSecondOrderOnTrianglesWithVenkatakrishnansLimiter) {
  const auto error = [](std::int64_t n) { return vortex_error(n, "triangles", LimiterKind::venkatakrishnan); };
  const double coarse = error(32), fine = error(64);
  EXPECT_GE(test::order(coarse, fine), 1.7) << coarse << " to " << fine;
}

/// The L2 error of the density of a vortex carried for `end` through a periodic box of simplices, longer than wide, disturbed at
/// random, without a limiter.
double error_on_long_simplices(int dim, double end, bool stabilize) {
  mesh::GeneratorParameters box{{"nx", std::int64_t{16}}, {"ny", std::int64_t{64}}, {"xmax", 10.0}, {"ymax", 10.0}};
  box["elements"] = std::string(dim == 2 ? "triangles" : "tetrahedra");
  box["jitter"] = dim == 2 ? 0.2 : 0.1;
  mesh::BuildOptions options = periodic_box(2, 10);
  if (dim == 3) {
    box["nz"] = std::int64_t{2};
    box["ny"] = std::int64_t{48};
    box["zmax"] = 0.5;
    options.periodic.push_back({"zmin", "zmax", {0, 0, 0.5}});
  }
  const mesh::Mesh m = generated("box", box, options);
  Solver solver(m, {.numerics = {.stabilize_simplices = stabilize, .limiter = LimiterKind::none}});
  const IsentropicVortex vortex;
  solver.initialise([&](Vec3 x) { return vortex(x, 0); });
  advance(solver, end);
  return errors(solver, [&](Vec3 x) { return vortex(x, end); })[0].l2;
}

TEST(Accuracy, LeastSquaresOverFacesIsStableOnSimplices) {
  if (test::too_many_ranks_to_integrate()) GTEST_SKIP() << test::kComparedOnMoreRanks;
  constexpr double kShare = kSanitized ? 0.05 : 1;
  EXPECT_LE(error_on_long_simplices(2, kShare * 2.5, true), 0.02);
  EXPECT_LE(error_on_long_simplices(3, kShare * 5, true), 0.01);
  if (kSanitized) return;
  // Without stabilization disturbances have grown.
  EXPECT_GE(error_on_long_simplices(2, 2.5, false), 0.05);
  EXPECT_GE(error_on_long_simplices(3, 5, false), 0.012);
}

// Six tetrahedra per cube are two tubes along each axis, on both sides of the diagonal across it. A flow along the tubes crosses
// no face between them, and what distinguishes one from the other would remain for ever.
TEST(Accuracy, TubesOfTetrahedraExchangeEntropyAndMomentum) {
  constexpr std::int64_t kCells = 4;
  constexpr double kDifference = 1e-3, kSpeed = 0.5, kPressure = 1 / 1.4;
  const mesh::Mesh m = generated("box", {{"nx", kCells}, {"ny", kCells}, {"nz", kCells}, {"elements", std::string("tetrahedra")}},
                                 periodic_box(3, 1));
  const auto tube = [](Vec3 x, int axis) {
    const auto place = [&](int other) { return x[other] * kCells - std::floor(x[other] * kCells); };
    return place((axis + 1) % 3) > place((axis + 2) % 3) ? 1.0 : -1.0;
  };
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 along{};
    along[axis] = 1;
    Solver solver(m, {.numerics = {.limiter = LimiterKind::none}});
    solver.initialise([&](Vec3 x) {
      const double change = kDifference * tube(x, axis);
      return Primitive{1 + change, (kSpeed + change) * along, kPressure};
    });
    advance(solver, full_or_sanitized(20, 2) / (kCells * kSpeed));  // 20 cubes
    if (kSanitized) continue;                                       // without the checks of the end
    double density = 0, velocity = 0;
    for (const mesh::LocalCellId c : m.owned()) {
      const Primitive w = solver.primitive(c);
      density = std::max(density, std::abs(w.density - 1));
      velocity = std::max(velocity, norm(w.velocity - kSpeed * along));
    }
    EXPECT_LE(m.comm.max(density), 0.05 * kDifference) << axis;
    EXPECT_LE(m.comm.max(velocity), 0.05 * kDifference) << axis;
  }
}

double manufactured_error(const std::string& elements, std::int64_t n) {
  const IdealGas gas;
  const auto solution = ManufacturedSolution::periodic(2, 1);
  mesh::BuildOptions options = periodic_box(2, 1);
  options.stencil = mesh::Neighbours::node;
  const mesh::Mesh m = generated("box", {{"nx", n}, {"ny", n}, {"elements", elements}}, options);
  Solver solver(m, {.gas = gas,
                    .numerics = {.limiter = LimiterKind::none},
                    .stencil = options.stencil,
                    .source = [=](Vec3 x, double t, const Primitive&) { return solution.source(gas, x, t); }});
  solver.initialise([&](Vec3 x) { return solution(x); });
  advance(solver, 0.25);
  return errors(solver, [&](Vec3 x) { return solution(x); })[0].l2;
}

TEST(Accuracy, TheManufacturedSolutionConvergesWithSecondOrder) {
  for (const char* elements : {"triangles", "mixed"}) {
    constexpr std::int64_t kCells = full_or_sanitized(16, 8);
    const double coarse = manufactured_error(elements, kCells), fine = manufactured_error(elements, 2 * kCells);
    EXPECT_GE(test::order(coarse, fine), 1.9) << elements << ": " << coarse << " to " << fine;
  }
}

TEST(Accuracy, ShockTubesMatchTheExactSolution) {
  struct Tube {
    InitialKind kind;
    double end, bound;  ///< bound of the mean error of density on 100 cells: twice that of a plain second-order scheme
  };
  for (const Tube& tube : {Tube{InitialKind::sod, 0.2, 2 * 4.7e-3}, Tube{InitialKind::toro_123, 0.15, 2 * 4.8e-3}}) {
    const mesh::Mesh m = generated("box", {{"nx", std::int64_t{100}}, {"ny", std::int64_t{1}}, {"ymax", 0.01}});
    Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::supersonic_outflow})});
    const InitialState exact({.kind = tube.kind});
    solver.initialise(exact);
    advance(solver, tube.end);
    EXPECT_LE(errors(solver, [&](Vec3 x) { return exact.at(x, tube.end); })[0].l1, tube.bound) << static_cast<int>(tube.kind);
  }
}

}  // namespace
}  // namespace weft::flow::solver_accuracy_test

// The default flux keeps strong shocks stable, and contacts and shear layers as HLLC does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/shock_relations.hpp"

#include "flow/solver_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_carbuncle_test {
namespace {

using test::gathered;
using test::generated;

constexpr double kMach = 10, kFrom = 0.3, kTo = full_or_sanitized(2.5, 0.7);
constexpr Primitive kAhead{1.4, {0, 0, 0}, 1};  // speed of sound 1

/// Returns the state downstream of a shock that moves along x into kAhead.
Primitive behind() {
  const double mm = kMach * kMach, ratio = 2.4 * mm / (0.4 * mm + 2);
  return {1.4 * ratio, {kMach * (1 - 1 / ratio), 0, 0}, 1 + 2.8 / 2.4 * (mm - 1)};
}

mesh::GeneratorParameters tube(const std::string& elements) {
  const auto n = [](std::int64_t value) { return mesh::GeneratorValue(value); };
  if (elements == "hexahedra") {
    return {{"nx", n(60)}, {"ny", n(6)},   {"nz", n(3)},           {"xmax", 3.0},
            {"ymax", 0.3}, {"zmax", 0.15}, {"elements", elements}, {"jitter", 0.01}};
  }
  return {{"nx", n(60)}, {"ny", n(8)}, {"xmax", 3.0}, {"ymax", 0.4}, {"elements", elements}, {"jitter", 0.01}};
}

/// Returns slip walls around a shock that moves along x.
BoundaryConditions conditions(const mesh::Mesh& m) {
  BoundaryConditions all;
  for (const mesh::BoundaryZone& zone : m.boundary) {
    BoundaryParams params{.kind = BoundaryKind::slip_wall};
    if (zone.name == "xmin") params = {.kind = BoundaryKind::supersonic_inflow, .state = behind()};
    if (zone.name == "xmax") params = {.kind = BoundaryKind::supersonic_outflow};
    all.push_back({params, {}});
  }
  return all;
}

/// Returns the conserved values of all cells after a shock of Mach 10 has travelled 44 cells, with sanitizers 8, in a tube whose
/// mesh lines are slightly perturbed (Quirk's problem).
std::vector<double> after_the_way(const mesh::Mesh& m, const Numerics& numerics, Backend backend = Backend::host) {
  Solver solver(m, {.boundary = conditions(m), .numerics = numerics, .backend = backend});
  solver.initialise([](Vec3 x) { return x.x < kFrom ? behind() : kAhead; });
  const double end = (kTo - kFrom) / kMach;
  while (solver.time() < end) solver.step(end - solver.time());
  return gathered(solver);
}

/// Returns the largest transverse velocity, in speeds of sound ahead of the shock; exactly 0.
double largest_across(const std::vector<double>& conserved) {
  double most = 0;
  for (std::size_t c = 0; c < conserved.size(); c += Solver::kVars) {
    most = std::max(most, std::hypot(conserved[c + 2], conserved[c + 3]) / conserved[c]);
  }
  return most;
}

class StrongShock : public ::testing::TestWithParam<const char*> {};

TEST_P(StrongShock, StaysStable) {
  const mesh::Mesh m = generated("box", tube(GetParam()));
  const double hllc = largest_across(after_the_way(m, {.flux = FluxKind::hllc})), standard = largest_across(after_the_way(m, {})),
               first_order = largest_across(after_the_way(m, {.gradient = GradientKind::none}));
  RecordProperty("hllc", std::to_string(hllc));
  RecordProperty("standard", std::to_string(standard));
  RecordProperty("first_order", std::to_string(first_order));
  if (!kSanitized) {
    EXPECT_GT(hllc, 0.2);  // otherwise the test is not sensitive
  }
  EXPECT_LT(standard, 0.1);
  EXPECT_LT(first_order, 0.1);
}

TEST_P(StrongShock, IsTheSameOnOneRank) {
  const mesh::Mesh shared = generated("box", tube(GetParam())),
                   alone = generated("box", tube(GetParam()), {}, Communicator::self());
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::none}) {
    const Numerics numerics{.gradient = gradient};
    const std::vector<double> one = after_the_way(alone, numerics), many = after_the_way(shared, numerics);
    EXPECT_LE(test::relative_difference(IdealGas{}, one, many), 1e-11);
  }
}

TEST_P(StrongShock, IsTheSameOnAGpu) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", tube(GetParam()));
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::none}) {
    const Numerics numerics{.gradient = gradient};
    EXPECT_LE(test::relative_difference(IdealGas{}, after_the_way(m, numerics), after_the_way(m, numerics, Backend::cuda)),
              1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, StrongShock, ::testing::Values("quads", "hexahedra"),
                         [](const auto& elements) { return std::string(elements.param); });

TEST(DefaultFlux, KeepsContactsAndShearLayersThatStandStill) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{12}}, {"ny", std::int64_t{5}}}, [] {
    mesh::BuildOptions options = test::periodic_box(2, 1);
    options.periodic.erase(options.periodic.begin());
    return options;
  }());
  Solver solver(m, {.boundary = test::everywhere(m, {.kind = BoundaryKind::slip_wall})});
  const auto layers = [](Vec3 x) { return x.x < 0.5 ? Primitive{1, {0, 0.3, 0}, 1} : Primitive{0.1, {0, -0.8, 0}, 1}; };
  solver.initialise(layers);
  for (int i = 0; i < 100; ++i) solver.step(1.0);
  for (const ErrorNorms& norm : errors(solver, layers)) EXPECT_LE(norm.linf, 1e-13);
}

}  // namespace
}  // namespace weft::flow::solver_carbuncle_test

// The whole solver, compared with exact solutions. docs/verification.md has the full tables; here are the cases that take
// seconds.
#include "weft/flow/scheme/solver.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <string_view>

#include "weft/base/error.hpp"

#include "flow/solver_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_test {
namespace {

using test::everywhere;
using test::generated;
using test::periodic_box;

struct Elements {
  std::string name;
  int dim;
};

class EveryElement : public ::testing::TestWithParam<Elements> {
 protected:
  [[nodiscard]] mesh::GeneratorParameters box(std::int64_t n) const {
    mesh::GeneratorParameters p{{"nx", n}, {"ny", n}, {"elements", GetParam().name}};
    if (GetParam().dim == 3) p["nz"] = n;
    return p;
  }
};

TEST_P(EveryElement, KeepsAFreeStream) {
  auto parameters = box(6);
  parameters["warp"] = 0.04;
  const mesh::Mesh m = generated("box", parameters);
  const Primitive stream{1.2, {0.7, -0.4, GetParam().dim == 3 ? 0.3 : 0.0}, 0.9};
  for (const std::string_view name : names<FluxKind>()) {
    const auto flux = kind_named<FluxKind>(name);
    Solver solver(m, {.boundary = everywhere(m, {.kind = BoundaryKind::far_field, .state = stream}), .numerics = {.flux = flux}});
    solver.initialise([&](Vec3) { return stream; });
    for (int i = 0; i < (kSanitized ? 10 : 100); ++i) solver.step(1.0);
    const auto error = errors(solver, [&](Vec3) { return stream; });
    for (const ErrorNorms& norm : error) EXPECT_LE(norm.linf, 1e-12);
  }
}

TEST_P(EveryElement, ConservesEveryVariable) {
  const int dim = GetParam().dim;
  const mesh::Mesh m = generated("box", box(6), periodic_box(dim, 1));
  Solver solver(m, {});
  const double two_pi = 2 * std::numbers::pi;
  solver.initialise([&](Vec3 x) {
    return Primitive{1 + 0.3 * std::sin(two_pi * x.x) * std::cos(two_pi * x.y),
                     {0.5, -0.3, dim == 3 ? 0.2 : 0.0},
                     1 + 0.3 * std::sin(two_pi * (x.x + x.y))};
  });
  const auto before = totals(solver);
  for (int i = 0; i < 100; ++i) solver.step(1.0);
  const auto after = totals(solver);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * std::abs(before[4])) << k;
}

INSTANTIATE_TEST_SUITE_P(Box, EveryElement,
                         ::testing::Values(Elements{"quads", 2}, Elements{"triangles", 2}, Elements{"mixed", 2},
                                           Elements{"hexahedra", 3}, Elements{"tetrahedra", 3}, Elements{"prisms", 3},
                                           Elements{"pyramids", 3}, Elements{"mixed", 3}),
                         [](const auto& element) { return element.param.name + (element.param.dim == 2 ? "_2d" : "_3d"); });

}  // namespace
}  // namespace weft::flow::solver_test

// The flows of solver_settings.hpp are suitable for comparisons of two ways to compute them: they stay physical and continue to
// vary, and the effect of rounding is far below the tolerances.
#include "flow/solver_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "support/sanitized.hpp"

namespace weft::flow::solver_settings_test {
namespace {

using test::gathered;
using test::Setting;

class FlowToCompare : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (Communicator::world().size() > 1) GTEST_SKIP() << "the flow of one rank is tested, once: run it on 1 rank";
  }
};

std::unique_ptr<Solver> started(const Setting& setting, const mesh::Mesh& mesh, const Numerics& numerics) {
  auto solver = std::make_unique<Solver>(
      mesh, SolverOptions{.boundary = setting.boundary(mesh), .numerics = numerics, .stencil = setting.options.stencil});
  solver->initialise([&](Vec3 x) { return setting.start(x); });
  return solver;
}

/// Changes every number of a state as another rounding would: by up to nine units in its last place.
void disturb(Solver& solver, std::mt19937& random) {
  std::uniform_real_distribution<double> some(-1e-15, 1e-15);
  std::vector<double> u(solver.conserved().begin(), solver.conserved().end());
  for (double& value : u) value *= 1 + some(random);
  solver.restore(u, solver.time(), solver.steps());
}

/// Returns (largest - smallest) / largest density.
double variation(const Solver& solver) {
  double most = 0, least = std::numeric_limits<double>::infinity();
  for (const mesh::LocalCellId c : solver.mesh().owned()) {
    most = std::max(most, solver.primitive(c).density);
    least = std::min(least, solver.primitive(c).density);
  }
  return 1 - least / most;
}

TEST_P(FlowToCompare, KeepsVaryingAndIsInsensitiveToRounding) {
  const mesh::Mesh m = GetParam().mesh();
  for (const Numerics& numerics : every_numerics(GetParam())) {
    SCOPED_TRACE(test::described(numerics));
    const auto exact = started(GetParam(), m, numerics), rounded = started(GetParam(), m, numerics);
    std::mt19937 random(1);
    for (int i = 0; i < (kSanitized ? 10 : 100); ++i) {
      EXPECT_EQ(exact->step(1.0).retries, 0) << "step " << i + 1;
      rounded->step(1.0);
      disturb(*rounded, random);
    }
    EXPECT_GE(variation(*exact), 0.02);
    EXPECT_LE(test::relative_difference(IdealGas{}, gathered(*exact), gathered(*rounded)), 2.5e-13);
    EXPECT_NEAR(exact->time(), rounded->time(), 2.5e-13 * exact->time());
    const auto norms = exact->residual_norms(), others = rounded->residual_norms();
    for (std::size_t k = 0; k < norms.size(); ++k) EXPECT_NEAR(norms[k], others[k], 2.5e-10 * (1 + norms[k])) << k;
  }
}

std::vector<Setting> all_settings() {
  std::vector<Setting> all = test::settings();
  for (Setting& setting : test::surrounded_settings()) all.push_back(std::move(setting));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Flow, FlowToCompare, ::testing::ValuesIn(all_settings()),
                         [](const auto& setting) { return setting.param.name; });

TEST(SurroundedSettings, BringEveryConditionToEveryElementType) {
  std::map<mesh::CellType, std::set<std::string>> met;
  for (const Setting& setting : test::surrounded_settings()) {
    const mesh::Mesh m = setting.mesh(Communicator::self());
    const BoundaryConditions conditions = setting.boundary(m);
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      const BoundaryCondition& condition = conditions[z];
      std::string name(condition.prescribed ? "prescribed" : name_of(condition.params.kind));
      if (norm(condition.params.direction) > 0) name += " with a direction";
      for (const mesh::LocalFaceId face : m.boundary[z].faces) met[m.cell_type[m.face_left[face]]].insert(name);
    }
  }
  std::set<std::string> every{"prescribed"};
  for (const std::string_view name : names<BoundaryKind>()) {
    every.emplace(std::string(name) + (name == "total_pressure_inflow" ? " with a direction" : ""));
  }
  EXPECT_EQ(met.size(), static_cast<std::size_t>(mesh::kCellTypes - 1)) << "all but lines";
  for (const auto& [type, conditions] : met) EXPECT_EQ(conditions, every) << mesh::shape(type).name;
}

TEST(EveryNumerics, IsEveryFluxGradientAndLimiter) {
  std::set<FluxKind> fluxes;
  std::set<std::pair<GradientKind, LimiterKind>> slopes;
  for (const Numerics& numerics : test::every_numerics(test::settings().front())) {
    fluxes.insert(numerics.flux);
    if (numerics.gradient != GradientKind::none) slopes.insert({numerics.gradient, numerics.limiter});
  }
  EXPECT_EQ(fluxes.size(), names<FluxKind>().size());
  EXPECT_EQ(slopes.size(), 2 * names<LimiterKind>().size());
}

}  // namespace
}  // namespace weft::flow::solver_settings_test

// The flow on a GPU equals the flow on the host if a rank has many full tiles: the meshes of the other tests fit in one or a few.
#include <gtest/gtest.h>

#include <numbers>

#include "weft/flow/scheme/solver.hpp"

#include "flow/scalar_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_cuda_tiles_test {
namespace {

using test::amounts_difference;
using test::gathered;
using test::gathered_amounts;
using test::relative_difference;

constexpr int kMostCellsOfATile = 128;
/// Number of steps.
int number_of_steps() { return few_if_checked(10); }
/// Tolerances relative to the largest value after all steps. fp64 sums in another order than the host; the others round each
/// slope, flux and (fp32) state to 24 bits in each of 30 stages, and may limit a slope where the host does not.
constexpr double kFp64 = 1e-12, kMixed = 2e-5, kFp32 = 2e-4;

struct ManyTiles {
  const char* elements;
  std::int64_t nx, ny, nz;
  GradientKind gradient;
  bool periodic;  ///< in z; otherwise walls
  const char* name = "";
};

/// Number of cells whose tiles give each block several in sequence: on one rank, in double precision and on an H200, a
/// multiprocessor of which holds four blocks.
constexpr int kSeveralTilesABlock = 4 * 4 * 132 * kMostCellsOfATile;

std::vector<ManyTiles> meshes() {
  std::vector<ManyTiles> all;
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::green_gauss}) {
    all.push_back({"hexahedra", 30, 28, 26, gradient, true});
    all.push_back({"tetrahedra", 15, 15, 15, gradient, false});
  }
  all.push_back({"hexahedra", 77, 76, 75, GradientKind::least_squares, true, "_rounds"});
  all.push_back({"tetrahedra", 42, 42, 42, GradientKind::green_gauss, false, "_rounds"});
  return all;
}

/// Returns a function that varies in every direction, with a period of 1.
double wave(Vec3 x) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return std::sin(kTurn * (x.x + 0.3)) * std::cos(kTurn * x.y) + 0.5 * std::sin(kTurn * (x.z + x.y));
}

class ManyTilesOnCuda : public ::testing::TestWithParam<ManyTiles> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }

  [[nodiscard]] static mesh::Mesh mesh_of() {
    const ManyTiles& p = GetParam();
    mesh::BuildOptions options;
    if (p.periodic) options.periodic.push_back({"zmin", "zmax", {0, 0, 1}});
    return test::generated("box", {{"nx", p.nx}, {"ny", p.ny}, {"nz", p.nz}, {"elements", p.elements}, {"warp", 0.03}}, options);
  }

  /// Returns a solver after all steps; with a scalar if requested.
  [[nodiscard]] static std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Backend backend, bool scalar,
                                                         Precision precision = Precision::fp64,
                                                         Transport transport = Transport::automatic) {
    BoundaryConditions boundary = test::conditions(mesh);
    std::vector<Scalar> scalars;
    if (scalar) {
      scalars.push_back({.name = "dye", .initial = [](Vec3 x) { return 1 + wave(x); }});
      for (BoundaryCondition& condition : boundary) condition.scalars = {{.value = [](Vec3 x, double) { return 0.5 * wave(x); }}};
    }
    auto solver = std::make_unique<Solver>(
        mesh, SolverOptions{.boundary = boundary,
                            .numerics = {.gradient = GetParam().gradient, .cfl = 0.5, .precision = precision},
                            .scalars = scalars,
                            .backend = backend,
                            .transport = transport});
    solver->initialise([](Vec3 x) {
      return Primitive{1.2 + 0.1 * wave(x), {0.6 + 0.1 * wave(x), 0.1, 0.05 * wave(x)}, 0.9 + 0.05 * wave(x)};
    });
    for (int i = 0; i < number_of_steps(); ++i) solver->step(1.0);
    return solver;
  }
};

TEST_P(ManyTilesOnCuda, IsTheFlowOnTheHost) {
  const mesh::Mesh m = mesh_of();
  ASSERT_GE(m.comm.sum(std::int64_t{m.owned_cells}), 20000);
  if (m.comm.size() <= 4) {
    ASSERT_GE(m.inner_cells, 16 * kMostCellsOfATile);
  }
  if (m.comm.size() == 1 && std::string(GetParam().name) == "_rounds") {
    ASSERT_GE(m.inner_cells, 3 * kSeveralTilesABlock / 2) << "for six blocks, as in single precision";
  }
  const auto host = solver_on(m, Backend::host, true), cuda = solver_on(m, Backend::cuda, true);
  EXPECT_NEAR(host->time(), cuda->time(), kFp64 * host->time());
  const std::vector<double> is_host_transport = gathered(*host), of_cuda = gathered(*cuda);
  EXPECT_LE(relative_difference(IdealGas{}, is_host_transport, of_cuda), kFp64);
  EXPECT_LE(amounts_difference(*host, *cuda), kFp64);
  for (std::size_t k = 0; k < Solver::kVars; ++k) {
    EXPECT_NEAR(host->residual_norms()[k], cuda->residual_norms()[k], 1e-9 * (1 + host->residual_norms()[k])) << k;
  }

  const auto staged = solver_on(m, Backend::cuda, true, Precision::fp64, Transport::staged);
  EXPECT_EQ(of_cuda, gathered(*staged)) << "staged, and " << cuda->transport();
  EXPECT_EQ(gathered_amounts(*cuda), gathered_amounts(*staged)) << "staged, and " << cuda->transport();

  for (const auto& [precision, nearly] : {std::pair{Precision::mixed, kMixed}, std::pair{Precision::fp32, kFp32}}) {
    const auto other = solver_on(m, Backend::cuda, false, precision);
    EXPECT_NEAR(host->time(), other->time(), nearly * host->time());
    const double difference = relative_difference(IdealGas{}, is_host_transport, gathered(*other));
    EXPECT_LE(difference, nearly) << "fp32: " << (precision == Precision::fp32);
    EXPECT_GE(difference, 1e-10) << "would be fp64";
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, ManyTilesOnCuda, ::testing::ValuesIn(meshes()), [](const auto& test) {
  return std::string(test.param.elements) +
         (test.param.gradient == GradientKind::green_gauss ? "_green_gauss" : "_least_squares") + test.param.name;
});

}  // namespace
}  // namespace weft::flow::solver_cuda_tiles_test

// The flow on a GPU equals the flow on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/solutions/manufactured.hpp"

#include "flow/solver_settings.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_cuda_test {
namespace {

using test::gathered;
using test::generated;
using test::go;
using test::kAgreement;
using test::relative_difference;
using test::Setting;
using test::settings;

class OnCuda : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
  [[nodiscard]] static mesh::Mesh mesh_of() { return GetParam().mesh(); }
  /// Creates a solver by hand from its parts.
  [[nodiscard]] static std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Backend backend, Numerics numerics,
                                                         Transport transport = Transport::automatic, SourceTerm source = {}) {
    auto solver = std::make_unique<Solver>(mesh, SolverOptions{.boundary = GetParam().boundary(mesh),
                                                               .numerics = numerics,
                                                               .stencil = GetParam().options.stencil,
                                                               .source = std::move(source),
                                                               .backend = backend,
                                                               .transport = transport});
    solver->initialise([](Vec3 x) { return GetParam().start(x); });
    return solver;
  }
  static void expect_the_flow_on_the_host() {
    const mesh::Mesh m = mesh_of();
    std::vector<Numerics> all = test::every_numerics(GetParam());
    // Ranks that share a GPU take turns, which is slow: one of the settings, chosen by the length of the name.
    if (m.comm.size() > 1) all = {all[GetParam().name.size() % all.size()]};
    for (const Numerics& numerics : all) {
      SCOPED_TRACE(test::described(numerics));
      const auto host = solver_on(m, Backend::host, numerics), cuda = solver_on(m, Backend::cuda, numerics);
      go(*host, few_if_checked(100));
      go(*cuda, few_if_checked(100));
      EXPECT_NEAR(host->time(), cuda->time(), kAgreement * host->time());
      EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
      for (int k = 0; k < Solver::kVars; ++k) {
        const auto i = static_cast<std::size_t>(k);
        EXPECT_NEAR(host->residual_norms()[i], cuda->residual_norms()[i], 1e-9 * (1 + host->residual_norms()[i])) << k;
      }
    }
  }
  static void expect_that_all_ranks_compute_the_flow_of_one_on_the_host() {
    const mesh::Mesh parted = mesh_of(), whole = GetParam().mesh(Communicator::self());
    const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
    const auto host = solver_on(whole, Backend::host, numerics), cuda = solver_on(parted, Backend::cuda, numerics);
    go(*host, few_if_checked(100));
    go(*cuda, few_if_checked(100));
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
  }
};

TEST_P(OnCuda, IsTheFlowOnTheHost) { expect_the_flow_on_the_host(); }

TEST_P(OnCuda, IsNearlyTheFlowOnTheHostInOtherPrecisions) {
  const mesh::Mesh m = mesh_of();
  Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics);
  go(*host, few_if_checked(50));
  for (const auto& [precision, nearly] : {std::pair{Precision::mixed, 2e-5}, std::pair{Precision::fp32, 2e-4}}) {
    numerics.precision = precision;
    const auto cuda = solver_on(m, Backend::cuda, numerics), again = solver_on(m, Backend::cuda, numerics);
    go(*cuda, few_if_checked(50));
    go(*again, few_if_checked(50));
    EXPECT_NEAR(host->time(), cuda->time(), nearly * host->time());
    const double difference = relative_difference(IdealGas{}, gathered(*host), gathered(*cuda));
    EXPECT_LE(difference, nearly);
    EXPECT_GE(difference, 1e-10) << "would be fp64";
    EXPECT_EQ(gathered(*cuda), gathered(*again));
    // Started from the values of the host: equal to the last digit that the state stores.
    cuda->restore(host->conserved(), host->time(), host->steps());
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), precision == Precision::mixed ? 0 : 1e-6);
  }
}

TEST_P(OnCuda, ConservesInMixedPrecisionAsInDouble) {
  if (!GetParam().name.ends_with("_periodic") && GetParam().name != "tetrahedra") return;
  const mesh::Mesh m = mesh_of();
  const auto cuda = solver_on(m, Backend::cuda, {.limiter = GetParam().limiter, .cfl = 0.5, .precision = Precision::mixed});
  const auto before = totals(*cuda);
  go(*cuda, few_if_checked(100));
  const auto then = totals(*cuda);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(before[k], then[k], 1e-13 * (1 + std::abs(before[k]))) << k;
}

TEST_P(OnCuda, AllRanksTogetherComputeTheFlowOfOneOnTheHost) { expect_that_all_ranks_compute_the_flow_of_one_on_the_host(); }

TEST_P(OnCuda, EveryTransportGivesTheSameBits) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto staged = solver_on(m, Backend::cuda, numerics, Transport::staged);
  go(*staged, few_if_checked(20));
  for (const Transport transport : {Transport::nccl, Transport::peer}) {
    std::unique_ptr<Solver> other;
    try {
      other = solver_on(m, Backend::cuda, numerics, transport);
    } catch (const InputError&) {
      continue;  // not available on this machine; tests/array/transport_test.cpp reports why
    }
    go(*other, few_if_checked(20));
    EXPECT_EQ(gathered(*staged), gathered(*other)) << to_string(transport);
  }
}

TEST_P(OnCuda, TwoRunsGiveTheSameBits) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto one = solver_on(m, Backend::cuda, numerics), two = solver_on(m, Backend::cuda, numerics);
  go(*one, few_if_checked(50));
  go(*two, few_if_checked(50));
  EXPECT_EQ(gathered(*one), gathered(*two));
  EXPECT_EQ(one->residual_norms(), two->residual_norms());
}

TEST_P(OnCuda, IsTheSameAfterAnUnphysicalStateIsRefused) {
  const mesh::Mesh m = mesh_of();
  const auto one = solver_on(m, Backend::cuda, {.cfl = 0.5}), two = solver_on(m, Backend::cuda, {.cfl = 0.5});
  go(*one, 3);
  go(*two, 3);
  const std::vector<double> unphysical(m.owned().size() * Solver::kVars, -1.0);
  EXPECT_THROW(one->restore(unphysical, 0, 0), PhysicsError);
  EXPECT_EQ(gathered(*one), gathered(*two));
  EXPECT_EQ(one->time(), two->time());
}

TEST_P(OnCuda, GivesItsStateOnTheDevice) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto cuda = solver_on(m, Backend::cuda, numerics), host = solver_on(m, Backend::host, numerics);
  EXPECT_EQ(host->on_device().conserved, nullptr);
  EXPECT_EQ(host->on_device().stream, nullptr);
  for (int steps = 0; steps < 3; ++steps) {
    const DeviceRows rows = cuda->on_device();
    ASSERT_FALSE(rows.conserved_in_single || rows.primitive_in_single);
    std::vector<double> conserved(cuda->conserved().size()), primitive(conserved.size());
    copy_bytes(*rows.stream, conserved.data(), rows.conserved, conserved.size() * sizeof(double));
    copy_bytes(*rows.stream, primitive.data(), rows.primitive, primitive.size() * sizeof(double));
    rows.stream->wait();
    const std::span<const double> expected = cuda->conserved();
    EXPECT_TRUE(std::equal(conserved.begin(), conserved.end(), expected.begin()));
    for (const mesh::LocalCellId c : m.owned()) {
      const Primitive w = cuda->primitive(c);
      const double* const row = &primitive[c.index() * Solver::kVars];
      EXPECT_NEAR(row[0], w.density, kAgreement * w.density);
      EXPECT_NEAR(row[1], w.velocity.x, kAgreement);
      EXPECT_NEAR(row[4], w.pressure, kAgreement * w.pressure);
    }
    go(*cuda, 1);
  }
}

TEST_P(OnCuda, StepsWithEveryKernel) {
  const mesh::Mesh m = mesh_of();
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::green_gauss}) {
    if (gradient == GradientKind::green_gauss && !GetParam().takes_green_gauss()) continue;
    for (const Precision precision : {Precision::fp64, Precision::mixed, Precision::fp32}) {
      const auto cuda =
          solver_on(m, Backend::cuda, {.gradient = gradient, .limiter = GetParam().limiter, .cfl = 0.5, .precision = precision});
      go(*cuda, 1);
      cuda->refresh();
      EXPECT_GT(cuda->time(), 0);
    }
  }
}

TEST_P(OnCuda, SourcesOfPlaceTimeAndStateAreThoseOfTheHost) {
  const mesh::Mesh m = mesh_of();
  const auto moving = [](Vec3 x, double t, const Primitive& w) {
    const double wave = std::sin(3 * x.x - 2 * x.y + x.z + 40 * t);
    return Conserved{0.1 * wave, {0.2 * w.density, -0.3 * wave, 0}, 0.5 - 0.1 * w.pressure};
  };
  for (const bool local : {false, true}) {
    const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5, .local_time_step = local};
    const auto host = solver_on(m, Backend::host, numerics, Transport::automatic, moving);
    const auto cuda = solver_on(m, Backend::cuda, numerics, Transport::automatic, moving);
    const int steps = few_if_checked(local ? 20 : 100);
    go(*host, steps);
    go(*cuda, steps);
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
    for (int k = 0; k < Solver::kVars; ++k) {
      const auto i = static_cast<std::size_t>(k);
      EXPECT_NEAR(host->residual_norms()[i], cuda->residual_norms()[i], 1e-9 * (1 + host->residual_norms()[i])) << k;
    }
  }
}

TEST_P(OnCuda, BodyForcesAreThoseOfTheHost) {
  const mesh::Mesh m = mesh_of();
  SourceTerm falling;
  falling.acceleration = {0.2, -0.5, GetParam().dim == 3 ? 0.1 : 0.0};
  for (const bool heated : {false, true}) {
    if (heated) falling.function = [](Vec3, double t, const Primitive& w) { return Conserved{0, {}, w.density * t}; };
    const auto host = solver_on(m, Backend::host, {.limiter = GetParam().limiter, .cfl = 0.5}, Transport::automatic, falling);
    const auto cuda = solver_on(m, Backend::cuda, {.limiter = GetParam().limiter, .cfl = 0.5}, Transport::automatic, falling);
    go(*host, few_if_checked(20));
    go(*cuda, few_if_checked(20));
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), kAgreement);
  }
}

TEST_P(OnCuda, GoesOnWhereTheHostStoppedAndTheOtherWayRound) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto all = solver_on(m, Backend::host, numerics);
  go(*all, 20);
  for (const auto& [first, second] : {std::pair{Backend::cuda, Backend::host}, std::pair{Backend::host, Backend::cuda}}) {
    const auto begun = solver_on(m, first, numerics), ended = solver_on(m, second, numerics);
    go(*begun, 10);
    ended->restore(begun->conserved(), begun->time(), begun->steps(), begun->fallback_cells());
    go(*ended, 10);
    EXPECT_EQ(ended->steps(), 20);
    EXPECT_NEAR(ended->time(), all->time(), kAgreement * all->time());
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*all), gathered(*ended)), kAgreement) << to_string(second);
  }
}

TEST_P(OnCuda, MonitorsSeeTheSameFlow) {
  const mesh::Mesh m = mesh_of();
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics), cuda = solver_on(m, Backend::cuda, numerics);
  for (const int steps : {7, 3}) {
    for (Solver* solver : {host.get(), cuda.get()}) {
      go(*solver, steps);
      solver->refresh();
    }
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      const mesh::BoundaryZone& zone = m.boundary[z];
      const ForceSpec spec{.name = zone.name, .zones = {zone.name}, .reference = test::kStream, .moment_centre = {0.3, 0.2, 0.1}};
      const Forces a = forces(*host, spec), b = forces(*cuda, spec);
      EXPECT_LE(norm(a.force - b.force), 1e-12 * (1 + norm(a.force))) << zone.name;
      EXPECT_LE(norm(a.moment - b.moment), 1e-12 * (1 + norm(a.moment))) << zone.name;
      for (const mesh::LocalFaceId face : zone.faces) {
        const Conserved difference = host->boundary_flux(z, face) - cuda->boundary_flux(z, face);
        for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(difference[k], 0, 1e-11) << zone.name << ", face " << face.value();
      }
    }
  }
  Vec3 at;
  if (m.comm.is_root()) {
    const Vec3 first = m.cell_centroid[mesh::LocalCellId(0)], second = m.cell_centroid[mesh::LocalCellId(1)];
    at = first + 0.1 * (second - first);
  }
  at = m.comm.broadcast(at);
  const Primitive difference = Probe(m, at).read(*host) - Probe(m, at).read(*cuda);
  for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(difference[k], 0, 1e-12);
}

// From the same state; also after sequences of steps, which end in either buffer.
TEST_P(OnCuda, IntegralsHaveTheDigitsOfTheHost) {
  const mesh::Mesh m = mesh_of();
  Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  const auto host = solver_on(m, Backend::host, numerics);
  for (const Precision precision : {Precision::fp64, Precision::mixed, Precision::fp32}) {
    numerics.precision = precision;
    const auto cuda = solver_on(m, Backend::cuda, numerics);
    for (const int steps : {0, 1, 1, 3}) {
      if (steps == 1) go(*cuda, 1);
      if (steps == 3) {
        cuda->start_steps({.count = steps, .until = 1e9});
        (void)cuda->finish_steps();
      }
      const auto on_gpu = totals(*cuda);
      host->restore(cuda->conserved(), cuda->time(), cuda->steps());
      EXPECT_EQ(on_gpu, totals(*host)) << static_cast<int>(precision) << ", step " << cuda->steps();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, OnCuda, ::testing::ValuesIn(settings()), [](const auto& test) { return test.param.name; });

/// Every element type with every boundary condition.
class AnyBoundaryOnCuda : public OnCuda {};

TEST_P(AnyBoundaryOnCuda, IsTheFlowOnTheHost) { expect_the_flow_on_the_host(); }
TEST_P(AnyBoundaryOnCuda, AllRanksTogetherComputeTheFlowOfOneOnTheHost) {
  expect_that_all_ranks_compute_the_flow_of_one_on_the_host();
}

INSTANTIATE_TEST_SUITE_P(Flow, AnyBoundaryOnCuda, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& test) { return test.param.name; });

TEST(SolverWithoutGpu, SaysThatThereIsNone) {
  WEFT_NEEDS_NO_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, {}, Communicator::self());
  EXPECT_THROW(Solver(m, {.boundary = test::everywhere(m, {}), .backend = Backend::cuda}), DeviceError);
}

}  // namespace
}  // namespace weft::flow::solver_cuda_test

// Ranks without cells, and ranks all of whose cells need ghosts, take part in a flow: on the host, with threads, and on GPUs.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/scalar_support.hpp"
#include "mesh/block_samples.hpp"
#include "support/gpu.hpp"

namespace weft::flow::solver_uneven_ranks_test {
namespace {

using test::amounts_difference;
using test::bringing_scalars;
using test::gathered;
using test::gathered_amounts;
using test::kAgreement;
using test::relative_difference;
using test::Setting;
using test::wavy;

/// The number of cells of each rank, and the peculiarity of the distribution.
struct Distribution {
  std::string name;
  std::vector<std::int64_t> (*shares)(std::int64_t cells, int ranks);
};

std::vector<std::int64_t> none_on_root(std::int64_t cells, int ranks) {
  std::vector<std::int64_t> shares{ranks == 1 ? cells : 0};
  for (int r = 1; r < ranks; ++r) shares.push_back(cells * r / (ranks - 1) - cells * (r - 1) / (ranks - 1));
  return shares;
}
std::vector<std::int64_t> all_on_root(std::int64_t cells, int ranks) {
  std::vector<std::int64_t> shares(static_cast<std::size_t>(ranks), 0);
  shares.front() = cells;
  return shares;
}
std::vector<std::int64_t> two_on_all_but_the_last(std::int64_t cells, int ranks) {
  std::vector<std::int64_t> shares(static_cast<std::size_t>(ranks), 2);
  shares.back() = cells - 2 * (ranks - 1);
  return shares;
}

using Case = std::tuple<Setting, Distribution>;

class UnevenRanks : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static const Setting& setting() { return std::get<0>(GetParam()); }

  [[nodiscard]] static mesh::Mesh mesh_on(const Communicator& comm) {
    const mesh::MeshBlock whole = mesh::generate(Communicator::self(), setting().generator, setting().parameters);
    const std::vector<std::int64_t> shares = std::get<1>(GetParam()).shares(whole.cells.size(), comm.size());
    mesh::Mesh m = mesh::build(comm, mesh::test::chunk(comm, whole, shares), setting().options);
    EXPECT_EQ(m.owned_cells, shares[static_cast<std::size_t>(comm.rank().value())]);
    if (comm.size() > 1 && m.owned_cells == 2) {
      EXPECT_EQ(m.inner_cells, 0);
    }
    return m;
  }
  [[nodiscard]] static std::vector<Numerics> numerics() {
    std::vector<Numerics> all(2, {.limiter = setting().limiter, .cfl = 0.5});
    all[1].local_time_step = true;
    if (setting().options.stencil == mesh::Neighbours::face) all[1].gradient = GradientKind::green_gauss;
    return all;
  }
  /// Returns a solver with scalars, a body force and time-dependent states, after 10 steps.
  [[nodiscard]] static std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, const Numerics& numerics, Backend backend,
                                                         int threads = 1) {
    SourceTerm source;
    source.acceleration = {0.2, -0.5, 0};
    auto solver = test::carrying(mesh, test::three_scalars(), numerics, bringing_scalars(mesh), setting().options.stencil,
                                 backend, source, threads);
    solver->initialise([](Vec3 x) { return wavy(x, setting().dim); });
    for (int i = 0; i < 5; ++i) solver->step(1.0);
    // As in runs.
    for (int done = 0; done < 5;) {
      solver->start_steps({.count = 5 - done, .until = 1e300});
      done += static_cast<int>(solver->finish_steps().size());
    }
    solver->refresh();
    return solver;
  }

  static void expect_near(const Solver& one, const Solver& many) {
    EXPECT_NEAR(one.time(), many.time(), kAgreement * one.time());
    EXPECT_NEAR(one.stable_dt(), many.stable_dt(), kAgreement * one.stable_dt());
    EXPECT_LE(relative_difference(IdealGas{}, gathered(one), gathered(many)), kAgreement);
    EXPECT_LE(amounts_difference(one, many), kAgreement);
    const auto a = one.residual_norms(), b = many.residual_norms();
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9 * (1 + a[k])) << k;
  }

  /// Compares the monitored quantities of flows after refresh().
  static void expect_seen_alike(const Solver& one, const Solver& many) {
    const auto total = totals(one), of_many = totals(many);
    for (std::size_t k = 0; k < total.size(); ++k) EXPECT_NEAR(total[k], of_many[k], 1e-12 * total[4]) << k;
    for (const mesh::BoundaryZone& zone : many.mesh().boundary) {
      const ForceSpec spec{.name = zone.name, .zones = {zone.name}, .reference = test::kStream};
      const Forces a = forces(one, spec), b = forces(many, spec);
      EXPECT_LE(norm(a.force - b.force), 1e-12 * (1 + norm(a.force))) << zone.name;
    }
    const Vec3 at = one.mesh().cell_centroid[mesh::LocalCellId(5)];
    const Primitive a = Probe(one.mesh(), at).read(one), b = Probe(many.mesh(), at).read(many);
    for (int k = 0; k < Solver::kVars; ++k) EXPECT_NEAR(a[k], b[k], 1e-12) << k;
  }
};

TEST_P(UnevenRanks, ComputeTheFlowOfOne) {
  const mesh::Mesh alone = mesh_on(Communicator::self()), shared = mesh_on(Communicator::world());
  for (const Numerics& numerics : numerics()) {
    const auto one = solver_on(alone, numerics, Backend::host), many = solver_on(shared, numerics, Backend::host);
    expect_near(*one, *many);
    expect_seen_alike(*one, *many);
    const auto threaded = solver_on(shared, numerics, Backend::host, 3);
    EXPECT_EQ(gathered(*many), gathered(*threaded));
    EXPECT_EQ(gathered_amounts(*many), gathered_amounts(*threaded));
    EXPECT_EQ(many->residual_norms(), threaded->residual_norms());
  }
}

TEST_P(UnevenRanks, GoOnAfterARestart) {
  const mesh::Mesh m = mesh_on(Communicator::world());
  const auto first = solver_on(m, numerics()[0], Backend::host), again = solver_on(m, numerics()[0], Backend::host, 2);
  for (int i = 0; i < 3; ++i) first->step(1.0);
  again->restore(first->conserved(), first->time(), first->steps(), first->fallback_cells(), first->scalar_amounts());
  for (Solver* solver : {first.get(), again.get()}) solver->step(1.0);
  EXPECT_EQ(gathered(*first), gathered(*again));
  EXPECT_EQ(gathered_amounts(*first), gathered_amounts(*again));
}

class UnevenRanksOnCuda : public UnevenRanks {
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_P(UnevenRanksOnCuda, ComputeTheFlowOfOneOnTheHost) {
  const mesh::Mesh alone = mesh_on(Communicator::self()), shared = mesh_on(Communicator::world());
  for (Numerics numerics : numerics()) {
    const auto host = solver_on(alone, numerics, Backend::host), cuda = solver_on(shared, numerics, Backend::cuda);
    expect_near(*host, *cuda);
    expect_seen_alike(*host, *cuda);
    numerics.precision = Precision::mixed;
    EXPECT_LE(relative_difference(IdealGas{}, gathered(*host), gathered(*solver_on(shared, numerics, Backend::cuda))), 2e-5);
  }
}

/// Walls with a periodic direction, stencils by node, and in 3-D a box with inflow, outflow and walls, and one without
/// boundaries.
std::vector<Setting> some_settings() {
  std::vector<Setting> some;
  for (const Setting& setting : test::settings()) {
    for (const char* name : {"mixed_periodic_and_walls", "triangles_by_node", "hexahedra", "tetrahedra"}) {
      if (setting.name == name) some.push_back(setting);
    }
  }
  return some;
}

const auto kCases =
    ::testing::Combine(::testing::ValuesIn(some_settings()),
                       ::testing::Values(Distribution{"none_on_root", none_on_root}, Distribution{"all_on_root", all_on_root},
                                         Distribution{"two_on_all_but_the_last", two_on_all_but_the_last}));
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}
INSTANTIATE_TEST_SUITE_P(Flow, UnevenRanks, kCases, name_of);
INSTANTIATE_TEST_SUITE_P(Flow, UnevenRanksOnCuda, kCases, name_of);

}  // namespace
}  // namespace weft::flow::solver_uneven_ranks_test

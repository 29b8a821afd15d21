// The flow does not depend on the number of threads of a rank, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "weft/base/thread_binding.hpp"
#include "weft/flow/host/host_stepper.hpp"
#include "weft/flow/host/share.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_threads_test {
namespace {

using test::conditions;
using test::generated;
using test::Setting;
using test::settings;
using test::wavy;

struct Outcome {
  std::vector<double> conserved, slopes;
  std::vector<std::array<double, Solver::kVars>> rate_squared;
  double stable_dt = 0;
};

class Threads : public ::testing::TestWithParam<Setting> {
 protected:
  /// Returns the result of steps from a varying state, some of them with the first-order fallback in a few cells.
  [[nodiscard]] Outcome after_steps(const mesh::Mesh& mesh, const Numerics& numerics, int threads,
                                    BoundaryConditions boundary = {}, const SourceTerm& source = {}) const {
    if (boundary.empty()) boundary = conditions(mesh);
    const Scalar dye{.name = "dye", .initial = [](Vec3 x) { return std::sin(5 * x.x); }};
    Solver solver(mesh, {.boundary = boundary,
                         .numerics = numerics,
                         .stencil = GetParam().options.stencil,
                         .source = source,
                         .scalars = {dye},
                         .threads = threads});
    EXPECT_EQ(solver.threads(), threads);
    solver.initialise([dim = GetParam().dim](Vec3 x) { return wavy(x, dim); });
    Outcome outcome;
    for (int i = 0; i < 2; ++i) outcome.rate_squared.push_back(solver.step(1.0).rate_squared);
    FallbackCells fallback{.cells = {}, .until = 3};
    for (std::int32_t c = 0; c < mesh.owned_cells; c += 7) fallback.cells.push_back(mesh::LocalCellId(c));
    solver.restore(std::vector<double>(solver.conserved().begin(), solver.conserved().end()), solver.time(), 2, fallback,
                   std::vector<double>(solver.scalar_amounts().begin(), solver.scalar_amounts().end()));
    for (int i = 0; i < 2; ++i) outcome.rate_squared.push_back(solver.step(1.0).rate_squared);
    outcome.conserved.assign(solver.conserved().begin(), solver.conserved().end());
    outcome.conserved.insert(outcome.conserved.end(), solver.scalar_amounts().begin(), solver.scalar_amounts().end());
    outcome.stable_dt = solver.stable_dt();
    solver.refresh();
    for (const mesh::LocalCellId c : mesh.owned()) {
      const Primitive w = solver.cell_state(c, mesh.cell_centroid[c] + Vec3{1e-3, 2e-3, 0});
      for (int k = 0; k < Solver::kVars; ++k) outcome.slopes.push_back(w[k]);
      outcome.slopes.push_back(solver.scalar_at(0, c, mesh.cell_centroid[c] + Vec3{1e-3, 2e-3, 0}));
    }
    return outcome;
  }

  static void expect_equal(const Outcome& one, const Outcome& many) {
    EXPECT_EQ(one.conserved, many.conserved);
    EXPECT_EQ(one.slopes, many.slopes);
    EXPECT_EQ(one.rate_squared, many.rate_squared);
    EXPECT_EQ(one.stable_dt, many.stable_dt);
  }
};

TEST_P(Threads, DoNotChangeABit) {
  const mesh::Mesh mesh = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  for (const auto& [gradient, counts] :
       {std::pair(GradientKind::least_squares, std::vector{2, 3}), std::pair(GradientKind::green_gauss, std::vector{3}),
        std::pair(GradientKind::none, std::vector{2})}) {
    const Numerics numerics{.gradient = gradient,
                            .limiter = GetParam().limiter,
                            .cfl = 0.5,
                            .local_time_step = gradient == GradientKind::green_gauss};
    const Outcome one = after_steps(mesh, numerics, 1);
    for (const int threads : counts) expect_equal(one, after_steps(mesh, numerics, threads));
  }
}

TEST_P(Threads, DoNotChangeABitOfPrescribedStatesAndSources) {
  const mesh::Mesh mesh = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  BoundaryConditions boundary = conditions(mesh);
  const auto caller = std::this_thread::get_id();
  for (const mesh::BoundaryZoneId z : boundary.ids()) {
    if (z.value() % 2 != 0) continue;
    boundary[z].prescribed = [&](Vec3 x, double) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return wavy(x, GetParam().dim);
    };
  }
  SourceTerm source;
  source.acceleration = {0.1, -0.2, 0};
  const Numerics numerics{.limiter = GetParam().limiter, .cfl = 0.5};
  expect_equal(after_steps(mesh, numerics, 1, boundary, source), after_steps(mesh, numerics, 3, boundary, source));
  source.function = [&](Vec3 x, double, const Primitive&) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return Conserved{0, {0.1 * x.x, 0, 0}, 0};
  };
  expect_equal(after_steps(mesh, numerics, 1, boundary, source), after_steps(mesh, numerics, 2, boundary, source));
}

// Every cell belongs to a share, and every face is added to each of its cells once: in a block of the share of the later cell, or
// deferred. The state on each side of a block's faces is computed once: with the gradient of a cell of the block, or from a
// stored gradient.
TEST_P(Threads, DistributeEveryFace) {
  const mesh::Mesh mesh = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const Scheme scheme(mesh, {.boundary = conditions(mesh), .stencil = GetParam().options.stencil});
  const Discretization& d = scheme.discretization();
  for (const int threads : {1, 2, 5, 1000}) {
    std::vector<int> owners(static_cast<std::size_t>(mesh.owned_cells), 0), sides(static_cast<std::size_t>(mesh.faces()), 0);
    const auto add = [&](const detail::Share& share, mesh::LocalFaceId f) {
      sides[f.index()] +=
          static_cast<int>(share.rows().have(d.face_left[f])) + static_cast<int>(share.rows().have(d.face_right[f]));
    };
    const std::vector<detail::Share> shares = detail::divide_into_shares(mesh, d, threads);
    const std::vector<std::int32_t> slots = detail::slots_of_states(shares, d);
    for (const detail::Share& share : shares) {
      for (const mesh::LocalCellId c : mesh.owned()) owners[c.index()] += share.rows().have(c.value());
      for (const mesh::LocalFaceId face : mesh.inner_faces) {
        const std::int32_t later = d.face_right[face];
        if (share.inner.first <= later && later < share.inner.last) add(share, face);
      }
      for (const std::int32_t face : share.deferred) add(share, mesh::LocalFaceId(face));
      std::int32_t cell = share.inner.first;
      for (const detail::Share::Block& block : share.blocks) {
        EXPECT_EQ(block.cells.first, cell);
        cell = block.cells.last;
        EXPECT_GT(share.state_buffer.size(), 2 * static_cast<std::size_t>(block.faces.last - block.faces.first));
        std::vector<int> states(2 * static_cast<std::size_t>(block.faces.last - block.faces.first), 0);
        const detail::Indices cells = share.not_shared(block.cells.first, block.cells.last);
        for (std::int32_t i = 0; i < cells.count; ++i) {
          for (std::int32_t s = d.cell_face_offset[cells[i]]; s < d.cell_face_offset[cells[i] + 1]; ++s) {
            const std::int32_t face = d.cell_face[s].value(), place = slots[static_cast<std::size_t>(s)];
            EXPECT_EQ(place >= 0, block.faces.first <= face && face < block.faces.last);
            if (place < 0) continue;
            EXPECT_EQ(block.faces.first + place / 2, face);
            EXPECT_EQ((place % 2 == 0 ? d.face_left : d.face_right)[d.cell_face[s]], cells[i]);
            ++states[static_cast<std::size_t>(place)];
          }
        }
        for (const detail::StoredSide& side : block.stored) ++states[static_cast<std::size_t>(side.at)];
        EXPECT_EQ(states, std::vector<int>(states.size(), 1)) << threads;
      }
      EXPECT_EQ(cell, share.inner.last);
      EXPECT_EQ(static_cast<std::size_t>(share.not_shared(share.inner.first, share.inner.last).count) + share.shared.size(),
                static_cast<std::size_t>(share.inner.last - share.inner.first));
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << threads;
    for (const mesh::LocalFaceId face : mesh.inner_faces) EXPECT_EQ(sides[face.index()], 2) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, Threads, ::testing::ValuesIn(settings()), [](const auto& setting) { return setting.param.name; });

// More cells than the partial sums of the update have, and more than a block has: one thread has two tasks for each half of the
// blocks, several have one.
TEST(ThreadsOfALargerMesh, DoNotChangeABit) {
  const mesh::Mesh mesh = generated("box", {{"nx", std::int64_t{420}}, {"ny", std::int64_t{160}}}, test::periodic_box(2, 1));
  std::vector<std::vector<double>> states;
  std::vector<std::array<double, Solver::kVars>> rates;
  for (const int threads : full_or_sanitized(std::vector{1, 2, 3, 16}, std::vector{1, 3})) {
    Solver solver(mesh, {.numerics = {.cfl = 0.5}, .threads = threads});
    solver.initialise([](Vec3 x) { return wavy(x, 2); });
    for (int i = 0; i < full_or_sanitized(3, 2); ++i) solver.step(1.0);
    states.emplace_back(solver.conserved().begin(), solver.conserved().end());
    rates.push_back(solver.residual_norms());
    EXPECT_EQ(states.front(), states.back()) << threads;
    EXPECT_EQ(rates.front(), rates.back()) << threads;
  }
}

// Threads on several NUMA nodes move their rows there. Cores of this machine take the place of those of two nodes.
TEST(ThreadsOfSeveralNodes, DoNotChangeABit) {
  const mesh::Mesh mesh = generated("box", {{"nx", std::int64_t{90}}, {"ny", std::int64_t{80}}}, test::periodic_box(2, 1));
  const std::vector<int> cpus = affinity();
  const std::vector<Core> cores{{.node = 0, .cpus = {cpus.front()}}, {.node = 1, .cpus = {cpus.back()}}};
  const auto state = [&] {
    Solver solver(mesh, {.numerics = {.cfl = 0.5}, .threads = 2});
    solver.initialise([](Vec3 x) { return wavy(x, 2); });
    for (int i = 0; i < 3; ++i) solver.step(1.0);
    return std::vector<double>(solver.conserved().begin(), solver.conserved().end());
  };
  const std::vector<double> unbound = state();
  ASSERT_TRUE(ThreadBinding::bind(cores, 2, false));
  EXPECT_TRUE(ThreadBinding::spans_nodes());
  EXPECT_EQ(state(), unbound);
  ThreadBinding::release();
}

// States of cells on the sides of a block's faces, those of earlier blocks, and all from stored gradients, as in the first-order
// fallback.
TEST(BlocksOfALargerMesh, HaveTheStatesThatStoredGradientsMake) {
  const mesh::Mesh mesh =
      generated("box", {{"nx", std::int64_t{18}}, {"ny", std::int64_t{18}}, {"nz", std::int64_t{18}}, {"elements", "hexahedra"}});
  for (const LimiterKind limiter : {LimiterKind::none, LimiterKind::barth_jespersen}) {
    Solver solver(mesh, {.boundary = conditions(mesh), .numerics = {.limiter = limiter}});
    solver.initialise([](Vec3 x) { return wavy(x, 3); });
    auto& stepper = static_cast<HostStepper&>(solver.stepper());
    Residual& residual = stepper.residual();
    FirstOrderFallback fallback(mesh);
    const auto evaluated = [&] {
      stepper.evaluate(0);
      const std::span<double> sums = residual.residual().storage();
      std::vector<double> rates(sums.begin(), sums.end());
      std::ranges::fill(sums, 0.0);
      return rates;
    };
    const std::vector<double> by_blocks = evaluated();
    fallback.add({});  // without cells
    residual.set_fallback(fallback.flags());
    EXPECT_EQ(evaluated(), by_blocks);
  }
}

}  // namespace
}  // namespace weft::flow::solver_threads_test

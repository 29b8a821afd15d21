#include "weft/flow/app/scaling_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::scaling_estimate_test {
namespace {

constexpr MachineModel kMachine{.cell_residuals_per_second = 4e6,
                                .latency_s = 1e-6,
                                .bandwidth = 10e9,
                                .pack_rate = 5e9,
                                .memory_per_cell = 1000,
                                .memory_at_rest = 2e7};

TEST(ScalingEstimate, MessagesAndBytesAreThoseOfARun) {
  const Communicator comm = Communicator::world();
  for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::none}) {
    for (const auto& [stages, scalars] : {std::pair{1, 0}, std::pair{3, 0}, std::pair{3, 2}}) {
      const mesh::Mesh m =
          test::generated("box", {{"nx", "7"}, {"ny", "6"}, {"nz", "5"}, {"elements", "hexahedra"}}, test::periodic_box(3, 1));
      const Numerics numerics{.gradient = gradient, .rk_stages = stages, .cfl = 0.3};
      std::vector<Scalar> carried;
      for (int k = 0; k < scalars; ++k) carried.push_back({.name = std::to_string(k)});
      Solver solver(m, {.numerics = numerics, .scalars = carried});
      solver.initialise([](Vec3 x) { return Primitive{1 + 0.1 * std::sin(6.28 * x.x), {0.3, 0.2, 0.1}, 1}; });
      const Traffic before = solver.sent();
      constexpr int kSteps = 4;
      for (int i = 0; i < kSteps; ++i) (void)solver.step(1e300);
      const Traffic after = solver.sent();
      const std::int64_t messages = after.messages - before.messages, bytes = after.bytes - before.bytes;

      const ScalingEstimate f = estimate_scaling(mesh::planned_subdomains(m, comm.size()), numerics, m.dim, kMachine, scalars);
      EXPECT_EQ(kSteps * f.messages, comm.max(messages));
      EXPECT_EQ(kSteps * f.bytes, comm.max(bytes));
      EXPECT_EQ(kSteps * f.all_messages, comm.sum(messages));
      EXPECT_EQ(kSteps * f.all_bytes, comm.sum(bytes));
      EXPECT_EQ(f.most_cells, comm.max(m.owned_cells));
      EXPECT_EQ(f.fewest_cells, comm.min(m.owned_cells));
      EXPECT_EQ(f.most_ghosts, comm.max(m.ghost_cells));
      EXPECT_EQ(f.ranks, comm.size());
    }
  }
}

TEST(ScalingEstimate, AStepIsAddedUpByHand) {
  const Numerics numerics{.rk_stages = 2};
  const std::vector<mesh::PlannedSubdomain> parts{{.cells = 600, .ghosts = 50, .rows_sent = 40, .messages = 1},
                                                  {.cells = 400, .ghosts = 40, .rows_sent = 50, .messages = 1}};
  const ScalingEstimate f = estimate_scaling(parts, numerics, 2, kMachine);
  // 2 stages of 5 values, 10 gradients and a sensor.
  constexpr double kRow = 2 * 16 * 8;
  EXPECT_EQ(f.messages, 4);
  EXPECT_EQ(f.bytes, 50 * 2 * 16 * 8);
  EXPECT_EQ(f.all_messages, 8);
  EXPECT_EQ(f.all_bytes, 90 * 2 * 16 * 8);
  EXPECT_DOUBLE_EQ(f.memory, 2e7 + 650 * 1000);
  const double step = 2 * 600 / 4e6 + 4e-6 + 40 * kRow / 10e9 + 90 * kRow / 5e9 + 1e-6;
  EXPECT_DOUBLE_EQ(f.step_s, step);
  EXPECT_DOUBLE_EQ(f.efficiency, 2 * 1000 / 4e6 / (2 * step));
}

TEST(ScalingEstimate, OneRankIsEfficientAndExchangesNothing) {
  const ScalingEstimate f = estimate_scaling({{.cells = 1000}}, {}, 3, kMachine);
  EXPECT_DOUBLE_EQ(f.efficiency, 1);
  EXPECT_EQ(f.messages, 0);
  EXPECT_EQ(f.bytes, 0);
}

TEST(ScalingEstimate, EfficiencyEndsWhereTheModelSays) {
  // No exchange at all: the reduction of the time step remains, log2(N) latencies.
  const std::vector<mesh::PlannedSubdomain> parts(4, {.cells = 1000000});
  const Numerics numerics{.rk_stages = 1};
  const std::int64_t last = last_efficient(parts, numerics, 3, kMachine, 0.5);
  const auto efficiency = [](double ranks) { return 1.0 / (1.0 + ranks * 1e-6 * std::log2(ranks)); };  // 1 s alone
  EXPECT_GE(efficiency(static_cast<double>(last)), 0.5);
  EXPECT_LT(efficiency(static_cast<double>(last + 1)), 0.5);
  // A machine with very slow messages.
  MachineModel slow = kMachine;
  slow.latency_s = 1e9;
  EXPECT_EQ(last_efficient({{.cells = 10, .ghosts = 1, .rows_sent = 1, .messages = 1}, {.cells = 10, .messages = 1}}, numerics, 3,
                           slow, 0.5),
            1);
}

}  // namespace
}  // namespace weft::flow::scaling_estimate_test

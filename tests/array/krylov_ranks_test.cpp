// Iterative solvers of distributed systems: the same solution on any number of ranks, and the same bits on every rank.
#include "weft/array/krylov_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::krylov_ranks_test {
namespace {

constexpr int kB = 5, kRestart = 12;
constexpr std::int64_t kEdge = 9, kRows = kEdge * kEdge * kEdge;

double random_number(std::int64_t seed) {
  return static_cast<double>(mix_bits(static_cast<std::uint64_t>(seed)) >> 11U) * 0x1p-52 - 1;
}

/// The owned rows of an unsymmetric seven-point matrix on a box, and of a right-hand side.
struct Part {
  GhostPlan plan;
  std::shared_ptr<const kernels::BsrPattern> pattern;
  std::vector<double> blocks, b;

  Part(const Communicator& comm, Backend backend) {
    const std::int64_t first = kRows * comm.rank().value() / comm.size(), last = kRows * (comm.rank().value() + 1) / comm.size();
    const auto owned = static_cast<std::int32_t>(last - first);
    std::vector<std::vector<std::int64_t>> neighbours;  // neighbours of each row, itself included
    std::vector<GlobalRow> requests;
    for (std::int64_t row = first; row < last; ++row) {
      std::vector<std::int64_t> of_row{row};
      const std::int64_t at[] = {row % kEdge, row / kEdge % kEdge, row / kEdge / kEdge}, apart[] = {1, kEdge, kEdge * kEdge};
      for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] > 0) of_row.push_back(row - apart[axis]);
        if (at[axis] < kEdge - 1) of_row.push_back(row + apart[axis]);
      }
      for (const std::int64_t other : of_row) {
        if (other < first || other >= last) requests.emplace_back(other);
      }
      neighbours.push_back(of_row);
    }
    plan = GhostPlan::build(comm, owned, requests);
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> columns;
    for (std::int32_t row = 0; row < owned; ++row) {
      std::vector<std::pair<std::int32_t, std::int64_t>> of_row;
      for (const std::int64_t other : neighbours[static_cast<std::size_t>(row)]) {
        of_row.emplace_back(plan.find(GlobalRow(other)).value(), other);
      }
      std::sort(of_row.begin(), of_row.end());
      for (const auto& [column, other] : of_row) {
        columns.push_back(column);
        const std::int64_t global = first + row;
        for (int e = 0; e < kB * kB; ++e) {
          const double on_diagonal = other == global ? 6.1 : other < global ? -1.2 : -0.8;
          const double coupling = other == global ? 0.1 * random_number(global * kB * kB + e) : 0;
          blocks.push_back(e % (kB + 1) == 0 ? on_diagonal : coupling);
        }
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
      for (int k = 0; k < kB; ++k) b.push_back(random_number(7919 + (first + row) * kB + k));
    }
    pattern = std::make_shared<const kernels::BsrPattern>(offsets, columns, plan.rows(), backend);
  }
};

struct Outcome {
  kernels::KrylovStatus status;
  std::vector<double> x;  ///< entries of the owned rows
};

Outcome solve_by_bicgstab(const Communicator& comm, bool preconditioned, int iterations = 200) {
  const Part part(comm, Backend::host);
  const kernels::BsrMatrix<double, kB> a(part.pattern, part.blocks);
  kernels::BlockJacobi<double, kB> jacobi(part.plan.owned_rows(), Backend::host);
  jacobi.factor(a.view());
  DistributedVectors<double, kB> ranks(part.plan, 2, Backend::host);
  kernels::BiCgStab<double, kB> solver(part.plan.owned_rows(), Backend::host, &ranks);
  Outcome outcome{{}, std::vector<double>(part.b.size())};
  solver.start(a.view(), preconditioned ? &jacobi : nullptr, part.b, outcome.x, 1e-10);
  solver.iterate(iterations);
  outcome.status = solver.status();
  ranks.close();
  return outcome;
}

Outcome solve_on_host(const Communicator& comm) {
  const Part part(comm, Backend::host);
  const kernels::BsrMatrix<double, kB> a(part.pattern, part.blocks);
  kernels::BlockJacobi<double, kB> jacobi(part.plan.owned_rows(), Backend::host);
  jacobi.factor(a.view());
  DistributedVectors<double, kB> ranks(part.plan, kRestart + 2, Backend::host);
  kernels::Gmres<double, kB> solver(part.plan.owned_rows(), kRestart, Backend::host, &ranks);
  Outcome outcome{{}, std::vector<double>(part.b.size())};
  solver.start(a.view(), &jacobi, part.b, outcome.x, 1e-10);
  solver.cycle(20);
  outcome.status = solver.status();
  ranks.close();
  return outcome;
}

/// Returns the largest difference of the entries, divided by the largest entry.
double difference(const std::vector<double>& x, const std::vector<double>& expected) {
  double largest_difference = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest_difference = std::max(largest_difference, std::abs(x[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest_difference / largest;
}

TEST(KrylovRanks, gmres_solves_a_distributed_system_and_every_rank_has_the_same_status) {
  const Communicator comm = Communicator::world();
  const Outcome outcome = solve_on_host(comm);
  EXPECT_EQ(outcome.status.state, kernels::KrylovState::converged);
  for (const kernels::KrylovStatus& other : comm.all_gather(outcome.status)) EXPECT_EQ(other, outcome.status);
  const std::vector<double> x = comm.all_gather(std::span<const double>(outcome.x));
  // This rank alone solves the system, too.
  const Communicator alone = comm.split(comm.rank().value());
  const Outcome expected = solve_on_host(alone);
  EXPECT_EQ(expected.status.state, kernels::KrylovState::converged);
  EXPECT_LE(std::abs(outcome.status.iterations - expected.status.iterations), 1);
  ASSERT_EQ(x.size(), expected.x.size());
  EXPECT_LT(difference(x, expected.x), 1e-8);
}

TEST(KrylovRanks, bicgstab_solves_a_distributed_system_and_every_rank_has_the_same_status) {
  const Communicator comm = Communicator::world();
  const Communicator alone = comm.split(comm.rank().value());
  for (const bool preconditioned : {false, true}) {
    SCOPED_TRACE(preconditioned ? "block Jacobi" : "no preconditioner");
    const Outcome outcome = solve_by_bicgstab(comm, preconditioned);
    EXPECT_EQ(outcome.status.state, kernels::KrylovState::converged);
    for (const kernels::KrylovStatus& other : comm.all_gather(outcome.status)) EXPECT_EQ(other, outcome.status);
    const std::vector<double> x = comm.all_gather(std::span<const double>(outcome.x));
    const Outcome expected = solve_by_bicgstab(alone, preconditioned);
    EXPECT_EQ(expected.status.state, kernels::KrylovState::converged);
    ASSERT_EQ(x.size(), expected.x.size());
    EXPECT_LT(difference(x, expected.x), 1e-8);
    // Sums differ in the last digits. Later iterations amplify this; the first ones agree.
    const Outcome first = solve_by_bicgstab(comm, preconditioned, 4), first_alone = solve_by_bicgstab(alone, preconditioned, 4);
    EXPECT_NEAR(first.status.residual, first_alone.status.residual, 1e-12 * first_alone.status.residual);
    EXPECT_LT(difference(comm.all_gather(std::span<const double>(first.x)), first_alone.x), 1e-12);
    // A second solution has the same bits.
    const Outcome again = solve_by_bicgstab(comm, preconditioned);
    EXPECT_EQ(again.status, outcome.status);
    EXPECT_EQ(again.x, outcome.x);
  }
}

TEST(KrylovRanks, bicgstab_on_one_rank_of_ranks_has_the_bits_of_a_system_without_ranks) {
  const Communicator alone = Communicator::world().split(Communicator::world().rank().value());
  const Outcome outcome = solve_by_bicgstab(alone, true);
  const Part part(alone, Backend::host);
  const kernels::BsrMatrix<double, kB> a(part.pattern, part.blocks);
  kernels::BlockJacobi<double, kB> jacobi(part.plan.owned_rows(), Backend::host);
  jacobi.factor(a.view());
  kernels::BiCgStab<double, kB> solver(part.plan.owned_rows(), Backend::host);
  std::vector<double> x(part.b.size());
  solver.start(a.view(), &jacobi, part.b, x, 1e-10);
  solver.iterate(200);
  EXPECT_EQ(solver.status(), outcome.status);
  EXPECT_EQ(x, outcome.x);
}

TEST(KrylovRanks, bicgstab_breaks_down_on_all_ranks_together) {
  const Communicator comm = Communicator::world();
  Part part(comm, Backend::host);
  const kernels::BsrMatrix<double, kB> a(part.pattern, part.blocks);
  DistributedVectors<double, kB> ranks(part.plan, 2, Backend::host);
  kernels::BiCgStab<double, kB> solver(part.plan.owned_rows(), Backend::host, &ranks);
  std::vector<double> x(part.b.size(), 0.25);
  if (comm.rank().value() == comm.size() - 1) part.b.back() = std::nan("");
  solver.start(a.view(), nullptr, part.b, x, 1e-10);
  solver.iterate(3);
  EXPECT_EQ(solver.status().state, kernels::KrylovState::broken);
  EXPECT_EQ(x, std::vector<double>(part.b.size(), 0.25));
  ranks.close();
}

TEST(KrylovRanks, a_second_solution_has_the_same_bits) {
  const Communicator comm = Communicator::world();
  const Outcome first = solve_on_host(comm), second = solve_on_host(comm);
  EXPECT_EQ(first.status, second.status);
  EXPECT_EQ(first.x, second.x);
}

TEST(KrylovRanks, too_few_numbers_per_rank_violate_the_contract) {
  const Communicator comm = Communicator::world();
  const Part part(comm, Backend::host);
  const kernels::BsrMatrix<double, kB> a(part.pattern, part.blocks);
  DistributedVectors<double, kB> ranks(part.plan, kRestart + 1, Backend::host);
  kernels::Gmres<double, kB> solver(part.plan.owned_rows(), kRestart, Backend::host, &ranks);
  std::vector<double> x(part.b.size());
  EXPECT_BREACH(solver.start(a.view(), nullptr, part.b, x, 1e-10));
  DistributedVectors<double, kB> of_one(part.plan, 1, Backend::host);
  kernels::BiCgStab<double, kB> bicgstab(part.plan.owned_rows(), Backend::host, &of_one);
  EXPECT_BREACH(bicgstab.start(a.view(), nullptr, part.b, x, 1e-10));
  ranks.close();
  of_one.close();
}

/// The system of a rank on its GPU, with x = 0.
struct OnCuda {
  explicit OnCuda(const Part& part)
      : a(part.pattern, part.blocks),
        jacobi(part.plan.owned_rows(), Backend::cuda),
        b(stream, std::span<const double>(part.b)),
        x(stream, part.b.size()) {
    a.to_device(stream);
    jacobi.factor(space::cuda{}, stream, a.view<space::cuda>());
    set_bytes(stream, x.data(), 0, x.bytes());
  }

  [[nodiscard]] std::vector<double> result() {
    std::vector<double> values(x.size());
    x.get(0, values, after(stream));
    return values;
  }

  Stream stream;
  kernels::BsrMatrix<double, kB> a;
  kernels::BlockJacobi<double, kB> jacobi;
  DeviceVector<double> b, x;
};

TEST(KrylovRanks, cuda_has_the_bits_of_the_host_on_the_same_ranks) {
  WEFT_NEEDS_GPU();
  const Communicator comm = Communicator::world();
  const Outcome expected = solve_on_host(comm);
  const Part part(comm, Backend::cuda);
  OnCuda u(part);
  DistributedVectors<double, kB> ranks(part.plan, kRestart + 2, Backend::cuda);
  kernels::Gmres<double, kB> solver(part.plan.owned_rows(), kRestart, Backend::cuda, &ranks);
  solver.start(space::cuda{}, u.stream, u.a.view<space::cuda>(), &u.jacobi, u.b.span(), u.x.span(), 1e-10);
  solver.cycle(space::cuda{}, u.stream, 20);
  EXPECT_EQ(solver.status(after(u.stream)), expected.status);
  EXPECT_EQ(u.result(), expected.x);
  ranks.close();
}

TEST(KrylovRanks, cuda_bicgstab_has_the_bits_of_the_host_on_the_same_ranks) {
  WEFT_NEEDS_GPU();
  const Communicator comm = Communicator::world();
  const Part part(comm, Backend::cuda);
  for (const bool preconditioned : {false, true}) {
    SCOPED_TRACE(preconditioned ? "block Jacobi" : "no preconditioner");
    const Outcome expected = solve_by_bicgstab(comm, preconditioned);
    OnCuda u(part);
    DistributedVectors<double, kB> ranks(part.plan, 2, Backend::cuda);
    kernels::BiCgStab<double, kB> solver(part.plan.owned_rows(), Backend::cuda, &ranks);
    solver.start(space::cuda{}, u.stream, u.a.view<space::cuda>(), preconditioned ? &u.jacobi : nullptr, u.b.span(), u.x.span(),
                 1e-10);
    solver.iterate(space::cuda{}, u.stream, 200);
    EXPECT_EQ(solver.status(after(u.stream)), expected.status);
    EXPECT_EQ(u.result(), expected.x);
    ranks.close();
  }
}

}  // namespace
}  // namespace weft::krylov_ranks_test

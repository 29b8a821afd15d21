// BiCGStab on the host.
#include "weft/kernels/linear/bicgstab.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "weft/kernels/linear/block_jacobi.hpp"

#include "kernels/diffusion.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::bicgstab_test {
namespace {

using test::numbers;

/// Returns the norm of b - A x divided by that of b.
template <class T, int B>
double residual(const BsrMatrix<T, B>& a, const std::vector<T>& b, const std::vector<T>& x) {
  std::vector<T> product(b.size());
  multiply(a.view(), x, product);
  double of_residual = 0, of_b = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    of_residual += std::pow(static_cast<double>(b[i]) - static_cast<double>(product[i]), 2);
    of_b += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(of_residual / of_b);
}

template <class T, int B>
void expect_solution(double tolerance) {
  const auto list = test::diffusion<T, B>(full_or_sanitized(12, 8));
  const BsrMatrix<T, B> a(list.pattern(), list.blocks);
  const std::int32_t rows = list.rows;
  const std::vector<T> b = numbers<T>(static_cast<std::size_t>(rows) * B, 3);
  BlockJacobi<T, B> jacobi(rows, Backend::host);
  jacobi.factor(a.view());
  std::int32_t plain_iterations = 0;
  for (BlockJacobi<T, B>* const preconditioner : {static_cast<BlockJacobi<T, B>*>(nullptr), &jacobi}) {
    BiCgStab<T, B> solver(rows, Backend::host);
    std::vector<T> x(b.size(), T(0.5));
    solver.start(a.view(), preconditioner, b, x, tolerance);
    EXPECT_EQ(solver.status().state, KrylovState::running);
    solver.iterate(200);
    const KrylovStatus status = solver.status();
    EXPECT_EQ(status.state, KrylovState::converged);
    EXPECT_LE(status.residual, tolerance * status.right_side);
    EXPECT_LT((residual<T, B>(a, b, x)), 3 * tolerance);
    EXPECT_GT(status.iterations, 3);
    if (preconditioner == nullptr) {
      plain_iterations = status.iterations;
    } else {
      EXPECT_LT(status.iterations, plain_iterations);
    }
    const std::vector<T> solution = x;
    solver.iterate(5);
    EXPECT_EQ(solver.status(), status);
    EXPECT_EQ(x, solution);
  }
}

TEST(BiCgStab, solves_and_block_jacobi_saves_iterations) {
  expect_solution<double, 4>(1e-10);
  expect_solution<double, 5>(1e-10);
  expect_solution<float, 6>(1e-4);
  expect_solution<float, 7>(1e-4);
}

TEST(BiCgStab, bits_depend_neither_on_threads_nor_on_the_division_into_calls) {
  const auto list = test::diffusion<double, 5>(12);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> b = numbers<double>(static_cast<std::size_t>(list.rows) * 5, 3);
  std::vector<double> expected(b.size());
  BlockJacobi<double, 5> jacobi(list.rows, Backend::host);
  jacobi.factor(a.view());
  BiCgStab<double, 5> solver(list.rows, Backend::host);
  solver.start(a.view(), &jacobi, b, expected, 1e-8);
  for (int i = 0; i < 12; ++i) solver.iterate(1);
  const KrylovStatus status = solver.status();
  test::for_teams([&](Team& team) {
    std::vector<double> x(b.size());
    solver.start(a.view(), &jacobi, b, x, 1e-8, team);
    solver.iterate(12, team);
    EXPECT_EQ(solver.status(), status);
    EXPECT_EQ(x, expected);
  });
}

TEST(BiCgStab, nothing_is_left_to_do_for_an_exact_guess_or_a_right_hand_side_of_zero) {
  const auto list = test::diffusion<double, 5>(3);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> zero(static_cast<std::size_t>(list.rows) * 5);
  std::vector<double> x = zero;
  BiCgStab<double, 5> solver(list.rows, Backend::host);
  solver.start(a.view(), nullptr, zero, x, 0);
  EXPECT_EQ(solver.status(), (KrylovStatus{KrylovState::converged, 0, 0, 0}));
  solver.iterate(3);
  EXPECT_EQ(x, zero);
  BiCgStab<double, 5> of_nothing(0, Backend::host);
  const BsrMatrix<double, 5> empty(test::BlockList<double>{}.pattern());
  std::vector<double> none;
  of_nothing.start(empty.view(), nullptr, none, none, 1e-8);
  EXPECT_EQ(of_nothing.status().state, KrylovState::converged);
}

TEST(BiCgStab, a_breakdown_is_reported_and_leaves_the_last_solution) {
  const BsrMatrix<double, 5> zero(test::diffusion<double, 5>(3).pattern());
  std::vector<double> b(135, 1), x(135, 0.25);
  BiCgStab<double, 5> solver(27, Backend::host);
  solver.start(zero.view(), nullptr, b, x, 1e-8);
  solver.iterate(3);
  EXPECT_EQ(solver.status().state, KrylovState::broken);
  EXPECT_EQ(solver.status().iterations, 0);
  EXPECT_EQ(x, std::vector<double>(135, 0.25));
  b[7] = std::nan("");
  solver.start(zero.view(), nullptr, b, x, 1e-8);
  solver.iterate(1);
  EXPECT_EQ(solver.status().state, KrylovState::broken);
  EXPECT_EQ(x, std::vector<double>(135, 0.25));
}

TEST(BiCgStab, systems_that_do_not_fit_violate_the_contract) {
  const BsrMatrix<double, 5> a(test::diffusion<double, 5>(3).pattern());
  const BsrMatrix<double, 5> wide(test::random_matrix<double, 5>(27, 28).pattern());
  std::vector<double> b(135), x(140);
  const std::span<double> memory(x);
  BiCgStab<double, 5> solver(27, Backend::host), other(26, Backend::host);
  EXPECT_BREACH(solver.iterate(1));
  EXPECT_BREACH(solver.start(wide.view(), nullptr, b, memory.first(135), 0.1));
  EXPECT_BREACH(other.start(a.view(), nullptr, b, memory.first(135), 0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, b, memory.first(134), 0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, b, memory.first(135), -0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, memory.first(135), memory.last(135), 0.1));
}

}  // namespace
}  // namespace weft::kernels::bicgstab_test

// GMRES on the host.
#include "weft/kernels/linear/gmres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/primitives/reduce.hpp"

#include "kernels/diffusion.hpp"
#include "kernels/history.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::gmres_test {
namespace {

using test::numbers;
using test::text_of;
using test::view;

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

/// Returns the norms of the residuals of the generalised conjugate residual method (Eisenstat, Elman and Schultz, SIAM J. Numer.
/// Anal. 20, 1983), which are the same as those of GMRES without restarts.
template <int B>
std::vector<double> conjugate_residuals(const BsrMatrix<double, B>& a, BlockJacobi<double, B>& jacobi, std::vector<double> r,
                                        int count) {
  std::vector<std::vector<double>> products;
  std::vector<double> norms;
  for (int j = 0; j < count; ++j) {
    std::vector<double> p(r.size()), q(r.size());
    jacobi.apply(r, p);
    multiply(a.view(), p, q);
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : products) {
        const double projection = dot(view(q), view(other));
        for (std::size_t i = 0; i < q.size(); ++i) q[i] -= projection * other[i];
      }
    }
    const double norm = std::sqrt(dot(view(q), view(q)));
    for (double& value : q) value /= norm;
    const double projection = dot(view(r), view(q));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= projection * q[i];
    products.push_back(q);
    norms.push_back(std::sqrt(dot(view(r), view(r))));
  }
  return norms;
}

TEST(Gmres, residuals_are_the_least_ones_in_the_krylov_space) {
  const auto list = test::diffusion<double, 5>(8);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> b = numbers<double>(static_cast<std::size_t>(list.rows) * 5, 3);
  BlockJacobi<double, 5> jacobi(list.rows, Backend::host);
  jacobi.factor(a.view());
  const std::vector<double> expected = conjugate_residuals(a, jacobi, b, 20);
  for (const int m : {1, 2, 3, 7, 20}) {
    Gmres<double, 5> solver(list.rows, m, Backend::host);
    std::vector<double> x(b.size());
    solver.start(a.view(), &jacobi, b, x, 0);
    solver.cycle(1);
    const KrylovStatus status = solver.status();
    EXPECT_EQ(status.state, KrylovState::running) << text_of(status);
    EXPECT_EQ(status.iterations, m);
    const double least = expected[static_cast<std::size_t>(m) - 1];
    EXPECT_NEAR(status.residual, least, 1e-9 * expected[0]) << m;
    EXPECT_NEAR((residual<double, 5>(a, b, x)) * status.right_side, least, 1e-9 * expected[0]) << m;
  }
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
    Gmres<T, B> solver(rows, 30, Backend::host);
    std::vector<T> x(b.size(), T(0.5));
    solver.start(a.view(), preconditioner, b, x, tolerance);
    EXPECT_EQ(solver.status().state, KrylovState::running);
    test::History history;
    for (int cycle = 0; cycle < 60; ++cycle) {
      solver.cycle(1);
      history.add(solver.status());
    }
    const KrylovStatus status = solver.status();
    EXPECT_EQ(status.state, KrylovState::converged) << history.text();
    EXPECT_LE(status.residual, tolerance * status.right_side);
    EXPECT_LT((residual<T, B>(a, b, x)), 1.01 * tolerance);
    EXPECT_GT(status.iterations, 3);
    if (preconditioner == nullptr) {
      plain_iterations = status.iterations;
    } else {
      EXPECT_LT(status.iterations, plain_iterations);
    }
    const std::vector<T> solution = x;
    solver.cycle(2);
    EXPECT_EQ(solver.status(), status);
    EXPECT_EQ(x, solution);
  }
}

TEST(Gmres, solves_and_block_jacobi_saves_iterations) {
  expect_solution<double, 4>(1e-10);
  expect_solution<double, 5>(1e-10);
  expect_solution<float, 6>(1e-4);
  expect_solution<float, 7>(1e-4);
}

TEST(Gmres, short_cycles_take_more_iterations) {
  const auto list = test::diffusion<double, 5>(12);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> b = numbers<double>(static_cast<std::size_t>(list.rows) * 5, 3);
  BlockJacobi<double, 5> jacobi(list.rows, Backend::host);
  jacobi.factor(a.view());
  std::int32_t before = 0;
  for (const int restart : {kGmresRestart, 5}) {
    Gmres<double, 5> solver(list.rows, restart, Backend::host);
    std::vector<double> x(b.size());
    solver.start(a.view(), &jacobi, b, x, 1e-10);
    solver.cycle(100);
    const KrylovStatus status = solver.status();
    EXPECT_EQ(status.state, KrylovState::converged) << text_of(status);
    EXPECT_GT(status.iterations, before);
    before = status.iterations;
  }
}

TEST(Gmres, bits_depend_neither_on_threads_nor_on_the_division_into_calls) {
  const auto list = test::diffusion<double, 5>(12);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> b = numbers<double>(static_cast<std::size_t>(list.rows) * 5, 3);
  std::vector<double> expected(b.size());
  BlockJacobi<double, 5> jacobi(list.rows, Backend::host);
  jacobi.factor(a.view());
  Gmres<double, 5> solver(list.rows, 7, Backend::host);
  solver.start(a.view(), &jacobi, b, expected, 1e-8);
  for (int i = 0; i < 3; ++i) solver.cycle(1);
  const KrylovStatus status = solver.status();
  EXPECT_EQ(status.iterations, 21);
  test::for_teams([&](Team& team) {
    std::vector<double> x(b.size());
    solver.start(a.view(), &jacobi, b, x, 1e-8, team);
    solver.cycle(3, team);
    EXPECT_EQ(solver.status(), status);
    EXPECT_EQ(x, expected);
  });
}

TEST(Gmres, nothing_is_left_to_do_for_an_exact_guess_or_a_right_hand_side_of_zero) {
  const auto list = test::diffusion<double, 5>(3);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> zero(static_cast<std::size_t>(list.rows) * 5);
  std::vector<double> x = zero;
  Gmres<double, 5> solver(list.rows, 10, Backend::host);
  solver.start(a.view(), nullptr, zero, x, 0);
  EXPECT_EQ(solver.status(), (KrylovStatus{KrylovState::converged, 0, 0, 0}));
  solver.cycle(3);
  EXPECT_EQ(x, zero);
  Gmres<double, 5> of_nothing(0, 10, Backend::host);
  const BsrMatrix<double, 5> empty(test::BlockList<double>{}.pattern());
  std::vector<double> none;
  of_nothing.start(empty.view(), nullptr, none, none, 1e-8);
  EXPECT_EQ(of_nothing.status().state, KrylovState::converged);
}

TEST(Gmres, ends_where_the_krylov_space_contains_the_solution) {
  test::BlockList<double> list;
  list.rows = list.columns = 40;
  for (std::int32_t row = 0; row < 40; ++row) {
    list.column.push_back(row);
    list.offsets.push_back(row + 1);
    for (int e = 0; e < 25; ++e) list.blocks.push_back(e % 6 == 0 ? 1 + row % 3 : 0);  // three eigenvalues
  }
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> b = numbers<double>(200, 5);
  std::vector<double> x(200);
  Gmres<double, 5> solver(40, 30, Backend::host);
  solver.start(a.view(), nullptr, b, x, 1e-14);
  solver.cycle(1);
  const KrylovStatus status = solver.status();
  EXPECT_EQ(status.state, KrylovState::converged) << text_of(status);
  EXPECT_EQ(status.iterations, 3);
}

TEST(Gmres, a_breakdown_is_reported_and_leaves_the_last_solution) {
  const BsrMatrix<double, 5> zero(test::diffusion<double, 5>(3).pattern());
  std::vector<double> b(135, 1), x(135, 0.25);
  Gmres<double, 5> solver(27, 10, Backend::host);
  solver.start(zero.view(), nullptr, b, x, 1e-8);
  solver.cycle(3);
  EXPECT_EQ(solver.status().state, KrylovState::broken);
  EXPECT_EQ(solver.status().iterations, 0);
  EXPECT_EQ(x, std::vector<double>(135, 0.25));
  b[7] = std::nan("");
  solver.start(zero.view(), nullptr, b, x, 1e-8);
  solver.cycle(1);
  EXPECT_EQ(solver.status().state, KrylovState::broken);
  EXPECT_EQ(x, std::vector<double>(135, 0.25));
  // Not a number in the matrix, and a solution afterwards with the same object.
  const auto list = test::diffusion<double, 5>(3);
  std::vector<double> blocks = list.blocks;
  blocks[60] = std::numeric_limits<double>::infinity();
  const BsrMatrix<double, 5> infinite(list.pattern(), blocks), a(list.pattern(), list.blocks);
  b[7] = 1;
  std::vector<double> y(135);
  solver.start(infinite.view(), nullptr, b, y, 1e-8);
  solver.cycle(3);
  EXPECT_EQ(solver.status().state, KrylovState::broken);
  std::vector<double> z(135);
  solver.start(a.view(), nullptr, b, z, 1e-8);
  solver.cycle(30);
  EXPECT_EQ(solver.status().state, KrylovState::converged) << text_of(solver.status());
}

TEST(Gmres, systems_that_do_not_fit_violate_the_contract) {
  const BsrMatrix<double, 5> a(test::diffusion<double, 5>(3).pattern());
  const BsrMatrix<double, 5> wide(test::random_matrix<double, 5>(27, 28).pattern());
  std::vector<double> b(135), x(140);
  const std::span<double> memory(x);
  Gmres<double, 5> solver(27, 10, Backend::host), other(26, 10, Backend::host);
  EXPECT_BREACH((Gmres<double, 5>(27, 0, Backend::host)));
  EXPECT_BREACH((Gmres<double, 5>(27, kGmresRestart + 1, Backend::host)));
  EXPECT_BREACH(solver.cycle(1));
  EXPECT_BREACH(solver.start(wide.view(), nullptr, b, memory.first(135), 0.1));
  EXPECT_BREACH(other.start(a.view(), nullptr, b, memory.first(135), 0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, b, memory.first(134), 0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, b, memory.first(135), -0.1));
  EXPECT_BREACH(solver.start(a.view(), nullptr, memory.first(135), memory.last(135), 0.1));
}

TEST(Gmres, without_a_gpu_there_is_an_error) {
  WEFT_NEEDS_NO_GPU();
  const BsrMatrix<double, 5> a(test::diffusion<double, 5>(3).pattern());
  std::vector<double> b(135), x(135);
  Gmres<double, 5> solver(27, 10, Backend::mirror);
  EXPECT_ANY_THROW(solver.start(space::cuda{}, host_stream(), a.view(), nullptr, b, x, 0.1));
}

}  // namespace
}  // namespace weft::kernels::gmres_test

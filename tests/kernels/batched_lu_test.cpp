// Batched LU factorisation on the host: P A = L U, solutions, singular matrices, any number of threads.
#include "weft/kernels/linear/batched_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/base/small_matrix.hpp"

#include "kernels/batches.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::batched_lu_test {
namespace {

using test::Batch;

/// Returns the largest entry of |P A - L U| of matrix m, relative to eps and the largest entry of A.
template <class T>
double factor_error(const Batch<T>& original, const Batch<T>& factored, std::size_t m) {
  const auto n = static_cast<std::size_t>(original.n);
  std::vector<double> rows(original.factors.begin() + static_cast<std::ptrdiff_t>(m * n * n),
                           original.factors.begin() + static_cast<std::ptrdiff_t>((m + 1) * n * n));
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t pivot = factored.pivots[m * n + c];
    for (std::size_t k = 0; k < n; ++k) std::swap(rows[c * n + k], rows[pivot * n + k]);
  }
  const auto lu = [&](std::size_t i, std::size_t k) { return static_cast<double>(factored.factors[(m * n + i) * n + k]); };
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      double sum = i <= k ? lu(i, k) : 0;
      for (std::size_t c = 0; c < std::min(i, k + 1); ++c) sum += lu(i, c) * lu(c, k);
      error = std::max(error, std::abs(sum - rows[i * n + k]));
      largest = std::max(largest, std::abs(rows[i * n + k]));
      if (i > k) {
        EXPECT_LE(std::abs(lu(i, k)), 1);
      }
    }
  }
  return largest > 0 ? error / largest / static_cast<double>(std::numeric_limits<T>::epsilon()) : error;
}

template <class T>
void expect_factors(int n) {
  SCOPED_TRACE(::testing::Message() << "n = " << n);
  const Batch<T> original(n, 40);
  Batch<T> factored = original;
  lu_factor(factored.view());
  EXPECT_TRUE(singular_matrices(factored.status).empty());
  for (std::size_t m = 0; m < 40; ++m) EXPECT_LT(factor_error(original, factored, m), 4.0 * n) << m;
}

TEST(BatchedLu, the_product_of_the_factors_is_the_matrix) {
  for (int n = 1; n <= 32; ++n) {
    expect_factors<double>(n);
    expect_factors<float>(n);
  }
}

TEST(BatchedLu, factors_are_those_of_small_matrices) {
  Batch<double> batch(6, 30);
  const Batch<double> original = batch;
  lu_factor(batch.view());
  for (std::size_t m = 0; m < 30; ++m) {
    Matrix<double, 6> a;
    std::copy_n(original.factors.data() + m * 36, 36, a.entry);
    const LuFactors<double, 6> expected = lu_factors(a);
    for (std::size_t e = 0; e < 36; ++e) EXPECT_EQ(batch.factors[m * 36 + e], expected.factors.entry[e]);
  }
}

template <class T>
void expect_solutions(int n) {
  SCOPED_TRACE(::testing::Message() << "n = " << n);
  const Batch<T> original(n, 50);
  Batch<T> batch = original;
  const auto size = static_cast<std::size_t>(n);
  const std::vector<T> b = test::numbers<T>(50 * size, 8);
  std::vector<T> x(b.size());
  lu_factor(batch.view());
  lu_solve(batch.view(), b, x);
  std::vector<T> in_place = b;
  lu_solve(batch.view(), in_place, in_place);
  EXPECT_EQ(in_place, x);
  for (std::size_t m = 0; m < 50; ++m) {
    double largest = 0;
    for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, std::abs(static_cast<double>(x[m * size + k])));
    for (std::size_t i = 0; i < size; ++i) {
      double sum = -static_cast<double>(b[m * size + i]);
      for (std::size_t k = 0; k < size; ++k) {
        sum += static_cast<double>(original.factors[(m * size + i) * size + k]) * static_cast<double>(x[m * size + k]);
      }
      EXPECT_LT(std::abs(sum), 8.0 * n * n * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::max(largest, 1.0));
    }
  }
}

TEST(BatchedLu, solutions_have_small_residuals) {
  for (int n = 1; n <= 32; ++n) {
    expect_solutions<double>(n);
    expect_solutions<float>(n);
  }
}

TEST(BatchedLu, the_example_on_its_page) {
  std::vector<double> a{0, 2, 4, 2}, x(2);
  std::vector<std::uint8_t> pivots(2), status(1, 9);
  const LuBatch<double> batch{2, a, pivots, status};
  lu_factor(batch);
  EXPECT_EQ(a, (std::vector<double>{4, 2, 0, 2}));
  EXPECT_EQ(pivots, (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(status[0], 0);
  lu_solve(batch, std::vector<double>{2, 8}, x);
  EXPECT_EQ(x, (std::vector<double>{1.5, 1}));
}

TEST(BatchedLu, singular_matrices_are_reported_and_their_right_hand_sides_are_copied) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 31, 32}) {
    SCOPED_TRACE(::testing::Message() << "n = " << n);
    Batch<double> batch(n, 9);
    const auto size = static_cast<std::size_t>(n);
    const std::vector<int> columns = test::make_singular(batch);
    lu_factor(batch.view());
    EXPECT_EQ(singular_matrices(batch.status), (std::vector<std::int64_t>{1, 3, 4, 6}));
    for (std::size_t m = 0; m < 9; ++m) EXPECT_EQ(batch.status[m], columns[m]) << m;
    std::vector<double> b = test::numbers<double>(9 * size, 8), x(b.size(), 77);
    lu_solve(batch.view(), b, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_TRUE(std::isfinite(x[i]));
      if (batch.status[i / size] != 0) {
        EXPECT_EQ(x[i], b[i]);
      }
    }
  }
}

TEST(BatchedLu, bits_do_not_depend_on_the_number_of_threads) {
  for (const int n : {3, 5, 7, 20}) {
    const Batch<double> original(n, 3000);
    Batch<double> expected = original;
    const std::vector<double> b = test::numbers<double>(3000 * static_cast<std::size_t>(n), 8);
    std::vector<double> solution(b.size());
    lu_factor(expected.view());
    lu_solve(expected.view(), b, solution);
    test::for_teams([&](Team& team) {
      Batch<double> batch = original;
      std::vector<double> x(b.size());
      lu_factor(batch.view(), team);
      lu_solve(batch.view(), b, x, team);
      EXPECT_EQ(batch.factors, expected.factors);
      EXPECT_EQ(batch.pivots, expected.pivots);
      EXPECT_EQ(x, solution);
    });
  }
}

TEST(BatchedLu, an_empty_batch_is_valid) {
  for (const int n : {1, 5, 32}) {
    Batch<float> batch(n, 0);
    std::vector<float> none;
    lu_factor(batch.view());
    lu_solve(batch.view(), none, none);
  }
}

TEST(BatchedLu, sizes_and_overlaps_violate_the_contract) {
  Batch<double> batch(5, 4);
  std::vector<double> b(20), x(40);
  const LuBatch<double> good = batch.view();
  LuBatch<double> bad = good;
  bad.n = 33;
  EXPECT_BREACH(lu_factor(bad));
  bad.n = 0;
  EXPECT_BREACH(lu_factor(bad));
  bad.n = 4;
  EXPECT_BREACH(lu_factor(bad));
  bad = good;
  bad.status = bad.pivots.first(4);
  EXPECT_BREACH(lu_factor(bad));
  bad = good;
  bad.pivots = bad.pivots.first(19);
  EXPECT_BREACH(lu_factor(bad));
  EXPECT_BREACH(lu_solve(good, std::span(b).first(19), std::span(x).first(20)));
  EXPECT_BREACH(lu_solve(good, std::span(x).first(20), std::span(x).subspan(1, 20)));
  EXPECT_BREACH(lu_solve(good, std::span(b), std::span(batch.factors).first(20)));
}

}  // namespace
}  // namespace weft::kernels::batched_lu_test

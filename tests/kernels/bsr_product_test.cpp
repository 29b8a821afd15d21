// Products of block-sparse matrices on the host: against dense matrices, and with the same bits for any number of threads.
#include "weft/kernels/linear/bsr_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/kernels/primitives/reduce.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::bsr_product_test {
namespace {

using test::numbers;
using test::view;

/// Returns A x, or A^T x, with each entry added from 0 on in the order of the list in the arithmetic of T.
template <class T, int B>
std::vector<T> plain_product(const test::BlockList<T>& list, const std::vector<T>& x, bool transposed) {
  std::vector<T> y(static_cast<std::size_t>(transposed ? list.columns : list.rows) * B);
  for (std::size_t row = 0; row < static_cast<std::size_t>(list.rows); ++row) {
    for (auto n = static_cast<std::size_t>(list.offsets[row]); n < static_cast<std::size_t>(list.offsets[row + 1]); ++n) {
      const auto column = static_cast<std::size_t>(list.column[n]);
      for (std::size_t i = 0; i < B; ++i) {
        for (std::size_t j = 0; j < B; ++j) {
          const T entry = list.blocks[(n * B + i) * B + j];
          if (transposed) {
            y[column * B + j] += entry * x[row * B + i];
          } else {
            y[row * B + i] += entry * x[column * B + j];
          }
        }
      }
    }
  }
  return y;
}

/// Returns alpha times a product plus beta b.
template <class T>
std::vector<T> combination(T alpha, std::vector<T> product, T beta, const std::vector<T>& b) {
  for (std::size_t i = 0; i < product.size(); ++i) product[i] = alpha * product[i] + beta * b[i];
  return product;
}

template <class T, int B>
void expect_products(std::int32_t rows, std::int32_t columns) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << " blocks of " << B);
  const auto list = test::random_matrix<T, B>(rows, columns);
  const BsrMatrix<T, B> a(list.pattern(), list.blocks);
  const std::vector<T> x = numbers<T>(static_cast<std::size_t>(columns) * B, 2);
  const std::vector<T> left = numbers<T>(static_cast<std::size_t>(rows) * B, 4);
  const std::vector<T> product = plain_product<T, B>(list, x, false), transposed = plain_product<T, B>(list, left, true);
  const ProductDots dots{dot<T, double>(view(left), view(product)), dot<T, double>(view(product), view(product))};
  const T alpha = T(1.3), beta = T(-0.7);
  const std::vector<T> b = numbers<T>(product.size(), 5), added = combination(alpha, product, beta, b);
  const ProductDots of_added{dot<T, double>(view(left), view(added)), dot<T, double>(view(added), view(added))};
  test::for_teams([&](Team& team) {
    std::vector<T> y(product.size(), T(9)), z(transposed.size(), T(9)), with_dots(product.size(), T(9));
    multiply(a.view(), x, y, team);
    EXPECT_EQ(y, product);
    EXPECT_EQ(multiply_and_dot(a.view(), x, with_dots, left, team), dots);
    EXPECT_EQ(with_dots, product);
    std::fill(y.begin(), y.end(), T(9));
    multiply_add(alpha, a.view(), x, beta, b, y, team);
    EXPECT_EQ(y, added);
    std::fill(y.begin(), y.end(), T(9));
    EXPECT_EQ(multiply_add_and_dot(alpha, a.view(), x, beta, b, y, left, team), of_added);
    EXPECT_EQ(y, added);
    multiply_transposed(a.view(), a.pattern().transpose(), left, z, team);
    EXPECT_EQ(z, transposed);
  });
}

TEST(BsrProduct, products_are_those_of_a_plain_loop_for_any_number_of_threads) {
  for (const std::int32_t rows : {0, 1, 2, 31, 32, 33, 1000}) {
    expect_products<double, 4>(rows, rows);
    expect_products<double, 5>(rows, rows);
    expect_products<double, 6>(rows, rows);
    expect_products<double, 7>(rows, rows);
    expect_products<float, 4>(rows, rows);
    expect_products<float, 5>(rows, rows);
    expect_products<float, 6>(rows, rows);
    expect_products<float, 7>(rows, rows);
  }
}

TEST(BsrProduct, a_matrix_may_have_other_columns_than_rows) {
  expect_products<double, 5>(600, 777);
  expect_products<double, 5>(70, 33);
  expect_products<float, 7>(0, 3);
  expect_products<float, 7>(3, 0);
}

TEST(BsrProduct, padding_is_not_read) {
  const auto list = test::random_matrix<double, 5>(50, 50);
  BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const BsrView<double, 5> values = a.values();
  std::vector<bool> used(static_cast<std::size_t>(a.pattern().slots()));
  for (std::int32_t row = 0; row < 50; ++row) {
    for (int k = 0; k < values.pattern.sizes[row]; ++k) used[static_cast<std::size_t>(values.pattern.slot(row, k))] = true;
  }
  for (std::size_t slot = 0; slot < used.size(); ++slot) {
    for (int e = 0; e < 25 && !used[slot]; ++e) {
      values(static_cast<std::int64_t>(slot), e / 5, e % 5) = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const std::vector<double> x = numbers<double>(250, 2);
  std::vector<double> y(250), z(250);
  multiply(a.view(), x, y);
  EXPECT_EQ(y, (plain_product<double, 5>(list, x, false)));
  multiply_transposed(a.view(), a.pattern().transpose(), x, z);
  EXPECT_EQ(z, (plain_product<double, 5>(list, x, true)));
}

TEST(BsrProduct, a_product_can_be_added_in_place) {
  const auto list = test::random_matrix<double, 5>(300, 300);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  const std::vector<double> x = numbers<double>(1500, 2), b = numbers<double>(1500, 5);
  const std::vector<double> expected = combination(2.5, plain_product<double, 5>(list, x, false), 0.3, b);
  test::for_teams([&](Team& team) {
    std::vector<double> y = b;
    multiply_add(2.5, a.view(), x, 0.3, y, y, team);
    EXPECT_EQ(y, expected);
    y = b;
    const ProductDots dots = multiply_add_and_dot(2.5, a.view(), x, 0.3, y, y, x, team);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(dots, (ProductDots{dot<double, double>(x, expected), dot<double, double>(expected, expected)}));
  });
}

TEST(BsrProduct, a_residual_has_the_digits_of_the_subtraction) {
  const auto list = test::random_matrix<float, 4>(100, 100);
  const BsrMatrix<float, 4> a(list.pattern(), list.blocks);
  const std::vector<float> x = numbers<float>(400, 2), b = numbers<float>(400, 5);
  const std::vector<float> product = plain_product<float, 4>(list, x, false);
  std::vector<float> r(400);
  const ProductDots dots = multiply_add_and_dot(-1, a.view(), x, 1, b, r, b);
  for (std::size_t i = 0; i < r.size(); ++i) ASSERT_EQ(r[i], b[i] - product[i]) << i;
  EXPECT_EQ(dots, (ProductDots{dot<float, double>(view(b), view(r)), dot<float, double>(view(r), view(r))}));
}

TEST(BsrProduct, factors_of_zero_do_not_hide_what_is_not_a_number) {
  const auto list = test::random_matrix<double, 4>(3, 3);
  const BsrMatrix<double, 4> a(list.pattern(), list.blocks);
  const std::vector<double> good(12, 1.0), bad(12, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> y(12);
  multiply_add(1, a.view(), good, 0, bad, y);
  EXPECT_TRUE(std::isnan(y[0]));
  multiply_add(0, a.view(), bad, 1, good, y);
  EXPECT_TRUE(std::isnan(y[0]));
}

TEST(BsrProduct, temporary_memory_is_known_without_a_gpu) {
  EXPECT_EQ(multiply_and_dot_workspace(0, 5), 0U);
  EXPECT_EQ(multiply_and_dot_workspace(204, 5), 0U);
  EXPECT_GT(multiply_and_dot_workspace(205, 5), 0U);
  EXPECT_LT(multiply_and_dot_workspace(1'000'000, 5), 100'000U);
}

TEST(BsrProduct, mismatched_sizes_and_overlaps_violate_the_contract) {
  const auto list = test::random_matrix<double, 4>(10, 12);
  const BsrMatrix<double, 4> a(list.pattern(), list.blocks);
  const BsrTransposeView transpose = a.pattern().transpose();
  std::vector<double> x(48), y(40), both(100);
  const std::span<double> memory(both);
  EXPECT_BREACH(multiply(a.view(), view(x).first(47), y));
  EXPECT_BREACH(multiply(a.view(), x, std::span(y).first(39)));
  EXPECT_BREACH(multiply(a.view(), memory.first(48), memory.subspan(47, 40)));
  EXPECT_BREACH((void)multiply_and_dot(a.view(), x, y, view(x)));
  EXPECT_BREACH((void)multiply_and_dot(a.view(), x, y, y));
  EXPECT_BREACH((void)multiply_and_dot(a.view(), x, memory.first(40), memory.subspan(39, 40)));
  EXPECT_BREACH(multiply_add(1, a.view(), view(x).first(47), 1, y, y));
  EXPECT_BREACH(multiply_add(1, a.view(), x, 1, x, y));
  EXPECT_BREACH(multiply_add(1, a.view(), memory.first(48), 1, y, memory.subspan(47, 40)));
  EXPECT_BREACH(multiply_add(1, a.view(), x, 1, memory.first(40), memory.subspan(1, 40)));
  EXPECT_BREACH((void)multiply_add_and_dot(1, a.view(), x, 1, y, y, x));
  EXPECT_BREACH((void)multiply_add_and_dot(1, a.view(), x, 1, y, y, y));
  EXPECT_BREACH((void)multiply_add_and_dot(1, a.view(), x, 1, memory.first(40), memory.subspan(1, 40), y));
  EXPECT_BREACH(multiply_transposed(a.view(), transpose, x, y));
  EXPECT_BREACH(multiply_transposed(a.view(), transpose, memory.first(40), memory.subspan(39, 48)));
}

TEST(BsrProduct, a_machine_without_a_gpu_has_no_products_on_it) {
  WEFT_NEEDS_NO_GPU();
  const BsrMatrix<double, 5> a(test::random_matrix<double, 5>(2, 2).pattern());
  std::vector<double> x(10), y(10);
  ProductDots dots;
  EXPECT_ANY_THROW(multiply(space::cuda{}, host_stream(), a.view(), x, y));
  EXPECT_ANY_THROW(multiply_and_dot(space::cuda{}, host_stream(), a.view(), x, y, x, &dots));
  EXPECT_ANY_THROW(multiply_add(space::cuda{}, host_stream(), 1, a.view(), x, 1, y, y));
  EXPECT_ANY_THROW(multiply_add_and_dot(space::cuda{}, host_stream(), 1, a.view(), x, 1, y, y, x, &dots));
  EXPECT_ANY_THROW(multiply_transposed(space::cuda{}, host_stream(), a.view(), a.pattern().transpose(), x, y));
}

}  // namespace
}  // namespace weft::kernels::bsr_product_test

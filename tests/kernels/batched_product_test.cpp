// Batched products on the host: the sums of a loop over rows and columns, any number of threads.
#include "weft/kernels/linear/batched_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "weft/base/small_matrix.hpp"
#include "weft/kernels/linear/matrix_tile.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::batched_product_test {
namespace {

/// Factors and results with their memory.
template <class T>
struct Products {
  int n;
  std::vector<T> a, b, c;

  Products(int rows, std::size_t size)
      : n(rows),
        a(test::numbers<T>(size * static_cast<std::size_t>(rows * rows), 11)),
        b(test::numbers<T>(a.size(), 12)),
        c(test::numbers<T>(a.size(), 13)) {}
  [[nodiscard]] ProductBatch<T> view() { return {n, a, b, c}; }
};

/// Returns the products, entry by entry, each added to that of c if `add`.
template <class T>
std::vector<T> entry_by_entry(const Products<T>& of, bool add) {
  const auto n = static_cast<std::size_t>(of.n);
  std::vector<T> c = of.c;
  for (std::size_t e = 0; e < c.size(); ++e) {
    const std::size_t first = e / (n * n) * n * n, row = first + e % (n * n) / n * n, column = first + e % n;
    T sum = of.a[row] * of.b[column];
    for (std::size_t k = 1; k < n; ++k) sum = std::fma(of.a[row + k], of.b[column + k * n], sum);
    c[e] = add ? c[e] + sum : sum;
  }
  return c;
}

template <class T>
void expect_products(int n) {
  SCOPED_TRACE(::testing::Message() << "n = " << n);
  Products<T> products(n, 40);
  const std::vector<T> sum = entry_by_entry(products, true), product = entry_by_entry(products, false);
  multiply_add_batch(products.view());
  EXPECT_EQ(products.c, sum);
  multiply_batch(products.view());
  EXPECT_EQ(products.c, product);
}

/// Checks the positions of all entries of 128 matrices of N rows, by their index and by entry and matrix.
template <int N>
void check_tile() {
  using Tile = detail::MatrixTile<double, N * N, 128>;
  constexpr typename Tile::At kAt;
  for (int n = 0; n < 128 * N * N; ++n) {
    const int entry = n % (N * N), matrix = n / (N * N), position = matrix * ((N * N) | 1) + entry;
    ASSERT_EQ(kAt(n), position);
    ASSERT_EQ(kAt(entry, matrix), position);
    ASSERT_LT(position, Tile::kSize);
  }
}

TEST(MatrixTile, has_matrices_one_behind_the_other) {
  check_tile<1>();
  check_tile<2>();
  check_tile<3>();
  check_tile<4>();
  check_tile<5>();
  check_tile<6>();
  check_tile<7>();
  check_tile<8>();
}

TEST(BatchedProduct, entries_are_summed_in_the_order_of_the_inner_index) {
  for (int n = 1; n <= 32; ++n) {
    expect_products<double>(n);
    expect_products<float>(n);
  }
}

TEST(BatchedProduct, products_are_those_of_small_matrices) {
  Products<double> products(6, 30);
  multiply_batch(products.view());
  for (std::size_t m = 0; m < 30; ++m) {
    Matrix<double, 6> a, b;
    std::copy_n(products.a.data() + m * 36, 36, a.entry);
    std::copy_n(products.b.data() + m * 36, 36, b.entry);
    const Matrix<double, 6> expected = a * b;
    for (std::size_t e = 0; e < 36; ++e) EXPECT_NEAR(products.c[m * 36 + e], expected.entry[e], 1e-14);
  }
}

TEST(BatchedProduct, the_example_on_its_page) {
  const std::vector<double> a{1, 2, 3, 4}, b{0, 1, 1, 0};
  std::vector<double> c(4, 77);
  const ProductBatch<double> batch{2, a, b, c};
  multiply_batch(batch);
  EXPECT_EQ(c, (std::vector<double>{2, 1, 4, 3}));
  multiply_add_batch(batch);
  EXPECT_EQ(c, (std::vector<double>{4, 2, 8, 6}));
}

TEST(BatchedProduct, both_factors_may_be_the_same) {
  const std::vector<float> a{1, 2, 3, 4};
  std::vector<float> c(4);
  multiply_batch(ProductBatch<float>{2, a, a, c});
  EXPECT_EQ(c, (std::vector<float>{7, 10, 15, 22}));
}

TEST(BatchedProduct, bits_do_not_depend_on_the_number_of_threads) {
  for (const int n : {3, 5, 8, 20}) {
    const Products<double> original(n, 3000);
    Products<double> expected = original;
    multiply_add_batch(expected.view());
    test::for_teams([&](Team& team) {
      Products<double> products = original;
      multiply_add_batch(products.view(), team);
      EXPECT_EQ(products.c, expected.c);
      multiply_batch(products.view(), team);
      EXPECT_EQ(products.c, entry_by_entry(original, false));
    });
  }
}

TEST(BatchedProduct, an_empty_batch_is_valid) {
  for (const int n : {1, 5, 32}) {
    Products<float> products(n, 0);
    multiply_batch(products.view());
    multiply_add_batch(products.view());
  }
}

TEST(BatchedProduct, sizes_and_overlaps_violate_the_contract) {
  Products<double> products(5, 4);
  const ProductBatch<double> good = products.view();
  ProductBatch<double> bad = good;
  bad.n = 33;
  EXPECT_BREACH(multiply_batch(bad));
  bad.n = 0;
  EXPECT_BREACH(multiply_batch(bad));
  bad.n = 6;
  EXPECT_BREACH(multiply_add_batch(bad));
  bad = good;
  bad.a = good.a.first(75);
  EXPECT_BREACH(multiply_batch(bad));
  bad = good;
  bad.b = good.b.first(75);
  EXPECT_BREACH(multiply_add_batch(bad));
  bad = good;
  bad.a = good.c;
  EXPECT_BREACH(multiply_batch(bad));
  bad = {5, good.a.first(50), good.c.subspan(25, 50), good.c.first(50)};
  EXPECT_BREACH(multiply_add_batch(bad));
}

}  // namespace
}  // namespace weft::kernels::batched_product_test

// The block Jacobi preconditioner on the host.
#include "weft/kernels/linear/block_jacobi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weft/kernels/linear/bsr_product.hpp"

#include "kernels/batches.hpp"
#include "kernels/block_sparse.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::block_jacobi_test {
namespace {

template <class T, int B>
void expect_inverse_of_diagonal() {
  const auto list = test::random_matrix<T, B>(1000, 1100);
  BsrMatrix<T, B> a(list.pattern(), list.blocks);
  const BsrView<T, B> values = a.values();
  for (int j = 0; j < B; ++j) values(values.pattern.slot(3, values.pattern.diagonal[3]), 2, j) = T(0);

  // A batch with the diagonal blocks, copied from the list.
  test::Batch<T> batch(B, 1000);
  std::fill(batch.factors.begin(), batch.factors.end(), T(0));
  std::vector<std::int64_t> singular;
  for (std::size_t row = 0; row < 1000; ++row) {
    if (row % 9 == 8 || row == 3) singular.push_back(static_cast<std::int64_t>(row));
    for (auto n = static_cast<std::size_t>(list.offsets[row]); n < static_cast<std::size_t>(list.offsets[row + 1]); ++n) {
      if (list.column[n] != static_cast<std::int32_t>(row)) continue;
      std::copy_n(list.blocks.data() + n * B * B, B * B, batch.factors.data() + row * B * B);
      if (row == 3) std::fill_n(batch.factors.data() + row * B * B + 2 * B, B, T(0));
    }
  }
  const std::vector<T> r = test::numbers<T>(1000 * B, 5);
  std::vector<T> expected(r.size());
  lu_factor(batch.view());
  lu_solve(batch.view(), r, expected);

  test::for_teams([&](Team& team) {
    BlockJacobi<T, B> jacobi(1000, Backend::host);
    std::vector<T> z(r.size());
    jacobi.factor(a.view(), team);
    EXPECT_EQ(jacobi.singular_rows(), singular);
    jacobi.apply(r, z, team);
    EXPECT_EQ(z, expected);
    z = r;
    jacobi.apply(z, z, team);
    EXPECT_EQ(z, expected);
  });
}

TEST(BlockJacobi, applies_the_inverse_of_the_diagonal_blocks_and_reports_singular_ones) {
  expect_inverse_of_diagonal<double, 4>();
  expect_inverse_of_diagonal<double, 5>();
  expect_inverse_of_diagonal<float, 6>();
  expect_inverse_of_diagonal<float, 7>();
}

TEST(BlockJacobi, solves_a_block_diagonal_system) {
  test::BlockList<double> list;
  list.rows = list.columns = 50;
  for (std::int32_t row = 0; row < 50; ++row) {
    list.column.push_back(row);
    list.offsets.push_back(row + 1);
  }
  list.blocks = test::numbers<double>(50 * 25, 1);
  const BsrMatrix<double, 5> a(list.pattern(), list.blocks);
  BlockJacobi<double, 5> jacobi(50, Backend::host);
  jacobi.factor(a.view());
  const std::vector<double> b = test::numbers<double>(250, 2);
  std::vector<double> x(250), product(250);
  jacobi.apply(b, x);
  multiply(a.view(), x, product);
  for (std::size_t i = 0; i < 250; ++i) EXPECT_NEAR(product[i], b[i], 1e-10);
}

TEST(BlockJacobi, another_number_of_rows_violates_the_contract) {
  const BsrMatrix<double, 4> a(test::random_matrix<double, 4>(3, 3).pattern());
  BlockJacobi<double, 4> jacobi(2, Backend::host);
  std::vector<double> r(8), z(9);
  EXPECT_BREACH(jacobi.factor(a.view()));
  EXPECT_BREACH(jacobi.apply(r, z));
  BlockJacobi<double, 4> none(0, Backend::host);
  EXPECT_TRUE(none.singular_rows().empty());
}

}  // namespace
}  // namespace weft::kernels::block_jacobi_test

// Products of block-sparse matrices with distributed vectors: owned rows, after an exchange of ghost rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/kernels/linear/bsr_product.hpp"

namespace weft::block_sparse_test {
namespace {

constexpr int kB = 5;

/// Small integers, so that sums are exact in any order: entries of the matrix of a ring, and of vectors.
double entry(std::int64_t row, std::int64_t column, int i, int j) {
  return static_cast<double>((3 * row + 5 * column + 7 * i + 2 * j) % 11 - 5);
}
double number(std::int64_t row, int k) { return static_cast<double>((7 * row + 3 * k) % 13 - 6); }

/// Returns entry i of row `row` of A x or A^T x, from the global numbers of a ring.
double expected(std::int64_t rows, std::int64_t row, int i, bool transposed) {
  double sum = 0;
  for (const std::int64_t other : {(row + rows - 1) % rows, row, (row + 1) % rows}) {
    for (int j = 0; j < kB; ++j) {
      sum += (transposed ? entry(other, row, j, i) : entry(row, other, i, j)) * number(other, j);
    }
  }
  return sum;
}

TEST(BlockSparse, products_on_owned_rows_are_those_of_the_global_matrix) {
  const Communicator comm = Communicator::world();
  const std::int32_t owned = comm.rank().value() + 3;
  const RowOffsets rows_of_ranks(comm, owned);
  const std::int64_t rows = rows_of_ranks.global_rows(), first = rows_of_ranks.first().value();
  const GhostPlan plan =
      GhostPlan::build(comm, owned, std::vector{GlobalRow((first + rows - 1) % rows), GlobalRow((first + owned) % rows)});
  ArrayPair<double, kB> x(plan), y(plan), z(plan);

  // The owned rows in local numbers, sorted by them.
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> blocks;
  for (std::int32_t row = 0; row < owned; ++row) {
    std::vector<std::int32_t> of_row{row > 0 ? row - 1 : plan.local_of(0).value(), row,
                                     row < owned - 1 ? row + 1 : plan.local_of(1).value()};
    std::sort(of_row.begin(), of_row.end());
    for (const std::int32_t column : of_row) {
      columns.push_back(column);
      const std::int64_t g = plan.global(LocalRow(row)).value(), h = plan.global(LocalRow(column)).value();
      for (int e = 0; e < kB * kB; ++e) blocks.push_back(entry(g, h, e / kB, e % kB));
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
    for (int k = 0; k < kB; ++k) x(row, k) = number(first + row, k);
  }
  const auto pattern = std::make_shared<const kernels::BsrPattern>(offsets, columns, x.rows());
  const kernels::BsrMatrix<double, kB> a(pattern, blocks);

  ArrayTransformer{plan, {x}}.pull().run();
  const std::size_t entries = static_cast<std::size_t>(owned) * kB;
  const kernels::ProductDots dots =
      kernels::multiply_and_dot(a.view(), x.storage(), y.storage().first(entries), x.storage().first(entries));
  kernels::multiply_transposed(a.view(), pattern->transpose(), x.storage().first(entries), z.storage());
  ArrayTransformer{plan, {z}}.push(Reduce::add).run();

  double xy = 0, yy = 0;
  for (std::int32_t row = 0; row < owned; ++row) {
    for (int k = 0; k < kB; ++k) {
      EXPECT_EQ(y(row, k), expected(rows, first + row, k, false));
      EXPECT_EQ(z(row, k), expected(rows, first + row, k, true));
      xy += x(row, k) * y(row, k);
      yy += y(row, k) * y(row, k);
    }
  }
  EXPECT_EQ(dots, (kernels::ProductDots{xy, yy}));
}

}  // namespace
}  // namespace weft::block_sparse_test

#include "weft/kernels/primitives/transpose.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::transpose_test {
namespace {

TEST(Transpose, exchanges_rows_and_columns) {
  const std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6);
  transpose(std::span<const int>(in), 2, 3, std::span(out));
  EXPECT_EQ(out, (std::vector<int>{1, 4, 2, 5, 3, 6}));
}

TEST(Transpose, accepts_any_size_and_is_its_own_inverse) {
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1}, {1, 9}, {9, 1}, {32, 33}, {100, 7}, {65, 64}}) {
    std::vector<double> in(static_cast<std::size_t>(rows * columns)), out(in.size()), back(in.size());
    std::iota(in.begin(), in.end(), 0.0);
    transpose(std::span<const double>(in), rows, columns, std::span(out));
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        ASSERT_EQ(out[static_cast<std::size_t>(j * rows + i)], in[static_cast<std::size_t>(i * columns + j)]) << i << " " << j;
      }
    }
    transpose(std::span<const double>(out), columns, rows, std::span(back));
    EXPECT_EQ(back, in);
  }
}

TEST(Transpose, does_not_depend_on_the_number_of_threads) {
  for (const auto& size : std::vector<std::pair<int, int>>{{300, 301}, {5, 3000}, {3000, 5}}) {
    const int rows = size.first, columns = size.second;
    std::vector<float> in(static_cast<std::size_t>(rows * columns)), of_one(in.size());
    std::iota(in.begin(), in.end(), 0.0F);
    transpose(std::span<const float>(in), rows, columns, std::span(of_one));
    test::for_teams([&](Team& team) {
      std::vector<float> out(in.size());
      transpose(std::span<const float>(in), rows, columns, std::span(out), team);
      EXPECT_EQ(out, of_one) << rows << " x " << columns;
    });
  }
}

TEST(Transpose, batches_are_matrices_one_after_the_other) {
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1}, {5, 3}, {4, 4}, {33, 65}, {100, 1}}) {
    constexpr int kMatrices = 7;
    const auto size = static_cast<std::size_t>(rows * columns);
    std::vector<double> in(kMatrices * size), expected(in.size());
    std::iota(in.begin(), in.end(), 0.0);
    for (std::size_t m = 0; m < kMatrices; ++m) {
      transpose(std::span<const double>(in).subspan(m * size, size), rows, columns, std::span(expected).subspan(m * size, size));
    }
    test::for_teams([&](Team& team) {
      std::vector<double> out(in.size());
      transpose_batch(std::span<const double>(in), kMatrices, rows, columns, std::span(out), team);
      EXPECT_EQ(out, expected) << rows << " x " << columns;
    });
  }
  transpose_batch(std::span<const double>{}, 0, 3, 4, std::span<double>{});
  transpose_batch(std::span<const double>{}, 3, 0, 4, std::span<double>{});
  std::vector<double> in(24), out(24);
  EXPECT_BREACH(transpose_batch(std::span<const double>(in), 2, 3, 5, std::span(out)));
  EXPECT_BREACH(transpose_batch(std::span<const double>(in), 0, 3, 4, std::span(out)));
  EXPECT_BREACH(transpose_batch(std::span<const double>(in), -2, -3, 4, std::span(out)));
  EXPECT_BREACH(transpose_batch(std::span<const double>(in), 2, 3, 4, std::span(in)));
}

TEST(Transpose, accepts_empty_matrices) {
  transpose(std::span<const int>{}, 0, 5, std::span<int>{});
  transpose(std::span<const int>{}, 5, 0, std::span<int>{});
}

TEST(Transpose, invalid_arguments_violate_the_contract) {
  std::vector<int> in(12), out(12);
  const std::span<const int> from(in);
  const std::span<int> to(out);
  EXPECT_BREACH(transpose(from, 3, 5, to));
  EXPECT_BREACH(transpose(from, -3, -4, to));
  EXPECT_BREACH(transpose(from, 0, 12, to));
  EXPECT_BREACH(transpose(from, std::int64_t{1} << 62, 12, to));
  EXPECT_BREACH(transpose(from, 3, 4, to.first(11)));
  EXPECT_BREACH(transpose(from, 3, 4, std::span(in)));
  EXPECT_BREACH(transpose(from.first(6), 2, 3, std::span(in).subspan(5, 6)));
  EXPECT_NO_THROW(transpose(from.first(6), 2, 3, std::span(in).subspan(6, 6)));
}

}  // namespace
}  // namespace weft::kernels::transpose_test

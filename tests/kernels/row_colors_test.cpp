// The colours of block rows.
#include "weft/kernels/linear/row_colors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/teams.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::row_colors_test {
namespace {

/// Returns the neighbours of each row: columns of its blocks and rows with a block in its column, without ghost columns.
std::vector<std::set<std::int32_t>> neighbours(const test::BlockList<double>& list) {
  std::vector<std::set<std::int32_t>> result(static_cast<std::size_t>(list.rows));
  for (std::int32_t row = 0; row < list.rows; ++row) {
    for (auto n = list.offsets[static_cast<std::size_t>(row)]; n < list.offsets[static_cast<std::size_t>(row) + 1]; ++n) {
      const std::int32_t column = list.column[static_cast<std::size_t>(n)];
      if (column == row || column >= list.rows) continue;
      result[static_cast<std::size_t>(row)].insert(column);
      result[static_cast<std::size_t>(column)].insert(row);
    }
  }
  return result;
}

/// Returns the colours of one row after the other in descending priority.
std::vector<std::int32_t> greedy(const test::BlockList<double>& list) {
  const auto near = neighbours(list);
  std::vector<std::int32_t> rows(near.size()), colors(near.size(), -1);
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [](std::int32_t a, std::int32_t b) {
    return mix_bits(static_cast<std::uint64_t>(a)) > mix_bits(static_cast<std::uint64_t>(b));
  });
  for (const std::int32_t row : rows) {
    std::set<std::int32_t> used;
    for (const std::int32_t other : near[static_cast<std::size_t>(row)]) used.insert(colors[static_cast<std::size_t>(other)]);
    std::int32_t color = 0;
    while (used.contains(color)) ++color;
    colors[static_cast<std::size_t>(row)] = color;
  }
  return colors;
}

/// Returns a matrix in which all rows are coupled.
test::BlockList<double> full(std::int32_t rows) {
  test::BlockList<double> list;
  list.rows = list.columns = rows;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < rows; ++column) list.column.push_back(column);
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  return list;
}

TEST(RowColors, are_those_of_one_row_after_the_other_for_any_number_of_threads) {
  for (const auto& list : {test::diffusion<double, 4>(11), test::random_matrix<double, 4>(3000, 3000), full(70),
                           test::random_matrix<double, 4>(200, 260), test::BlockList<double>{}}) {
    const auto pattern = list.pattern();
    const std::vector<std::int32_t> expected = greedy(list);
    std::vector<std::int32_t> order(expected.size());
    std::iota(order.begin(), order.end(), 0);
    const auto color = [&](std::int32_t row) { return expected[static_cast<std::size_t>(row)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return color(a) < color(b); });
    test::for_teams([&](Team& team) {
      const RowColors colors(*pattern, team);
      EXPECT_EQ(std::vector<std::int32_t>(colors.colors().begin(), colors.colors().end()), expected);
      EXPECT_EQ(std::vector<std::int32_t>(colors.order().begin(), colors.order().end()), order);
      ASSERT_EQ(colors.offsets().front(), 0);
      ASSERT_EQ(colors.offsets().back(), list.rows);
      for (std::int32_t c = 0; c < colors.count(); ++c) {
        const std::int32_t first = colors.offsets()[static_cast<std::size_t>(c)];
        const std::int32_t end = colors.offsets()[static_cast<std::size_t>(c) + 1];
        EXPECT_LT(first, end);
        for (std::int32_t k = first; k < end; ++k) EXPECT_EQ(color(order[static_cast<std::size_t>(k)]), c);
      }
    });
  }
}

TEST(RowColors, rows_are_sorted_by_colour) {
  test::BlockList<double> list;
  list.rows = list.columns = 3;
  list.column = {0, 1, 0, 1, 2, 1, 2};
  list.offsets = {0, 2, 5, 7};
  const RowColors colors(*list.pattern(), std::vector<std::int32_t>{0, 1, 0});
  EXPECT_EQ(colors.count(), 2);
  EXPECT_EQ(std::vector<std::int32_t>(colors.order().begin(), colors.order().end()), (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(std::vector<std::int32_t>(colors.offsets().begin(), colors.offsets().end()), (std::vector<std::int32_t>{0, 2, 3}));
}

void expect_error(const BsrPattern& pattern, const std::vector<std::int32_t>& colors, const char* problem) {
  try {
    const RowColors checked(pattern, colors);
    ADD_FAILURE() << "no error: " << problem;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(problem));
    EXPECT_FALSE(error.suggestion().empty());
  }
}

TEST(RowColors, colours_that_do_not_fit_are_errors_with_the_rows) {
  test::BlockList<double> list;
  list.rows = list.columns = 3;
  list.column = {0, 1, 1, 2};
  list.offsets = {0, 2, 3, 4};
  const auto pattern = list.pattern();
  expect_error(*pattern, {0, 0, 1}, "block row 0 has a block in column 1, and both have colour 0");
  expect_error(*pattern, {0, -1, 1}, "block row 1 has colour -1, which is outside 0 ... 2");
  expect_error(*pattern, {0, 3, 1}, "block row 1 has colour 3, which is outside 0 ... 2");
  expect_error(*pattern, {0, 1}, "2 colours were given for 3 block rows");
}

TEST(RowColors, cuda_has_the_colours_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const auto& list : {test::diffusion<double, 4>(30), test::random_matrix<double, 4>(3000, 3000), full(70),
                           test::random_matrix<double, 4>(200, 260), test::BlockList<double>{}}) {
    const auto pattern = list.pattern(Backend::cuda);
    const RowColors expected(*pattern), colors(space::cuda{}, stream, *pattern);
    EXPECT_TRUE(std::equal(colors.colors().begin(), colors.colors().end(), expected.colors().begin(), expected.colors().end()));
    EXPECT_TRUE(std::equal(colors.order().begin(), colors.order().end(), expected.order().begin(), expected.order().end()));
    EXPECT_TRUE(
        std::equal(colors.offsets().begin(), colors.offsets().end(), expected.offsets().begin(), expected.offsets().end()));
  }
}

}  // namespace
}  // namespace weft::kernels::row_colors_test

// Patterns of block-sparse matrices: slots, the transposed pattern, and errors in their lists.
#include "weft/kernels/linear/bsr_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/teams.hpp"

namespace weft::kernels::bsr_pattern_test {
namespace {

using Offsets = std::vector<std::int64_t>;
using Columns = std::vector<std::int32_t>;

TEST(BsrPattern, slots_are_those_of_the_example_on_its_page) {
  const BsrPattern pattern(Offsets{0, 2, 3, 5}, Columns{0, 1, 1, 0, 2}, 3);
  EXPECT_EQ(pattern.rows(), 3);
  EXPECT_EQ(pattern.columns(), 3);
  EXPECT_EQ(pattern.blocks(), 5);
  EXPECT_EQ(pattern.slots(), 64);
  const BsrPatternView view = pattern.view();
  EXPECT_EQ(view.slices[0], 0);
  EXPECT_EQ(view.slices[1], 64);
  EXPECT_EQ(std::vector(view.sizes, view.sizes + 3), (Columns{2, 1, 2}));
  EXPECT_EQ(std::vector(view.diagonal, view.diagonal + 3), (Columns{0, 0, 1}));
  EXPECT_EQ(view.column[0], 0);
  EXPECT_EQ(view.column[1], 1);
  EXPECT_EQ(view.column[2], 0);
  EXPECT_EQ(view.column[32], 1);
  EXPECT_EQ(view.column[34], 2);
  EXPECT_EQ(view.slot(2, 1), 34);
  const BsrTransposeView transpose = pattern.transpose();
  EXPECT_EQ(std::vector(transpose.offsets, transpose.offsets + 4), (Offsets{0, 2, 4, 5}));
  EXPECT_EQ(std::vector(transpose.row, transpose.row + 5), (Columns{0, 2, 0, 1, 2}));
  EXPECT_EQ(std::vector(transpose.slot, transpose.slot + 5), (Offsets{0, 2, 32, 1, 34}));
}

TEST(BsrPattern, every_entry_of_every_block_has_a_place_of_its_own) {
  for (const std::int32_t rows : {1, 31, 32, 33, 100}) {
    const auto list = test::random_matrix<double, 5>(rows, rows + 3);
    const auto pattern = list.pattern();
    const BsrPatternView view = pattern->view();
    std::set<std::int64_t> places;
    for (std::int32_t row = 0; row < rows; ++row) {
      ASSERT_EQ(view.sizes[row], list.offsets[row + 1] - list.offsets[row]);
      for (int k = 0; k < view.sizes[row]; ++k) {
        const std::int64_t slot = view.slot(row, k);
        ASSERT_LT(slot, pattern->slots());
        EXPECT_EQ(view.column[slot], list.column[list.offsets[row] + k]);
        for (int i = 0; i < 5; ++i) {
          for (int j = 0; j < 5; ++j) {
            const std::int64_t place = BsrView<double, 5>::index(slot, i, j);
            EXPECT_LT(place, pattern->slots() * 25);
            EXPECT_TRUE(places.insert(place).second);
          }
        }
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), pattern->blocks() * 25);
  }
}

TEST(BsrPattern, may_be_empty) {
  for (const std::int32_t columns : {0, 4}) {
    const BsrPattern none(Offsets{0}, Columns{}, columns);
    EXPECT_EQ(none.rows(), 0);
    EXPECT_EQ(none.slots(), 0);
    const BsrPattern empty_rows(Offsets{0, 0, 0}, Columns{}, columns);
    EXPECT_EQ(empty_rows.rows(), 2);
    EXPECT_EQ(empty_rows.slots(), 0);
    EXPECT_EQ(empty_rows.view().diagonal[1], -1);
  }
}

void expect_the_same(const BsrPattern& a, const BsrPattern& b) {
  const auto expect = [](const auto* from_a, const auto* from_b, std::int64_t n) {
    EXPECT_TRUE(std::equal(from_a, from_a + n, from_b));
  };
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  ASSERT_EQ(a.blocks(), b.blocks());
  ASSERT_EQ(a.slots(), b.slots());
  const BsrPatternView of_a = a.view(), of_b = b.view();
  expect(of_a.slices, of_b.slices, (a.rows() + kBsrSlice - 1) / kBsrSlice + 1);
  expect(of_a.sizes, of_b.sizes, a.rows());
  expect(of_a.diagonal, of_b.diagonal, a.rows());
  expect(of_a.column, of_b.column, a.slots());
  const BsrTransposeView transposed_a = a.transpose(), transposed_b = b.transpose();
  expect(transposed_a.offsets, transposed_b.offsets, a.columns() + 1);
  expect(transposed_a.row, transposed_b.row, a.blocks());
  expect(transposed_a.slot, transposed_b.slot, a.blocks());
}

/// Returns a list of rows with a diagonal block, and a block in the last column except for every fifth row.
test::BlockList<double> full_column(std::int32_t rows) {
  test::BlockList<double> list;
  list.rows = list.columns = rows;
  for (std::int32_t row = 0; row < rows; ++row) {
    list.column.push_back(row);
    if (row != rows - 1 && row % 5 != 0) list.column.push_back(rows - 1);
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  return list;
}

TEST(BsrPattern, does_not_depend_on_threads) {
  for (const auto& list : {test::random_matrix<double, 4>(3000, 3000), test::random_matrix<double, 4>(1500, 2000),
                           test::random_matrix<double, 4>(2000, 40), full_column(300'000), test::BlockList<double>{}}) {
    const auto expected = list.pattern();
    test::for_teams([&](Team& team) {
      expect_the_same(BsrPattern(list.offsets, list.column, list.columns, Backend::host, team), *expected);
      const BsrPattern mirrored(list.offsets, list.column, list.columns, Backend::mirror, team);
      expect_the_same(mirrored, *expected);
      EXPECT_TRUE(std::equal(mirrored.transpose<space::mirror>().slot,
                             mirrored.transpose<space::mirror>().slot + list.column.size(), expected->transpose().slot));
    });
  }
}

void expect_error(const Offsets& offsets, const Columns& columns, std::int32_t column_count, const char* problem,
                  Team& team = calling_thread()) {
  try {
    const BsrPattern pattern(offsets, columns, column_count, Backend::host, team);
    ADD_FAILURE() << "no error: " << problem;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(problem));
    EXPECT_FALSE(error.suggestion().empty());
  }
}

TEST(BsrPattern, errors_name_the_row_and_the_block) {
  expect_error({}, {}, 3, "do not begin with 0");
  expect_error({1, 2}, {0, 1}, 3, "do not begin with 0");
  expect_error({0, 2, 1}, {0, 1}, 3, "block row 1 has the offsets 2 and 1");
  expect_error({0, 3}, {0, 1}, 3, "block row 0 has the offsets 0 and 3, but there are 2 columns");
  expect_error({0, 1}, {0, 1}, 3, "end at 1, but there are 2 columns");
  expect_error({0, 1, 3}, {0, 1, 3}, 3, "block 1 of block row 1 has column 3, which is outside 0 ... 2");
  expect_error({0, 1, 2}, {0, -1}, 3, "block 0 of block row 1 has column -1");
  expect_error({0, 2}, {1, 0}, 3, "block 1 of block row 0 has column 0 after column 1");
  expect_error({0, 2}, {1, 1}, 3, "block 1 of block row 0 has column 1 after column 1");
  expect_error({0}, {}, -1, "number of block columns is -1");
}

TEST(BsrPattern, the_error_is_that_of_the_first_row_on_any_number_of_threads) {
  const auto list = full_column(4000);
  const auto begin = [&](std::int32_t row) { return static_cast<std::size_t>(list.offsets[row]); };
  test::for_teams([&](Team& team) {
    Columns columns = list.column;
    columns[begin(3500)] = 4000;
    columns[begin(1999) + 1] = 1999;
    columns[begin(2001)] = -1;
    expect_error(list.offsets, columns, 4000, "block 1 of block row 1999 has column 1999 after column 1999", team);
    Offsets offsets = list.offsets;
    offsets[2000] = -7;  // row 2000 begins there, and is the first of a thread of 2 or 4
    expect_error(offsets, columns, 4000, "block row 1999 has the offsets 3598 and -7, but there are", team);
    offsets = list.offsets;
    offsets.back() -= 1;
    expect_error(offsets, list.column, 4000, "end at 7198, but there are 7199 columns", team);
  });
}

TEST(BsrPattern, a_space_without_access_to_the_memory_is_refused) {
  const BsrPattern pattern(Offsets{0, 1}, Columns{0}, 1);
  EXPECT_THROW((void)pattern.view<space::cuda>(), ContractError);
  const BsrPattern mirrored(Offsets{0, 1}, Columns{0}, 1, Backend::mirror);
  EXPECT_NE(mirrored.view<space::mirror>().sizes, mirrored.view().sizes);
  EXPECT_EQ(mirrored.view<space::mirror>().sizes[0], 1);
}

TEST(BsrMatrix, is_zero_at_first_by_any_number_of_threads) {
  const auto pattern = full_column(1000).pattern();
  test::for_teams([&](Team& team) {
    const BsrMatrix<float, 4> a(pattern, team);
    const float* const values = a.view().values;
    EXPECT_TRUE(std::all_of(values, values + pattern->slots() * 16, [](float value) { return value == 0; }));
  });
}

TEST(BsrMatrix, blocks_are_those_of_the_list) {
  const auto list = test::random_matrix<float, 6>(40, 40);
  const BsrMatrix<float, 6> a(list.pattern(), list.blocks);
  const BsrView<const float, 6> view = a.view();
  std::size_t n = 0;
  for (std::int32_t row = 0; row < 40; ++row) {
    for (int k = 0; k < view.pattern.sizes[row]; ++k) {
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) EXPECT_EQ(view(view.pattern.slot(row, k), i, j), list.blocks[n++]);
      }
    }
  }
  EXPECT_EQ(n, list.blocks.size());
  EXPECT_THROW((BsrMatrix<float, 6>(list.pattern(), std::span(list.blocks).first(35))), InputError);
}

}  // namespace
}  // namespace weft::kernels::bsr_pattern_test

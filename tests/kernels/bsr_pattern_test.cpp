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

void expect_error(const Offsets& offsets, const Columns& columns, std::int32_t column_count, const char* problem) {
  try {
    const BsrPattern pattern(offsets, columns, column_count);
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

TEST(BsrPattern, a_space_without_access_to_the_memory_is_refused) {
  const BsrPattern pattern(Offsets{0, 1}, Columns{0}, 1);
  EXPECT_THROW((void)pattern.view<space::cuda>(), ContractError);
  const BsrPattern mirrored(Offsets{0, 1}, Columns{0}, 1, Backend::mirror);
  EXPECT_NE(mirrored.view<space::mirror>().sizes, mirrored.view().sizes);
  EXPECT_EQ(mirrored.view<space::mirror>().sizes[0], 1);
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

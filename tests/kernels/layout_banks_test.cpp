#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/compose.hpp"
#include "weft/kernels/layout/text.hpp"

#include "kernels/small_layouts.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::layout::layout_banks_test {
namespace {

TEST(BankConflicts, count_published_cases) {
  static_assert(bank_conflicts(Layout(32, 1), 4, 4) == BankConflicts{1, 1, 1});
  static_assert(bank_conflicts(Layout(32, 2), 4, 4) == BankConflicts{2, 1, 2});
  static_assert(bank_conflicts(Layout(32, 32), 4, 4) == BankConflicts{32, 1, 32});
  static_assert(bank_conflicts(Layout(32, 33), 4, 4) == BankConflicts{1, 1, 1});  // a padded row
  static_assert(bank_conflicts(Layout(32, 0), 4, 4) == BankConflicts{1, 1, 1});   // a broadcast
  static_assert(bank_conflicts(Layout(32, 1), 8, 8) == BankConflicts{2, 2, 1});
  static_assert(bank_conflicts(Layout(32, 4), 4, 16) == BankConflicts{4, 4, 1});
  static_assert(bank_conflicts(Layout(32, 1), 2, 2) == BankConflicts{1, 1, 1});  // two threads share a word
  static_assert(bank_conflicts(Layout(64, 32), 4, 4) == BankConflicts{64, 2, 32});
  static_assert(bank_conflicts(Layout(32, 2), 4, 4).conflicts() == 1);
}

// A column of a 32 x 32 matrix of floats: the swizzle of the column by the row takes one wavefront, and the one of the notes,
// which combines with row >> 5, is the identity there and takes 32. With row >> 3 eight threads share each bank.
TEST(BankConflicts, swizzles_remove_them) {
  const Layout column(32, 32);
  const auto of_column = [&](Swizzle swizzle) {
    return bank_conflicts(composition(swizzled(swizzle, Layout(1024, 1)), column), 4, 4).wavefronts;
  };
  EXPECT_EQ(of_column({}), 32);
  EXPECT_EQ(of_column({5, 0, 5}), 1);
  EXPECT_EQ(of_column({3, 0, 5 + 5}), 32);
  EXPECT_EQ(of_column({2, 0, 5 + 3}), 8);
}

TEST(BankConflicts, odd_strides_remove_them_for_words_only) {
  EXPECT_EQ(conflict_free_stride(8), 9);
  EXPECT_EQ(conflict_free_stride(9), 9);
  EXPECT_EQ(conflict_free_stride(std::int64_t{64}), 65);
  for (int width = 1; width <= 2048; ++width) {
    const Layout column(32, conflict_free_stride(width));
    for (const int bytes : {4, 8, 16}) ASSERT_EQ(bank_conflicts(column, bytes, bytes).conflicts(), 0) << width << ' ' << bytes;
  }
  EXPECT_EQ(bank_conflicts(Layout(32, 43), 1, 1).worst, 4);
  EXPECT_EQ(bank_conflicts(Layout(32, 3), 2, 2).worst, 2);
}

/// Counts by the definition: the threads of a group, a set of words for each bank.
BankConflicts counted(const Layout& access, int element_bytes, int bytes) {
  const std::int64_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  BankConflicts result;
  for (std::int64_t first = 0; first < access.size(); first += group) {
    std::map<std::int64_t, std::set<std::int64_t>> words;
    for (std::int64_t t = first; t < std::min(access.size(), first + group); ++t) {
      for (std::int64_t byte = access(t) * element_bytes; byte < access(t) * element_bytes + bytes; ++byte)
        words[byte / 4 % 32].insert(byte / 4);
    }
    std::size_t most = 0;
    for (const auto& [bank, its_words] : words) most = std::max(most, its_words.size());
    result.wavefronts += static_cast<int>(most);
    result.minimum += 1;
    result.worst = std::max(result.worst, static_cast<int>(most));
  }
  return result;
}

TEST(BankConflicts, agree_with_the_definition) {
  for (const std::int64_t rows : {1, 2, 4, 8, 16, 32}) {
    for (std::int64_t row_stride = 0; row_stride <= 40; row_stride += full_or_sanitized(1, 3)) {
      for (const std::int64_t column_stride : {0, 1, 2, 3, 4, 8, 16, 32, 33, 64}) {
        const Layout access({rows, 64 / rows}, {row_stride, column_stride});
        for (const int bytes : {1, 2, 4, 8, 16}) {
          ASSERT_EQ(bank_conflicts(access, bytes, bytes), counted(access, bytes, bytes)) << to_text(access) << ", " << bytes;
        }
      }
    }
  }
}

TEST(BankConflicts, invalid_accesses_throw) {
  EXPECT_THROW((void)bank_conflicts(Layout(32, 1), 4, 3), InputError);
  EXPECT_THROW((void)bank_conflicts(Layout(32, 1), 0, 4), InputError);
  EXPECT_THROW((void)bank_conflicts(Layout(32, 1), 4, 16), InputError);  // not aligned
  EXPECT_THROW((void)bank_conflicts(Layout(32, 1), 2, 4), InputError);
}

}  // namespace
}  // namespace weft::kernels::layout::layout_banks_test

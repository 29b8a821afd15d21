#include "weft/kernels/layout/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "weft/kernels/layout/text.hpp"
#include "weft/kernels/layout/thread_values.hpp"

#include "kernels/small_layouts.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::layout::layout_test {
namespace {

using ::testing::HasSubstr;

TEST(IntTuple, numbers_modes_and_leaves) {
  constexpr IntTuple t{{2, 3}, 4, {5, {6, 7}}};
  static_assert(rank(t) == 3 && depth(t) == 3 && t.leaves == 6 && size(t) == 5040);
  static_assert(mode(t, 0) == IntTuple{2, 3} && mode(t, 1) == IntTuple(4) && mode(t, 2) == IntTuple{5, {6, 7}});
  static_assert(mode(mode(t, 2), 1) == IntTuple{6, 7} && mode(mode(mode(t, 2), 1), 0) == IntTuple(6));
  static_assert(rank(IntTuple(8)) == 1 && depth(IntTuple(8)) == 0 && mode(IntTuple(8), 0) == IntTuple(8));
  static_assert(!(IntTuple{8} == IntTuple(8)) && depth(IntTuple{8}) == 1 && mode(IntTuple{8}, 0) == IntTuple(8));
  static_assert(congruent(t, IntTuple{{1, 1}, 1, {1, {1, 1}}}) && !congruent(t, IntTuple{1, {1, 1}, {1, {1, 1}}}));
  EXPECT_EQ(to_text(t), "((2,3),4,(5,(6,7)))");
}

TEST(IntTuple, invalid_arguments_throw) {
  EXPECT_THROW((void)mode(IntTuple{2, 3}, 2), InputError);
  EXPECT_THROW((void)mode(IntTuple{2, 3}, -1), InputError);
  EXPECT_THROW((void)mode(IntTuple(2), 1), InputError);
  EXPECT_THROW((IntTuple{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}), InputError);
  EXPECT_THROW(IntTuple().enclose(), InputError);
  EXPECT_THROW((void)size(IntTuple{std::int64_t{1} << 40, std::int64_t{1} << 40}), InputError);
}

TEST(Layout, evaluates_every_small_layout_as_defined) {
  int count = 0;
  test::for_each_layout(3, 3, 4, [&](const Layout& l) {
    const auto values = test::values_of(l);
    ASSERT_EQ(l.size(), static_cast<std::int64_t>(values.size()));
    std::int64_t largest = 0;
    for (std::int64_t i = 0; i < l.size(); ++i) {
      const std::int64_t value = values[static_cast<std::size_t>(i)];
      ASSERT_EQ(l(i), value) << to_text(l) << " at " << i;
      largest = std::max(largest, value);
      if (l.rank() == 2) {
        const std::int64_t rows = mode(l, 0).size();
        ASSERT_EQ(l(i % rows, i / rows), value) << to_text(l) << " at " << i;
      }
    }
    ASSERT_EQ(cosize(l), largest + 1) << to_text(l);
    ++count;
  });
  EXPECT_EQ(count, 15 + 225 + 3 * 3375);
}

TEST(Layout, major_orders_follow_the_leaves) {
  static_assert(column_major({2, {3, 4}}) == Layout({2, {3, 4}}, {1, {2, 6}}));
  static_assert(row_major({2, {3, 4}}) == Layout({2, {3, 4}}, {12, {4, 1}}));
  constexpr Layout kRows = row_major({2, 3});
  static_assert(kRows(4) == 2 && kRows(1, 2) == 5);
}

TEST(Layout, coordinate_layouts_yield_coordinates) {
  constexpr Layout kIdentity = identity({2, {3, 4}});
  static_assert(kIdentity.axes == 2);
  static_assert(kIdentity.coordinates(1, 7) == Coordinates{{1, 7}} && kIdentity.coordinates(15) == Coordinates{{1, 7}});
  constexpr Layout kTiler = by_mode({Layout(4, 1), Layout(2, 3)});
  static_assert(kTiler.coordinates(3, 1) == Coordinates{{3, 3}});
  EXPECT_EQ(to_text(kTiler), "(4,2):(1@0,3@1)");
  EXPECT_BREACH((void)kTiler(0));
  EXPECT_THROW((void)cosize(kTiler), InputError);
}

TEST(Layout, nested_coordinates_agree_with_indices) {
  test::for_each_layout(3, 3, 3, [](const Layout& l) {
    for (std::int64_t i = 0; i < l.size(); ++i) {
      const IntTuple at = coordinate_of(l.shape, i);
      ASSERT_TRUE(congruent(at, l.shape));
      ASSERT_EQ(index_at(l, at), l(i)) << to_text(l) << " at " << to_text(at);
    }
  });
  constexpr Layout kNested({{2, 3}, 4}, {{1, 2}, 6});
  static_assert(index_at(kNested, {{1, 2}, 3}) == 23 && index_at(kNested, {5, 3}) == 23 && index_at(kNested, 23) == 23);
  static_assert(coordinate_of(kNested.shape, 23) == IntTuple{{1, 2}, 3});
  static_assert(index_at(swizzled({2, 0, 2}, row_major({4, 4})), {3, 3}) == 12);
  static_assert(coordinates_at(identity({{2, 3}, 4}), {{1, 2}, 3}) == Coordinates{{5, 3}});
  EXPECT_THROW((void)index_at(kNested, {1, 2, 3}), InputError);
  EXPECT_THROW((void)index_at(kNested, {{0, 0}, {0, 0}}), InputError);
  EXPECT_THROW((void)index_at(identity({4, 4}), {0, 0}), InputError);
  EXPECT_THROW((void)coordinate_of({4, 4}, 16), InputError);
  EXPECT_THROW((void)coordinate_of({4, 4}, -1), InputError);
}

TEST(Layout, invalid_arguments_throw_and_name_the_problem) {
  EXPECT_THROW(Layout({2, 3}, {1, {2}}), InputError);
  EXPECT_THROW(Layout({2, 3}, 1), InputError);
  EXPECT_THROW(Layout({2, 0}, {1, 1}), InputError);
  EXPECT_THROW(Layout({2, -1}, {1, 1}), InputError);
  EXPECT_THROW(Layout({2, 2}, {1, -1}), InputError);
  EXPECT_THROW(Layout({2, 3}, {std::int64_t{1} << 62, std::int64_t{1} << 61}), InputError);
  EXPECT_THROW((void)by_mode({Layout(2, 1), identity({2, 2})}), InputError);
  EXPECT_THROW((void)by_mode({Layout(2, 1), Layout(2, 1), Layout(2, 1), Layout(2, 1), Layout(2, 1), Layout(2, 1)}), InputError);
  EXPECT_THROW((void)identity({2, 2, 2, 2, 2, 2}), InputError);
  try {
    (void)Layout({2, 0}, {1, 1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("extent 0 of a shape is not positive; leave out"));
  }
}

TEST(Layout, indices_outside_the_domain_violate_the_contract) {
  const Layout l({2, 3}, {3, 1});
  EXPECT_NO_THROW((void)l(5));
  EXPECT_BREACH((void)l(6));
  EXPECT_BREACH((void)l(2, 0));
  EXPECT_BREACH((void)l(0, 0, 0));
}

TEST(LayoutSwizzle, is_an_involution_of_blocks) {
  for (int bits = 0; bits <= 3; ++bits) {
    for (int base = 0; base <= 3; ++base) {
      for (int shift = bits; shift <= 4; ++shift) {
        const Swizzle swizzle(bits, base, shift);
        const std::int64_t low = std::int64_t{1} << (base + bits);
        for (std::int64_t i = 0; i < 4096; ++i) {
          const std::int64_t expected = i ^ (i >> (base + shift) & ((1 << bits) - 1)) << base;
          ASSERT_EQ(swizzle(i), expected);
          ASSERT_EQ(swizzle(swizzle(i)), i);
          ASSERT_EQ(swizzle(i) / low, i / low);
          ASSERT_EQ(swizzle(static_cast<int>(i)), expected);
        }
      }
    }
  }
  EXPECT_THROW(Swizzle(3, 0, 2), InputError);
  EXPECT_THROW(Swizzle(-1, 0, 2), InputError);
  EXPECT_THROW(Swizzle(1, -1, 2), InputError);
  EXPECT_THROW(Swizzle(3, 30, 30), InputError);
}

TEST(LayoutSwizzle, composes_with_a_layout_once) {
  constexpr Layout kTile = swizzled({2, 0, 2}, row_major({4, 4}));
  static_assert(kTile(1, 0) == 5 && kTile(3, 3) == 12 && kTile.at_offset(4, 0, 0) == 5);
  static_assert(cosize(swizzled({2, 0, 2}, Layout(5, 1))) == 8);
  EXPECT_THROW((void)swizzled({2, 0, 2}, kTile), InputError);
  EXPECT_THROW((void)swizzled({2, 0, 2}, identity({4, 4})), InputError);
  EXPECT_THROW((void)concatenate({kTile, Layout(1, 0)}), InputError);
}

TEST(LayoutText, is_read_back_for_every_small_layout) {
  test::for_each_layout(3, 2, 2, [](const Layout& l) { ASSERT_EQ(parse_layout(to_text(l)), l); });
  for (const char* text : {"swizzle<2,1,3> o ((2,3),4):((1,2),6)", "(4,2):(1@0,3@1)", "8:0", "((2)):((1))"}) {
    EXPECT_EQ(to_text(parse_layout(text)), text);
  }
  for (const char* text :
       {"", "8", "(2,3):(1,2", "(2,3):1", "8:1x", "8:-1", "():()", "swizzle<3,0,2> o 8:1", "8:1@5", "(2,,3):(1,2)",
        "99999999999999999999:1", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"}) {
    EXPECT_THROW((void)parse_layout(text), InputError) << text;
  }
}

TEST(LayoutText, prints_tables_and_pictures) {
  EXPECT_EQ(print(row_major({2, 3})), "(2,3):(3,1)\n   0  1  2\n0  0  1  2\n1  3  4  5\n");
  EXPECT_EQ(print(identity({1, 2})), "(1,2):(1@0,1@1)\n       0      1\n0  (0,0)  (0,1)\n");
  EXPECT_EQ(print(column_major({2, 2, 2})), "(2,2,2):(1,2,4)\n");
  constexpr Layout kTv = thread_values(row_major({2, 1}), row_major({1, 2}));
  EXPECT_EQ(print_threads(kTv), "2 threads x 2 values on (2,2): (2,2):(1@0,1@1)\n      0     1\n0  T0V0  T0V1\n1  T1V0  T1V1\n");
  const auto count = [](const std::string& text, const std::string& word) {
    int n = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  const std::string values = print_svg(row_major({4, 4})),
                    banks = print_svg(swizzled({2, 0, 2}, row_major({4, 4})), Cells::bank, 32), threads = print_threads_svg(kTv);
  EXPECT_EQ(count(values, "<rect"), 16);
  EXPECT_EQ(count(values, "#fff"), 16);
  EXPECT_THAT(values, HasSubstr(">15</text>"));
  EXPECT_THAT(banks, HasSubstr("<title>swizzle&lt;2,0,2&gt; o (4,4):(4,1), banks</title>"));
  EXPECT_EQ(count(banks, "fill=\"hsl("), 16);
  EXPECT_EQ(count(threads, ">T1V1</text>"), 1);
  EXPECT_THROW((void)print_threads(row_major({4, 4})), InputError);
  EXPECT_THROW((void)print_threads(by_mode({Layout(4, 2), Layout(4, 1)})), InputError);
  EXPECT_THROW((void)print_svg(column_major({2, 2, 2})), InputError);
  EXPECT_THROW((void)print_svg(identity({2, 2}), Cells::bank), InputError);
}

}  // namespace
}  // namespace weft::kernels::layout::layout_test

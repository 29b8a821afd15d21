#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "weft/kernels/layout/divide.hpp"
#include "weft/kernels/layout/text.hpp"
#include "weft/kernels/layout/thread_values.hpp"

#include "kernels/small_layouts.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::layout::layout_algebra_test {
namespace {

using test::for_each_layout;
using test::is_invalid;
using test::values_of;
using Values = std::vector<std::int64_t>;

/// Returns left(right(i)) for all i, from the values of both; empty if `right` leaves the domain of `left`.
Values composed(const Values& outer, Values values) {
  for (std::int64_t& v : values) {
    if (v >= static_cast<std::int64_t>(outer.size())) return {};
    v = outer[static_cast<std::size_t>(v)];
  }
  return values;
}

/// Returns true if all values differ.
bool differ(const Values& values) { return std::set(values.begin(), values.end()).size() == values.size(); }

TEST(LayoutAlgebra, coalesce_keeps_every_small_function) {
  for_each_layout(3, full_or_sanitized(4, 3), 6, [](const Layout& l) {
    const Layout c = coalesce(l);
    ASSERT_EQ(values_of(c), values_of(l)) << to_text(l);
    ASSERT_LE(depth(c.shape), 1);
    for (int i = 0; i < c.shape.leaves; ++i) {
      ASSERT_TRUE(c.shape.leaves == 1 || c.shape.value[i] > 1) << to_text(l);
      ASSERT_TRUE(i == 0 || c.stride[i] != c.shape.value[i - 1] * c.stride[i - 1]) << to_text(l);
    }
    const Layout by_mode = coalesce_modes(l);
    ASSERT_EQ(by_mode.rank(), l.rank());
    for (int k = 0; k < l.rank(); ++k) ASSERT_EQ(values_of(mode(by_mode, k)), values_of(mode(l, k))) << to_text(l);
    ASSERT_EQ(values_of(flatten(l)), values_of(l));
  });
  const Layout axes = by_mode({Layout(2, 1), Layout(3, 2)});  // the strides would merge on one axis
  EXPECT_EQ(coalesce(axes), axes);
  EXPECT_EQ(coalesce(identity({{2, 3}, {2, 2}})), identity({6, 4}));
}

/// One of this number of pairs is composed: with sanitizers every eleventh, so that each layout occurs on both sides.
constexpr std::size_t kEvery = full_or_sanitized(1, 11);

/// Composes one of kEvery pairs and checks the results point by point. @return kEvery times the numbers of valid and of rejected
/// pairs.
std::pair<int, int> check_compositions(const std::vector<Layout>& lefts, const std::vector<Layout>& rights) {
  int valid = 0, rejected = 0;
  std::vector<Values> values_of_rights;
  for (const Layout& right : rights) values_of_rights.push_back(values_of(right));
  std::size_t next = 0;
  for (const Layout& left : lefts) {
    const Values values_of_left = values_of(left);
    for (; next < rights.size(); next += kEvery) {
      const Layout& right = rights[next];
      Layout result;
      try {
        result = composition(left, right);
      } catch (const InputError&) {
        rejected += static_cast<int>(kEvery);
        continue;
      }
      valid += static_cast<int>(kEvery);
      EXPECT_EQ(values_of(result), composed(values_of_left, values_of_rights[next]))
          << to_text(left) << " o " << to_text(right) << " = " << to_text(result);
      for (int k = 0; k < right.rank() && !right.shape.is_integer(); ++k) {  // an integer may become a tuple
        EXPECT_EQ(mode(result, k).size(), mode(right, k).size()) << to_text(left) << " o " << to_text(right);
      }
      if (::testing::Test::HasFailure()) return {valid, rejected};
    }
    next -= rights.size();
  }
  return {valid, rejected};
}

std::vector<Layout> layouts_of(int ranks, std::int64_t extents, std::int64_t strides) {
  std::vector<Layout> layouts;
  for_each_layout(ranks, extents, strides, [&](const Layout& l) { layouts.push_back(l); });
  return layouts;
}

TEST(LayoutAlgebra, composition_is_pointwise_or_invalid_for_all_small_pairs) {
  std::vector<Layout> lefts = layouts_of(2, 4, 5);
  // Permutations of three and four extents, with and without gaps, as in tiles.
  for (const char* text : {"(2,3,2):(1,2,6)", "(2,3,2):(6,2,1)", "(2,2,3):(3,6,1)", "(4,2,2):(1,8,4)", "(2,2,2,2):(8,1,4,2)",
                           "(3,2,2):(10,1,5)", "((2,2),(2,3)):((1,4),(2,8))", "(2,2,2):(0,1,5)"}) {
    lefts.push_back(parse_layout(text));
  }
  const auto [valid, rejected] = check_compositions(lefts, layouts_of(2, 4, 6));
  EXPECT_GT(valid, 50'000);
  EXPECT_GT(rejected, 50'000);
}

TEST(LayoutAlgebra, composition_is_pointwise_or_invalid_for_three_modes) {
  const auto [valid, rejected] = check_compositions(layouts_of(3, 3, 2), layouts_of(2, 3, 3));
  EXPECT_GT(valid, 50'000);
  EXPECT_GT(rejected, 20'000);
  const auto [more_valid, more_rejected] = check_compositions(layouts_of(2, 4, 2), layouts_of(3, 3, 3));
  EXPECT_GT(more_valid, 50'000);
  EXPECT_GT(more_rejected, 50'000);
}

TEST(LayoutAlgebra, composition_matches_published_examples) {
  static_assert(composition(Layout({6, 2}, {8, 2}), Layout({4, 3}, {3, 1})) == Layout({{2, 2}, 3}, {{24, 2}, 8}));
  static_assert(composition(Layout({10, 2}, {16, 4}), Layout({5, 4}, {1, 5})) == Layout({5, {2, 2}}, {16, {80, 4}}));
  static_assert(composition(Layout(20, 2), Layout({5, 4}, {4, 1})) == Layout({5, 4}, {8, 2}));
  static_assert(composition(Layout({12, {4, 8}}, {59, {13, 1}}), by_mode({Layout(3, 4), Layout(8, 2)})) ==
                Layout({3, {2, 4}}, {236, {26, 1}}));
}

// The notes give (2,2):(0,8) for this composition: they take an index of the right layout for a column of the left one.
TEST(LayoutAlgebra, composition_takes_indices_of_the_left_domain) {
  static_assert(composition(Layout({8, 4}, {1, 8}), Layout({2, 2}, {0, 1})) == Layout({2, 2}, {0, 1}));
}

// CuTe composes the modes one by one and returns (2,2):(1,1), which maps 3 to 2, although index 2 of the left layout is 10.
TEST(LayoutAlgebra, composition_rejects_modes_that_carry_together) {
  EXPECT_TRUE(is_invalid([] { return composition(Layout({2, 2}, {1, 10}), Layout({2, 2}, {1, 1})); }));
  EXPECT_TRUE(is_invalid([] { return composition(Layout({4, 3}, {1, 10}), Layout({3, 2}, {1, 2})); }));
}

TEST(LayoutAlgebra, composition_is_associative_where_it_is_valid) {
  const std::vector<Layout> layouts = layouts_of(2, 3, 3);
  const Layout left({2, 3, 2}, {6, 1, 3});
  for (const Layout& b : layouts) {
    for (const Layout& c : layouts) {
      Layout ab_c, a_bc;
      try {
        ab_c = composition(composition(left, b), c);
        a_bc = composition(left, composition(b, c));
      } catch (const InputError&) {
        continue;
      }
      ASSERT_EQ(values_of(ab_c), values_of(a_bc)) << to_text(b) << " o " << to_text(c);
    }
  }
}

TEST(LayoutAlgebra, composition_keeps_swizzle_and_coordinates_of_the_left_layout) {
  const Layout tile = swizzled({2, 0, 2}, row_major({4, 4}));
  const Layout columns = composition(tile, Layout({2, 4}, {1, 4}));
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(columns(i), tile(i % 2 + i / 2 * 4));
  const Layout at = composition(identity({4, 6}), Layout({2, 3}, {2, 8}));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(at.coordinates(i), (Coordinates{{2 * (i % 2), 2 * (i / 2)}}));
  EXPECT_TRUE(is_invalid([&] { return composition(row_major({4, 4}), tile); }));
  EXPECT_TRUE(is_invalid([] { return composition(identity({4, 6}), Layout(2, 5)); }));  // a step along the diagonal
  EXPECT_TRUE(is_invalid([] { return composition(Layout(8, 1), identity({2, 2})); }));  // two axes, one mode
}

TEST(LayoutAlgebra, injective_and_bijective_agree_with_all_values) {
  for_each_layout(3, full_or_sanitized(4, 3), 6, [](const Layout& l) {
    Values values = values_of(l);
    const bool injective = differ(values);
    ASSERT_EQ(is_injective(l), injective) << to_text(l);
    std::sort(values.begin(), values.end());
    const bool bijective = injective && values.back() + 1 == static_cast<std::int64_t>(values.size());
    ASSERT_EQ(is_bijective(l), bijective) << to_text(l);
  });
  // The notes infer from size = cosize that a layout is a bijection.
  static_assert(Layout({2, 2}, {3, 0}).size() == cosize(Layout({2, 2}, {3, 0})) && !is_bijective(Layout({2, 2}, {3, 0})));
  static_assert(is_bijective(swizzled({2, 0, 2}, row_major({4, 4}))) && !is_bijective(swizzled({2, 0, 2}, Layout(6, 1))));
  EXPECT_TRUE(is_invalid([] { return is_injective(identity({2, 2})); }));
}

TEST(LayoutAlgebra, complement_fills_the_extent_without_overlap) {
  int valid = 0;
  for_each_layout(3, 3, full_or_sanitized(6, 4), [&](const Layout& l) {
    for (const std::int64_t extent : {1, 4, 6, 12, 24, 36}) {
      Layout rest;
      try {
        rest = complement(l, extent);
      } catch (const InputError&) {
        continue;
      }
      ++valid;
      const Values own = values_of(l), offsets = values_of(rest);
      const std::set<std::int64_t> image(own.begin(), own.end());  // elements repeated by stride 0 count once
      Values sums;
      for (const std::int64_t a : image) {
        for (const std::int64_t b : offsets) sums.push_back(a + b);
      }
      std::sort(sums.begin(), sums.end());
      ASSERT_EQ(static_cast<std::int64_t>(sums.size()), extent) << to_text(l) << " in " << extent;
      for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_EQ(sums[i], static_cast<std::int64_t>(i)) << to_text(l) << " in " << extent;
      ASSERT_TRUE(std::is_sorted(offsets.begin(), offsets.end())) << to_text(rest);
      ASSERT_TRUE(differ(offsets));
    }
  });
  EXPECT_GT(valid, 500);
  EXPECT_EQ(complement(Layout({2, 2}, {1, 6}), 24), Layout({3, 2}, {2, 12}));
  EXPECT_EQ(complement(Layout(4, 1), 24), Layout(6, 4));
  EXPECT_EQ(complement(Layout(6, 4), 24), Layout(4, 1));
  EXPECT_TRUE(is_invalid([] { return complement(Layout(4, 1), 10); }));
  EXPECT_TRUE(is_invalid([] { return complement(Layout(4, 1), 0); }));
  EXPECT_TRUE(is_invalid([] { return complement(Layout({2, 2}, {2, 3}), 12); }));
  EXPECT_TRUE(is_invalid([] { return complement(identity({2, 2}), 4); }));
}

TEST(LayoutAlgebra, inverses_satisfy_their_definitions) {
  int left_valid = 0;
  for_each_layout(3, full_or_sanitized(4, 3), 6, [&](const Layout& l) {
    const Values values = values_of(l);
    const Layout right = right_inverse(l);
    for (std::int64_t i = 0; i < right.size(); ++i) ASSERT_EQ(values[static_cast<std::size_t>(right(i))], i) << to_text(l);
    ASSERT_TRUE(!is_bijective(l) || right.size() == l.size()) << to_text(l);
    Layout left;
    try {
      left = left_inverse(l);
    } catch (const InputError&) {
      ASSERT_FALSE(is_bijective(l)) << to_text(l);
      return;
    }
    ++left_valid;
    ASSERT_TRUE(differ(values)) << to_text(l);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(left(values[i]), static_cast<std::int64_t>(i)) << to_text(l);
  });
  EXPECT_GT(left_valid, 1000);
  EXPECT_EQ(right_inverse(row_major({2, 3})), Layout({3, 2}, {2, 1}));
  EXPECT_TRUE(is_invalid([] { return left_inverse(Layout({2, 2}, {3, 0})); }));
  EXPECT_TRUE(is_invalid([] { return right_inverse(swizzled({1, 0, 1}, Layout(4, 1))); }));
}

TEST(LayoutAlgebra, division_selects_the_tile_and_keeps_all_elements) {
  const std::vector<Layout> tilers = layouts_of(2, 3, 4);
  int valid = 0;
  for (const char* text : {"12:1", "12:3", "(4,3):(1,4)", "(4,3):(3,1)", "(2,2,3):(6,1,2)", "(2,6):(7,1)", "(4,6):(6,1)"}) {
    const Layout l = parse_layout(text);
    for (const Layout& tiler : tilers) {
      Layout divided;
      try {
        divided = logical_divide(l, tiler);
      } catch (const InputError&) {
        continue;
      }
      ++valid;
      ASSERT_EQ(values_of(mode(divided, 0)), composed(values_of(l), values_of(tiler))) << text << " by " << to_text(tiler);
      ASSERT_EQ(divided.rank(), 2);
      if (differ(values_of(tiler))) {
        Values all = values_of(divided), expected = values_of(l);
        std::sort(all.begin(), all.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(all, expected) << text << " by " << to_text(tiler);
      }
      ASSERT_EQ(zipped_divide(l, tiler), divided);
    }
  }
  EXPECT_GT(valid, 100);
}

TEST(LayoutAlgebra, division_by_modes_is_pointwise) {
  for (const std::int64_t rows : {4, 6, 12}) {
    for (const std::int64_t columns : {3, 6, 8}) {
      const Layout l({rows, columns}, {columns + 1, 1});
      for (const std::int64_t m : {1, 2, 3, 4, 5, 6}) {
        for (const std::int64_t n : {1, 2, 3, 4}) {
          const Layout tiler = identity({m, n});
          if (rows % m != 0 || columns % n != 0) {
            ASSERT_TRUE(is_invalid([&] { return logical_divide(l, tiler); }))
                << rows << "x" << columns << " by " << m << "x" << n;
            continue;
          }
          const Layout logical = logical_divide(l, tiler), zipped = zipped_divide(l, tiler), tiled = tiled_divide(l, tiler);
          ASSERT_EQ(tiled.rank(), 3);
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
              const std::int64_t in_tile = i % m + j % n * m, tile_row = i / m, tile_column = j / n;
              ASSERT_EQ(logical(i, j), l(i, j));
              ASSERT_EQ(zipped(in_tile, tile_row + tile_column * (rows / m)), l(i, j));
              ASSERT_EQ(tiled(in_tile, tile_row, tile_column), l(i, j));
            }
          }
        }
      }
    }
  }
  const Layout strided = zipped_divide(row_major({8, 4}), by_mode({Layout(2, 4), Layout(2, 1)}));
  EXPECT_EQ(to_text(strided), "((2,2),(4,2)):((16,1),(4,2))");
  EXPECT_EQ(to_text(zipped_divide(row_major({4, 6, 2}), identity({2, 3}))), "((2,3),(2,2,2)):((12,2),(24,6,1))");
  EXPECT_TRUE(is_invalid([] { return logical_divide(Layout(8, 1), identity({2, 2})); }));
  EXPECT_TRUE(is_invalid([] { return logical_divide(row_major({4, 4}), parse_layout("(2,2):(1@1,1@0)")); }));
  EXPECT_TRUE(is_invalid([] { return logical_divide(row_major({4, 4}), parse_layout("4:1@1")); }));
}

TEST(LayoutAlgebra, products_place_disjoint_copies) {
  const std::vector<Layout> layouts = layouts_of(2, 3, 4);
  int valid = 0;
  for (const Layout& block : layouts) {
    for (const Layout& tiler : layouts) {
      Layout product;
      try {
        product = logical_product(block, tiler);
      } catch (const InputError&) {
        continue;
      }
      ++valid;
      const auto context = [&] { return to_text(block) + " x " + to_text(tiler) + " = " + to_text(product); };
      ASSERT_EQ(mode(product, 0), block);
      const Values copies = values_of(mode(product, 1)), arrangement = values_of(tiler);
      for (std::size_t a = 0; a < copies.size(); ++a) {  // the copies are ordered as the tiler orders its elements
        for (std::size_t b = 0; b < copies.size(); ++b) {
          ASSERT_EQ(copies[a] < copies[b], arrangement[a] < arrangement[b]) << context();
        }
      }
      ASSERT_TRUE(!differ(values_of(block)) || !differ(arrangement) || differ(values_of(product))) << context();
      const Layout blocked = blocked_product(block, tiler), raked = raked_product(block, tiler);
      const int modes = std::max(block.rank(), tiler.rank());
      ASSERT_EQ(blocked.rank(), modes);
      for (int k = 0; k < modes; ++k) {
        const Layout one(1, 0), a = k < block.rank() ? mode(block, k) : one;
        const Layout b = k < tiler.rank() ? mode(mode(product, 1), k) : one;
        ASSERT_EQ(values_of(mode(blocked, k)), values_of(concatenate({a, b}))) << context();
        ASSERT_EQ(values_of(mode(raked, k)), values_of(concatenate({b, a}))) << context();
      }
    }
  }
  EXPECT_GT(valid, 5'000);
  EXPECT_EQ(to_text(blocked_product(parse_layout("(2,5):(5,1)"), parse_layout("(3,4):(1,3)"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(to_text(raked_product(parse_layout("(2,5):(5,1)"), parse_layout("(3,4):(1,3)"))), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_TRUE(is_invalid([] { return logical_product(identity({2, 2}), Layout(2, 1)); }));
  EXPECT_TRUE(is_invalid([] { return logical_product(Layout(2, 1), identity({2, 2})); }));
}

// The examples of docs/design/layouts.md.
TEST(LayoutAlgebra, documented_examples_hold) {
  const auto result = composition(Layout({6, 2}, {8, 2}), Layout({4, 3}, {3, 1}));
  EXPECT_EQ(Layout({4, 3}, {3, 1})(2, 1), 7);
  EXPECT_EQ(Layout({6, 2}, {8, 2})(7), 10);
  EXPECT_EQ(result(2, 1), 10);
  EXPECT_EQ(to_text(zipped_divide(row_major({4, 6}), identity({2, 3}))), "((2,3),(2,2)):((6,1),(12,3))");
  EXPECT_EQ(to_text(thread_values(row_major({2, 1}), row_major({1, 3}))), "(2,3):(1@0,1@1)");
}

TEST(LayoutAlgebra, with_shape_keeps_the_function) {
  const Layout l({4, 6}, {6, 1});
  for (const IntTuple& shape : {IntTuple(24), IntTuple{2, 12}, IntTuple{{2, 2}, {3, 2}}, IntTuple{4, 2, 3}}) {
    const Layout reshaped = with_shape(l, shape);
    EXPECT_EQ(values_of(reshaped), values_of(l));
    for (int k = 0; k < rank(shape) && !shape.is_integer(); ++k) EXPECT_EQ(mode(reshaped, k).size(), size(mode(shape, k)));
  }
  EXPECT_TRUE(is_invalid([&] { return with_shape(l, {5, 5}); }));
  EXPECT_TRUE(is_invalid([&] { return with_shape(l, {3, 8}); }));
}

}  // namespace
}  // namespace weft::kernels::layout::layout_algebra_test

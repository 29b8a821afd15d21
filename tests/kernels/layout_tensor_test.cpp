#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "weft/kernels/layout/copy.hpp"
#include "weft/kernels/layout/tensor.hpp"
#include "weft/kernels/layout/text.hpp"

#include "kernels/small_layouts.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::layout::layout_tensor_test {
namespace {

std::vector<float> numbered(std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

/// Compares a static layout with the layout as a value, for an index and for an index per mode.
template <LayoutKey kKey>
void expect_same_as_value() {
  static constexpr Layout kLayout = kKey;
  constexpr StaticLayout<kLayout> kStatic;
  static_assert(kStatic.size() == kLayout.size() && std::is_empty_v<decltype(kStatic)>);
  for (std::int64_t i = 0; i < kLayout.size(); ++i) {
    EXPECT_EQ(kStatic(i), kLayout(i)) << to_text(kLayout) << " at " << i;
    EXPECT_EQ(kStatic.at_offset(8, i), kLayout.at_offset(8, i)) << to_text(kLayout) << " at " << i;
    if constexpr (kLayout.rank() == 2) {
      constexpr std::int64_t kRows = mode(kLayout, 0).size();
      EXPECT_EQ(kStatic(i % kRows, i / kRows), kLayout(i)) << to_text(kLayout) << " at " << i;
    }
  }
}

TEST(StaticLayout, agrees_with_the_layout_as_a_value) {
  expect_same_as_value<Layout(8, 1)>();
  expect_same_as_value<Layout(5, 0)>();
  expect_same_as_value<Layout({1, 7}, {3, 2})>();
  expect_same_as_value<row_major({6, 4})>();
  expect_same_as_value<column_major({{2, 3}, {4, 1, 2}})>();
  expect_same_as_value<Layout({{2, 3}, {2, 2}}, {{7, 0}, {1, 20}})>();
  expect_same_as_value<Layout({2, 3, 4}, {12, 1, 3})>();
  expect_same_as_value<swizzled({2, 1, 3}, row_major({8, 8}))>();
  expect_same_as_value<composition(swizzled({3, 0, 3}, row_major({8, 8})), Layout({{2, 4}, 2}, {{8, 16}, 4}))>();
}

TEST(StaticLayout, computes_in_the_narrowest_index_type) {
  static_assert(std::is_same_v<StaticLayout<row_major({64, 64})>::Index, std::int32_t>);
  static_assert(std::is_same_v<StaticLayout<row_major({1 << 16, 1 << 16})>::Index, std::int64_t>);
  constexpr StaticLayout<row_major({1 << 20, 1 << 20})> kLarge;
  static_assert(kLarge((1 << 20) - 1, 5) == ((std::int64_t{1} << 40) - (1 << 20)) + 5);
  static_assert(kLarge((std::int64_t{1} << 40) - 1) == (std::int64_t{1} << 40) - 1);
}

TEST(StaticLayout, holds_only_the_strides_of_axes) {
  using Tile = StaticLayout<identity({4, 6})>;
  static_assert(sizeof(Tile) == 2 * sizeof(std::int64_t) && std::is_trivially_copyable_v<Tile>);
  const Tile tile(100, 1);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(tile(i, j), 100 * i + j);
      EXPECT_EQ(tile(i + 4 * j), 100 * i + j);
      EXPECT_EQ(Tile::coordinate<0>(i + 4 * j), static_cast<unsigned>(i));
      EXPECT_EQ(Tile::coordinate<1>(i, j), static_cast<unsigned>(j));
    }
  }
  static_assert(!std::is_constructible_v<Tile, int> && !std::is_constructible_v<StaticLayout<Layout(8, 1)>, int>);
}

TEST(StaticLayout, indices_outside_the_domain_violate_the_contract) {
  [[maybe_unused]] const StaticLayout<row_major({4, 6})> l;
  EXPECT_NO_THROW((void)l(3, 5));
  EXPECT_BREACH((void)l(4, 0));
  EXPECT_BREACH((void)l(0, 6));
  EXPECT_BREACH((void)l(24));
  EXPECT_BREACH((void)l(-1, 0));
}

TEST(Tensor, slices_are_views_of_the_same_elements) {
  auto values = numbered(64);
  const auto check = [&](const auto& t) {
    const auto row = t(3, all);
    const auto column = t(all, 5);
    ASSERT_EQ(row.size(), 8);
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(&row(k), &t(3, k));
      EXPECT_EQ(&column(k), &t(k, 5));
    }
    EXPECT_EQ(&t(all, all)(2, 4), &t(2, 4));
  };
  constexpr Layout kSwizzled = swizzled({3, 0, 3}, row_major({8, 8}));
  check(tensor(values.data(), row_major({8, 8})));
  check(tensor(values.data(), kSwizzled));
  check(tensor(values.data(), StaticLayout<row_major({8, 8})>{}));
  check(tensor(values.data(), StaticLayout<kSwizzled>{}));
  check(tensor(values.data(), StaticLayout<identity({8, 8})>(1, 8)));
}

/// Checks the tiles and shares of a 12 x 8 tensor against its elements. @param tile, share  functions of the tensor.
template <class T, class Tile, class Share>
void expect_tiles(const T& t, const Tile& tile, const Share& share) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column) {
      const auto part = tile(t, row, column);
      ASSERT_EQ(part.size(), 16);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) EXPECT_EQ(&part(i, j), &t(4 * row + i, 4 * column + j));
      }
    }
  }
  for (int thread = 0; thread < 8; ++thread) {  // threads (4,2):(2,1)
    const auto part = share(t, thread);
    ASSERT_EQ(part.size(), 12);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 4; ++b) EXPECT_EQ(&part(a, b), &t(4 * a + thread / 2, 2 * b + thread % 2));
    }
  }
}

constexpr Layout kTiler = identity({4, 4}), kThreads = row_major({4, 2});

TEST(Tensor, tiles_and_shares_are_pointwise) {
  auto values = numbered(12 * 50);
  constexpr Layout kRows = row_major({12, 8});
  constexpr Layout kSwizzled = swizzled({2, 0, 3}, kRows);
  const auto tile = [](const auto& t, int i, int j) { return local_tile(t, kTiler, i, j); };
  const auto share = [](const auto& t, int thread) { return local_partition(t, kThreads, thread); };
  expect_tiles(tensor(values.data(), kRows), tile, share);
  expect_tiles(tensor(values.data(), kSwizzled), tile, share);
  expect_tiles(tensor(values.data(), Layout({12, 8}, {50, 1})), tile, share);
  const auto static_tile = [](const auto& t, int i, int j) { return local_tile<kTiler>(t, i, j); };
  const auto static_share = [](const auto& t, int thread) { return local_partition<kThreads>(t, thread); };
  expect_tiles(tensor(values.data(), StaticLayout<kRows>{}), static_tile, static_share);
  expect_tiles(tensor(values.data(), StaticLayout<kSwizzled>{}), static_tile, static_share);
  expect_tiles(tensor(values.data(), StaticLayout<identity({12, 8})>(50, 1)), static_tile, static_share);
  EXPECT_THROW((void)local_tile(tensor(values.data(), kRows), identity({5, 4}), 0, 0), InputError);
  EXPECT_THROW((void)local_partition(tensor(values.data(), kRows), Layout({4, 2}, {2, 2}), 0), InputError);
  EXPECT_THROW((void)local_partition(tensor(values.data(), kRows), row_major({5, 2}), 0), InputError);
}

TEST(ThreadValues, give_every_thread_a_block_of_adjacent_values) {
  constexpr Layout kTv = thread_values(Layout({2, 2}, {2, 1}), Layout({2, 2}, {1, 2}));
  static_assert(tile_of(kTv) == IntTuple{4, 4} && mode(kTv, 0).size() == 4 && mode(kTv, 1).size() == 4);
  EXPECT_EQ(to_text(kTv), "((2,2),(2,2)):((2@1,2@0),(1@0,1@1))");
  for (int thread = 0; thread < 4; ++thread) {
    for (int value = 0; value < 4; ++value) {
      const int row = thread / 2 * 2 + value % 2, column = thread % 2 * 2 + value / 2;
      EXPECT_EQ(kTv.coordinates(thread, value), (Coordinates{{row, column}}));
    }
  }
  // The notes say that blocked_product(threads, values) gives each thread a block. It interleaves the threads.
  const Layout blocked = blocked_product(Layout({2, 2}, {2, 1}), Layout({2, 2}, {1, 2}));
  EXPECT_EQ(blocked(0, 0) % 4, 0);
  EXPECT_EQ(blocked(0, 1) % 4, 1);  // the right neighbour belongs to thread 1
  EXPECT_THROW((void)thread_values(Layout({2, 2}, {2, 2}), Layout(2, 1)), InputError);
  EXPECT_THROW((void)thread_values(Layout({2, 2}, {2, 1}), Layout(2, 2)), InputError);
}

TEST(ThreadValues, select_the_values_of_a_thread_in_a_tile) {
  auto values = numbered(12 * 50);
  static constexpr Layout kTv = thread_values(row_major({4, 2}), row_major({1, 4}));  // a tile of 4 x 8
  const auto expect_values = [](const auto& tile, const auto& of_thread) {
    for (int thread = 0; thread < 8; ++thread) {
      const auto own = of_thread(tile, thread);
      ASSERT_EQ(own.size(), 4);
      for (int v = 0; v < 4; ++v) EXPECT_EQ(&own(v), &tile(thread / 2, thread % 2 * 4 + v));
    }
  };
  const auto dynamic = [](const auto& tile, int thread) { return local_values(tile, kTv, thread); };
  const auto fixed = [](const auto& tile, int thread) { return local_values<kTv>(tile, thread); };
  expect_values(tensor(values.data(), row_major({4, 8})), dynamic);
  expect_values(tensor(values.data(), StaticLayout<swizzled({1, 2, 3}, row_major({4, 8}))>{}), fixed);
  expect_values(local_tile<identity({4, 8})>(tensor(values.data(), StaticLayout<identity({12, 48})>(50, 1)), 1, 3), fixed);
  EXPECT_THROW((void)local_values(tensor(values.data(), row_major({8, 4})), kTv, 0), InputError);
  EXPECT_THROW((void)local_values(tensor(values.data(), row_major({8, 8})), kTv, 0), InputError);  // a part of the tile
}

TEST(Copy, moves_elements_and_words) {
  auto values = numbered(12 * 52);
  std::vector<float> plain(64, -1.0F);
  const std::vector<float> before = plain;
  const auto from = local_tile<identity({4, 8})>(tensor(values.data(), StaticLayout<identity({12, 48})>(52, 1)), 1, 3);
  const auto to = tensor(plain.data(), StaticLayout<swizzled({1, 2, 3}, row_major({4, 8}))>{});
  copy(from, to);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) EXPECT_EQ(to(i, j), from(i, j));
  }
  EXPECT_EQ(plain[32], -1.0F);
  std::vector<float> masked = before;
  const auto into = tensor(masked.data(), Layout({4, 8}, {8, 1}));
  copy_if([](std::int64_t i) { return i % 4 != 3; }, from, into);  // three of the four rows
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) EXPECT_EQ(into(i, j), i == 3 ? -1.0F : from(i, j));
  }
  EXPECT_THROW(copy(from, tensor(masked.data(), Layout({4, 4}, {4, 1}))), InputError);

  constexpr Layout kTv = thread_values(row_major({4, 2}), row_major({1, 4}));
  alignas(16) float by_words[32] = {};
  const auto tile = tensor(static_cast<float*>(by_words), StaticLayout<swizzled({1, 2, 3}, row_major({4, 8}))>{});
  alignas(16) float source[12 * 52];
  std::copy(values.begin(), values.end(), source);
  const auto aligned =
      local_tile<identity({4, 8})>(tensor(static_cast<const float*>(source), StaticLayout<identity({12, 48})>(52, 1)), 1, 3);
  for (int thread = 0; thread < 8; ++thread) copy_words<4>(local_values<kTv>(aligned, thread), local_values<kTv>(tile, thread));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) EXPECT_EQ(tile(i, j), from(i, j));
  }
}

TEST(Copy, words_that_do_not_fit_are_rejected) {
  static_assert(has_words(Layout(8, 1), 4) && has_words(row_major({1, 8}), 4) && !has_words(Layout(6, 1), 4));
  static_assert(!has_words(Layout(8, 2), 2) && has_words(Layout(8, 2), 1) && !has_words(row_major({2, 4}), 4));
  static_assert(has_words(Layout({4, 2}, {1, 8}), 4) && !has_words(Layout({4, 2}, {1, 6}), 4));
  static_assert(has_words(swizzled({1, 2, 3}, Layout(64, 1)), 4) && !has_words(swizzled({1, 1, 3}, Layout(64, 1)), 4));
  alignas(16) float a[24] = {}, b[8] = {};
  const auto to = tensor(static_cast<float*>(b), StaticLayout<Layout(8, 1)>{});
  const auto strided = [&](float* p, std::int64_t rows, std::int64_t columns) {
    return tensor(p, StaticLayout<by_mode({Layout(2, 1), Layout(4, 1)})>(rows, columns));
  };
  const auto transposed = [](const auto& t) {
    return tensor(t.data, t.layout.template rebind<composition(by_mode({Layout(2, 1), Layout(4, 1)}), Layout({4, 2}, {2, 1}))>());
  };
  EXPECT_NO_THROW(copy_words<4>(transposed(strided(a, 8, 1)), to));
  EXPECT_BREACH(copy_words<4>(transposed(strided(a, 6, 1)), to));
  EXPECT_BREACH(copy_words<4>(transposed(strided(a, 8, 2)), to));
  EXPECT_BREACH(copy_words<4>(transposed(strided(a + 1, 8, 1)), to));
  const auto rows = tensor(static_cast<float*>(a), StaticLayout<Layout({8, 2}, {1, 1})>{});
  EXPECT_NO_THROW(copy_words<4>(rows(all, 0), to));
  EXPECT_BREACH(copy_words<4>(rows(all, 1), to));  // begins at element 1
}

TEST(Copy, words_agree_with_all_values_of_small_layouts) {
  for (const int width : {2, 4}) {
    test::for_each_layout(2, 4, 5, [&](const Layout& l) {
      const auto values = test::values_of(l);
      bool expected = l.size() % width == 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t first = i - i % static_cast<std::size_t>(width);
        expected = expected && values[first] % width == 0 && values[i] == values[first] + static_cast<std::int64_t>(i - first);
      }
      ASSERT_EQ(has_words(l, width), expected) << to_text(l) << " by " << width;
    });
  }
}

}  // namespace
}  // namespace weft::kernels::layout::layout_tensor_test

// Scans on the host with any associative operator, their order, and scans by segments.
#include "weft/kernels/primitives/scan.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/associative.hpp"
#include "kernels/block_sparse.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::scan_test {
namespace {

using test::Affine;
using test::Compose;
using test::view;

/// Returns true if the bits are equal.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Tiles have 2048 entries of 8 bytes, 4096 of 4 bytes.
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 5, 63, 64, 65, 127, 129, 511, 513, 2047, 2048, 2049, 4095, 4097, 70'001};

TEST(OrderedScan, combines_in_the_order_of_the_entries) {
  for (const std::size_t n : kSizes) {
    const std::vector<Affine> in = test::affine_functions(n);
    std::vector<Affine> exclusive(n), inclusive(n);
    Affine total;
    for (std::size_t i = 0; i < n; ++i) {
      exclusive[i] = total;
      total = Compose{}(total, in[i]);
      inclusive[i] = total;
    }
    test::for_teams([&](Team& team) {
      std::vector<Affine> out(n);
      EXPECT_EQ(exclusive_scan(view(in), std::span(out), Affine{}, Compose{}, team), total) << n;
      EXPECT_EQ(out, exclusive) << n;
      EXPECT_EQ(inclusive_scan(view(in), std::span(out), Affine{}, Compose{}, team), total) << n;
      EXPECT_EQ(out, inclusive) << n;
      out = in;
      inclusive_scan(view(out), std::span(out), Affine{}, Compose{}, team);
      EXPECT_EQ(out, inclusive) << n;
    });
  }
}

TEST(OrderedScan, sums_of_floating_point_numbers_do_not_depend_on_the_number_of_threads) {
  for (const std::size_t n : kSizes) {
    const std::vector<double> in = test::cancelling_numbers<double>(n);
    std::vector<double> of_one(n), out(n);
    const double total = exclusive_scan(view(in), std::span(of_one));
    test::for_teams([&](Team& team) {
      const double again = exclusive_scan(view(in), std::span(out), team);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(again), std::bit_cast<std::uint64_t>(total)) << n;
      EXPECT_TRUE(same_bits(out, of_one)) << n;
    });
  }
}

/// Returns the sum of the first `count` of 32 lanes, in five steps.
double sum_of_lanes(std::vector<double> lanes, std::size_t count) {
  for (std::size_t apart = 1; apart < 32; apart *= 2) {
    for (std::size_t l = 31; l >= apart; --l) lanes[l] = lanes[l - apart] + lanes[l];
  }
  return count == 0 ? 0.0 : lanes[count - 1];
}

/// The sums of doubles in the order on the page of scan_order.hpp, one after the other.
struct PlainOrder {
  std::vector<double> in;
  std::vector<double> tiles;

  explicit PlainOrder(std::vector<double> numbers) : in(std::move(numbers)) {
    for (std::size_t first = 0; first < in.size(); first += 2048) tiles.push_back(sum_of_warps(first, 8));
  }
  [[nodiscard]] double sum_of_row(std::size_t first, std::size_t lanes) const {
    const auto entry = [&](std::size_t i) { return i < in.size() ? in[i] : 0.0; };
    std::vector<double> of_lanes(32);
    for (std::size_t l = 0; l < 32; ++l) of_lanes[l] = entry(first + 2 * l) + entry(first + 2 * l + 1);
    return sum_of_lanes(of_lanes, lanes);
  }
  [[nodiscard]] double sum_of_rows(std::size_t first, std::size_t rows) const {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += sum_of_row(first + r * 64, 32);
    return sum;
  }
  [[nodiscard]] double sum_of_warps(std::size_t first, std::size_t warps) const {
    double sum = 0;
    for (std::size_t w = 0; w < warps; ++w) sum += sum_of_rows(first + w * 256, 4);
    return sum;
  }
  [[nodiscard]] double sum_of_tiles(std::size_t first, std::size_t count) const {
    std::vector<double> of_lanes(32);
    for (std::size_t l = 0; l < 32; ++l) of_lanes[l] = first + l < tiles.size() ? tiles[first + l] : 0.0;
    return sum_of_lanes(of_lanes, count);
  }
  [[nodiscard]] double sum_of_tile_rows(std::size_t first, std::size_t rows) const {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += sum_of_tiles(first + r * 32, 32);
    return sum;
  }
  /// Returns the sum of the entries before entry i.
  [[nodiscard]] double before(std::size_t i) const {
    const std::size_t tile = i / 2048, group = tile / 256, warp = i % 2048 / 256, row = i % 256 / 64, lane = i % 64 / 2;
    double all = 0;
    for (std::size_t g = 0; g < group; ++g) all += sum_of_tile_rows(g * 256, 8);
    all = (all + sum_of_tile_rows(group * 256, tile % 256 / 32)) + sum_of_tiles(tile / 32 * 32, tile % 32);
    const std::size_t first = tile * 2048 + warp * 256 + row * 64;
    double in_tile = ((sum_of_warps(tile * 2048, warp) + sum_of_rows(tile * 2048 + warp * 256, row)) + sum_of_row(first, lane));
    if (i % 2 == 1) in_tile += in[i - 1];
    return all + in_tile;
  }
};

TEST(OrderedScan, has_the_order_on_its_page) {
  const std::size_t group = std::size_t{256} * 2048;
  const PlainOrder order(test::cancelling_numbers<double>(2 * group + 70'001));
  std::vector<double> out(order.in.size());
  const double total = exclusive_scan(view(order.in), std::span(out));
  for (std::size_t i = 0; i < out.size(); i += i % group < 5000 ? 1 : 997) ASSERT_EQ(out[i], order.before(i)) << i;
  EXPECT_EQ(total, order.before(order.in.size() / 2048 * 2048) + order.tiles.back());
  EXPECT_NE(total, std::accumulate(order.in.begin(), order.in.end(), 0.0)) << "sums of these numbers do not depend on the order";
}

TEST(OrderedScan, integers_wrap_around_on_any_number_of_threads) {
  std::vector<std::uint32_t> in(50'000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(mix_bits(i));
  std::vector<std::uint32_t> of_one(in.size());
  const std::uint32_t total = inclusive_scan(view(in), std::span(of_one));
  EXPECT_EQ(total, of_one.back());
  test::for_teams([&](Team& team) {
    std::vector<std::uint32_t> out = in;
    EXPECT_EQ(inclusive_scan(view(out), std::span(out), team), total);
    EXPECT_EQ(out, of_one);
    EXPECT_EQ(offsets_of(view(std::vector<std::int32_t>(10'000, 3)), team).back(), 30'000);
  });
}

TEST(OrderedScan, segments_are_scanned_separately) {
  const std::vector<int> in{1, 2, 3, 4, 5};
  const std::vector<std::uint8_t> heads{0, 0, 1, 0, 0};
  std::vector<int> out(5);
  segmented_exclusive_scan(view(in), view(heads), std::span(out), 0, Plus{});
  EXPECT_EQ(out, (std::vector<int>{0, 1, 0, 3, 7}));
  segmented_inclusive_scan(view(in), view(heads), std::span(out), 0, Plus{});
  EXPECT_EQ(out, (std::vector<int>{1, 3, 3, 7, 12}));
  std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5};
  segmented_inclusive_scan(view(bytes), view(heads), std::span(bytes), std::uint8_t{0}, Plus{});
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{1, 3, 3, 7, 12}));

  for (const std::size_t n : kSizes) {
    for (const std::uint64_t every : {1U, 3U, 1000U, 1'000'000U}) {
      const std::vector<Affine> functions = test::affine_functions(n);
      const std::vector<std::uint8_t> starts = test::segment_heads(n, every);
      std::vector<Affine> expected(n), scanned(n);
      Affine total;
      for (std::size_t i = 0; i < n; ++i) {
        total = Compose{}(starts[i] != 0 ? Affine{} : total, functions[i]);
        expected[i] = total;
      }
      Team team(3);
      segmented_inclusive_scan(view(functions), view(starts), std::span(scanned), Affine{}, Compose{}, team);
      EXPECT_EQ(scanned, expected) << n << ' ' << every;
      segmented_exclusive_scan(view(functions), view(starts), std::span(scanned), Affine{}, Compose{}, team);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(scanned[i], i == 0 || starts[i] != 0 ? Affine{} : expected[i - 1]) << i << ' ' << every;
      }
    }
  }
}

TEST(OrderedScan, segments_may_be_given_by_offsets) {
  const std::vector<int> in{1, 2, 3, 4, 5};
  const std::vector<std::int64_t> of_example{0, 2, 2, 5};
  std::vector<int> out(5);
  segmented_exclusive_scan(view(in), view(of_example), std::span(out), 0, Plus{});
  EXPECT_EQ(out, (std::vector<int>{0, 1, 0, 3, 7}));
  segmented_inclusive_scan(view(in), view(of_example), std::span(out), 0, Plus{});
  EXPECT_EQ(out, (std::vector<int>{1, 3, 3, 7, 12}));

  for (const std::size_t n : kSizes) {
    for (const std::uint64_t every : {1U, 3U, 1000U, 1'000'000U}) {
      const std::vector<Affine> functions = test::affine_functions(n);
      const std::vector<std::int64_t> offsets = test::segment_offsets(n, every);
      std::vector<Affine> inclusive(n), exclusive(n);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        Affine total;
        for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
          exclusive[i] = total;
          total = Compose{}(total, functions[i]);
          inclusive[i] = total;
        }
      }
      test::for_teams([&](Team& team) {
        std::vector<Affine> scanned = functions;
        segmented_inclusive_scan(view(scanned), view(offsets), std::span(scanned), Affine{}, Compose{}, team);
        EXPECT_EQ(scanned, inclusive) << n << ' ' << every;
        segmented_exclusive_scan(view(functions), view(offsets), std::span(scanned), Affine{}, Compose{}, team);
        EXPECT_EQ(scanned, exclusive) << n << ' ' << every;
      });
    }
  }
}

TEST(OrderedScan, segments_by_offsets_have_the_digits_of_those_by_heads) {
  const std::size_t n = 70'001;
  const std::vector<double> in = test::cancelling_numbers<double>(n);
  std::vector<double> by_heads(n), by_offsets(n);
  std::vector<std::uint8_t> heads = test::segment_heads(n, 1000);
  heads.front() = 1;
  segmented_inclusive_scan(view(in), view(heads), std::span(by_heads), 0.0, Plus{});
  const std::vector<std::int64_t> offsets = test::segment_offsets(n, 1000);
  test::for_teams([&](Team& team) {
    segmented_inclusive_scan(view(in), view(offsets), std::span(by_offsets), 0.0, Plus{}, team);
    EXPECT_TRUE(same_bits(by_offsets, by_heads));
  });
}

TEST(OrderedScan, index_arithmetic_and_workspace_hold_beyond_2_to_the_32) {
  constexpr std::int64_t kMany = (std::int64_t{1} << 33) + 1;
  static_assert(detail::kOrderedTile<double> == 2048 && detail::kOrderedTile<float> == 4096);
  static_assert(detail::ordered_tiles<double>(kMany) == (1 << 22) + 1);
  static_assert(detail::ordered_tiles<double>(0) == 0);
  static_assert(scan_workspace<double>(0) == 0 && scan_workspace<double>(2048) == 0);
  static_assert(scan_workspace<double>(2049) == 16 + (2 + 1) * 16 && scan_workspace<float>(4097) == 16 + (2 + 1) * 8);
  // 2^22 + 1 tiles in 2^14 + 1 groups.
  static_assert(scan_workspace<double>(kMany) == 16 + ((1 << 22) + 1 + (1 << 14) + 1) * std::size_t{16});
  static_assert(segmented_scan_workspace<double>(kMany) == scan_workspace<detail::Segmented<double>>(kMany) + kMany);
  static_assert(segmented_scan_workspace<double>(0) == 0 && segmented_scan_workspace<double>(1) == 1);

  // The tile that contains entry 2^32, of entries that are computed instead of stored.
  const std::int64_t first = (std::int64_t{1} << 32) - 2048, n = first + 2048 + 5;
  const auto load = [](std::int64_t i) { return static_cast<double>(i); };
  std::int64_t stored = 0;
  const auto store = [&](std::int64_t i, double) {
    EXPECT_TRUE(i >= first && i < n);
    ++stored;
  };
  detail::scan_tile<true, true>(first, n, 0.0, load, store, Plus{}, 0.0, 0.0);
  detail::scan_tile<true, true>(first + 2048, n, 0.0, load, store, Plus{}, 0.0, 0.0);
  EXPECT_EQ(stored, 2048 + 5);
}

TEST(OrderedScan, mismatched_sizes_and_overlaps_violate_the_contract) {
  std::vector<double> values(5);
  const std::vector<std::uint8_t> heads(4);
  EXPECT_BREACH((void)exclusive_scan(view(values).first(4), std::span(values).first(3)));
  EXPECT_BREACH((void)exclusive_scan(view(values).first(4), std::span(values).last(4)));
  EXPECT_BREACH(segmented_inclusive_scan(view(values), view(heads), std::span(values), 0.0, Plus{}));
  using Offsets = std::vector<std::int64_t>;
  for (const Offsets& offsets : {Offsets{}, Offsets{1, 5}, Offsets{0, 4}, Offsets{0, 3, 2, 5}, Offsets{0, 6}}) {
    EXPECT_BREACH(segmented_inclusive_scan(view(values), view(offsets), std::span(values), 0.0, Plus{}));
    EXPECT_BREACH(segmented_exclusive_scan(view(values), view(offsets), std::span(values), 0.0, Plus{}));
  }
  std::vector<std::int64_t> same{0, 2};
  EXPECT_BREACH(segmented_inclusive_scan(view(values).first(2), view(same), std::span(same), std::int64_t{0}, Plus{}));
  const std::vector<std::int64_t> halves{0, 2, 3};
  EXPECT_BREACH(segmented_inclusive_scan(view(values).first(3), view(halves), std::span(values).subspan(1, 3), 0.0, Plus{}));
}

}  // namespace
}  // namespace weft::kernels::scan_test

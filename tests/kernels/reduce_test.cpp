// Reductions on the host: the same bits for any number of threads, and their order.
#include "weft/kernels/primitives/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::reduce_test {
namespace {

/// Returns n numbers of very different magnitudes and both signs, whose sum depends on the order of addition.
template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mix_bits(i + 1);
    values[i] = static_cast<T>(std::ldexp(static_cast<double>(bits % 1000) - 499.5, static_cast<int>(bits >> 32 & 31) - 16));
  }
  return values;
}

template <class T>
std::span<const T> view(const std::vector<T>& values) {
  return values;
}

constexpr std::size_t kSizes[] = {0, 1, 31, 33, 1023, 1024, 1025, 8191, 8192, 8193, 100'003};

TEST(Reduce, sums_and_products_do_not_depend_on_the_number_of_threads) {
  for (const std::size_t n : kSizes) {
    const std::vector<double> x = numbers<double>(n);
    std::vector<double> y = x;
    for (double& value : y) value = 1 / (value + 0.25);
    const double sum_of_one = sum(view(x)), dot_of_one = dot(view(x), view(y));
    test::for_teams([&](Team& team) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(view(x), team)), std::bit_cast<std::uint64_t>(sum_of_one)) << n;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(dot(view(x), view(y), team)), std::bit_cast<std::uint64_t>(dot_of_one)) << n;
    });
  }
}

TEST(Reduce, products_of_floats_may_be_added_in_double) {
  const std::vector<float> x(100'000, 1.0F + std::ldexp(1.0F, -20));
  const double exact = 1e5 * (1 + std::ldexp(1.0, -20)) * (1 + std::ldexp(1.0, -20));
  EXPECT_NEAR((dot<float, double>(view(x), view(x))), exact, 1e-6);
  EXPECT_GT(std::abs(dot(view(x), view(x)) - exact), 1e-6);
}

TEST(Reduce, axpy_dot_updates_and_multiplies) {
  for (const std::size_t n : kSizes) {
    const std::vector<double> x = numbers<double>(n), old = numbers<double>(n + 7);
    const std::vector<double> z = numbers<double>(n);
    std::vector<double> expected(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t i = 0; i < n; ++i) expected[i] += 0.3 * x[i];
    test::for_teams([&](Team& team) {
      std::vector<double> y(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(axpy_dot(0.3, view(x), std::span(y), view(z), team), dot(view(expected), view(z))) << n;
      EXPECT_EQ(y, expected);
      EXPECT_EQ(axpy_dot(0.0, view(x), std::span(y), view(y), team), dot(view(expected), view(expected)));
    });
  }
}

TEST(Reduce, minimum_and_maximum_ignore_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x{nan, 3, -inf, nan, 7};
  const auto entry = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  EXPECT_EQ(transform_reduce(5, inf, entry, Minimum{}), -inf);
  EXPECT_EQ(transform_reduce(5, -inf, entry, Maximum{}), 7);
  EXPECT_EQ(transform_reduce(0, inf, entry, Minimum{}), inf);
}

TEST(Reduce, short_segments_are_added_from_left_to_right_and_longer_ones_by_lanes) {
  const std::vector<double> x = numbers<double>(1000);
  const std::vector<std::int64_t> offsets{0, 0, 1, 33, 66, 66, 1000};
  std::vector<double> expected(6, 0);
  for (std::size_t s : {1, 2}) {
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) expected[s] += x[static_cast<std::size_t>(i)];
  }
  for (std::size_t s : {3, 5}) {
    double lane[32] = {};
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) lane[(i - offsets[s]) % 32] += x[static_cast<std::size_t>(i)];
    for (int apart = 16; apart > 0; apart /= 2) {
      for (int l = 0; l < apart; ++l) lane[l] += lane[l + apart];
    }
    expected[s] = lane[0];
  }
  std::vector<double> sums(6, -1);
  segmented_sum(view(x), view(offsets), std::span(sums));
  EXPECT_EQ(sums, expected);
}

/// Returns the numbers combined by 32 lanes.
double by_lanes(std::span<const double> x) {
  double lane[32] = {};
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 32] += x[i];
  for (int apart = 16; apart > 0; apart /= 2) {
    for (int l = 0; l < apart; ++l) lane[l] += lane[l + apart];
  }
  return lane[0];
}

TEST(Reduce, segments_of_more_than_1024_entries_are_added_in_chunks) {
  static_assert(detail::segment_chunks(1024) == 1 && detail::segment_chunks(1025) == 2);
  static_assert(detail::segment_chunk(1 << 20) == 1024 && detail::segment_chunks(1 << 20) == 1024);
  static_assert(detail::segment_chunk((1 << 20) + 1) == 2048 && detail::segment_chunks((1 << 20) + 1) == 513);
  const std::vector<double> x = numbers<double>((1 << 20) + 5000);
  const std::vector<std::int64_t> offsets{1, 1025, 2050, 2050, 3002, (1 << 20) + 3003, (1 << 20) + 4100};
  std::vector<double> expected;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto first = static_cast<std::size_t>(offsets[s]), last = static_cast<std::size_t>(offsets[s + 1]);
    const std::size_t chunk = last - first > (1 << 20) ? 2048 : 1024;
    std::vector<double> results;
    for (std::size_t at = first; at < last; at += chunk)
      results.push_back(by_lanes(view(x).subspan(at, std::min(chunk, last - at))));
    expected.push_back(results.size() == 1 ? results[0] : by_lanes(results));
  }
  test::for_teams([&](Team& team) {
    std::vector<double> sums(expected.size(), -1);
    segmented_sum(view(x), view(offsets), std::span(sums), team);
    EXPECT_EQ(sums, expected);
  });
}

TEST(Reduce, segments_do_not_depend_on_the_number_of_threads) {
  const std::vector<float> x = numbers<float>(60'000);
  std::vector<std::int64_t> offsets{0};
  while (offsets.back() < 59'900) offsets.push_back(offsets.back() + static_cast<std::int64_t>(mix_bits(offsets.size()) % 9));
  std::vector<double> least(offsets.size() - 1);
  segmented_reduce(view(x), view(offsets), std::span(least), 1e300, Minimum{});
  test::for_teams([&](Team& team) {
    std::vector<double> again(offsets.size() - 1);
    segmented_reduce(view(x), view(offsets), std::span(again), 1e300, Minimum{}, team);
    EXPECT_EQ(again, least);
  });
}

TEST(Reduce, mismatched_sizes_and_overlaps_violate_the_contract) {
  std::vector<double> x(4), y(3);
  EXPECT_BREACH((void)dot(view(x), view(y)));
  EXPECT_BREACH((void)axpy_dot(1.0, view(x), std::span(y), view(y)));
  EXPECT_BREACH((void)axpy_dot(1.0, view(x), std::span(x), view(x)));
  EXPECT_BREACH((void)axpy_dot(1.0, view(x).first(2), std::span(x).subspan(2), view(x).subspan(1, 2)));
  const std::vector<std::int64_t> offsets{0, 2, 4}, descending{0, 3, 2};
  EXPECT_BREACH(segmented_sum(view(x), view(offsets), std::span(x).first(2)));
  EXPECT_BREACH(segmented_sum(view(x), view(descending), std::span(y).first(2)));
}

}  // namespace
}  // namespace weft::kernels::reduce_test

// Sorts on the host with several threads, in both directions and of special floating-point numbers.
#include "weft/kernels/primitives/sort.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/keys.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::sort_test {
namespace {

// From 16,384 on several threads sort together.
constexpr std::size_t kSizes[] = {0, 1, 2, 1000, 16'383, 16'384, full_or_sanitized(50'001, 16'385)};

/// Compares sorts by teams with std::stable_sort of (key, position).
template <class Key>
void check_sorts(std::size_t n, test::Distribution distribution) {
  const std::vector<Key> keys = test::keys<Key>(n, distribution);
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const Key &first = keys[to_index(a)], &second = keys[to_index(b)];
      return direction == Direction::ascending ? before(first, second) : before(second, first);
    });
    std::vector<Key> sorted(n);
    gather(std::span(keys), std::span(order), std::span(sorted));
    test::for_teams([&](Team& team) {
      EXPECT_EQ(stable_order(std::span<const Key>(keys), direction, team), order);
      std::vector<Key> alone = keys, with_values = keys;
      std::vector<std::int32_t> values(n);
      std::iota(values.begin(), values.end(), 0);
      sort(std::span(alone), direction, team);
      stable_sort_by_key(std::span(with_values), std::span(values), direction, team);
      EXPECT_TRUE(test::same_keys(alone, sorted)) << n;
      EXPECT_TRUE(test::same_keys(with_values, sorted)) << n;
      EXPECT_EQ(values, order) << n;
    });
  }
}

TEST(Sort, equals_std_stable_sort_on_any_number_of_threads) {
  for (const std::size_t n : kSizes) {
    for (const test::Distribution distribution : test::kDistributions) {
      check_sorts<std::int32_t>(n, distribution);
      check_sorts<double>(n, distribution);
    }
    check_sorts<std::uint8_t>(n, test::Distribution::random);
    check_sorts<std::int64_t>(n, test::Distribution::random);
    check_sorts<float>(n, test::Distribution::random);
  }
}

TEST(Sort, the_order_of_the_bits_of_floating_point_keys_is_that_of_before) {
  const std::vector<double> keys = test::keys<double>(300, test::Distribution::random);
  for (const double a : keys) {
    const auto a_bits = std::bit_cast<std::uint64_t>(a), a_ordered = detail::ordered_bits(a_bits);
    EXPECT_EQ(detail::unordered_bits(a_ordered), a_bits);
    for (const double b : keys) {
      EXPECT_EQ(a_ordered < detail::ordered_bits(std::bit_cast<std::uint64_t>(b)), before(a, b)) << a << ' ' << b;
    }
  }
  static_assert(detail::ordered_bits(std::bit_cast<std::uint32_t>(-0.0F)) + 1 == detail::ordered_bits(0U));
}

TEST(Sort, merge_path_divides_a_merge_stably) {
  const std::vector<int> a{1, 3, 3, 5}, b{3, 4};
  const std::size_t expected[] = {0, 1, 2, 3, 3, 3, 4};
  for (std::size_t count = 0; count <= 6; ++count) {
    EXPECT_EQ(detail::merge_path(std::span<const int>(a), std::span<const int>(b), count, std::less<int>()), expected[count]);
  }
}

TEST(Sort, overlaps_violate_the_contract) {
  std::vector<int> both(10);
  EXPECT_BREACH(stable_sort_by_key(std::span(both).first(6), std::span(both).last(6)));
}

}  // namespace
}  // namespace weft::kernels::sort_test

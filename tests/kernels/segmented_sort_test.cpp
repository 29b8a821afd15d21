// Sorts by segments on the host.
#include "weft/kernels/primitives/segmented_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/kernels/primitives/sort.hpp"

#include "kernels/keys.hpp"
#include "kernels/segment_lengths.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::segmented_sort_test {
namespace {

using Offsets = std::vector<std::int64_t>;

/// Compares both sorts of n keys with a stable sort of each segment on its own.
template <class Key>
void check_sorting(std::int64_t n, const test::Lengths& lengths, test::Distribution distribution) {
  const std::vector<Key> keys = test::keys<Key>(to_index(n), distribution);
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const Offsets offsets = test::offsets_to(n, lengths);
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    std::vector<Key> expected = keys;
    std::vector<std::int32_t> expected_order = order;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const std::size_t first = to_index(offsets[s]), size = to_index(offsets[s + 1] - offsets[s]);
      stable_sort_by_key(std::span(expected).subspan(first, size), std::span(expected_order).subspan(first, size), direction);
    }
    for (const int threads : {1, 3}) {
      Team team(threads);
      std::vector<Key> alone = keys, with_values = keys;
      std::vector<std::int32_t> values = order;
      segmented_sort(std::span(alone), std::span<const std::int64_t>(offsets), direction, team);
      segmented_stable_sort_by_key(std::span(with_values), std::span(values), std::span<const std::int64_t>(offsets), direction,
                                   team);
      ASSERT_TRUE(test::same_keys(alone, expected)) << lengths.name << ' ' << n;
      ASSERT_TRUE(test::same_keys(with_values, expected)) << lengths.name << ' ' << n;
      ASSERT_EQ(values, expected_order) << lengths.name << ' ' << n;
    }
  }
}

TEST(SegmentedSort, example_of_the_documentation) {
  std::vector<int> keys{5, 3, 9, 7, 1}, values{0, 1, 2, 3, 4}, alone = keys;
  const Offsets offsets{0, 2, 2, 5};
  segmented_stable_sort_by_key(std::span(keys), std::span(values), std::span<const std::int64_t>(offsets));
  EXPECT_EQ(keys, (std::vector<int>{3, 5, 1, 7, 9}));
  EXPECT_EQ(values, (std::vector<int>{1, 0, 4, 3, 2}));
  segmented_sort(std::span(alone), std::span<const std::int64_t>(offsets), Direction::descending);
  EXPECT_EQ(alone, (std::vector<int>{5, 3, 9, 7, 1}));
}

TEST(SegmentedSort, is_a_stable_sort_of_each_segment) {
  constexpr int kMany = full_or_sanitized(40'000, 16'500);  // all threads sort a segment of 2^14 keys or more
  for (const test::Lengths& lengths : test::segment_lengths()) {
    for (const test::Distribution distribution : test::kDistributions) {
      for (const std::int64_t n : {0, 1, 33, kMany}) {
        check_sorting<std::int32_t>(n, lengths, distribution);
        check_sorting<double>(n, lengths, distribution);
      }
    }
    check_sorting<std::uint8_t>(kMany / 2, lengths, test::Distribution::random);
    check_sorting<std::int64_t>(kMany / 2, lengths, test::Distribution::few);
  }
}

TEST(SegmentedSort, there_may_be_no_segment) {
  std::vector<double> none;
  const Offsets zero{0};
  segmented_sort(std::span(none), std::span<const std::int64_t>(zero));
  segmented_stable_sort_by_key(std::span(none), std::span(none), std::span<const std::int64_t>(zero));
  EXPECT_TRUE(none.empty());
}

TEST(SegmentedSort, more_keys_with_values_than_positions_are_refused) {
  detail::check_pairs(UINT32_MAX);
  EXPECT_THROW(detail::check_pairs(std::size_t{UINT32_MAX} + 1), LimitError);
}

TEST(SegmentedSort, offsets_that_do_not_fit_and_overlaps_violate_the_contract) {
  std::vector<std::int64_t> keys(5), values(5);
  for (const Offsets& offsets : {Offsets{}, Offsets{1, 5}, Offsets{0, 4}, Offsets{0, 3, 2, 5}, Offsets{0, 6}}) {
    const std::span<const std::int64_t> segments(offsets);
    EXPECT_BREACH(segmented_sort(std::span(keys), segments));
    EXPECT_BREACH(segmented_stable_sort_by_key(std::span(keys), std::span(values), segments));
  }
  const Offsets whole{0, 5};
  EXPECT_BREACH(segmented_stable_sort_by_key(std::span(keys), std::span(values).first(4), std::span<const std::int64_t>(whole)));
  EXPECT_BREACH(segmented_stable_sort_by_key(std::span(keys), std::span(keys), std::span<const std::int64_t>(whole)));
  std::vector<std::int64_t> same{0, 2};
  EXPECT_BREACH(segmented_sort(std::span(same), std::span<const std::int64_t>(same)));
}

}  // namespace
}  // namespace weft::kernels::segmented_sort_test

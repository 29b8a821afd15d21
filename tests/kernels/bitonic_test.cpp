// Bitonic sorts on the host.
#include "weft/kernels/primitives/bitonic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/keys.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::bitonic_test {
namespace {

constexpr auto kLess = [](const auto& a, const auto& b) { return a < b; };

TEST(Bitonic, compares_mirrored_positions_in_the_first_step_of_a_merge) {
  const auto is = [](const detail::BitonicPair& pair, int low, int high) { return pair.low == low && pair.high == high; };
  EXPECT_TRUE(is(detail::bitonic_pair(0, 4, false), 0, 4));
  EXPECT_TRUE(is(detail::bitonic_pair(5, 4, false), 9, 13));
  EXPECT_TRUE(is(detail::bitonic_pair(0, 4, true), 0, 7));
  EXPECT_TRUE(is(detail::bitonic_pair(1, 4, true), 1, 6));
  EXPECT_TRUE(is(detail::bitonic_pair(4, 4, true), 8, 15));
}

// A network that sorts all sequences of 0 and 1 sorts everything (the 0-1 principle).
TEST(Bitonic, sorts_every_sequence_of_zeros_and_ones) {
  for (unsigned n = 0; n <= 13; ++n) {
    for (unsigned bits = 0; bits < 1U << n; ++bits) {
      std::vector<int> entries(n);
      for (unsigned i = 0; i < n; ++i) entries[i] = static_cast<int>(bits >> i & 1U);
      bitonic_sort(std::span(entries), kLess);
      ASSERT_TRUE(std::is_sorted(entries.begin(), entries.end())) << n << ' ' << bits;
    }
  }
}

TEST(Bitonic, retains_every_entry_for_any_number_of_them) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 1000, 2047, 2048, 2049}) {
    for (const test::Distribution distribution : test::kDistributions) {
      std::vector<std::uint32_t> entries = test::keys<std::uint32_t>(n, distribution), expected = entries;
      std::sort(expected.begin(), expected.end());
      bitonic_sort(std::span(entries), kLess);
      ASSERT_EQ(entries, expected) << n;
    }
  }
}

TEST(Bitonic, infinite_and_greatest_entries_are_kept) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> numbers{kInfinity, 3, kInfinity, -kInfinity, 1};
  bitonic_sort(std::span(numbers), kLess);
  EXPECT_EQ(numbers, (std::vector<double>{-kInfinity, 1, 3, kInfinity, kInfinity}));
  constexpr std::uint8_t kGreatest = 255;
  std::vector<std::uint8_t> bytes{kGreatest, 0, kGreatest};
  bitonic_sort(std::span(bytes), kLess);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, kGreatest, kGreatest}));
}

TEST(Bitonic, too_many_entries_violate_the_contract) {
  std::vector<std::uint8_t> entries(kBitonicEntries + 1);
  EXPECT_BREACH(bitonic_sort(std::span(entries), kLess));
}

}  // namespace
}  // namespace weft::kernels::bitonic_test

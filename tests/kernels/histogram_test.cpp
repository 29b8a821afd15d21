#include "weft/kernels/primitives/histogram.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::histogram_test {
namespace {

TEST(Histogram, counts_indices_of_each_bin_on_any_number_of_threads) {
  for (const std::int64_t n : {0, 1, 5, 1000, 30'001}) {
    for (const std::size_t bins : {0U, 1U, 7U, 2000U}) {
      const auto bin_of = [](std::int64_t i) {
        return static_cast<std::int32_t>(mix_bits(static_cast<std::uint64_t>(i)) % 9) - 1;
      };
      std::vector<std::int64_t> expected(bins, 0);
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t bin = bin_of(i);
        if (bin >= 0 && static_cast<std::size_t>(bin) < bins) ++expected[static_cast<std::size_t>(bin)];
      }
      test::for_teams([&](Team& team) {
        std::vector<std::int64_t> counts(bins, 99);
        histogram(n, bin_of, std::span(counts), team);
        EXPECT_EQ(counts, expected) << n << ' ' << bins;
      });
    }
  }
}

TEST(Histogram, a_negative_size_violates_the_contract) {
  std::vector<std::int64_t> counts(2);
  EXPECT_BREACH(histogram(
      -1, [](std::int64_t) { return 0; }, std::span(counts)));
}

}  // namespace
}  // namespace weft::kernels::histogram_test

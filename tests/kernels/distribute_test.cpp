// A counting sort by several threads is stable.
#include "weft/kernels/primitives/distribute.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/teams.hpp"

namespace weft::kernels::distribute_test {
namespace {

TEST(Distribute, IsAStableSortOnAnyNumberOfThreads) {
  for (const std::size_t n : {0U, 1U, 300U, 3000U, 50'000U}) {
    for (const std::size_t parts : {1U, 2U, 7U, 1000U}) {
      std::vector<std::size_t> part(n), order(n), expected_first(parts + 1, 0);
      for (std::size_t i = 0; i < n; ++i) {
        part[i] = mix_bits(i) % (parts + 1) % parts;
        ++expected_first[part[i] + 1];
      }
      std::partial_sum(expected_first.begin(), expected_first.end(), expected_first.begin());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return part[a] < part[b]; });
      test::for_teams([&](Team& team) {
        std::vector<std::size_t> sorted(n, n);
        const std::vector<std::size_t> first = distribute(
            static_cast<std::int64_t>(n), parts, [&](std::int64_t i) { return part[static_cast<std::size_t>(i)]; },
            [&](std::int64_t i, std::size_t position) { sorted[position] = static_cast<std::size_t>(i); }, team);
        EXPECT_EQ(sorted, order) << n << " " << parts << " " << team.size();
        EXPECT_EQ(first, expected_first) << n << " " << parts << " " << team.size();
      });
    }
  }
}

TEST(Distribute, EmptyPartsBeginWhereTheNextOneDoes) {
  const std::vector<int> part{4, 1, 4, 1};
  std::vector<std::size_t> positions(part.size());
  const auto first = distribute(
      4, 6, [&](std::int64_t i) { return part[static_cast<std::size_t>(i)]; },
      [&](std::int64_t i, std::size_t position) { positions[static_cast<std::size_t>(i)] = position; });
  EXPECT_EQ(positions, (std::vector<std::size_t>{2, 0, 3, 1}));
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 0, 2, 2, 2, 4, 4}));
}

}  // namespace
}  // namespace weft::kernels::distribute_test

// Items in the order of the ranks to which they are sent.
#include "weft/mesh/build/send_order.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/teams.hpp"

namespace weft::mesh::send_order_test {
namespace {

TEST(SendOrder, SortsItemsByRankOnAnyNumberOfThreads) {
  for (const std::int64_t n : {0, 1, 3, 5000}) {
    const auto rank_of = [](std::int64_t i) { return Rank(static_cast<int>(3 * (mix_bits(static_cast<std::uint64_t>(i)) % 4))); };
    kernels::test::for_teams([&](Team& team) {
      const detail::SendOrder order = detail::send_order(n, rank_of, team);
      ASSERT_EQ(std::ssize(order.item), n);
      ASSERT_EQ(order.first.size(), order.ranks.size() + 1);
      EXPECT_EQ(order.first.back(), static_cast<std::size_t>(n));
      for (std::size_t d = 0; d < order.ranks.size(); ++d) {
        if (d > 0) {
          EXPECT_LT(order.ranks[d - 1], order.ranks[d]);
        }
        EXPECT_LT(order.first[d], order.first[d + 1]);
        for (std::size_t p = order.first[d]; p < order.first[d + 1]; ++p) {
          EXPECT_EQ(rank_of(order.item[p]), order.ranks[d]);
          if (p > order.first[d]) {
            EXPECT_LT(order.item[p - 1], order.item[p]);
          }
        }
      }
    });
  }
}

TEST(SendOrder, SendsListsToTheirRanks) {
  const Communicator comm = Communicator::world();
  const int rank = comm.rank().value(), size = comm.size();
  Team team(2);
  std::vector<Rank> ranks;
  std::vector<std::size_t> first{0};
  TeamVector<int> values;
  for (int r = 0; r < size; ++r) {  // r + 1 values to each rank
    ranks.emplace_back(r);
    for (int k = 0; k <= r; ++k) values.push_back(100 * rank + 10 * r + k);
    first.push_back(values.size());
  }
  TeamVector<int> received;
  const std::vector<RankCount> counts = detail::send_in_order(comm, ranks, first, values, received, team);
  std::vector<int> expected;
  ASSERT_EQ(counts.size(), static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    EXPECT_EQ(counts[static_cast<std::size_t>(r)].values, static_cast<std::size_t>(rank) + 1);
    for (int k = 0; k <= rank; ++k) expected.push_back(100 * r + 10 * rank + k);
  }
  EXPECT_TRUE(received == expected);
}

}  // namespace
}  // namespace weft::mesh::send_order_test

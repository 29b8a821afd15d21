#include "weft/comm/rank_lists.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::rank_lists_test {
namespace {

TEST(RankLists, AreSortedByRank) {
  RankLists<int> to;
  EXPECT_TRUE(RankLists<int>().by_rank().empty());
  for (int i = 0; i < 3; ++i) {
    for (const Rank rank : {Rank(65'000), Rank(7), Rank(7), Rank(300)}) to[rank].push_back(i);
  }
  (void)to[Rank(9)];
  const std::vector<RankValues<int>> lists = std::move(to).by_rank();
  ASSERT_EQ(lists.size(), 4);
  EXPECT_EQ(lists[0].rank, Rank(7));
  EXPECT_EQ(lists[0].values, (std::vector<int>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(lists[1].rank, Rank(9));
  EXPECT_TRUE(lists[1].values.empty());
  EXPECT_EQ(lists[2].values, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(lists[3].rank, Rank(65'000));
}

TEST(RankReader, ReadsEachListSequentially) {
  RankReader<int> from({{Rank(2), {1, 2, 3}}, {Rank(40'000), {4, 5}}});
  EXPECT_EQ(from.next(Rank(40'000)), 4);
  EXPECT_EQ(from.next(Rank(2)), 1);
  const auto two = from.next(Rank(2), 2);
  EXPECT_EQ((std::vector<int>(two.begin(), two.end())), (std::vector<int>{2, 3}));
  EXPECT_TRUE(from.next(Rank(5), 0).empty());
  EXPECT_EQ(from.next(Rank(40'000)), 5);
}

TEST(RankLists, AreSentToTheirRanksAndBack) {
  const Communicator comm = Communicator::world();
  const int ranks = comm.size(), me = comm.rank().value();
  RankLists<std::int64_t> ask;
  for (int i = 0; i < 100; ++i) ask[Rank((7 * i + me) % ranks)].push_back(i);
  std::vector<RankValues<std::int64_t>> reply;
  for (const auto& [rank, asked] : comm.all_to_all(std::move(ask).by_rank())) {
    reply.push_back({rank, {}});
    for (const std::int64_t i : asked) reply.back().values.push_back(1000 * me + i);
  }
  RankReader<std::int64_t> answers(comm.all_to_all(reply));
  for (int i = 0; i < 100; ++i) {
    const Rank holder((7 * i + me) % ranks);
    ASSERT_EQ(answers.next(holder), 1000 * holder.value() + i);
  }
}

}  // namespace
}  // namespace weft::rank_lists_test

#include "weft/base/team_loops.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "weft/base/team_memory.hpp"

namespace weft::team_loops_test {
namespace {

TEST(TeamLoops, VisitEachIndexOnceInSharesInOrder) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (const std::int64_t n : {0, 1, 255, 256, 1000, 10'007}) {
      std::vector<int> visits(static_cast<std::size_t>(n), 0);
      for_indices(team, n, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
      std::vector<LoopShare> shares(static_cast<std::size_t>(shares_of(team, n)));
      for_shares(team, n, [&](LoopShare share) { shares[static_cast<std::size_t>(share.number)] = share; });
      std::int64_t end = 0;
      for (const LoopShare& share : shares) {
        EXPECT_EQ(share.begin, end);
        EXPECT_LE(share.end - share.begin, n / std::ssize(shares) + 1);
        end = share.end;
      }
      EXPECT_EQ(end, n);
    }
  }
}

TEST(TeamLoops, ThrowTheErrorOfTheLowestIndex) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    try {
      for_indices(team, 10'000, [](std::int64_t i) {
        if (i % 3333 == 3000) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3000");
    }
    for_indices(team, 10'000, [](std::int64_t) {});  // the team works on
  }
}

TEST(TeamLoops, OffsetsFromCounts) {
  std::vector<int> counts{3, 0, 2};
  EXPECT_EQ(offsets_from_counts(counts), 5);
  EXPECT_EQ(counts, (std::vector<int>{0, 3, 3}));
}

TEST(TeamMemory, TouchingPagesChangesNothing) {
  Team team(3);
  std::vector<int> list(3'000'000, 7);
  touch_pages(team, std::as_bytes(std::span(list)));
  EXPECT_EQ(list, std::vector<int>(list.size(), 7));
  resize_by_team(team, list, 6'000'000, 8);
  EXPECT_EQ(list.size(), 6'000'000U);
  EXPECT_EQ(list.front(), 7);
  EXPECT_EQ(list.back(), 8);
  EXPECT_EQ(list_of_size<double>(team, 2'000'000), std::vector<double>(2'000'000, 0.0));
}

}  // namespace
}  // namespace weft::team_loops_test

#include "weft/base/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::team_test {
namespace {

TEST(Team, CallsEveryThreadOncePerRoundAndPublishesItsWrites) {
  for (const bool polls_first : {false, true}) {
    for (const int threads : {1, 2, 3, 8}) {
      Team team(threads, polls_first);
      EXPECT_EQ(team.size(), threads);
      std::vector<int> calls(static_cast<std::size_t>(threads), 0), neighbours(calls);
      for (int round = 1; round <= 200; ++round) {
        team.run([&](int t) noexcept { ++calls[static_cast<std::size_t>(t)]; });
        team.run([&](int t) noexcept {
          neighbours[static_cast<std::size_t>(t)] = calls[static_cast<std::size_t>((t + 1) % threads)];
        });
        EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(threads), round));
        EXPECT_EQ(neighbours, calls);
      }
    }
  }
}

TEST(Team, RunsJobZeroOnTheCallingThreadAndTheOthersOnTheirOwn) {
  Team team(3);
  std::vector<std::thread::id> ids(3);
  team.run([&](int t) noexcept { ids[static_cast<std::size_t>(t)] = std::this_thread::get_id(); });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 3U);
}

TEST(Team, SplitsARangeEvenlyAndInOrder) {
  Team team(3);
  for (const int count : {0, 1, 2, 3, 100}) {
    std::vector<std::pair<int, int>> shares(3);
    std::atomic<int> next{0};
    std::vector<int> seen(static_cast<std::size_t>(count), 0);
    team.split(10, 10 + count, [&](std::int32_t first, std::int32_t last) noexcept {
      shares[static_cast<std::size_t>(next++)] = {first, last};
      for (std::int32_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i - 10)];
    });
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
    for (const auto& [first, last] : shares) {
      EXPECT_LE(last - first, count / 3 + 1);
      EXPECT_GE(last - first, count / 3);
    }
  }
}

TEST(Team, RejectsZeroThreads) { EXPECT_THROW(Team(0), ContractError); }

}  // namespace
}  // namespace weft::team_test

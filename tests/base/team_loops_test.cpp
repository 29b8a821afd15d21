#include "weft/base/team_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/base/id_vector.hpp"
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

TEST(TeamLoops, CallOnceOnEachThread) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (int calls = 1; calls <= threads; ++calls) {
      std::vector<int> visits(static_cast<std::size_t>(calls), 0);
      on_threads(team, calls, [&](int call) { ++visits[static_cast<std::size_t>(call)]; });
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
      try {
        on_threads(team, calls, [&](int call) {
          if (call + 2 >= calls) throw std::runtime_error(std::to_string(call));
        });
        FAIL();
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), std::to_string(std::max(0, calls - 2)));
      }
    }
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
}

/// Resizes a list of three elements by teams, which leave those and initialise the others.
template <class List>
void expect_resized(const List& three) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (const std::size_t size : {4U, 1000U, 3'000'000U}) {
      List list = three;
      list.reserve(size);
      std::fill_n(reinterpret_cast<int*>(list.data()) + 3, size - 3, -1);  // memory that was used before
      resize_by_team(team, list, size);
      ASSERT_EQ(list.size(), size);
      EXPECT_TRUE(std::equal(three.begin(), three.end(), list.begin()));
      EXPECT_EQ(std::count(list.begin() + 3, list.end(), 0), static_cast<std::ptrdiff_t>(size - 3));
      resize_by_team(team, list, size + 2, 9);
      EXPECT_EQ(list.back(), 9);
      EXPECT_EQ(std::count(list.begin() + 3, list.end(), 0), static_cast<std::ptrdiff_t>(size - 3));
      resize_by_team(team, list, 3);
      EXPECT_EQ(list, three);
    }
  }
}

TEST(TeamMemory, AListThatGrowsKeepsItsElements) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    TeamVector<int> list;
    std::size_t moves = 0;
    for (std::size_t size = 0; size < 50'000; size += 1000) {
      const std::size_t before = list.size(), capacity = list.capacity();
      grow_by_team(team, list, size);
      ASSERT_EQ(list.size(), size);
      std::iota(list.begin() + static_cast<std::ptrdiff_t>(before), list.end(), static_cast<int>(before));
      moves += list.capacity() != capacity ? 1 : 0;
    }
    for (std::size_t i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], static_cast<int>(i));
    EXPECT_LE(moves, 7U);  // 1000, 2000, ..., 64000
  }
}

using RowId = Id<struct RowTag, std::int32_t>;

TEST(TeamMemory, NewElementsAreInitialised) {
  expect_resized(std::vector<int>{1, 2, 3});
  expect_resized(TeamVector<int>{1, 2, 3});
  expect_resized(IdVector<RowId, int>{1, 2, 3});
  Team team(3);
  const TeamVector<double> zeros = list_of_size<double>(team, 2'000'000);
  EXPECT_EQ(std::count(zeros.begin(), zeros.end(), 0.0), 2'000'000);
}

}  // namespace
}  // namespace weft::team_loops_test

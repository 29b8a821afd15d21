// Subsets of an array on one rank: their rows, and the sets into which they divide the rows of the array.
#include "weft/task/subset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/error.hpp"
#include "weft/task/part_text.hpp"

#include "task/ring.hpp"

namespace subset_test {
namespace {

using namespace weft::task;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using weft::GhostPlan;
using weft::IdRange;
using weft::IndexSpace;
using weft::LocalRow;
using weft::PairRef;
using weft::task::test::error_of;
using weft::task::test::Ring;
using Rows = IdRange<LocalRow>;

[[nodiscard]] std::vector<std::pair<int, int>> pairs(const std::vector<Rows>& list) {
  std::vector<std::pair<int, int>> result;
  for (const Rows rows : list) result.emplace_back(rows.first().value(), rows.last().value());
  return result;
}
[[nodiscard]] std::vector<LocalRow> rows_of(const std::vector<int>& list) {
  std::vector<LocalRow> rows;
  for (const int row : list) rows.emplace_back(row);
  return rows;
}

/// An array with owned, boundary and, on several ranks, ghost rows.
struct WithBoundary {
  Ring ring;
  IndexSpace space{ring.plan, 3};
  weft::ArrayPair<double> array{space};
  PairRef ref{array};
  int local = ring.plan.rows();

  [[nodiscard]] Subset subset(const std::vector<int>& list) const {
    Subset made;
    made.set(ref, rows_of(list));
    return made;
  }
  [[nodiscard]] Subset of_intervals(const std::vector<std::pair<int, int>>& list) const {
    std::vector<Rows> intervals;
    for (const auto& [first, last] : list) intervals.emplace_back(LocalRow(first), LocalRow(last));
    Subset made;
    made.set(ref, intervals);
    return made;
  }
};

TEST(Subset, TakesRowsAndIntervals) {
  const WithBoundary w;
  EXPECT_THAT(pairs(w.subset({0, 1, 3, w.local, w.local + 1}).rows), testing::SizeIs(w.local == 4 ? 2 : 3));
  EXPECT_THAT(pairs(w.subset({0, 1, 3}).rows), ElementsAre(Pair(0, 2), Pair(3, 4)));
  EXPECT_THAT(pairs(w.of_intervals({{0, 1}, {1, 1}, {1, 2}, {3, 4}}).rows), ElementsAre(Pair(0, 2), Pair(3, 4)));
  EXPECT_THAT(w.subset({}).rows, IsEmpty());
  EXPECT_EQ(w.of_intervals({{0, 0}, {4, 4}}).problem, "");
}

TEST(Subset, NotesTheFirstProblem) {
  const WithBoundary w;
  EXPECT_EQ(w.subset({0, 2, 2}).problem, "row 2 is listed twice");
  EXPECT_EQ(w.subset({2, 1}).problem, "row 1 follows row 2");
  EXPECT_EQ(w.subset({-1}).problem, "row -1 is none of the " + std::to_string(w.local + 3) + " rows of this rank");
  EXPECT_THAT(w.subset({w.local + 3}).problem, HasSubstr("is none of the"));
  EXPECT_THAT(w.subset({2147483647}).problem, HasSubstr("row 2147483647 is none of the"));
  EXPECT_EQ(w.of_intervals({{0, 2}, {1, 3}}).problem, "the interval [1, 3) follows one that ends at row 2");
  EXPECT_EQ(w.of_intervals({{2, 1}}).problem, "the interval [2, 1) ends before it begins");
  EXPECT_THAT(w.of_intervals({{0, w.local + 4}}).problem, HasSubstr("is none of the"));
  if (w.local == Ring::kRows) return;  // one rank has no ghost rows
  EXPECT_EQ(w.subset({3, 4}).problem, "row 4 is a ghost row: ghost rows are rows 4 to " + std::to_string(w.local - 1));
  EXPECT_THAT(w.of_intervals({{0, w.local + 1}}).problem, HasSubstr("row 4 is a ghost row"));
}

TEST(RowSets, DivideTheRowsByPartsAndSubsets) {
  const WithBoundary w;
  const std::vector<Subset> subsets{w.subset({0, 1, 2, w.local}), w.subset({1, 3})};
  const RowSets sets = row_sets(w.ref, 2, subsets);
  const auto rows = [&](Part part, const std::vector<std::size_t>& in) {
    const auto found = sets.find(row_set_key(part, in));
    return found == sets.end() ? std::vector<std::pair<int, int>>{} : pairs(found->second);
  };
  EXPECT_THAT(rows(Part::inner, {}), IsEmpty());
  EXPECT_THAT(rows(Part::inner, {0}), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(rows(Part::inner, {0, 1}), ElementsAre(Pair(1, 2)));
  EXPECT_THAT(rows(Part::border, {0}), ElementsAre(Pair(2, 3)));
  EXPECT_THAT(rows(Part::border, {1}), ElementsAre(Pair(3, 4)));
  EXPECT_THAT(rows(Part::boundary, {0}), ElementsAre(Pair(w.local, w.local + 1)));
  EXPECT_THAT(rows(Part::boundary, {}), ElementsAre(Pair(w.local + 1, w.local + 3)));
  EXPECT_EQ(sets.contains(row_set_key(Part::ghost, {})), w.local > 4);
}

TEST(RowSets, AgreeWithAListOfRows) {
  std::mt19937 random(7);
  const GhostPlan plan = GhostPlan::build(weft::Communicator::world(), 12, std::vector<weft::GlobalRow>{});
  weft::ArrayPair<double> array(IndexSpace(plan, 5));
  const PairRef ref(array);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Subset> subsets(random() % 4);
    std::map<int, RowSetKey> key_of_row;
    const auto inner = static_cast<std::int32_t>(random() % 13);
    for (int row = 0; row < 17; ++row)
      key_of_row[row] = row_set_key(row < inner ? Part::inner : row < 12 ? Part::border : Part::boundary, {});
    for (std::size_t s = 0; s < subsets.size(); ++s) {
      std::vector<LocalRow> rows;
      for (int row = 0; row < 17; ++row) {
        if (random() % 3 != 0) continue;
        rows.emplace_back(row);
        key_of_row[row] |= RowSetKey{4} << s;
      }
      subsets[s].set(ref, rows);
    }
    const RowSets sets = row_sets(ref, inner, subsets);
    std::int32_t count = 0;
    for (const auto& [key, rows] : sets) {
      for (const Rows interval : rows) {
        count += interval.size();
        for (const LocalRow row : interval) ASSERT_EQ(key_of_row[row.value()], key) << trial;
      }
    }
    ASSERT_EQ(count, 17) << trial;
    std::vector<RowSetKey> keys;
    for (const auto& [key, rows] : sets) {
      if (in_subsets(key)) keys.push_back(key);
    }
    DataShape shape;
    set_subsets(shape, subsets, keys);
    const PartRows parts(sets, keys);
    ASSERT_EQ(pairs(parts.of(shape.refined(Part::all))), (std::vector<std::pair<int, int>>{{0, 17}})) << trial;
    ASSERT_EQ(pairs(parts.of(shape.refined(Part::owned))), (std::vector<std::pair<int, int>>{{0, 12}})) << trial;
    for (std::size_t s = 0; s < subsets.size(); ++s) {
      ASSERT_EQ(pairs(parts.of(shape.subsets[s].rows)), pairs(subsets[s].rows)) << trial;
    }
  }
}

TEST(RowSets, AreAgreedOnByAllRanks) {
  const WithBoundary w;
  const int rank = w.ring.comm.rank().value();
  const Subset mine = w.subset({rank % 4});
  const std::vector<Subset> subsets{mine, w.subset({})};
  const RowSets sets = row_sets(w.ref, 2, subsets), none = row_sets(w.ref, 2, {});
  const auto keys = agreed_keys(w.ring.comm, {&sets, &none}, {"u", "v"});
  ASSERT_EQ(keys.size(), 2U);
  if (w.ring.comm.size() <= 2) {
    EXPECT_THAT(keys[0], ElementsAre(row_set_key(Part::inner, {0})));
  } else {
    EXPECT_THAT(keys[0], ElementsAre(row_set_key(Part::inner, {0}), row_set_key(Part::border, {0})));
  }
  EXPECT_THAT(keys[1], IsEmpty());
}

TEST(RowSets, AreLimited) {
  const GhostPlan plan = GhostPlan::build(weft::Communicator::world(), 128, std::vector<weft::GlobalRow>{});
  weft::ArrayPair<double> array(plan);
  const PairRef ref(array);
  std::vector<Subset> subsets(7);  // the bits of the number of a row name its subsets
  for (std::size_t s = 0; s < subsets.size(); ++s) {
    std::vector<LocalRow> rows;
    for (int row = 0; row < 128; ++row) {
      if ((row >> s & 1) != 0) rows.emplace_back(row);
    }
    subsets[s].set(ref, rows);
  }
  const RowSets many = row_sets(ref, 0, subsets), few = row_sets(ref, 0, std::span(subsets).first(5));
  EXPECT_EQ(agreed_keys(plan.comm(), {&few}, {"u"})[0].size(), 31U);
  EXPECT_THAT(error_of<weft::ContractError>([&] {
                (void)agreed_keys(plan.comm(), {&few, &many}, {"u", "v"});
              }),
              HasSubstr("the subsets of array 'v' divide its rows into more than 60 sets"));
}

TEST(PartText, NamesPartsAndSubsets) {
  // Bits 4: inner in a, 5: border in a, 6: border in a and b.
  DataShape shape{.name = "u", .sent = Part::border, .subset_parts = {Part::inner, Part::border, Part::border}};
  const Part a = single_part(4) | single_part(5) | single_part(6), b = single_part(6);
  shape.subsets = {{SubsetId(0), "a", a}, {SubsetId(1), "b", b}, {SubsetId(2), "none", Part::none}};
  EXPECT_EQ(part_text(shape, shape.refined(Part::owned)), "owned");
  EXPECT_EQ(part_text(shape, shape.refined(Part::all)), "owned, ghost, boundary");
  EXPECT_EQ(part_text(shape, a), "a");
  EXPECT_EQ(part_text(shape, a | Part::ghost), "ghost, a");
  EXPECT_EQ(part_text(shape, shape.refined(Part::border)), "border");
  EXPECT_EQ(part_text(shape, b), "b");
  EXPECT_EQ(part_text(shape, single_part(4) | Part::border), "border in no subset, inner in 'a'");
  EXPECT_EQ(part_text(DataShape{}, Part::inner | Part::ghost), "inner, ghost");
  EXPECT_EQ(single_part_text(shape, 6), "border rows of 'u' in 'a', 'b'");
  EXPECT_EQ(single_part_text(shape, 0), "inner rows of 'u'");
  EXPECT_EQ(subset_line(shape, shape.subsets[1]),
            "'b' of 'u': border rows; no rank sends such rows, so that a change leaves ghost rows fresh");
  shape.sent = Part::border | b;
  EXPECT_EQ(subset_line(shape, shape.subsets[0]),
            "'a' of 'u': inner, border rows; some rank sends such rows, so that a change makes ghost rows stale");
  EXPECT_EQ(subset_line(shape, shape.subsets[2]), "'none' of 'u': no rank has rows in it");
}

}  // namespace
}  // namespace subset_test

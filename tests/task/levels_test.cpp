// Priorities of nodes by costs.
#include "weft/task/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace levels_test {
namespace {

using namespace weft::task;
using testing::ElementsAre;
using testing::IsEmpty;

[[nodiscard]] std::vector<std::uint8_t> levels_of(const std::vector<DataShape>& data, const std::vector<TaskShape>& tasks) {
  return levels(compile(data, tasks).repeated);
}

TEST(Levels, AreThoseOfTheRemainingTime) {
  const DataId x{0}, y{1}, z{2};
  const std::vector<DataShape> numbers{
      {.name = "x", .is_array = false}, {.name = "y", .is_array = false}, {.name = "z", .is_array = false}};
  std::vector<TaskShape> tasks{{"a", {writes(x)}}, {"b", {writes(y)}}, {"c", {reads(x), reads(y), writes(z)}}};
  EXPECT_THAT(levels_of(numbers, tasks), IsEmpty());
  tasks[0].cost = 3;
  tasks[1].cost = tasks[2].cost = 1;
  EXPECT_THAT(levels_of(numbers, tasks), ElementsAre(0, 8, 12));
  tasks[0].cost = tasks[1].cost = 0;
  EXPECT_THAT(levels_of(numbers, tasks), ElementsAre(0, 0, 0));
  tasks[2].cost = 0;
  tasks[0].cost = 1e-6;
  EXPECT_THAT(levels_of(numbers, tasks), ElementsAre(0, kLevels - 1, kLevels - 1));
}

TEST(Levels, OfADividedTaskAreThoseOfItsInnerHalf) {
  const DataId u{0}, v{1};
  const std::vector<DataShape> arrays{{.name = "u", .sent = Part::border, .has_inner = true},
                                      {.name = "v", .sent = Part::border, .has_inner = true}};
  const Stage stage =
      compile(arrays, std::vector<TaskShape>{{.name = "smooth", .accesses = {reads(u), writes(v)}, .divisible = true, .cost = 2}})
          .repeated;
  const std::vector<std::uint8_t> list = levels(stage);
  ASSERT_EQ(list.size(), stage.nodes.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i], stage.nodes[i].name == "smooth (inner)" ? 0 : kLevels - 1) << stage.nodes[i].name;
  }
}

/// Returns a stage of nodes of some kinds. @param successors  by node.
[[nodiscard]] Stage stage_of(const std::vector<Kind>& kinds, const std::vector<std::vector<int>>& successors) {
  Stage stage;
  stage.predecessors.resize(kinds.size());
  stage.first_successor = {0};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    stage.nodes.push_back({.kind = kinds[i]});
    if (kinds[i] == Kind::start || kinds[i] == Kind::all_reduce) stage.communication.push_back(static_cast<int>(i));
    for (const int successor : successors[i]) {
      stage.successors.push_back(successor);
      ++stage.predecessors[successor];
    }
    stage.first_successor.push_back(static_cast<int>(stage.successors.size()));
  }
  return stage;
}

TEST(Urgency, IsThatOfTheFirstCommunicationThatWaits) {
  enum { a, d, start, finish, b, c, sum };
  const std::vector kinds{Kind::task, Kind::task, Kind::start, Kind::finish, Kind::task, Kind::task, Kind::all_reduce};
  Stage stage = stage_of(kinds, {{d, start, b}, {}, {finish}, {c}, {sum}, {sum}, {}});
  set_urgency(stage);
  EXPECT_THAT(stage.urgency, ElementsAre(0, 2, 0, 1, 1, 1, 1));
  EXPECT_EQ(urgencies(stage), 2);
  EXPECT_THAT(stage.successors_of(a), ElementsAre(start, b, d));
  Stage without = stage_of(kinds, {{start, b}, {sum}, {finish}, {c}, {sum}, {sum}, {}});
  set_urgency(without);
  EXPECT_EQ(urgencies(without), 1) << "b, c and d precede the last communication, but are not urgent";
  EXPECT_EQ(without.urgency[a], 0);
  for (const int node : {b, c, d}) EXPECT_EQ(without.urgency[node], 1);
}

TEST(Urgency, IsNoneIfAllNodesPrecedeTheSameCommunicationOrNone) {
  for (const Kind last : {Kind::all_reduce, Kind::task}) {
    Stage stage = stage_of({Kind::task, Kind::task, last}, {{2}, {2}, {}});
    set_urgency(stage);
    EXPECT_EQ(urgencies(stage), 0);
    EXPECT_THAT(stage.urgency, IsEmpty());
  }
}

TEST(Urgency, OfSuccessiveCommunicationsIsOneIfThereAreMany) {
  constexpr int kPairs = 20;
  std::vector<Kind> kinds;
  std::vector<std::vector<int>> successors;
  for (int i = 0; i <= 2 * kPairs; ++i) {  // a chain of tasks with a reduction after each but the last
    kinds.push_back(i % 2 == 0 ? Kind::task : Kind::all_reduce);
    successors.push_back(i < 2 * kPairs ? std::vector{i + 1} : std::vector<int>{});
  }
  Stage stage = stage_of(kinds, successors);
  set_urgency(stage);
  EXPECT_EQ(urgencies(stage), kUrgencies);
  for (int k = 0; k <= kPairs; ++k) EXPECT_EQ(stage.urgency[2 * k], kUrgencies * k / kPairs) << k;
}

}  // namespace
}  // namespace levels_test

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

}  // namespace
}  // namespace levels_test

#include "weft/base/registry.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace weft::registry_test {
namespace {

enum class Colour { red, green, blue };
constexpr Registry kColours{"colour", std::array{Row{Colour::red, "red", "warm"}, Row{Colour::green, "green", "cold"},
                                                 Row{Colour::blue, "navy-blue", ""}}};
constexpr const auto& registry_of(Colour /*tag*/) { return kColours; }
static_assert(is_complete<Colour>());

// Tables that static_assert must reject.
enum class Missing { first, second };
constexpr Registry kMissing{"missing", std::array{Row{Missing::first, "first", ""}}};
constexpr const auto& registry_of(Missing /*tag*/) { return kMissing; }
static_assert(!is_complete<Missing>());

enum class Swapped { first, second };
constexpr Registry kSwapped{"swapped", std::array{Row{Swapped::second, "second", ""}, Row{Swapped::first, "first", ""}}};
constexpr const auto& registry_of(Swapped /*tag*/) { return kSwapped; }
static_assert(!is_complete<Swapped>());

enum class Repeated { first, second };
constexpr Registry kRepeated{"repeated", std::array{Row{Repeated::first, "same", ""}, Row{Repeated::second, "same", ""}}};
constexpr const auto& registry_of(Repeated /*tag*/) { return kRepeated; }
static_assert(!is_complete<Repeated>());

enum class Nameless { first };
constexpr Registry kNameless{"nameless", std::array{Row{Nameless::first, "", ""}}};
constexpr const auto& registry_of(Nameless /*tag*/) { return kNameless; }
static_assert(!is_complete<Nameless>());

// A table of types.
enum class Shape { square, circle };
struct ShapeParams {
  double size;
};
struct Square {
  double side = 0;
};
struct Circle {
  double radius = 0;
};
template <class T>
using ShapeRow = TypeRow<Shape, ShapeParams, T>;
constexpr TypeRegistry kShapes{
    "shape", ShapeRow<Square>{Shape::square, "square", "four sides", [](const ShapeParams& p) { return Square{p.size}; }},
    ShapeRow<Circle>{Shape::circle, "circle", "none", [](const ShapeParams& p) { return Circle{0.5 * p.size}; }}};
constexpr const auto& registry_of(Shape /*tag*/) { return kShapes; }
static_assert(is_complete<Shape>());
static_assert(std::is_same_v<decltype(kShapes)::Choice, std::variant<Square, Circle>>);

TEST(Registry, NamesAndRowsAreThoseOfTheTable) {
  EXPECT_EQ(name_of(Colour::blue), "navy-blue");
  EXPECT_EQ(row_of(Colour::green).doc, "cold");
  EXPECT_EQ(names<Colour>().size(), 3U);
  for (const std::string_view name : names<Colour>()) EXPECT_EQ(name_of(kind_named<Colour>(name)), name);
  EXPECT_EQ(describe_choices<Colour>(), "red: warm; green: cold");
}

TEST(Registry, AnUnknownNameIsRejectedWithTheClosestOneOrWithAll) {
  try {
    (void)kind_named<Colour>("gren", Where{.key = "wall.colour"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "wall.colour: unknown colour \"gren\"; did you mean \"green\"?");
  }
  try {
    (void)kind_named<Colour>("mauve");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown colour \"mauve\"; use one of red, green, navy-blue");
  }
}

TEST(Registry, AListIsWrittenAsPeopleDo) {
  EXPECT_EQ(one_of(names<Colour>()), "red, green or navy-blue");
  EXPECT_EQ(one_of(names<Shape>()), "square or circle");
  EXPECT_EQ(one_of(std::array{"alone"}), "alone");
}

TEST(Registry, ATableOfTypesMakesTheTypeOfTheEnumerator) {
  EXPECT_EQ(std::get<Square>(kShapes.make(Shape::square, {3})).side, 3);
  EXPECT_EQ(std::get<Circle>(kShapes.make(Shape::circle, {3})).radius, 1.5);
  EXPECT_EQ(names<Shape>().back(), "circle");
  EXPECT_TRUE(kShapes.visit<bool>(Shape::circle, []<class T>(const ShapeRow<T>&) { return std::is_same_v<T, Circle>; }));
}

}  // namespace
}  // namespace weft::registry_test

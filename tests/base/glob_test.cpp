#include "weft/base/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::glob_test {
namespace {

TEST(Glob, MatchesTheWholeName) {
  EXPECT_TRUE(matches("wall", "wall"));
  EXPECT_FALSE(matches("wall", "wall2"));
  EXPECT_FALSE(matches("wall", "Wall"));
  EXPECT_TRUE(matches("wall*", "wall"));
  EXPECT_TRUE(matches("wall*", "wall_upper"));
  EXPECT_FALSE(matches("wall*", "a wall"));
  EXPECT_TRUE(matches("*wall", "a wall"));
  EXPECT_TRUE(matches("wall?", "wall2"));
  EXPECT_FALSE(matches("wall?", "wall"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("", ""));
}

TEST(Glob, AStarTakesAsMuchAsItMust) {
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c-c"));
  EXPECT_FALSE(matches("a*b*c", "a-c-b"));
  EXPECT_TRUE(matches("*_l", "periodic_0_l_l"));
  EXPECT_TRUE(matches("**x**", "x"));
  EXPECT_FALSE(matches(std::string(50, '*') + "b", std::string(10000, 'a')));  // in no time
}

TEST(Glob, OtherCharactersStandForThemselves) {
  EXPECT_TRUE(matches("[ab].+", "[ab].+"));
  EXPECT_FALSE(matches("[ab]", "a"));
  EXPECT_TRUE(is_pattern("w?"));
  EXPECT_FALSE(is_pattern("[w]"));
}

}  // namespace
}  // namespace weft::glob_test

#include "weft/device/detail/grid_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::detail {
namespace {

TEST(GridBlocks, AreThoseOfTheLaunchOrAnError) {
  EXPECT_EQ(grid_blocks(1, "loop"), 1U);
  EXPECT_EQ(grid_blocks(kMostGridBlocks, "loop"), 2147483647U);
  // Narrowed without a check the second and the third would have been launches of 0 and of 1 block.
  for (const std::int64_t wrong :
       {std::int64_t{0}, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, kMostGridBlocks + 1, std::int64_t{-1}}) {
    try {
      (void)grid_blocks(wrong, "loop");
      ADD_FAILURE() << wrong;
    } catch (const LimitError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("\"loop\" was to be launched with " + std::to_string(wrong) + " blocks"));
    }
  }
}

}  // namespace
}  // namespace weft::detail

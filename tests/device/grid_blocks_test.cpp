#include "weft/device/grid_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::detail::grid_blocks_test {
namespace {

TEST(GridBlocks, AreCheckedAgainstTheLimitsOfALaunch) {
  EXPECT_EQ(grid_blocks(1, "loop"), 1U);
  EXPECT_EQ(grid_blocks(kMostGridBlocks, "loop"), 2147483647U);
  // Narrowed without a check the second and the third number would launch 0 blocks and 1 block.
  for (const std::int64_t invalid :
       {std::int64_t{0}, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, kMostGridBlocks + 1, std::int64_t{-1}}) {
    try {
      (void)grid_blocks(invalid, "loop");
      ADD_FAILURE() << invalid;
    } catch (const LimitError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("\"loop\" cannot be launched with " + std::to_string(invalid) + " blocks"));
    }
  }
}

}  // namespace
}  // namespace weft::detail::grid_blocks_test

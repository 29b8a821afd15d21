#include "weft/device/tile_rounds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::tile_rounds_test {
namespace {

TEST(TileRounds, EveryTileComesOnce) {
  for (const std::int32_t resident : {1, 2, 3, 7, 12}) {
    for (std::int32_t tiles = 1; tiles <= 150; ++tiles) {
      for (const std::int32_t first : {0, 5}) {
        const TileRounds rounds(first, first + tiles, resident);
        std::vector<int> times(static_cast<std::size_t>(tiles), 0);
        for (std::int32_t block = 0; block < rounds.blocks; ++block) {
          for (std::int32_t i = 0; i < rounds.count(block); ++i) {
            ASSERT_GE(rounds.tile(block, i), first);
            ASSERT_LT(rounds.tile(block, i), first + tiles);
            ++times[static_cast<std::size_t>(rounds.tile(block, i) - first)];
          }
        }
        EXPECT_EQ(times, std::vector<int>(times.size(), 1))
            << tiles << " tiles from " << first << ", " << resident << " at a time";
      }
    }
  }
}

TEST(TileRounds, BlocksInFlightHaveNeighbouringTiles) {
  const TileRounds rounds(0, 100, 5);
  EXPECT_EQ(rounds.long_blocks, 25);
  EXPECT_EQ(rounds.blocks, 25);
  EXPECT_EQ(rounds.tile(0, 1), 5);
  EXPECT_EQ(rounds.tile(4, 3), 19);
  EXPECT_EQ(rounds.tile(5, 0), 20);
  const TileRounds example(0, 23, 2);  // that of the header
  EXPECT_EQ(example.long_blocks, 4);
  EXPECT_EQ(example.blocks, 11);
  EXPECT_EQ(example.tile(2, 3), 14);
  EXPECT_EQ(example.tile(10, 0), 22);
  const TileRounds few(0, 19, 5);
  EXPECT_EQ(few.long_blocks, 0) << "too few for every block to have several";
  EXPECT_EQ(few.blocks, 19);
}

}  // namespace
}  // namespace weft::tile_rounds_test

#pragma once
/// The assignment of tiles to the blocks of a launch.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft {

/// A static schedule in which most blocks compute four tiles one after the other, and load the first data of the next tile while
/// they compute one. Blocks that are resident at a time have adjacent tiles, so that they share rows in the L2 cache. The last
/// tiles have blocks of their own, which fill the multiprocessors at the end. More tiles per block would delay the kernels of
/// other streams.
///
/// Example, 23 tiles and 2 resident blocks: blocks 0 to 3 have four tiles each, blocks 4 to 10 one.
///   block 0: tiles 0 2 4 6     block 1: 1 3 5 7     block 2: 8 10 12 14     block 3: 9 11 13 15     block 4: 16 ... block 10: 22
struct TileRounds {
  static constexpr std::int32_t kTilesOfBlock = 4;

  /// Schedules the tiles first_tile ... last_tile - 1 on a GPU with `resident_blocks` blocks at a time (see resident_blocks() in
  /// cuda.cuh), at least one.
  TileRounds(std::int32_t first_tile, std::int32_t last_tile, std::int32_t resident_blocks)
      : first(first_tile),
        resident(resident_blocks),
        long_blocks((last_tile - first_tile) / (resident_blocks * kTilesOfBlock) * resident_blocks),
        blocks(last_tile - first_tile - long_blocks * (kTilesOfBlock - 1)) {}

  /// Returns the number of tiles of a block.
  [[nodiscard]] WEFT_HD std::int32_t count(std::int32_t block) const { return block < long_blocks ? kTilesOfBlock : 1; }
  /// Returns tile i of a block, 0 <= i < count(block).
  [[nodiscard]] WEFT_HD std::int32_t tile(std::int32_t block, std::int32_t i) const {
    const std::int32_t rounds_before = block < long_blocks ? block / resident * resident : long_blocks;
    return first + rounds_before * (kTilesOfBlock - 1) + block + i * resident;
  }

  std::int32_t first;
  std::int32_t resident;
  std::int32_t long_blocks;  ///< the first blocks, with kTilesOfBlock tiles each
  std::int32_t blocks;       ///< blocks of the launch
};

}  // namespace weft

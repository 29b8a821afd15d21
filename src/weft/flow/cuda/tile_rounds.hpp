#pragma once
/// Which tiles the blocks of a launch compute.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// A fixed plan: most blocks compute a few tiles one behind the other, and fetch what they must know of the next one while they
/// compute. Blocks that are in flight at a time have tiles that are neighbours, which find each other's rows in the second-level
/// cache. The last tiles have blocks of their own, to fill the gaps at the end. More tiles a block would keep those of other
/// streams waiting.
struct TileRounds {
  static constexpr std::int32_t kTilesOfBlock = 4;

  /// Of tiles first ... last - 1, for a GPU that holds `resident` blocks at a time, at least one.
  TileRounds(std::int32_t first_tile, std::int32_t last_tile, std::int32_t resident_blocks)
      : first(first_tile),
        resident(resident_blocks),
        long_blocks((last_tile - first_tile) / (resident_blocks * kTilesOfBlock) * resident_blocks),
        blocks(last_tile - first_tile - long_blocks * (kTilesOfBlock - 1)) {}

  /// How many tiles a block has.
  [[nodiscard]] WEFT_HD std::int32_t count(std::int32_t block) const { return block < long_blocks ? kTilesOfBlock : 1; }
  /// Its tile i.
  [[nodiscard]] WEFT_HD std::int32_t tile(std::int32_t block, std::int32_t i) const {
    const std::int32_t rounds_before = block < long_blocks ? block / resident * resident : long_blocks;
    return first + rounds_before * (kTilesOfBlock - 1) + block + i * resident;
  }

  std::int32_t first;
  std::int32_t resident;
  std::int32_t long_blocks;  ///< those with kTilesOfBlock tiles, which come first
  std::int32_t blocks;
};

}  // namespace weft::flow::detail

#pragma once
/// The data that a block needs of a tile before it can fetch the rest: the description of the tile, and the numbers of its halo
/// rows.
#include <cstdint>

#include "weft/device/block_copy.cuh"
#include "weft/device/cuda.cuh"
#include "weft/device/tile_rounds.hpp"
#include "weft/flow/cuda/tile_launch.hpp"

namespace weft::flow::detail {

/// The tiles of this block, in shared memory.
class TileQueue {
 public:
  /// @param halo  memory for the numbers of the halo rows of any of the tiles.
  template <class Real>
  __device__ TileQueue(const TileRounds& rounds, const TileArrays<Real>& t, std::int32_t* halo)
      : rounds_(rounds), tiles_(t.tile), halo_rows_(t.halo_row), halo_(halo), count_(rounds.count(block())) {}

  [[nodiscard]] __device__ std::int32_t count() const { return count_; }
  /// Returns tile i of this block. @pre begin() or fetch_next(i - 1) has been called, and BlockLoader::next_round() since.
  [[nodiscard]] __device__ const Tile& tile(std::int32_t i) const { return memory()[i % 3]; }
  /// Returns the numbers of the halo rows, until fetch_next(i).
  [[nodiscard]] __device__ const std::int32_t* halo() const { return halo_; }

  /// Waits for the first data of tile 0. @pre fetch.begin()
  __device__ void begin(BlockLoader& fetch) const {
    fetch_tile(fetch, 0);
    if (count_ > 1) fetch_tile(fetch, 1);
    fetch.next_round();
    fetch_halo(fetch, tile(0));
    fetch.next_round();
  }
  /// Starts fetching the first data of tile i + 1. @pre all threads have read halo() of tile i.
  __device__ void fetch_next(BlockLoader& fetch, std::int32_t i) const {
    if (i + 1 < count_) fetch_halo(fetch, tile(i + 1));
    if (i + 2 < count_) fetch_tile(fetch, i + 2);
  }

 private:
  [[nodiscard]] __device__ static std::int32_t block() { return static_cast<std::int32_t>(blockIdx.x); }
  [[nodiscard]] __device__ static Tile* memory() {
    __shared__ Tile tiles[3];  // the present one, and the next two
    return tiles;
  }
  __device__ void fetch_tile(BlockLoader& fetch, std::int32_t i) const {
    static_assert(sizeof(Tile) % sizeof(std::int32_t) == 0);
    fetch.list(reinterpret_cast<const std::int32_t*>(tiles_ + rounds_.tile(block(), i)),
               reinterpret_cast<std::int32_t*>(memory() + i % 3), static_cast<int>(sizeof(Tile) / sizeof(std::int32_t)));
  }
  __device__ void fetch_halo(BlockLoader& fetch, const Tile& tile) const {
    fetch.list(halo_rows_ + tile.halo, halo_, tile.rows - tile.cells);
  }

  const TileRounds& rounds_;
  const Tile* tiles_;
  const std::int32_t* halo_rows_;
  std::int32_t* halo_;
  std::int32_t count_;
};

}  // namespace weft::flow::detail

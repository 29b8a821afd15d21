// BlockLoader, SharedArrays and store_block: what a block copies in and out is what lies in memory, over several rounds.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/device/block_copy.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/tile_rounds.hpp"

#include "support/gpu.hpp"

namespace weft::block_copy_test {
namespace {

constexpr int kTile = 60, kWidth = 5, kRun = 4;  // rows of a tile, numbers of a row, and of a run

/// The arrays of a tile in shared memory.
template <class T>
struct TileMemory {
  T *own, *gathered, *runs;
  std::uint16_t* small;
  std::int32_t* list;
  __host__ __device__ explicit TileMemory(SharedArrays& shared)
      : own(shared.take<T>(kTile * kWidth)),
        gathered(shared.take<T>(kTile * kWidth)),
        runs(shared.take<T>(kTile * kRun)),
        small(shared.take<std::uint16_t>(64)),
        list(shared.take<std::int32_t>(kTile)) {}
};

/// to[row] = 100 own row + row of an index list + the first number of a run + a 16-bit number.
template <class T>
__global__ void combine(const TileRounds rounds, const T* from, const std::int32_t* index, const T* runs,
                        const std::uint16_t* small, T* to) {
  extern __shared__ unsigned char memory[];
  SharedArrays shared(memory);
  const TileMemory<T> m(shared);
  const auto block = static_cast<std::int32_t>(blockIdx.x);
  BlockLoader loader;
  loader.begin();
  grid_dependency_sync();
  loader.list(index + rounds.tile(block, 0) * kTile, m.list, kTile);
  loader.next_round();
  for (std::int32_t i = 0; i < rounds.count(block); ++i) {
    const std::int32_t tile = rounds.tile(block, i);
    loader.rows<kWidth>(m.list, kTile, from, m.gathered);
    loader.run(from + std::int64_t{tile} * kTile * kWidth, m.own, kTile * kWidth);
    loader.runs<kRun>(kTile, runs + std::int64_t{tile} * kTile * 2 * kRun, 2 * kRun, m.runs, kRun);  // every second run
    loader.run(small, m.small, 64);
    loader.end();
    if (i + 1 < rounds.count(block)) {
      loader.list(index + rounds.tile(block, i + 1) * kTile, m.list, kTile);
      if (threadIdx.x == 0)
        BlockLoader::prefetch(from + std::int64_t{rounds.tile(block, i + 1)} * kTile * kWidth, kTile * kWidth);
    }
    for (int n = static_cast<int>(threadIdx.x); n < kTile * kWidth; n += static_cast<int>(blockDim.x)) {
      m.own[n] = 100 * m.own[n] + m.gathered[n] + m.runs[n / kWidth * kRun] + static_cast<T>(m.small[n / kWidth]);
    }
    __syncthreads();
    store_block(m.own, to + std::int64_t{tile} * kTile * kWidth, kTile * kWidth);
    loader.next_round();
  }
}

template <class T>
void expect_combined(int tiles, int resident) {
  const auto rows = static_cast<std::size_t>(tiles * kTile);
  std::vector<T> from(rows * kWidth), runs(rows * 2 * kRun), to(rows * kWidth, T(-1)), expected(rows * kWidth);
  std::vector<std::int32_t> index(rows);
  std::vector<std::uint16_t> small(64);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i % 97);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = static_cast<T>(i % 1009);
  for (std::size_t i = 0; i < rows; ++i) index[i] = static_cast<std::int32_t>((i * 7919 + 13) % rows);
  std::iota(small.begin(), small.end(), std::uint16_t{3});
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      expected[i * kWidth + k] = 100 * from[i * kWidth + k] + from[static_cast<std::size_t>(index[i]) * kWidth + k] +
                                 runs[i * 2 * kRun] + static_cast<T>(small[i % kTile]);
    }
  }
  Stream stream;
  const DeviceVector<T> from_there(stream, from), runs_there(stream, runs), to_there(stream, to);
  const DeviceVector<std::int32_t> index_there(stream, index);
  const DeviceVector<std::uint16_t> small_there(stream, small);
  SharedArrays shared;
  (void)TileMemory<T>(shared);
  const TileRounds rounds(0, tiles, resident);
  launch(stream, "combine", {.blocks = rounds.blocks, .threads = 128, .shared_memory = shared.bytes()}, combine<T>, rounds,
         static_cast<const T*>(from_there.data()), static_cast<const std::int32_t*>(index_there.data()),
         static_cast<const T*>(runs_there.data()), static_cast<const std::uint16_t*>(small_there.data()), to_there.data());
  to_there.get(0, to, after(stream));
  EXPECT_EQ(to, expected) << tiles << " tiles, " << resident << " resident blocks";
}

TEST(BlockCopyCuda, tiles_come_in_and_go_out) {
  WEFT_NEEDS_GPU();
  for (const int tiles : {1, 3, 100}) {
    for (const int resident : {1, 6, 1000}) {
      expect_combined<double>(tiles, resident);
      expect_combined<float>(tiles, resident);
    }
  }
}

/// Copies `count` numbers through shared memory.
template <class T>
__global__ void through_shared(const T* from, T* to, int count) {
  extern __shared__ unsigned char memory[];
  SharedArrays shared(memory);
  T* const here = shared.take<T>(count);
  BlockLoader loader;
  loader.begin();
  grid_dependency_sync();
  loader.run(from, here, count);
  loader.end();
  store_block(here, to, count);
}

TEST(BlockCopyCuda, any_number_of_elements) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (int count = 0; count <= 70; ++count) {
    std::vector<float> from(static_cast<std::size_t>(count)), to(static_cast<std::size_t>(count) + 4, -1);
    std::iota(from.begin(), from.end(), 1.0F);
    std::vector<float> expected = from;
    expected.resize(to.size(), -1);  // nothing is written beyond the end
    const DeviceVector<float> from_there(stream, from), to_there(stream, to);
    launch(stream, "through_shared", {.blocks = 1, .threads = 32, .shared_memory = 512}, through_shared<float>,
           static_cast<const float*>(from_there.data()), to_there.data(), count);
    to_there.get(0, to, after(stream));
    EXPECT_EQ(to, expected) << count;
  }
}

/// Delays a warp by 0.1 ms, longer than copies take.
__device__ void linger(unsigned warp) {
  if (threadIdx.x / 32 != warp) return;
  for (int i = 0; i < 100; ++i) __nanosleep(1000);
}

/// to[n] = 100 runs[n] + number n of the gathered rows. In each round another warp is late: the first one when the others start
/// copies, the second one when it gathers rows, and the last one when it writes its part of a tile that the next round
/// overwrites.
__global__ void combine_with_late_warps(const TileRounds rounds, const double* from, const std::int32_t* index,
                                        const double* runs, double* to) {
  extern __shared__ unsigned char memory[];
  SharedArrays shared(memory);
  double* const tile = shared.take<double>(kTile * kRun);
  double* const gathered = shared.take<double>(kTile * kWidth);
  const auto block = static_cast<std::int32_t>(blockIdx.x);
  BlockLoader loader;
  linger(0);
  loader.begin();
  grid_dependency_sync();
  for (std::int32_t i = 0; i < rounds.count(block); ++i) {
    const std::int64_t first = std::int64_t{rounds.tile(block, i)} * kTile;
    loader.runs<kRun>(kTile, runs + first * kRun, kRun, tile, kRun);
    linger(1);
    loader.rows<kWidth>(index + first, kTile, from, gathered);
    loader.end();
    for (int n = static_cast<int>(threadIdx.x); n < kTile * kRun; n += static_cast<int>(blockDim.x)) {
      tile[n] = 100 * tile[n] + gathered[kTile * (kWidth - kRun) + n];
    }
    __syncthreads();
    linger(3);
    store_block(tile, to + first * kRun, kTile * kRun);
    loader.next_round();
  }
}

TEST(BlockCopyCuda, waits_for_late_warps) {
  WEFT_NEEDS_GPU();
  constexpr int kTiles = 12;  // in blocks of four rounds
  constexpr std::size_t kRows = kTiles * kTile;
  std::vector<double> from(kRows * kWidth), runs(kRows * kRun), to(runs.size(), -1), expected(runs.size());
  std::vector<std::int32_t> index(kRows);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i % 97);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = static_cast<double>(i % 1009);
  for (std::size_t i = 0; i < kRows; ++i) index[i] = static_cast<std::int32_t>((i * 7919 + 13) % kRows);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const std::size_t tile = n / (kTile * kRun), in_tile = kTile * (kWidth - kRun) + n % (kTile * kRun);
    const auto row = static_cast<std::size_t>(index[tile * kTile + in_tile / kWidth]);
    expected[n] = 100 * runs[n] + from[row * kWidth + in_tile % kWidth];
  }
  Stream stream;
  const DeviceVector<double> from_there(stream, from), runs_there(stream, runs), to_there(stream, to);
  const DeviceVector<std::int32_t> index_there(stream, index);
  SharedArrays shared;
  (void)shared.take<double>(kTile * kRun);
  (void)shared.take<double>(kTile * kWidth);
  const TileRounds rounds(0, kTiles, 3);
  launch(stream, "combine_with_late_warps", {.blocks = rounds.blocks, .threads = 128, .shared_memory = shared.bytes()},
         combine_with_late_warps, rounds, static_cast<const double*>(from_there.data()),
         static_cast<const std::int32_t*>(index_there.data()), static_cast<const double*>(runs_there.data()), to_there.data());
  to_there.get(0, to, after(stream));
  EXPECT_EQ(to, expected);
}

TEST(SharedArrays, counts_bytes_in_units_of_16) {
  SharedArrays shared;
  (void)shared.take<double>(3);
  EXPECT_EQ(shared.bytes(), 32U);
  (void)shared.take<std::uint16_t>(1);
  EXPECT_EQ(shared.bytes(), 48U);
}

}  // namespace
}  // namespace weft::block_copy_test

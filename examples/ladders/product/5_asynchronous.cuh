#pragma once
/// Step 5: accesses of 16 bytes, and asynchronous copies into a second pair of tiles while the first one is used.
///
/// Loads go to shared memory without passing through registers and have the whole time of a tile to arrive, with one barrier
/// instead of two. 12 instructions read the operands of 128 products instead of 32: 148 instructions in all, 86%. kDepth is
/// unrolled by two, since more needs more than the 128 registers with which a multiprocessor holds two blocks.
///
/// Predicted: 80% of cuBLAS.
/// Measured on an H100: 74.1% of cuBLAS.
#include "1_naive.cuh"
#include "fetch.cuh"

namespace ladder {

/// The tiles of a block: 128 x 16 entries of a with padded rows, and 16 x 128 of b, twice.
struct AsyncTiles {
  static constexpr int kTile = 128, kDepth = 16, kRow = kDepth + 4;
  float a[2][kTile][kRow], b[2][kDepth][kTile];
};

/// Computes 128 x 128 entries of c per block; thread (x, y) of 16 x 16 has rows y, y + 16, ... and columns 4 x to 4 x + 3 of both
/// halves. @pre kPiece = 4: k and n are multiples of 4 and all addresses of 16 bytes.
template <int kPiece>
__global__ void __launch_bounds__(kProductThreads, 2)
    async_product_kernel(const ProductSize size, const float* a, const float* b, float* c, unsigned row_tiles) {
  constexpr int kTile = AsyncTiles::kTile, kDepth = AsyncTiles::kDepth, kSide = 16, kEntries = kTile / kSide;
  __shared__ alignas(16) AsyncTiles tiles;
  const int x = static_cast<int>(threadIdx.x) % kSide, y = static_cast<int>(threadIdx.x) / kSide;
  const int first_row = kTile * static_cast<int>(blockIdx.x % row_tiles);
  const int first_column = kTile * static_cast<int>(blockIdx.x / row_tiles);
  weft::grid_dependency_sync();
  Fetch<float, kProductThreads, kPiece, kTile, kDepth> of_a(a, size.m, size.k, first_row, 0);
  Fetch<float, kProductThreads, kPiece, kDepth, kTile> of_b(b, size.k, size.n, 0, first_column);
  const auto fetch_next = [&](int stage) {
    of_a.start(tiles.a[stage], size.k, a);
    of_a.from += kDepth;
    of_a.columns -= kDepth;
    of_b.start(tiles.b[stage], size.n, b);
    of_b.from += std::int64_t{kDepth} * size.n;
    of_b.rows -= kDepth;
    __pipeline_commit();
  };
  float sum[kEntries][kEntries] = {};
  fetch_next(0);
  for (int left = size.k, stage = 0; left > 0; left -= kDepth, stage ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the tiles have arrived for all threads, which have finished with the other pair
    if (left > kDepth) fetch_next(stage ^ 1);
#pragma unroll 2
    for (int l = 0; l < kDepth; ++l) {
      float from_a[kEntries];
      float4 from_b[2];
#pragma unroll
      for (int e = 0; e < kEntries; ++e) from_a[e] = tiles.a[stage][y + e * kSide][l];
#pragma unroll
      for (int h = 0; h < 2; ++h) from_b[h] = *reinterpret_cast<const float4*>(&tiles.b[stage][l][4 * x + h * kTile / 2]);
#pragma unroll
      for (int e = 0; e < kEntries; ++e) {
#pragma unroll
        for (int f = 0; f < kEntries; ++f) sum[e][f] = fmaf(from_a[e], (&from_b[f / 4].x)[f % 4], sum[e][f]);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < kEntries; ++e) {
    const int i = first_row + y + e * kSide;
#pragma unroll
    for (int f = 0; f < kEntries; f += kPiece) {
      const int j = first_column + 4 * x + f / 4 * (kTile / 2) + f % 4;
      if (i >= size.m || j >= size.n) continue;
      if constexpr (kPiece == 4) {
        *reinterpret_cast<float4*>(c + std::int64_t{i} * size.n + j) =
            make_float4(sum[e][f], sum[e][f + 1], sum[e][f + 2], sum[e][f + 3]);
      } else {
        c[std::int64_t{i} * size.n + j] = sum[e][f];
      }
    }
  }
}

constexpr ProductStep kAsyncProduct{"5 accesses of 16 bytes, two stages of async copies", 0.8,
                                    [](weft::Stream& stream, const ProductSize& size, const float* a, const float* b, float* c) {
                                      const bool by_words = size.k % 4 == 0 && size.n % 4 == 0;
                                      launch_product(stream, by_words ? async_product_kernel<4> : async_product_kernel<1>,
                                                     AsyncTiles::kTile, AsyncTiles::kTile, size, a, b, c);
                                    }};

}  // namespace ladder

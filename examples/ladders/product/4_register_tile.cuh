#pragma once
/// Step 4: 8 x 8 entries of c in the registers of a thread.
///
/// 16 entries in registers serve 64 products: a quarter of an access to shared memory per product instead of half of one, and 711
/// instructions for 512 products, 72%. A block has 128 x 128 entries, so that the traffic of the L2 cache falls by a factor of
/// four. But accesses to shared memory take 16 clocks of a multiprocessor per 64 products of a warp, as long as the products, and
/// a block waits for its loads between two barriers.
///
/// Predicted: 55% of cuBLAS.
/// Measured on an H100: 62.6% of cuBLAS.
#include "weft/kernels/layout/banks.hpp"

#include "1_naive.cuh"

namespace ladder {

/// Computes 128 x 128 entries of c per block. Thread (x, y) of 16 x 16 has rows y, y + 16, ... and columns x, x + 16, ...
static __global__ void __launch_bounds__(kProductThreads, 2)
    register_product_kernel(const ProductSize size, const float* a, const float* b, float* c, unsigned row_tiles) {
  constexpr int kTile = 128, kDepth = 8, kSide = 16, kEntries = kTile / kSide;
  constexpr int kRowsA = kProductThreads / kDepth, kRowsB = kProductThreads / kTile;  // fetched by the block at a time
  constexpr int kRowA = kTile + 4;  // a is transposed: a warp stores four columns of kDepth entries
  static_assert(weft::kernels::layout::bank_conflicts(weft::kernels::layout::Layout({kDepth, 32 / kDepth}, {kRowA, 1}),
                                                      sizeof(float), sizeof(float))
                    .conflicts() == 0);
  __shared__ float a_tile[kDepth][kRowA], b_tile[kDepth][kTile];
  const int t = static_cast<int>(threadIdx.x), x = t % kSide, y = t / kSide;
  const int first_row = kTile * static_cast<int>(blockIdx.x % row_tiles);
  const int first_column = kTile * static_cast<int>(blockIdx.x / row_tiles);
  weft::grid_dependency_sync();
  // The first entries of a and b that the thread fetches, and the numbers of rows and columns from there to the end.
  const float* from_a = a + std::int64_t{first_row + t / kDepth} * size.k + t % kDepth;
  const float* from_b = b + std::int64_t{t / kTile} * size.n + first_column + t % kTile;
  const int rows = size.m - first_row - t / kDepth, columns = size.n - first_column - t % kTile;
  float sum[kEntries][kEntries] = {};
  for (int left = size.k; left > 0; left -= kDepth) {
#pragma unroll
    for (int r = 0; r < kTile; r += kRowsA) {
      a_tile[t % kDepth][r + t / kDepth] = r < rows && t % kDepth < left ? from_a[std::int64_t{r} * size.k] : 0;
    }
#pragma unroll
    for (int l = 0; l < kDepth; l += kRowsB) {
      b_tile[l + t / kTile][t % kTile] = l + t / kTile < left && columns > 0 ? from_b[std::int64_t{l} * size.n] : 0;
    }
    from_a += kDepth;
    from_b += std::int64_t{kDepth} * size.n;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      float of_a[kEntries], of_b[kEntries];
#pragma unroll
      for (int e = 0; e < kEntries; ++e) {
        of_a[e] = a_tile[l][y + e * kSide];
        of_b[e] = b_tile[l][x + e * kSide];
      }
#pragma unroll
      for (int e = 0; e < kEntries; ++e) {
#pragma unroll
        for (int f = 0; f < kEntries; ++f) sum[e][f] = fmaf(of_a[e], of_b[f], sum[e][f]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < kEntries; ++e) {
#pragma unroll
    for (int f = 0; f < kEntries; ++f) {
      const int i = first_row + y + e * kSide, j = first_column + x + f * kSide;
      if (i < size.m && j < size.n) c[std::int64_t{i} * size.n + j] = sum[e][f];
    }
  }
}

constexpr ProductStep kRegisterProduct{
    "4 8 x 8 entries of c in the registers of a thread", 0.55,
    [](weft::Stream& stream, const ProductSize& size, const float* a, const float* b, float* c) {
      launch_product(stream, register_product_kernel, 128, 128, size, a, b, c);
    }};

}  // namespace ladder

#pragma once
/// Step 3: tiles of a and b in shared memory, four entries of c per thread.
///
/// Shared memory is not faster than a hit in the L1 cache: with one entry per thread the two accesses per product would remain.
/// With four, an entry of b serves four products, and one access of 16 bytes reads four entries of a: half an access per
/// product. The compiler needs 314 instructions for 128 products, so that at most 41% of the issued ones compute.
///
/// Predicted: 35% of cuBLAS.
/// Measured on an H100: 31.4% of cuBLAS.
#include "1_naive.cuh"

namespace ladder {

/// Computes 32 x 32 entries of c per block, four per thread, from tiles of 32 x 32 entries of a and b.
static __global__ void __launch_bounds__(kProductThreads)
    tile_product_kernel(const ProductSize size, const float* a, const float* b, float* c, unsigned row_tiles) {
  constexpr int kEdge = 32, kStep = kProductThreads / kEdge, kEntries = kEdge / kStep;
  __shared__ float a_tile[kEdge][kEdge], b_tile[kEdge][kEdge];
  const int x = static_cast<int>(threadIdx.x) % kEdge, y = static_cast<int>(threadIdx.x) / kEdge;
  const std::int64_t first_row = std::int64_t{kEdge} * (blockIdx.x % row_tiles);
  const std::int64_t j = std::int64_t{kEdge} * (blockIdx.x / row_tiles) + x;
  weft::grid_dependency_sync();
  float sum[kEntries] = {};
  for (std::int64_t l0 = 0; l0 < size.k; l0 += kEdge) {
#pragma unroll
    for (int e = 0; e < kEntries; ++e) {
      const int r = y + e * kStep;
      const std::int64_t i = first_row + r;
      a_tile[r][x] = i < size.m && l0 + x < size.k ? a[i * size.k + l0 + x] : 0;
      b_tile[r][x] = l0 + r < size.k && j < size.n ? b[(l0 + r) * size.n + j] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kEdge; ++l) {
#pragma unroll
      for (int e = 0; e < kEntries; ++e) sum[e] = fmaf(a_tile[y + e * kStep][l], b_tile[l][x], sum[e]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < kEntries; ++e) {
    const std::int64_t i = first_row + y + e * kStep;
    if (i < size.m && j < size.n) c[i * size.n + j] = sum[e];
  }
}

constexpr ProductStep kTileProduct{"3 tiles of 32 x 32 in shared memory", 0.35,
                                   [](weft::Stream& stream, const ProductSize& size, const float* a, const float* b, float* c) {
                                     launch_product(stream, tile_product_kernel, 32, 32, size, a, b, c);
                                   }};

}  // namespace ladder

#pragma once
/// Step 6: tensor cores, for a and b in half precision and c in float.
///
/// A warp computes 32 x 64 entries of c by products of 16 x 16 x 16. For eight of them, 65,536 operations, it reads six fragments
/// of 512 bytes from shared memory, 24 clocks of a multiprocessor: a limit of 630 TFLOP/s. Instructions of one warp (mma) reach
/// about 60% of the 989 TFLOP/s that an H200 has for dense products of halves by instructions of four warps (wgmma), which cuBLAS
/// uses; and two stages of tiles hide the latency of memory only partly.
///
/// Predicted: 45% of cuBLAS with the same types.
/// Measured: 33.3% of cuBLAS on an H100, 33.6% on an H200. Two stages of tiles probably hide less of the latency than assumed.
#include <cuda_fp16.h>
#include <mma.h>

#include "weft/kernels/layout/banks.hpp"

#include "1_naive.cuh"
#include "fetch.cuh"

namespace ladder {

using HalfProductStep = Step<const ProductSize&, const __half*, const __half*, float*>;

/// The tiles of a block: 128 x 32 entries of a and 32 x 128 of b, twice, with padded rows; later 16 x 16 entries of c per warp.
union HalfTiles {
  static constexpr int kTile = 128, kDepth = 32, kPadding = 8;
  /// The bank conflicts when eight threads load 16 bytes of eight rows each, as for a fragment.
  static constexpr int conflicts(int row) {
    return weft::kernels::layout::bank_conflicts(weft::kernels::layout::Layout(8, row), sizeof(__half), 16).conflicts();
  }
  struct {
    __half a[2][kTile][kDepth + kPadding], b[2][kDepth][kTile + kPadding];
  } in;
  float out[kProductThreads / 32][16][16];
};
static_assert(HalfTiles::conflicts(HalfTiles::kDepth) == 3 && HalfTiles::conflicts(HalfTiles::kTile) == 7);
static_assert(HalfTiles::conflicts(HalfTiles::kDepth + HalfTiles::kPadding) == 0 &&
              HalfTiles::conflicts(HalfTiles::kTile + HalfTiles::kPadding) == 0);

/// Computes 128 x 128 entries of c per block. @pre kPiece = 8: k and n are multiples of 8 and the addresses of 16 bytes.
template <int kPiece>
__global__ void __launch_bounds__(kProductThreads, 2)
    tensor_product_kernel(const ProductSize size, const __half* a, const __half* b, float* c, unsigned row_tiles) {
  using namespace nvcuda;
  constexpr int kTile = HalfTiles::kTile, kDepth = HalfTiles::kDepth, kRows = 2, kColumns = 4;  // fragments of a warp
  __shared__ alignas(32) unsigned char memory[sizeof(HalfTiles)];
  HalfTiles& tiles = *reinterpret_cast<HalfTiles*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp % 4 * 16 * kRows, column = warp / 4 * 16 * kColumns;  // position of the warp in the tile
  const int first_row = kTile * static_cast<int>(blockIdx.x % row_tiles);
  const int first_column = kTile * static_cast<int>(blockIdx.x / row_tiles);
  weft::grid_dependency_sync();
  Fetch<__half, kProductThreads, kPiece, kTile, kDepth> of_a(a, size.m, size.k, first_row, 0);
  Fetch<__half, kProductThreads, kPiece, kDepth, kTile> of_b(b, size.k, size.n, 0, first_column);
  const auto fetch_next = [&](int stage) {
    of_a.start(tiles.in.a[stage], size.k, a);
    of_a.from += kDepth;
    of_a.columns -= kDepth;
    of_b.start(tiles.in.b[stage], size.n, b);
    of_b.from += std::int64_t{kDepth} * size.n;
    of_b.rows -= kDepth;
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[kRows][kColumns];
#pragma unroll
  for (auto& of_row : sum) {
#pragma unroll
    for (auto& fragment : of_row) wmma::fill_fragment(fragment, 0.0F);
  }
  fetch_next(0);
  for (int left = size.k, stage = 0; left > 0; left -= kDepth, stage ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (left > kDepth) fetch_next(stage ^ 1);
#pragma unroll
    for (int l = 0; l < kDepth; l += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> from_a[kRows];
#pragma unroll
      for (int e = 0; e < kRows; ++e) {
        wmma::load_matrix_sync(from_a[e], &tiles.in.a[stage][row + 16 * e][l], kDepth + HalfTiles::kPadding);
      }
#pragma unroll
      for (int f = 0; f < kColumns; ++f) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> from_b;
        wmma::load_matrix_sync(from_b, &tiles.in.b[stage][l][column + 16 * f], kTile + HalfTiles::kPadding);
#pragma unroll
        for (int e = 0; e < kRows; ++e) wmma::mma_sync(sum[e][f], from_a[e], from_b, sum[e][f]);
      }
    }
  }
  __syncthreads();  // the tiles have been read
#pragma unroll
  for (int e = 0; e < kRows; ++e) {
#pragma unroll
    for (int f = 0; f < kColumns; ++f) {
      wmma::store_matrix_sync(&tiles.out[warp][0][0], sum[e][f], 16, wmma::mem_row_major);
      __syncwarp();
      for (int n = lane; n < 256; n += 32) {
        const int i = first_row + row + 16 * e + n / 16, j = first_column + column + 16 * f + n % 16;
        if (i < size.m && j < size.n) c[std::int64_t{i} * size.n + j] = tiles.out[warp][n / 16][n % 16];
      }
      __syncwarp();
    }
  }
}

constexpr HalfProductStep kTensorProduct{
    "6 tensor cores, products of warps", 0.45,
    [](weft::Stream& stream, const ProductSize& size, const __half* a, const __half* b, float* c) {
      const bool by_words = size.k % 8 == 0 && size.n % 8 == 0;
      launch_product(stream, by_words ? tensor_product_kernel<8> : tensor_product_kernel<1>, HalfTiles::kTile, HalfTiles::kTile,
                     size, a, b, c);
    }};

}  // namespace ladder

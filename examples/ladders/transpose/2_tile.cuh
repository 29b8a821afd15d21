#pragma once
/// Step 2: a tile of 32 x 32 entries in shared memory, so that a warp both reads and writes 128 contiguous bytes.
///
/// The traffic of the L2 cache falls to 8 bytes per entry. But a warp reads a column of the tile, whose entries are 32 words
/// apart and all in one bank: 32 passes over shared memory, and one for the write, per 32 entries.
///
/// Predicted: 33 clocks per 256 bytes on each of 132 multiprocessors are 1.8 TB/s, 42% of copy. Shared memory alone is half of
/// the gain.
/// Measured on an H100: 58.5% of copy. That is 1.72 TB/s, as predicted: an H100 has the same multiprocessors and less bandwidth
/// of memory.
#include "weft/kernels/layout/banks.hpp"

#include "1_naive.cuh"

namespace ladder {

/// Transposes a tile of 32 x 32 entries in a block, with kStride entries per row of shared memory.
template <int kStride>
__global__ void __launch_bounds__(kTransposeThreads)
    tile_transpose_kernel(const float* in, std::int64_t rows, std::int64_t columns, float* out, unsigned row_tiles) {
  constexpr int kEdge = 32, kStep = kTransposeThreads / kEdge;  // the 8 warps of a block have 4 rows each
  __shared__ float tile[kEdge * kStride];
  const int x = static_cast<int>(threadIdx.x) % kEdge, y = static_cast<int>(threadIdx.x) / kEdge;
  const std::int64_t first_row = std::int64_t{kEdge} * (blockIdx.x % row_tiles);
  const std::int64_t first_column = std::int64_t{kEdge} * (blockIdx.x / row_tiles);
  weft::grid_dependency_sync();
#pragma unroll
  for (int r = y; r < kEdge; r += kStep) {
    const std::int64_t i = first_row + r, j = first_column + x;
    if (i < rows && j < columns) tile[r * kStride + x] = in[i * columns + j];
  }
  __syncthreads();
#pragma unroll
  for (int c = y; c < kEdge; c += kStep) {
    const std::int64_t i = first_row + x, j = first_column + c;
    if (i < rows && j < columns) out[j * rows + i] = tile[x * kStride + c];
  }
}

/// Returns the conflicts when a warp reads a column of the tile.
constexpr int column_conflicts(int stride) {
  return weft::kernels::layout::bank_conflicts(weft::kernels::layout::Layout({32}, {stride}), sizeof(float), sizeof(float))
      .conflicts();
}
static_assert(column_conflicts(32) == 31);

constexpr TransposeStep kTileTranspose{
    "2 tile of 32 x 32 in shared memory", 0.42,
    [](weft::Stream& stream, const float* in, std::int64_t rows, std::int64_t columns, float* out) {
      launch_transpose(stream, tile_transpose_kernel<32>, 32, 32, in, rows, columns, out);
    }};

}  // namespace ladder

#pragma once
/// Step 2: a tile of 32 x 32 entries in shared memory, so that a warp both reads and writes 128 contiguous bytes.
///
/// The traffic of the L2 cache falls to 8 bytes per entry. But a warp reads a column of the tile, whose entries are 32 words
/// apart and all in one bank: 32 passes over shared memory, and one for the write, per 32 entries.
///
/// Predicted: 33 clocks per 256 bytes on each of 132 multiprocessors are 1.8 TB/s, 42% of copy. Shared memory alone is half of
/// the gain.
/// Measured: 58.5% of copy on an H100, 42.3% on an H200. That is 1.7 TB/s on both, as predicted: an H100 has the same
/// multiprocessors and less bandwidth of memory.
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/static_layout.hpp"

#include "1_naive.cuh"

namespace ladder {

/// A tile of 32 x 32 entries in shared memory, with kStride entries per row.
template <int kStride>
struct Tile {
  static constexpr int kEdge = 32;
  /// (row, column) -> position.
  static constexpr weft::kernels::layout::Layout kPosition{{kEdge, kEdge}, {kStride, 1}};
  /// The bank conflicts when a warp reads a column.
  static constexpr int kConflicts =
      weft::kernels::layout::bank_conflicts(weft::kernels::layout::mode(kPosition, 0), sizeof(float), sizeof(float)).conflicts();
};
static_assert(Tile<32>::kConflicts == 31);

/// Transposes a tile in a block.
template <int kStride>
__global__ void __launch_bounds__(kTransposeThreads)
    tile_transpose_kernel(const float* in, std::int64_t rows, std::int64_t columns, float* out, unsigned row_tiles) {
  constexpr int kEdge = Tile<kStride>::kEdge, kStep = kTransposeThreads / kEdge;  // the 8 warps of a block have 4 rows each
  constexpr weft::kernels::layout::StaticLayout<Tile<kStride>::kPosition> kAt;
  __shared__ float tile[weft::kernels::layout::cosize(Tile<kStride>::kPosition)];
  const int x = static_cast<int>(threadIdx.x) % kEdge, y = static_cast<int>(threadIdx.x) / kEdge;
  const std::int64_t first_row = std::int64_t{kEdge} * (blockIdx.x % row_tiles);
  const std::int64_t first_column = std::int64_t{kEdge} * (blockIdx.x / row_tiles);
  weft::grid_dependency_sync();
#pragma unroll
  for (int r = y; r < kEdge; r += kStep) {
    const std::int64_t i = first_row + r, j = first_column + x;
    if (i < rows && j < columns) tile[kAt(r, x)] = in[i * columns + j];
  }
  __syncthreads();
#pragma unroll
  for (int c = y; c < kEdge; c += kStep) {
    const std::int64_t i = first_row + x, j = first_column + c;
    if (i < rows && j < columns) out[j * rows + i] = tile[kAt(x, c)];
  }
}

constexpr TransposeStep kTileTranspose{
    "2 tile of 32 x 32 in shared memory", 0.42,
    [](weft::Stream& stream, const float* in, std::int64_t rows, std::int64_t columns, float* out) {
      launch_transpose(stream, tile_transpose_kernel<32>, 32, 32, in, rows, columns, out);
    }};

}  // namespace ladder

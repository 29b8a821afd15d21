#pragma once
/// Step 1: one thread per entry, which reads along rows and writes along columns.
///
/// A warp reads 128 contiguous bytes, 4 sectors of 32 bytes, and writes 4 bytes to each of 32 sectors. The eight warps of a block
/// have the eight entries of a sector, which the L2 cache merges, so that the traffic of memory is not multiplied; that of the
/// L2 cache is 32 + 4 bytes per entry instead of 8.
///
/// Predicted: 36 bytes at 5.5 TB/s of the L2 cache against 8 bytes at the rate of a copy, 29%.
/// Measured: 16.9% of copy on an H100, 13.8% on an H200. 0.5 and 0.57 TB/s, less than half of the
/// prediction: 32 sectors per write of a warp probably cost more than their bytes.
#include "../ladder.cuh"

namespace ladder {

/// Transposes `in`, rows x columns, into `out`, columns x rows.
using TransposeStep = Step<const float*, std::int64_t, std::int64_t, float*>;
constexpr int kTransposeThreads = 256;

static __global__ void __launch_bounds__(kTransposeThreads)
    naive_transpose_kernel(const float* in, std::int64_t rows, std::int64_t columns, float* out, unsigned row_tiles) {
  constexpr int kWide = 32, kHigh = kTransposeThreads / kWide;  // entries of a block
  const std::int64_t i = std::int64_t{kHigh} * (blockIdx.x % row_tiles) + threadIdx.x / kWide;
  const std::int64_t j = std::int64_t{kWide} * (blockIdx.x / row_tiles) + threadIdx.x % kWide;
  weft::grid_dependency_sync();
  if (i < rows && j < columns) out[j * rows + i] = in[i * columns + j];
}

/// Launches a kernel with one block per tile, where consecutive blocks have tiles one below the other.
inline void launch_transpose(weft::Stream& stream, void (*kernel)(const float*, std::int64_t, std::int64_t, float*, unsigned),
                             std::int64_t tile_rows, std::int64_t tile_columns, const float* in, std::int64_t rows,
                             std::int64_t columns, float* out) {
  const std::int64_t row_tiles = (rows + tile_rows - 1) / tile_rows, column_tiles = (columns + tile_columns - 1) / tile_columns;
  weft::launch(stream, "transpose", {.blocks = row_tiles * column_tiles, .threads = kTransposeThreads}, kernel, in, rows, columns,
               out, static_cast<unsigned>(row_tiles));
}

constexpr TransposeStep kNaiveTranspose{
    "1 one thread per entry", 0.29,
    [](weft::Stream& stream, const float* in, std::int64_t rows, std::int64_t columns, float* out) {
      launch_transpose(stream, naive_transpose_kernel, 8, 32, in, rows, columns, out);
    }};

}  // namespace ladder

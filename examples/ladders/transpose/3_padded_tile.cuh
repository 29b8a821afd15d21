#pragma once
/// Step 3: a row of the tile has 33 entries, so that a column has one entry in each of the 32 banks.
///
/// Two passes over shared memory instead of 33 per 32 entries, a limit of 30 TB/s: memory is the only limit left. A thread has
/// four loads in flight, 32 kB per multiprocessor.
///
/// Predicted: 90% of copy, since pieces of 128 bytes use the pages of DRAM less well than the long rows of a copy.
/// Measured: 94.0% of copy on an H100, 77.5% on an H200.
#include "2_tile.cuh"

namespace ladder {

static_assert(Tile<33>::kConflicts == 0);

constexpr TransposeStep kPaddedTranspose{
    "3 rows of the tile padded to 33 entries", 0.9,
    [](weft::Stream& stream, const float* in, std::int64_t rows, std::int64_t columns, float* out) {
      launch_transpose(stream, tile_transpose_kernel<33>, 32, 32, in, rows, columns, out);
    }};

}  // namespace ladder

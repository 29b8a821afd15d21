#pragma once
/// Step 2: a tile of 32 x 8 points of a plane in shared memory, with its halo.
///
/// The tile is read once with its halo, 98 sectors per 256 points instead of 3 x 8 rows of 9 or 10; the neighbours along z are
/// still read from global memory: 30 bytes per point instead of 46, and 9 for the write.
///
/// Predicted: 39 bytes at 5.5 TB/s, 53% of copy.
/// Measured: 72.7% of copy on an H100, 56.6% on an H200. Slower than step 1, whose neighbours probably come from the L1 cache:
/// the tile adds barriers and saves nothing.
#include "1_naive.cuh"

namespace ladder {

/// The points of a block: x and y of the tile, and planes.
struct StencilBlock {
  static constexpr int kX = 32, kY = 8, kThreads = kX * kY, kRow = kX + 2, kRows = kY + 2;

  int x, y;              ///< position of the thread in the tile
  int width, height;     ///< size of the part of the tile in the box, at least 1
  std::int64_t i, j, k;  ///< the point of the thread in the first plane

  /// Returns the points of block `b` of a grid with `march` planes per block.
  __device__ StencilBlock(const Box& box, unsigned b, int march) {
    const unsigned x_tiles = (box.nx + kX - 1) / kX, y_tiles = (box.ny + kY - 1) / kY;
    const int first_x = static_cast<int>(b % x_tiles) * kX, first_y = static_cast<int>(b / x_tiles % y_tiles) * kY;
    x = static_cast<int>(threadIdx.x) % kX;
    y = static_cast<int>(threadIdx.x) / kX;
    width = min(kX, box.nx - first_x);
    height = min(kY, box.ny - first_y);
    i = first_x + x;
    j = first_y + y;
    k = std::int64_t{b / x_tiles / y_tiles} * march;
  }
  __device__ bool in_box() const { return x < width && y < height; }
};

/// Stores the centre and, of threads at the edges of the tile, the halo. `p` is the point of the thread in global memory.
__device__ inline void store_with_halo(const StencilBlock& block, const Box& box, const double* p, double centre, double* at) {
  if (!block.in_box()) return;
  *at = centre;
  if (block.x == 0) at[-1] = p[-1];
  if (block.x == block.width - 1) at[1] = p[1];
  if (block.y == 0) at[-StencilBlock::kRow] = p[-box.row];
  if (block.y == block.height - 1) at[StencilBlock::kRow] = p[box.row];
}

static __global__ void __launch_bounds__(StencilBlock::kThreads)
    tile_stencil_kernel(const Weights weights, const Box box, const double* in, double* out) {
  constexpr int kRow = StencilBlock::kRow;
  __shared__ double tile[kRow * StencilBlock::kRows];
  const StencilBlock block(box, blockIdx.x, 1);
  double* const at = tile + (block.y + 1) * kRow + block.x + 1;
  const std::int64_t point = box.at(block.i, block.j, block.k);
  const double* const p = in + point;
  weft::grid_dependency_sync();
  const double centre = block.in_box() ? *p : 0.0;
  store_with_halo(block, box, p, centre, at);
  __syncthreads();
  if (block.in_box()) out[point] = weights(centre, at[-1], at[1], at[-kRow], at[kRow], p[-box.plane()], p[box.plane()]);
}

/// Launches a kernel with one block per tile and `march` planes.
inline void launch_stencil(weft::Stream& stream, void (*kernel)(Weights, Box, const double*, double*), int march,
                           const Weights& weights, const Box& box, const double* in, double* out) {
  const auto tiles = [](std::int64_t n, std::int64_t of_tile) { return (n + of_tile - 1) / of_tile; };
  const std::int64_t blocks = tiles(box.nx, StencilBlock::kX) * tiles(box.ny, StencilBlock::kY) * tiles(box.nz, march);
  weft::launch(stream, "stencil", {.blocks = blocks, .threads = StencilBlock::kThreads}, kernel, weights, box, in, out);
}

constexpr StencilStep kTileStencil{"2 tile of 32 x 8 with halo in shared memory", 0.53,
                                   [](weft::Stream& stream, const Weights& weights, const Box& box, const double* in,
                                      double* out) { launch_stencil(stream, tile_stencil_kernel, 1, weights, box, in, out); }};

}  // namespace ladder

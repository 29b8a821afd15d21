#pragma once
/// Step 3: a block marches along z, with the points below, at and above the plane in registers.
///
/// Each entry of the tile is read once per block instead of three times: 12.5 bytes per point, 9 for the write, and 34 instead of
/// 32 planes are 22 bytes. At 5.5 TB/s the L2 cache would permit 94% of copy, but the loads of a plane wait for two barriers.
///
/// Predicted: 80% of copy.
/// Measured: 75.1% of copy on an H100, 68.6% on an H200.
#include "2_tile.cuh"

namespace ladder {

constexpr int kMarch = 32;  ///< planes of a block

static __global__ void __launch_bounds__(StencilBlock::kThreads)
    march_stencil_kernel(const Weights weights, const Box box, const double* in, double* out) {
  constexpr int kRow = StencilBlock::kRow;
  __shared__ double tile[kRow * StencilBlock::kRows];
  const StencilBlock block(box, blockIdx.x, kMarch);
  double* const at = tile + (block.y + 1) * kRow + block.x + 1;
  const int planes = min(kMarch, box.nz - static_cast<int>(block.k));
  const std::int64_t plane = box.plane();
  std::int64_t point = box.at(block.i, block.j, block.k);
  weft::grid_dependency_sync();
  double below = 0, centre = 0, above = 0;
  if (block.in_box()) {
    centre = in[point - plane];
    above = in[point];
  }
  // Threads outside the box take part in the barriers.
  for (int k = 0; k < planes; ++k, point += plane) {
    below = centre;
    centre = above;
    if (block.in_box()) above = in[point + plane];
    __syncthreads();  // the tile of the previous plane has been read
    store_with_halo(block, box, in + point, centre, at);
    __syncthreads();
    if (block.in_box()) out[point] = weights(centre, at[-1], at[1], at[-kRow], at[kRow], below, above);
  }
}

constexpr StencilStep kMarchStencil{
    "3 march along z with a queue of three registers", 0.8,
    [](weft::Stream& stream, const Weights& weights, const Box& box, const double* in, double* out) {
      launch_stencil(stream, march_stencil_kernel, kMarch, weights, box, in, out);
    }};

}  // namespace ladder

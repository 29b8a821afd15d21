#pragma once
/// The overload of apply_star_stencil for GPUs, for .cu files.
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/star_stencil.hpp"

namespace weft::kernels {

namespace detail {

/// The points of a block in the xy-plane, one for each thread, and the planes along which it marches.
inline constexpr int kStarX = 32, kStarY = 8, kStarThreads = kStarX * kStarY, kStarMarch = 64;

/// Marches along z: each thread has its point and the four below and above in registers, and reads the neighbours along x and y,
/// which other threads of the block read, too, through the L1 cache.
template <class T>
__global__ void __launch_bounds__(kStarThreads) star_stencil_kernel(const StarWeights<T> weights, const StarBox box, const T* in,
                                                                    T* out, unsigned x_tiles, unsigned y_tiles) {
  constexpr int kColumn = 2 * kStarRadius + 1;
  const std::int64_t i = std::int64_t{kStarX} * (blockIdx.x % x_tiles) + threadIdx.x % kStarX;
  const std::int64_t j = std::int64_t{kStarY} * (blockIdx.x / x_tiles % y_tiles) + threadIdx.x / kStarX;
  const std::int64_t first = std::int64_t{kStarMarch} * (blockIdx.x / x_tiles / y_tiles);
  const std::int64_t last = first + kStarMarch < box.nz ? first + kStarMarch : box.nz;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (i >= box.nx || j >= box.ny) return;
  const std::int64_t plane = box.plane();
  const T* from = in + box.at(i, j, first);
  T* to = out + box.at(i, j, first);
  T column[kColumn];
#pragma unroll
  for (int r = 1; r < kColumn; ++r) column[r] = from[(r - 1 - kStarRadius) * plane];
  for (std::int64_t k = first; k < last; ++k, from += plane, to += plane) {
#pragma unroll
    for (int r = 0; r + 1 < kColumn; ++r) column[r] = column[r + 1];
    column[kColumn - 1] = from[kStarRadius * plane];
    *to = weights(from, box.row, column);
  }
}

}  // namespace detail

/// Applies the stencil in stream order to memory accessible to the current GPU, with the digits of the host.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is rejected.
/// @cost one kernel, which writes every entry once and reads (64 + 8) / 64 of them along z; each point is read 17 times from the
/// L1 cache. No workspace.
template <class T>
void apply_star_stencil(space::cuda, Stream& stream, const StarWeights<T>& weights, const StarBox& box, std::span<const T> in,
                        std::span<T> out) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float and double");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of apply_star_stencil");
  if (box.empty()) return;
  const detail::TileGrid grid = detail::tile_grid(box, detail::kStarX, detail::kStarY, detail::kStarMarch);
  launch(stream, "apply_star_stencil", {.blocks = grid.blocks, .threads = detail::kStarThreads}, detail::star_stencil_kernel<T>,
         weights, box, in.data(), out.data(), grid.x, grid.y);
}

}  // namespace weft::kernels

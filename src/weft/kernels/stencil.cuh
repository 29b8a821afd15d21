#pragma once
/// apply_stencil on a GPU, for .cu files.
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/stencil.hpp"

namespace weft::kernels {

namespace detail {

/// A block takes a tile along x and y, each of its threads some points of it one behind the other along y, and marches along z.
struct StencilTile {
  static constexpr int kX = 64, kThreads = 256;
  static constexpr int kPoints = 2;  ///< of a thread, in a plane
  static constexpr int kY = kThreads / kX * kPoints;
  static constexpr int kMarch = 64;  ///< planes
  static constexpr int kAhead = 2;   ///< planes above the one that is computed, whose points are there or being fetched
};

/// Each thread keeps its points of the planes below, at and above it in registers, and those that it fetches ahead; neighbours
/// in the plane come through the first-level cache, where the block has brought most of them as points above. `in` is not marked
/// as restricted: nvcc would then take its entries for constants, which it may read before wait_for_earlier_kernels().
template <class T>
__global__ void __launch_bounds__(StencilTile::kThreads)
    stencil_kernel(const StencilWeights<T> weights, const Box box, const T* in, T* WEFT_RESTRICT out, unsigned x_tiles,
                   unsigned y_tiles) {
  using Tile = StencilTile;
  constexpr int kPoints = Tile::kPoints, kAhead = Tile::kAhead;
  const std::int64_t i = std::int64_t{Tile::kX} * (blockIdx.x % x_tiles) + threadIdx.x % Tile::kX;
  const std::int64_t j = std::int64_t{Tile::kY} * (blockIdx.x / x_tiles % y_tiles) + threadIdx.x / Tile::kX * kPoints;
  const std::int64_t first = std::int64_t{Tile::kMarch} * (blockIdx.x / x_tiles / y_tiles);
  const std::int64_t last = first + Tile::kMarch < box.nz ? first + Tile::kMarch : box.nz;
  const std::int64_t row = box.row(), plane = box.plane();
  let_next_kernel_begin();
  wait_for_earlier_kernels();
  if (i >= box.nx || j >= box.ny) return;

  const T* from = in + box.at(i, j, first);
  T* to = out + box.at(i, j, first);
  // Of the last tile along y, points beyond the ghosts are taken to be ghosts, and computed for nothing.
  std::int64_t at[kPoints];
#pragma unroll
  for (int p = 0; p < kPoints; ++p) at[p] = (j + p < box.ny ? p : box.ny - j) * row;
  T column[kPoints][kAhead + 2];  // planes k - 1, k, and those above
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
#pragma unroll
    for (int above = 0; above <= kAhead; ++above) {
      if (first + above <= last + 1) column[p][above] = from[at[p] + (above - 1) * plane];
    }
  }
#pragma unroll(kAhead + 2)
  for (std::int64_t k = first; k < last; ++k, from += plane, to += plane) {
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      if (k + kAhead <= last) column[p][kAhead + 1] = from[at[p] + kAhead * plane];
    }
    const T before = from[-row], behind = from[at[kPoints - 1] + (j + kPoints - 1 < box.ny ? row : 0)];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      const T sum = weights(column[p][1], from[at[p] - 1], from[at[p] + 1], p == 0 ? before : column[p - 1][1],
                            p == kPoints - 1 ? behind : column[p + 1][1], column[p][0], column[p][2]);
      if (j + p < box.ny) to[at[p]] = sum;
    }
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
#pragma unroll
      for (int above = 0; above <= kAhead; ++above) column[p][above] = column[p][above + 1];
    }
  }
}

}  // namespace detail

/// The same as work of `stream`, on memory that the current GPU reaches: one kernel, with the digits of the host. Reads every
/// entry once and a few percent of them again, as long as the second-level cache holds some planes.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is refused.
template <class T>
void apply_stencil(space::cuda, Stream& stream, const StencilWeights<T>& weights, const Box& box, std::span<const T> in,
                   std::span<T> out) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float and double");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  WEFT_EXPECTS(detail::disjoint(in, out));
  if (box.empty()) return;
  using Tile = detail::StencilTile;
  const auto tiles = [](std::int64_t points, std::int64_t of_tile) { return (points + of_tile - 1) / of_tile; };
  const std::int64_t x_tiles = tiles(box.nx, Tile::kX), y_tiles = tiles(box.ny, Tile::kY);
  launch(stream, "apply_stencil", {.blocks = x_tiles * y_tiles * tiles(box.nz, Tile::kMarch), .threads = Tile::kThreads},
         detail::stencil_kernel<T>, weights, box, in.data(), out.data(), static_cast<unsigned>(x_tiles),
         static_cast<unsigned>(y_tiles));
}

}  // namespace weft::kernels

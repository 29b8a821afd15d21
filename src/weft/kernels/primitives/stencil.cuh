#pragma once
/// The overload of apply_stencil for GPUs, for .cu files.
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/compose.hpp"
#include "weft/kernels/layout/static_layout.hpp"
#include "weft/kernels/primitives/stencil.hpp"

namespace weft::kernels {

namespace detail {

/// The tile of a block: kX x kY points in the xy-plane, of which each thread computes kPoints adjacent along y. The block marches
/// along z and computes one plane while it prefetches further planes, each with the halo of the tile, into a ring buffer in
/// shared memory by asynchronous copies of kPiece entries.
template <class T, int kPiece>
struct StencilTile {
  static constexpr int kX = 128, kY = 8, kThreads = 256, kPoints = kX * kY / kThreads;
  static constexpr int kMarch = 64 / sizeof(T), kRing = 5;              ///< planes computed by a block, planes in the ring
  static constexpr int kPieces = (kX + 2 + 2 * (kPiece - 1)) / kPiece;  ///< copies that cover a row with any alignment
  static constexpr int kRow = kPieces * kPiece, kRows = kY + 2;
  /// (x, y, slot of the plane) -> position; a warp reads 32 adjacent points of a row.
  static constexpr layout::Layout kRingAt = layout::column_major({kRow, kRows, kRing});
  static_assert(layout::bank_conflicts(layout::composition(kRingAt, layout::Layout(32, 1)), sizeof(T), sizeof(T)).conflicts() ==
                0);
  /// Bytes of shared memory per block. For doubles the number is increased beyond the ring so that a multiprocessor with 228 kB
  /// holds two blocks: more were slower (docs/notes/2026-11-gpu-kernels.md).
  static constexpr int kBytes = std::max(static_cast<int>(layout::cosize(kRingAt) * sizeof(T)), sizeof(T) == 8 ? 76 * 1024 : 0);
};

/// Applies the stencil to one tile per block; the points below, at and above the current plane are in registers. `in` is not
/// declared restrict, because nvcc could then load its entries before grid_dependency_sync().
/// @pre box.row is a multiple of kPiece, so that all rows have the same offset in their first piece.
template <class T, int kPiece>
__global__ void __launch_bounds__(StencilTile<T, kPiece>::kThreads)
    stencil_kernel(const StencilWeights<T> weights, const Box box, const T* in, T* WEFT_RESTRICT out, unsigned x_tiles,
                   unsigned y_tiles) {
  using Tile = StencilTile<T, kPiece>;
  constexpr int kPoints = Tile::kPoints, kRing = Tile::kRing, kRow = Tile::kRow;
  extern __shared__ uint4 shared_words[];
  constexpr layout::StaticLayout<Tile::kRingAt> kAt;
  T* const ring = reinterpret_cast<T*>(shared_words);
  const std::int64_t x0 = std::int64_t{Tile::kX} * (blockIdx.x % x_tiles);
  const std::int64_t y0 = std::int64_t{Tile::kY} * (blockIdx.x / x_tiles % y_tiles);
  const std::int64_t z0 = std::int64_t{Tile::kMarch} * (blockIdx.x / x_tiles / y_tiles);
  const int nx = static_cast<int>(min(box.nx - x0, std::int64_t{Tile::kX}));
  const int ny = static_cast<int>(min(box.ny - y0, std::int64_t{Tile::kY}));
  const int nz = static_cast<int>(min(box.nz - z0, std::int64_t{Tile::kMarch}));
  const int thread = static_cast<int>(threadIdx.x), i = thread % Tile::kX, j = thread / Tile::kX * kPoints;
  const std::int64_t row = box.row, plane = box.plane();
  // Entries before the row in its first piece; they belong to the previous row or are padding.
  const int before_row = static_cast<int>(reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % kPiece);
  trigger_dependent_launch();
  grid_dependency_sync();

  const T* from = in + box.at(x0 - 1, y0 - 1, z0 - 1) - before_row;
  int fetched = 0;  // planes
  const auto fetch_next = [&](int slot) {
    if (fetched < nz + 2) {
      // The first and last plane are needed without halo rows; the array may end within a piece of such a row.
      const int skipped = fetched == 0 || fetched == nz + 1 ? 1 : 0;
#pragma unroll
      for (int n = thread; n < Tile::kPieces * Tile::kRows; n += Tile::kThreads) {
        const int y = n / Tile::kPieces, x = n % Tile::kPieces * kPiece;
        if (x < nx + 2 + before_row && y >= skipped && y < ny + 2 - skipped) {
          __pipeline_memcpy_async(ring + kAt(x, y, slot), from + y * row + x, kPiece * sizeof(T));
        }
      }
      from += plane;
      ++fetched;
    }
    __pipeline_commit();
  };
  for (int slot = 0; slot < kRing; ++slot) fetch_next(slot);
  __pipeline_wait_prior(kRing - 2);
  __syncthreads();

  const T* const own = ring + kAt(0, j + 1, 0) + before_row + 1 + i;  // the thread's first point in slot 0
  T below[kPoints], centre[kPoints];
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
    below[p] = own[kAt(0, p, 0)];
    centre[p] = own[kAt(0, p, 1)];
  }
  T* to = out + box.at(x0 + i, y0 + j, z0);
  for (int k = 0, slot = 1; k < nz; ++k, to += plane) {
    __pipeline_wait_prior(kRing - 3);  // the plane above has arrived, and
    __syncthreads();                   // all threads have finished reading the plane below
    fetch_next(slot == 0 ? kRing - 1 : slot - 1);
    const T* const current = own + kAt(0, 0, slot);
    slot = slot + 1 == kRing ? 0 : slot + 1;
    const T* const upper = own + kAt(0, 0, slot);
    T y_low = current[-kRow];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      const T above = upper[p * kRow], y_high = p + 1 == kPoints ? current[kPoints * kRow] : centre[p + 1];
      const T sum = weights(centre[p], current[p * kRow - 1], current[p * kRow + 1], y_low, y_high, below[p], above);
      if (i < nx && j + p < ny) to[p * row] = sum;
      y_low = centre[p];
      below[p] = centre[p];
      centre[p] = above;
    }
  }
}

/// Launches the kernel with pieces of kPiece entries, or of the largest smaller power of two that divides the row stride.
template <int kPiece, class T>
void launch_stencil(Stream& stream, const StencilWeights<T>& weights, const Box& box, const T* in, T* out) {
  if constexpr (kPiece > 1) {
    if (box.row % kPiece != 0) {
      launch_stencil<kPiece / 2>(stream, weights, box, in, out);
      return;
    }
  }
  using Tile = StencilTile<T, kPiece>;
  const TileGrid grid = tile_grid(box, Tile::kX, Tile::kY, Tile::kMarch);
  const auto kernel = stencil_kernel<T, kPiece>;
  set_max_dynamic_shared_memory(kernel, Tile::kBytes, "apply_stencil");
  launch(stream, "apply_stencil", {.blocks = grid.blocks, .threads = Tile::kThreads, .shared_memory = Tile::kBytes}, kernel,
         weights, box, in, out, grid.x, grid.y);
}

}  // namespace detail

/// Applies the stencil in stream order to memory accessible to the current GPU, with the digits of the host.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is rejected.
/// @cost one kernel, which fetches 1.5 (double) or 1.4 (float) times the entries of `in`, the repeated ones from the L2 cache if
/// it holds some planes. Accesses have 16 bytes where box.row is a multiple of 16 / sizeof(T), 8 or 4 bytes otherwise.
template <class T>
void apply_stencil(space::cuda, Stream& stream, const StencilWeights<T>& weights, const Box& box, std::span<const T> in,
                   std::span<T> out) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float and double");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of apply_stencil");
  if (box.empty()) return;
  detail::launch_stencil<16 / sizeof(T)>(stream, weights, box, in.data(), out.data());
}

}  // namespace weft::kernels

#pragma once
/// apply_stencil on a GPU, for .cu files.
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/stencil.hpp"

namespace weft::kernels {

namespace detail {

/// A block takes a tile along x and y, of which a thread has kPoints one above the other along y, and marches along z: it
/// computes a plane while it fetches others into a ring in shared memory, each with the ghosts or neighbours around its part of
/// the tile, by pieces of kPiece entries.
template <class T, int kPiece>
struct StencilTile {
  static constexpr int kX = 128, kY = 8, kThreads = 256, kPoints = kX * kY / kThreads;
  static constexpr int kMarch = 64 / sizeof(T), kRing = 5;              ///< planes
  static constexpr int kPieces = (kX + 2 + 2 * (kPiece - 1)) / kPiece;  ///< of a row, wherever among those of memory it begins
  static constexpr int kRow = kPieces * kPiece, kRows = kY + 2, kPlane = kRow * kRows;
  /// Shared memory. Of doubles more than the ring, so that a multiprocessor of 228 kB works on two blocks at a time: more were
  /// slower where it was tried (docs/design/kernels.md).
  static constexpr int kBytes = std::max(kRing * kPlane * static_cast<int>(sizeof(T)), sizeof(T) == 8 ? 76 * 1024 : 0);
};

/// Points below, at and above are in registers. `in` is not marked as restricted: nvcc would then take its entries for constants,
/// which it may read before wait_for_earlier_kernels().
/// @pre box.row is a multiple of kPiece: so rows all begin at the same entry of a piece.
template <class T, int kPiece>
__global__ void __launch_bounds__(StencilTile<T, kPiece>::kThreads)
    stencil_kernel(const StencilWeights<T> weights, const Box box, const T* in, T* WEFT_RESTRICT out, unsigned x_tiles,
                   unsigned y_tiles) {
  using Tile = StencilTile<T, kPiece>;
  constexpr int kPoints = Tile::kPoints, kRing = Tile::kRing, kRow = Tile::kRow;
  extern __shared__ uint4 shared_words[];
  T* const ring = reinterpret_cast<T*>(shared_words);
  const std::int64_t x0 = std::int64_t{Tile::kX} * (blockIdx.x % x_tiles);
  const std::int64_t y0 = std::int64_t{Tile::kY} * (blockIdx.x / x_tiles % y_tiles);
  const std::int64_t z0 = std::int64_t{Tile::kMarch} * (blockIdx.x / x_tiles / y_tiles);
  const int nx = static_cast<int>(min(box.nx - x0, std::int64_t{Tile::kX}));
  const int ny = static_cast<int>(min(box.ny - y0, std::int64_t{Tile::kY}));
  const int nz = static_cast<int>(min(box.nz - z0, std::int64_t{Tile::kMarch}));
  const int thread = static_cast<int>(threadIdx.x), i = thread % Tile::kX, j = thread / Tile::kX * kPoints;
  const std::int64_t row = box.row, plane = box.plane();
  // Entries of the piece that a row begins in, before the row: of the row before, or padding.
  const int before_row = static_cast<int>(reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % kPiece);
  let_next_kernel_begin();
  wait_for_earlier_kernels();

  const T* from = in + box.at(x0 - 1, y0 - 1, z0 - 1) - before_row;
  int fetched = 0;  // planes
  const auto fetch_next = [&](int slot) {
    if (fetched < nz + 2) {
      // Of the first plane and the last nobody needs the rows on either side: those of the array may have no whole pieces.
      const int beside = fetched == 0 || fetched == nz + 1 ? 1 : 0;
#pragma unroll
      for (int n = thread; n < Tile::kPieces * Tile::kRows; n += Tile::kThreads) {
        const int y = n / Tile::kPieces, x = n % Tile::kPieces * kPiece;
        if (x < nx + 2 + before_row && y >= beside && y < ny + 2 - beside) {
          __pipeline_memcpy_async(ring + slot * Tile::kPlane + y * kRow + x, from + y * row + x, kPiece * sizeof(T));
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

  const T* const mine = ring + (j + 1) * kRow + before_row + 1 + i;  // in the first slot
  T below[kPoints], centre[kPoints];
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
    below[p] = mine[p * kRow];
    centre[p] = mine[Tile::kPlane + p * kRow];
  }
  T* to = out + box.at(x0 + i, y0 + j, z0);
  for (int k = 0, slot = 1; k < nz; ++k, to += plane) {
    __pipeline_wait_prior(kRing - 3);  // the plane above is there, and
    __syncthreads();                   // nobody reads the one below any more
    fetch_next(slot == 0 ? kRing - 1 : slot - 1);
    const T* const here = mine + slot * Tile::kPlane;
    slot = slot + 1 == kRing ? 0 : slot + 1;
    const T* const over = mine + slot * Tile::kPlane;
    T before = here[-kRow];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      const T above = over[p * kRow], behind = p + 1 == kPoints ? here[kPoints * kRow] : centre[p + 1];
      const T sum = weights(centre[p], here[p * kRow - 1], here[p * kRow + 1], before, behind, below[p], above);
      if (i < nx && j + p < ny) to[p * row] = sum;
      before = centre[p];
      below[p] = centre[p];
      centre[p] = above;
    }
  }
}

/// Fetches by pieces of 16 bytes, or the largest that divides rows.
template <int kPiece, class T>
void launch_stencil(Stream& stream, const StencilWeights<T>& weights, const Box& box, const T* in, T* out) {
  if constexpr (kPiece > 1) {
    if (box.row % kPiece != 0) {
      launch_stencil<kPiece / 2>(stream, weights, box, in, out);
      return;
    }
  }
  using Tile = StencilTile<T, kPiece>;
  const auto tiles = [](std::int64_t points, std::int64_t of_tile) { return (points + of_tile - 1) / of_tile; };
  const std::int64_t x_tiles = tiles(box.nx, Tile::kX), y_tiles = tiles(box.ny, Tile::kY);
  const auto kernel = stencil_kernel<T, kPiece>;
  allow_shared_memory(kernel, Tile::kBytes, "apply_stencil");
  launch(stream, "apply_stencil",
         {.blocks = x_tiles * y_tiles * tiles(box.nz, Tile::kMarch), .threads = Tile::kThreads, .shared_memory = Tile::kBytes},
         kernel, weights, box, in, out, static_cast<unsigned>(x_tiles), static_cast<unsigned>(y_tiles));
}

}  // namespace detail

/// The same as work of `stream`, on memory that the current GPU reaches: one kernel, with the digits of the host. Of `in` it
/// fetches 16 bytes at a time where box.row is a multiple of 16 / sizeof(T), 8 or 4 else, in all 1.5 (double) or 1.4 times
/// (float) what it has; what comes again comes from the second-level cache, as long as that holds some planes.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is refused.
template <class T>
void apply_stencil(space::cuda, Stream& stream, const StencilWeights<T>& weights, const Box& box, std::span<const T> in,
                   std::span<T> out) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float and double");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  WEFT_EXPECTS(detail::disjoint(in, out));
  if (box.empty()) return;
  detail::launch_stencil<16 / sizeof(T)>(stream, weights, box, in.data(), out.data());
}

}  // namespace weft::kernels

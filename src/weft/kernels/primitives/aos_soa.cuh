#pragma once
/// Conversion between AoS and SoA on a GPU, for .cu files.
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/primitives/aos_soa.hpp"
#include "weft/kernels/primitives/pending_loads.cuh"
#include "weft/kernels/primitives/small_division.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kAosThreads = 256;
inline constexpr int kAosBytes = 48 * 1024;      ///< shared memory of a block that every GPU provides
inline constexpr int kAosTileBytes = 32 * 1024;  ///< shared memory of a tile of short rows

/// Returns the rows of a tile, a power of two: as many as kAosTileBytes hold, of rows of more than 6 kB as many as kAosBytes
/// hold; 0 if not even one.
[[nodiscard]] constexpr int aos_tile_rows(std::int64_t width, std::size_t entry_bytes) {
  if (width > kAosBytes) return 0;
  const auto row_bytes = layout::conflict_free_stride(width) * static_cast<std::int64_t>(entry_bytes);
  const std::int64_t bytes = row_bytes > kAosBytes / 8 ? kAosBytes : kAosTileBytes;
  return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(bytes / row_bytes)));
}

/// Converts one tile of rows per block through shared memory, so that reads and writes of global memory are contiguous. Matrices
/// follow each other on both sides. A tile has 2^row_bits rows; the last one of a matrix is not full.
template <bool kToSoa, class T>
__global__ void __launch_bounds__(kAosThreads) aos_soa_kernel(const T* in, std::int64_t rows, SmallDivision by_width,
                                                              std::int64_t stride, T* out, int row_bits, unsigned tiles) {
  extern __shared__ uint4 aos_words[];
  T* const tile = reinterpret_cast<T*>(aos_words);
  const int width = by_width.divisor(), padded = layout::conflict_free_stride(width);
  const std::int64_t matrix = blockIdx.x / tiles, first = static_cast<std::int64_t>(blockIdx.x % tiles) << row_bits;
  const int count = static_cast<int>(min(rows - first, std::int64_t{1} << row_bits));
  const std::int64_t aos = (matrix * rows + first) * width, soa = matrix * stride * width + first;
  const T* const from = in + (kToSoa ? aos : soa);  // the first entry of the tile
  T* const to = out + (kToSoa ? soa : aos);
  // Positions in shared memory of entry n of the tile, counted by rows, and counted by components of a full tile; the position of
  // the latter in the SoA.
  const auto by_rows = [=](int n) { return n + by_width(n) * (padded - width); };
  const auto row_of = [=](int n) { return n & ((1 << row_bits) - 1); };
  const auto by_components = [=](int n) { return row_of(n) * padded + (n >> row_bits); };
  const auto in_soa = [=](int n) { return (n >> row_bits) * stride + row_of(n); };
  const int begin = static_cast<int>(threadIdx.x), in_components = width << row_bits;
  trigger_dependent_launch();
  grid_dependency_sync();
  if constexpr (kToSoa) {
    store_with_pending_loads<kAosThreads>(
        count * width, [&](int n) { return from[n]; }, [&](int n, const T& entry) { tile[by_rows(n)] = entry; });
    __syncthreads();
#pragma unroll 4
    for (int n = begin; n < in_components; n += kAosThreads) {
      if (row_of(n) < count) to[in_soa(n)] = tile[by_components(n)];
    }
  } else {
    if (count == 1 << row_bits) {
      store_with_pending_loads<kAosThreads>(
          in_components, [&](int n) { return from[in_soa(n)]; }, [&](int n, const T& entry) { tile[by_components(n)] = entry; });
    } else {
      for (int n = begin; n < in_components; n += kAosThreads) {
        if (row_of(n) < count) tile[by_components(n)] = from[in_soa(n)];
      }
    }
    __syncthreads();
#pragma unroll 4
    for (int n = begin; n < count * width; n += kAosThreads) to[n] = tile[by_rows(n)];
  }
}

/// Converts `matrices` matrices of `rows` rows. @pre matrices == 1 || stride == rows.
/// @throws LimitError if a row exceeds the shared memory of a block.
template <bool kToSoa, class T>
void convert_rows(Stream& stream, const T* in, std::int64_t matrices, std::int64_t rows, std::int64_t width, std::int64_t stride,
                  T* out) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && sizeof(T) <= 16 && alignof(T) <= 16,
                "default-constructible entries of at most 16 bytes");
  WEFT_EXPECTS(matrices == 1 || stride == rows);
  const int tile_rows = aos_tile_rows(width, sizeof(T));
  WEFT_EXPECTS(!stream.is_host());
  if (tile_rows == 0) {
    throw LimitError("rows of " + std::to_string(width) + " entries of " + std::to_string(sizeof(T)) +
                         " bytes exceed the shared memory of a block (48 kB)",
                     "convert them with transpose()");
  }
  if (rows == 0) return;
  const std::int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  launch(stream, "aos_soa",
         {.blocks = matrices * tiles,
          .threads = kAosThreads,
          .shared_memory = static_cast<std::size_t>(tile_rows * layout::conflict_free_stride(width)) * sizeof(T)},
         aos_soa_kernel<kToSoa, T>, in, rows, SmallDivision(width), stride, out,
         std::countr_zero(static_cast<unsigned>(tile_rows)), static_cast<unsigned>(tiles));
}

}  // namespace detail

/// Converts rows to components in stream order, as on the host, in memory accessible to the current GPU. Rows have at most 48 kB;
/// a matrix with longer ones is a case for transpose().
/// @pre as on the host; default-constructible entries of at most 16 bytes; a stream of the current GPU. @cost one kernel, which
/// reads and writes every entry once; no workspace. @throws DeviceError where the launch is rejected; LimitError for longer rows.
template <class T>
void aos_to_soa(space::cuda, Stream& stream, std::span<const T> aos, std::int64_t rows, std::int64_t width, std::int64_t stride,
                std::span<T> soa) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(aos, soa, "aos and soa of aos_to_soa");
  detail::convert_rows<true>(stream, aos.data(), 1, rows, width, stride, soa.data());
}

/// Converts components to rows; otherwise as aos_to_soa().
template <class T>
void soa_to_aos(space::cuda, Stream& stream, std::span<const T> soa, std::int64_t rows, std::int64_t width, std::int64_t stride,
                std::span<T> aos) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(soa, aos, "soa and aos of soa_to_aos");
  detail::convert_rows<false>(stream, soa.data(), 1, rows, width, stride, aos.data());
}

}  // namespace weft::kernels

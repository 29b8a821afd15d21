#pragma once
/// Conversion between AoS and SoA on a GPU, for .cu files.
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

namespace weft::kernels {

namespace detail {

inline constexpr int kAosThreads = 256;
inline constexpr int kAosBytes = 48 * 1024;  ///< shared memory of a block that every GPU provides

/// Returns the rows of a tile: 256, or the largest smaller power of two whose tile fits into shared memory; 0 if not even one.
[[nodiscard]] constexpr int aos_tile_rows(std::int64_t width, std::size_t entry_bytes) {
  const auto row_bytes = layout::conflict_free_stride(width) * static_cast<std::int64_t>(entry_bytes);
  int rows = kAosThreads;
  while (rows > 0 && rows * row_bytes > kAosBytes) rows /= 2;
  return rows;
}

/// Converts one tile of rows per block through shared memory, so that reads and writes of global memory are contiguous.
template <bool kToSoa, class T>
__global__ void __launch_bounds__(kAosThreads)
    aos_soa_kernel(const T* in, std::int64_t rows, int width, std::int64_t stride, T* out, int tile_rows) {
  extern __shared__ uint4 aos_words[];
  T* const tile = reinterpret_cast<T*>(aos_words);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  const int count = static_cast<int>(min(rows - first, static_cast<std::int64_t>(tile_rows)));
  const int padded = layout::conflict_free_stride(width), entries = count * width;
  trigger_dependent_launch();
  grid_dependency_sync();
  if constexpr (kToSoa) {
    for (int n = static_cast<int>(threadIdx.x); n < entries; n += kAosThreads) {
      const int row = n / width;
      tile[row * padded + (n - row * width)] = in[first * width + n];
    }
  } else {
    for (int n = static_cast<int>(threadIdx.x); n < entries; n += kAosThreads) {
      const int c = n / count, row = n - c * count;
      tile[row * padded + c] = in[c * stride + first + row];
    }
  }
  __syncthreads();
  if constexpr (kToSoa) {
    for (int n = static_cast<int>(threadIdx.x); n < entries; n += kAosThreads) {
      const int c = n / count, row = n - c * count;
      out[c * stride + first + row] = tile[row * padded + c];
    }
  } else {
    for (int n = static_cast<int>(threadIdx.x); n < entries; n += kAosThreads) {
      const int row = n / width;
      out[first * width + n] = tile[row * padded + (n - row * width)];
    }
  }
}

template <bool kToSoa, class T>
void convert_rows(Stream& stream, const T* in, std::int64_t rows, std::int64_t width, std::int64_t stride, T* out) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && alignof(T) <= 16, "entries of at most 16 bytes");
  const int tile_rows = aos_tile_rows(width, sizeof(T));
  WEFT_EXPECTS(!stream.is_host());
  if (tile_rows == 0) {
    throw LimitError("rows of " + std::to_string(width) + " entries of " + std::to_string(sizeof(T)) +
                         " bytes exceed the shared memory of a block (48 kB)",
                     "convert them with transpose()");
  }
  if (rows == 0) return;
  launch(stream, "aos_soa",
         {.blocks = (rows + tile_rows - 1) / tile_rows,
          .threads = kAosThreads,
          .shared_memory = static_cast<std::size_t>(tile_rows * layout::conflict_free_stride(width)) * sizeof(T)},
         aos_soa_kernel<kToSoa, T>, in, rows, static_cast<int>(width), stride, out, tile_rows);
}

}  // namespace detail

/// Converts rows to components in stream order, as on the host, in memory accessible to the current GPU. Rows have at most 48 kB;
/// a matrix with longer ones is a case for transpose().
/// @pre as on the host; entries of at most 16 bytes; a stream of the current GPU. @cost one kernel, which reads and writes every
/// entry once; no workspace. @throws DeviceError where the launch is rejected; LimitError
/// for longer rows.
template <class T>
void aos_to_soa(space::cuda, Stream& stream, std::span<const T> aos, std::int64_t rows, std::int64_t width, std::int64_t stride,
                std::span<T> soa) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(aos, soa, "aos and soa of aos_to_soa");
  detail::convert_rows<true>(stream, aos.data(), rows, width, stride, soa.data());
}

/// Converts components to rows; otherwise as aos_to_soa().
template <class T>
void soa_to_aos(space::cuda, Stream& stream, std::span<const T> soa, std::int64_t rows, std::int64_t width, std::int64_t stride,
                std::span<T> aos) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(soa, aos, "soa and aos of soa_to_aos");
  detail::convert_rows<false>(stream, soa.data(), rows, width, stride, aos.data());
}

}  // namespace weft::kernels

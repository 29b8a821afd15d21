#pragma once
/// The transpose of batches of matrices that fit into shared memory, on GPUs, for .cu files.
#include <algorithm>
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/primitives/pending_loads.cuh"
#include "weft/kernels/primitives/small_division.hpp"

namespace weft::kernels::detail {

/// Largest matrix in shared memory, in bytes with padded rows: a multiprocessor of compute capability 8.6 holds one such block,
/// of 8.0 two, of 9.0 three.
inline constexpr std::int64_t kSmallMatrixBytes = 72 * 1024;

/// Returns the bytes of a matrix in shared memory, whose columns can be read without bank conflicts.
/// @pre rows, columns <= kSmallMatrixBytes.
[[nodiscard]] constexpr std::int64_t padded_matrix_bytes(std::int64_t rows, std::int64_t columns, std::size_t entry_bytes) {
  return rows * layout::conflict_free_stride(columns) * static_cast<std::int64_t>(entry_bytes);
}
/// Returns true if transpose_small_kernel can transpose such matrices.
[[nodiscard]] constexpr bool is_small_matrix(std::int64_t rows, std::int64_t columns, std::size_t entry_bytes) {
  return std::max(rows, columns) <= kSmallMatrixBytes && padded_matrix_bytes(rows, columns, entry_bytes) <= kSmallMatrixBytes;
}

/// Transposes `entries` / (rows columns) matrices, as many per block as have `of_block` entries. Reads and writes of global
/// memory are contiguous.
template <class E, int kThreads>
__global__ void __launch_bounds__(kThreads) transpose_small_kernel(const E* in, std::int64_t entries, SmallDivision by_rows,
                                                                   SmallDivision by_columns, E* out, int of_block) {
  extern __shared__ uint4 transpose_memory[];
  E* const tile = reinterpret_cast<E*>(transpose_memory);
  const int rows = by_rows.divisor(), columns = by_columns.divisor(), padded = layout::conflict_free_stride(columns);
  const std::int64_t first = std::int64_t{of_block} * blockIdx.x;
  const int count = static_cast<int>(min(entries - first, std::int64_t{of_block}));
  const E* const from = in + first;
  E* const to = out + first;
  trigger_dependent_launch();
  grid_dependency_sync();
  store_with_pending_loads<kThreads>(
      count, [=](int n) { return from[n]; },
      [=](int n, const E& entry) { tile[n + by_columns(n) * (padded - columns)] = entry; });
  __syncthreads();
#pragma unroll 4
  for (int n = static_cast<int>(threadIdx.x); n < count; n += kThreads) {
    const int out_row = by_rows(n), matrix = by_columns(out_row);  // the row among those of all transposed matrices
    const int column = out_row - matrix * columns, row = n - out_row * rows + matrix * rows;
    to[n] = tile[row * padded + column];
  }
}

/// Launches transpose_small_kernel. @pre is_small_matrix(rows, columns, sizeof(E)).
template <class E>
void launch_transpose_small(Stream& stream, const E* in, std::int64_t matrices, std::int64_t rows, std::int64_t columns, E* out) {
  // Bytes for several matrices in a block, and above which a block has 512 threads instead of 256.
  constexpr std::int64_t kBytes = 16 * 1024, kLarge = 24 * 1024;
  const std::int64_t bytes = padded_matrix_bytes(rows, columns, sizeof(E)), group = std::max(kBytes / bytes, std::int64_t{1});
  const auto shared = static_cast<std::size_t>(group * bytes);
  const auto start = [&](auto kernel, int threads) {
    if (shared > weft::detail::kSharedBytes) set_max_dynamic_shared_memory(kernel, kSmallMatrixBytes, "transpose");
    launch(stream, "transpose", {.blocks = (matrices + group - 1) / group, .threads = threads, .shared_memory = shared}, kernel,
           in, matrices * rows * columns, SmallDivision(rows), SmallDivision(columns), out,
           static_cast<int>(group * rows * columns));
  };
  if (bytes <= kLarge) {
    start(transpose_small_kernel<E, 256>, 256);
  } else {
    start(transpose_small_kernel<E, 512>, 512);
  }
}

}  // namespace weft::kernels::detail

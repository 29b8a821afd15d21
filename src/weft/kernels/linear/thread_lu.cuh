#pragma once
/// LU factorisation of a batch on a GPU with a matrix of 1 to 7 rows in the registers of each thread.
#include <cstddef>
#include <cstdint>

#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/linear/matrix_tile.cuh"
#include "weft/kernels/linear/small_lu.hpp"

namespace weft::kernels::detail {

/// The threads of a block. Small blocks, so that a multiprocessor has some that load, some that compute and some that store.
template <class T, int N>
constexpr int kLuThreads = MatrixTile<T, N * N, 128>::kSize * sizeof(T) <= 28 * 1024 ? 128 : 64;

/// The matrices of a block in shared memory.
template <class T, int N>
using LuTile = MatrixTile<T, N * N, kLuThreads<T, N>>;

/// Enqueues the copies of the matrices of a block from a batch.
template <class T, int N>
struct BatchMatrices {
  const T* matrices;
  __device__ void operator()(T* tile, std::int64_t first, int count) const {
    load_matrices<LuTile<T, N>>(tile, matrices + first * N * N, count);
  }
};

/// Enqueues the copies of the diagonal blocks of the block rows of a block; zero where none is stored. The entries of one column
/// of 32 rows are contiguous in memory where the diagonal block has the same index in these rows, and successive threads copy
/// them.
template <class T, int N>
struct DiagonalBlocks {
  BsrView<const T, N> a;
  __device__ void operator()(T* tile, std::int64_t first, int count) const {
    constexpr int kThreads = kLuThreads<T, N>, kColumn = kBsrSlice * N;
    static_assert(kThreads % kBsrSlice == 0);
    constexpr typename LuTile<T, N>::At kAt;
    __shared__ std::int64_t begin[kThreads];  // entry (0, 0) of each diagonal block, or -1
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < count) {
      const auto row = static_cast<std::int32_t>(first + thread);
      const std::int32_t k = a.pattern.diagonal[row];
      begin[thread] = k < 0 ? -1 : a.index(a.pattern.slot(row, k), 0, 0);
    }
    __syncthreads();
    for (int n = thread; n < kThreads * N * N; n += kThreads) {
      const int i = n % N, column = n / kColumn % N, matrix = n / (kColumn * N) * kBsrSlice + n % kColumn / N;
      if (matrix >= count) continue;
      T* const to = tile + kAt(i * N + column, matrix);
      if (begin[matrix] < 0) {
        *to = T{};
      } else {
        __pipeline_memcpy_async(to, a.values + begin[matrix] + column * kColumn + i, sizeof(T));
      }
    }
  }
};

/// Factorises the matrices that `load` provides, of which block b has those from b * kLuThreads on.
template <class T, int N, class Load>
__global__ void __launch_bounds__(kLuThreads<T, N>, 4)
    lu_factor_kernel(Load load, T* factors, std::uint8_t* pivots, std::uint8_t* status, std::int64_t size) {
  using Tile = LuTile<T, N>;
  constexpr int kThreads = kLuThreads<T, N>;
  constexpr typename Tile::At kAt;
  __shared__ T tile[Tile::kSize];
  __shared__ std::uint8_t rows[kThreads * N];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const int count = size - first < kThreads ? static_cast<int>(size - first) : kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  load(tile, first, count);
  wait_for_tile();
  if (thread < count) {
    T a[N * N];
    std::uint8_t pivot[N];
#pragma unroll
    for (int e = 0; e < N * N; ++e) a[e] = tile[kAt(e, thread)];
    status[first + thread] = static_cast<std::uint8_t>(detail::factor_small<T, N>(a, pivot));
#pragma unroll
    for (int e = 0; e < N * N; ++e) tile[kAt(e, thread)] = a[e];
#pragma unroll
    for (int c = 0; c < N; ++c) rows[thread * N + c] = pivot[c];
  }
  __syncthreads();
  store_matrices<Tile>(factors + first * N * N, tile, count, [](T* to, T entry) { *to = entry; });
  for (int n = thread; n < count * N; n += kThreads) pivots[first * N + n] = rows[n];
}

template <int N, class T, class Load>
void launch_lu_factor(Stream& stream, const LuBatch<T>& batch, const Load& load) {
  constexpr int kThreads = kLuThreads<T, N>;
  launch(stream, "lu_factor", {.blocks = (batch.size() + kThreads - 1) / kThreads, .threads = kThreads},
         lu_factor_kernel<T, N, Load>, load, batch.factors.data(), batch.pivots.data(), batch.status.data(), batch.size());
}

}  // namespace weft::kernels::detail

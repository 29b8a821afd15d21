// Batched products on a GPU: a thread for each product of up to 8 rows, a thread for 4 x 2 entries of larger ones.
#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/matrix_tile.cuh"
#include "weft/kernels/linear/small_product.hpp"

namespace weft::kernels {

namespace {

// Compile-time sizes.

/// The threads of a block, each of which has one factor of both kinds in shared memory. Small blocks, so that a multiprocessor
/// has some that load, some that multiply and some that store.
template <class T, int N>
constexpr int kThreadsOf = [] {
  constexpr std::size_t kBytes = 2 * detail::MatrixTile<T, N * N, 1>::kSize * sizeof(T);  // for each thread
  return kBytes * 128 <= 28 * 1024 ? 128 : kBytes * 64 <= 28 * 1024 ? 64 : 32;
}();

/// The left or right factors of a block in shared memory.
template <class T, int N>
using Tile = detail::MatrixTile<T, N * N, kThreadsOf<T, N>>;

/// Stores an entry of a product, or adds it.
template <class T>
__device__ void put(T* to, T product, bool add) {
  *to = add ? *to + product : product;
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOf<T, N>)
    multiply_small_kernel(const T* a, const T* b, T* c, std::int64_t size, bool add) {
  constexpr int kThreads = kThreadsOf<T, N>, kEntries = N * N;
  constexpr typename Tile<T, N>::At kAt;
  __shared__ T a_tile[Tile<T, N>::kSize], b_tile[Tile<T, N>::kSize];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const int count = size - first < kThreads ? static_cast<int>(size - first) : kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  detail::load_matrices<Tile<T, N>>(a_tile, a + first * kEntries, count);
  detail::load_matrices<Tile<T, N>>(b_tile, b + first * kEntries, count);
  detail::wait_for_tile();
  if (thread < count) {
    T right[kEntries];
#pragma unroll
    for (int e = 0; e < kEntries; ++e) right[e] = b_tile[kAt(e, thread)];
#pragma unroll 1
    for (int i = 0; i < N; ++i) {  // a row of C replaces the row of A
      T* const row = a_tile + kAt(i * N, thread);
      T left[N], sum[N];
#pragma unroll
      for (int k = 0; k < N; ++k) left[k] = row[k];
#pragma unroll
      for (int j = 0; j < N; ++j) sum[j] = left[0] * right[j];
#pragma unroll
      for (int k = 1; k < N; ++k) {
#pragma unroll
        for (int j = 0; j < N; ++j) sum[j] += left[k] * right[k * N + j];
      }
#pragma unroll
      for (int j = 0; j < N; ++j) row[j] = sum[j];
    }
  }
  __syncthreads();
  detail::store_matrices<Tile<T, N>>(c + first * kEntries, a_tile, count, [add](T* to, T product) { put(to, product, add); });
}

// Run-time sizes.

/// Entries of C per thread: kRows adjacent rows of kColumns columns, so that an entry of A or B in a register serves several.
constexpr int kRows = 4, kColumns = 2;
constexpr int kMostThreads = 128;  ///< per block

/// The threads that compute a product of n rows, and the products of a block. Rows in shared memory have an odd stride, so that
/// threads with different rows of A access different banks.
struct ProductGroups {
  int n, stride, columns, threads_of_product, products;  ///< columns: threads next to each other

  explicit constexpr ProductGroups(int rows)
      : n(rows),
        stride(layout::conflict_free_stride(n)),
        columns((n + kColumns - 1) / kColumns),
        threads_of_product((n + kRows - 1) / kRows * columns),
        products(kMostThreads / threads_of_product) {}
  [[nodiscard]] constexpr int threads() const { return (products * threads_of_product + 31) / 32 * 32; }
  [[nodiscard]] WEFT_HD constexpr int entries_of_tile() const { return products * n * stride; }
};
static_assert(ProductGroups(kProductRows).products == 1);
static_assert(2 * sizeof(double) * ProductGroups(kProductRows).entries_of_tile() <= weft::detail::kSharedBytes);

/// Calls call(entry in global memory, entry in shared memory) for the entries of a thread.
template <class Call>
__device__ void for_each_entry(const ProductGroups& groups, int matrices, const Call& call) {
  const int threads = static_cast<int>(blockDim.x), rows = threads / groups.n, columns = threads % groups.n;
  int row = static_cast<int>(threadIdx.x) / groups.n, column = static_cast<int>(threadIdx.x) % groups.n;
  for (int e = static_cast<int>(threadIdx.x); e < matrices * groups.n * groups.n; e += threads) {
    call(e, row * groups.stride + column);
    row += rows;
    column += columns;
    if (column >= groups.n) {
      column -= groups.n;
      ++row;
    }
  }
}

/// Computes the entries of a thread. Rows and columns beyond the last are computed as the last, and not stored.
template <class T>
__device__ void multiply_rows(const ProductGroups& groups, const T* a, const T* b, int i, int j, T (&sum)[kRows][kColumns]) {
  const T *left[kRows], *right[kColumns];
#pragma unroll
  for (int r = 0; r < kRows; ++r) left[r] = a + min(i + r, groups.n - 1) * groups.stride;
#pragma unroll
  for (int s = 0; s < kColumns; ++s) {
    right[s] = b + min(j + s * groups.columns, groups.n - 1);
#pragma unroll
    for (int r = 0; r < kRows; ++r) sum[r][s] = *left[r] * *right[s];
  }
#pragma unroll 2
  for (int k = 1; k < groups.n; ++k) {
#pragma unroll
    for (int s = 0; s < kColumns; ++s) {
      const T of_column = right[s][k * groups.stride];
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r][s] += left[r][k] * of_column;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kMostThreads)
    multiply_any_kernel(ProductGroups groups, const T* a, const T* b, T* c, std::int64_t size, bool add) {
  extern __shared__ double memory[];
  const int n = groups.n, stride = groups.stride, thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * groups.products, first_entry = first * n * n;
  const int count = size - first < groups.products ? static_cast<int>(size - first) : groups.products;
  T *const a_tile = reinterpret_cast<T*>(memory), *const b_tile = a_tile + groups.entries_of_tile();
  trigger_dependent_launch();
  grid_dependency_sync();
  for_each_entry(groups, count, [&](int entry, int at) {
    __pipeline_memcpy_async(a_tile + at, a + first_entry + entry, sizeof(T));
    __pipeline_memcpy_async(b_tile + at, b + first_entry + entry, sizeof(T));
  });
  __pipeline_commit();
  const int m = thread / groups.threads_of_product, in_product = thread % groups.threads_of_product;
  const int i = in_product / groups.columns * kRows, j = in_product % groups.columns;
  T sum[kRows][kColumns] = {};
  __pipeline_wait_prior(0);
  __syncthreads();
  if (m < count) multiply_rows(groups, a_tile + m * n * stride, b_tile + m * n * stride, i, j, sum);
  __syncthreads();  // C replaces A
  if (m < count) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        const int column = j + s * groups.columns;
        if (i + r < n && column < n) a_tile[(m * n + i + r) * stride + column] = sum[r][s];
      }
    }
  }
  __syncthreads();
  for_each_entry(groups, count, [&](int entry, int at) { put(c + first_entry + entry, a_tile[at], add); });
}

template <class T>
void multiply_each(Stream& stream, const ProductBatch<T>& batch, const char* name, bool add) {
  WEFT_EXPECTS(!stream.is_host() && detail::is_batch(batch));
  const std::int64_t size = batch.size();
  if (size == 0) return;
  detail::with_product_size(batch.n, [&](auto small) {
    constexpr int kSize = small();
    if constexpr (kSize > 0) {
      constexpr int kThreads = kThreadsOf<T, kSize>;
      launch(stream, name, {.blocks = (size + kThreads - 1) / kThreads, .threads = kThreads}, multiply_small_kernel<T, kSize>,
             batch.a.data(), batch.b.data(), batch.c.data(), size, add);
    } else {
      const ProductGroups groups(batch.n);
      launch(stream, name,
             {.blocks = (size + groups.products - 1) / groups.products,
              .threads = groups.threads(),
              .shared_memory = 2 * sizeof(T) * static_cast<std::size_t>(groups.entries_of_tile())},
             multiply_any_kernel<T>, groups, batch.a.data(), batch.b.data(), batch.c.data(), size, add);
    }
  });
}

}  // namespace

template <LinearScalar T>
void multiply_batch(space::cuda, Stream& stream, const ProductBatch<T>& batch) {
  multiply_each(stream, batch, "multiply_batch", false);
}

template <LinearScalar T>
void multiply_add_batch(space::cuda, Stream& stream, const ProductBatch<T>& batch) {
  multiply_each(stream, batch, "multiply_add_batch", true);
}

template void multiply_batch(space::cuda, Stream&, const ProductBatch<float>&);
template void multiply_batch(space::cuda, Stream&, const ProductBatch<double>&);
template void multiply_add_batch(space::cuda, Stream&, const ProductBatch<float>&);
template void multiply_add_batch(space::cuda, Stream&, const ProductBatch<double>&);

}  // namespace weft::kernels

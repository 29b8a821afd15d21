// Batched products on a GPU: a thread for each product of up to 8 rows, a thread for 4 x 4 (double) or 8 x 4 entries (float) of
// larger ones.
#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/matrix_tile.cuh"
#include "weft/kernels/linear/small_product.hpp"
#include "weft/kernels/primitives/warp.cuh"

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
        for (int j = 0; j < N; ++j) sum[j] = detail::fused(left[k], right[k * N + j], sum[j]);
      }
#pragma unroll
      for (int j = 0; j < N; ++j) row[j] = sum[j];
    }
  }
  __syncthreads();
  detail::store_matrices<Tile<T, N>>(c + first * kEntries, a_tile, count, [add](T* to, T product) { put(to, product, add); });
}

// Run-time sizes.

constexpr int kMostThreads = 128;  ///< per block
constexpr int kBlocks = 5;         ///< per multiprocessor: limits the registers, as many as need no stack
/// Rows and columns of C of a thread, so that an entry of A or B in a register serves several.
template <class T>
constexpr int kRows = sizeof(T) == 4 ? 8 : 4;
constexpr int kColumns = 4;

/// The threads that compute a product of n rows, and the products of a block. Rows consist of vectors of V entries, which are
/// loaded and stored together. In shared memory their stride is odd, so that threads with different rows access different banks.
template <class T, int V>
struct ProductGroups {
  int n, vectors, stride, columns, rows, threads_of_product, products;  ///< vectors of a row; columns, rows: of threads

  explicit constexpr ProductGroups(int size)
      : n(size),
        vectors(n / V),
        stride(layout::conflict_free_stride(vectors)),
        columns((n + kColumns - 1) / kColumns),
        rows((n + kRows<T> - 1) / kRows<T>),
        threads_of_product(rows * columns),
        products(kMostThreads / threads_of_product) {}
  [[nodiscard]] constexpr int threads() const { return (products * threads_of_product + 31) / 32 * 32; }
  [[nodiscard]] WEFT_HD constexpr int vectors_of_tile() const { return products * n * stride; }
  [[nodiscard]] constexpr std::size_t shared_memory() const {
    return 2 * V * sizeof(T) * static_cast<std::size_t>(vectors_of_tile());
  }
};

/// Returns true if blocks of all sizes that are multiples of V have products and fit into shared memory.
template <class T, int V>
constexpr bool all_sizes_fit() {
  for (int n = detail::kSmallProductRows + 1; n <= kProductRows; ++n) {
    const ProductGroups<T, V> groups(n);
    if (n % V == 0 && (groups.products < 1 || groups.shared_memory() > weft::detail::kSharedBytes)) return false;
  }
  return true;
}
static_assert(all_sizes_fit<double, 2>() && all_sizes_fit<double, 1>());
static_assert(all_sizes_fit<float, 4>() && all_sizes_fit<float, 2>() && all_sizes_fit<float, 1>());

/// Copies the factors of the products of a block to shared memory and waits for them.
template <class T, int V>
__device__ void load_factors(const ProductGroups<T, V>& groups, int matrices, const detail::EntryGroup<T, V>* a,
                             const detail::EntryGroup<T, V>* b, detail::EntryGroup<T, V>* a_tile,
                             detail::EntryGroup<T, V>* b_tile) {
  const int threads = static_cast<int>(blockDim.x), rows = threads / groups.vectors, columns = threads % groups.vectors;
  int row = static_cast<int>(threadIdx.x) / groups.vectors, column = static_cast<int>(threadIdx.x) % groups.vectors;
  for (int e = static_cast<int>(threadIdx.x); e < matrices * groups.n * groups.vectors; e += threads) {
    const int at = row * groups.stride + column;
    __pipeline_memcpy_async(a_tile + at, a + e, V * sizeof(T));
    __pipeline_memcpy_async(b_tile + at, b + e, V * sizeof(T));
    row += rows;
    column += columns;
    if (column >= groups.vectors) {
      column -= groups.vectors;
      ++row;
    }
  }
  detail::wait_for_tile();
}

/// Computes the products of a block. A thread has the rows i, i + rows, ... and the vectors j, j + columns, ... of a product;
/// those beyond the last are computed as the last, and not stored.
template <class T, int V>
__global__ void __launch_bounds__(kMostThreads, kBlocks)
    multiply_any_kernel(ProductGroups<T, V> groups, const T* a, const T* b, T* c, std::int64_t size, bool add) {
  using Vector = detail::EntryGroup<T, V>;
  constexpr int kVectors = kColumns / V;
  extern __shared__ __align__(16) unsigned char memory[];
  const int n = groups.n, thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * groups.products, first_vector = first * n * groups.vectors;
  const int count = size - first < groups.products ? static_cast<int>(size - first) : groups.products;
  Vector *const a_tile = reinterpret_cast<Vector*>(memory), *const b_tile = a_tile + groups.vectors_of_tile();
  trigger_dependent_launch();
  grid_dependency_sync();
  load_factors(groups, count, reinterpret_cast<const Vector*>(a) + first_vector,
               reinterpret_cast<const Vector*>(b) + first_vector, a_tile, b_tile);
  const int m = thread / groups.threads_of_product, in_product = thread % groups.threads_of_product;
  if (m >= count) return;
  const int i = in_product / groups.columns, j = in_product % groups.columns;
  const Vector *left[kRows<T>], *right[kVectors];
#pragma unroll
  for (int r = 0; r < kRows<T>; ++r) left[r] = a_tile + (m * n + min(i + r * groups.rows, n - 1)) * groups.stride;
#pragma unroll
  for (int s = 0; s < kVectors; ++s) right[s] = b_tile + m * n * groups.stride + min(j + s * groups.columns, groups.vectors - 1);
  Vector sum[kRows<T>][kVectors];
#pragma unroll
  for (int e = 0; e < kRows<T> * kColumns; ++e) sum[e / kColumns][e % kColumns / V].value[e % V] = T(-0.0);  // x + -0 is x
#pragma unroll 1
  for (int k = 0; k < groups.vectors; ++k) {
    Vector row[kRows<T>];
#pragma unroll
    for (int r = 0; r < kRows<T>; ++r) row[r] = left[r][k];
#pragma unroll
    for (int u = 0; u < V; ++u) {
#pragma unroll
      for (int s = 0; s < kVectors; ++s) {
        const Vector column = right[s][(k * V + u) * groups.stride];
#pragma unroll
        for (int r = 0; r < kRows<T>; ++r) {
#pragma unroll
          for (int v = 0; v < V; ++v) sum[r][s].value[v] = detail::fused(row[r].value[u], column.value[v], sum[r][s].value[v]);
        }
      }
    }
  }
  Vector* const product = reinterpret_cast<Vector*>(c) + first_vector + std::int64_t{m} * n * groups.vectors;
#pragma unroll
  for (int r = 0; r < kRows<T>; ++r) {
#pragma unroll
    for (int s = 0; s < kVectors; ++s) {
      const int row = i + r * groups.rows, column = j + s * groups.columns;
      if (row >= n || column >= groups.vectors) continue;
      Vector* const to = product + row * groups.vectors + column;
      if (add) {
        const Vector before = *to;
#pragma unroll
        for (int v = 0; v < V; ++v) sum[r][s].value[v] = before.value[v] + sum[r][s].value[v];
      }
      *to = sum[r][s];
    }
  }
}

/// Multiplies by vectors of V entries where sizes and addresses are multiples of them, otherwise of V / 2.
template <int V, class T>
void multiply_any(Stream& stream, const ProductBatch<T>& batch, const char* name, bool add) {
  const auto is_aligned = [](const T* at) { return reinterpret_cast<std::uintptr_t>(at) % (V * sizeof(T)) == 0; };
  if constexpr (V > 1) {
    if (batch.n % V != 0 || !is_aligned(batch.a.data()) || !is_aligned(batch.b.data()) || !is_aligned(batch.c.data()))
      return multiply_any<V / 2>(stream, batch, name, add);
  }
  const ProductGroups<T, V> groups(batch.n);
  launch(stream, name,
         {.blocks = (batch.size() + groups.products - 1) / groups.products,
          .threads = groups.threads(),
          .shared_memory = groups.shared_memory()},
         multiply_any_kernel<T, V>, groups, batch.a.data(), batch.b.data(), batch.c.data(), batch.size(), add);
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
      multiply_any<16 / static_cast<int>(sizeof(T))>(stream, batch, name, add);
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

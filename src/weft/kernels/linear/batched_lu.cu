// Batched LU factorisation on a GPU: a thread for each matrix of 4 to 7 rows, a warp for each matrix of another size.
#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/matrix_tile.hpp"
#include "weft/kernels/linear/small_lu.hpp"
#include "weft/kernels/primitives/operators.hpp"

namespace weft::kernels {

namespace {

using layout::conflict_free_stride;

constexpr unsigned kAllLanes = 0xffffffffU;

// Compile-time sizes.

/// The threads of a block.
template <class T, int N>
constexpr int kThreadsOf = detail::MatrixTile<T, N * N, 128>::kSize * sizeof(T) <= weft::detail::kSharedBytes ? 128 : 64;

/// The matrices of a block in shared memory.
template <class T, int N>
using Tile = detail::MatrixTile<T, N * N, kThreadsOf<T, N>>;

/// Copies entries between contiguous memory and rows of kStride entries in shared memory, with all threads of a block.
template <int kWidth, int kStride, int kThreads, class T>
__device__ void load_rows(T* shared, const T* from, int rows) {
  for (int n = static_cast<int>(threadIdx.x); n < rows * kWidth; n += kThreads) {
    shared[n / kWidth * kStride + n % kWidth] = from[n];
  }
}
template <int kWidth, int kStride, int kThreads, class T>
__device__ void store_rows(T* to, const T* shared, int rows) {
  for (int n = static_cast<int>(threadIdx.x); n < rows * kWidth; n += kThreads) {
    to[n] = shared[n / kWidth * kStride + n % kWidth];
  }
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOf<T, N>)
    lu_factor_kernel(T* factors, std::uint8_t* pivots, std::uint8_t* status, std::int64_t size) {
  using Tile = Tile<T, N>;
  constexpr int kThreads = kThreadsOf<T, N>;
  constexpr typename Tile::At kAt;
  __shared__ T tile[Tile::kSize];
  __shared__ std::uint8_t rows[kThreads * N];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const int count = size - first < kThreads ? static_cast<int>(size - first) : kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  load_rows<N * N, Tile::kStride, kThreads>(tile, factors + first * N * N, count);
  __syncthreads();
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
  store_rows<N * N, Tile::kStride, kThreads>(factors + first * N * N, tile, count);
  store_rows<N, N, kThreads>(pivots + first * N, rows, count);
}

template <class T, int N>
__global__ void __launch_bounds__(kThreadsOf<T, N>)
    lu_solve_kernel(const T* factors, const std::uint8_t* pivots, const std::uint8_t* status, const T* b, T* x,
                    std::int64_t size) {
  using Tile = Tile<T, N>;
  constexpr int kThreads = kThreadsOf<T, N>;
  constexpr typename Tile::At kAt;
  __shared__ T tile[Tile::kSize];
  __shared__ std::uint8_t rows[kThreads * N];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const int count = size - first < kThreads ? static_cast<int>(size - first) : kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  load_rows<N * N, Tile::kStride, kThreads>(tile, factors + first * N * N, count);
  load_rows<N, N, kThreads>(rows, pivots + first * N, count);
  __syncthreads();
  if (thread >= count) return;
  T a[N * N], solution[N];
  std::uint8_t pivot[N];
#pragma unroll
  for (int i = 0; i < N; ++i) solution[i] = b[(first + thread) * N + i];
  if (status[first + thread] == 0) {
#pragma unroll
    for (int e = 0; e < N * N; ++e) a[e] = tile[kAt(e, thread)];
#pragma unroll
    for (int c = 0; c < N; ++c) pivot[c] = rows[thread * N + c];
    detail::solve_small<T, N>(a, pivot, solution);
  }
#pragma unroll
  for (int i = 0; i < N; ++i) x[(first + thread) * N + i] = solution[i];
}

// Run-time sizes.

constexpr int kWarps = 4;  ///< matrices per block

template <class T>
[[nodiscard]] constexpr std::size_t shared_bytes(int n) {
  return sizeof(T) * kWarps * static_cast<std::size_t>(n * conflict_free_stride(n));
}
static_assert(shared_bytes<double>(kLuRows) <= weft::detail::kSharedBytes);

/// Calls call(entry of the matrix, entry in shared memory) for the entries of a lane.
template <class Call>
__device__ void for_each_entry(int n, int lane, const Call& call) {
  int row = lane / n, column = lane % n;
  for (int e = lane; e < n * n; e += 32) {
    call(e, row * conflict_free_stride(n) + column);
    for (column += 32; column >= n; column -= n) ++row;
  }
}

/// Returns the first row from c on with the largest magnitude in column c, or c if the entry there is not a number.
template <class T>
__device__ int pivot_row(const T* a, int n, int c, int lane) {
  const T candidate = lane >= c && lane < n ? detail::magnitude(a[lane * conflict_free_stride(n) + c]) : T(-1);
  T largest = candidate >= T(0) ? candidate : T(-1);  // rows that are not numbers are ignored, except row c
  int row = lane;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, largest, apart);
    const int other_row = __shfl_xor_sync(kAllLanes, row, apart);
    if (other > largest || (other == largest && other_row < row)) {
      largest = other;
      row = other_row;
    }
  }
  const T diagonal = a[c * conflict_free_stride(n) + c];
  return diagonal == diagonal ? row : c;
}

template <class T>
__global__ void __launch_bounds__(kWarps * 32)
    lu_factor_any_kernel(int n, T* factors, std::uint8_t* pivots, std::uint8_t* status, std::int64_t size) {
  extern __shared__ double memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32,
            stride = conflict_free_stride(n);
  const std::int64_t m = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  T* const a = reinterpret_cast<T*>(memory) + warp * n * stride;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (m >= size) return;
  T* const matrix = factors + m * n * n;
  for_each_entry(n, lane, [&](int entry, int at) { a[at] = matrix[entry]; });
  __syncwarp();
  int failed = 0, pivot_of_lane = lane;
  for (int c = 0; c < n; ++c) {
    const int pivot = pivot_row(a, n, c, lane);
    if (!detail::is_pivot(detail::magnitude(a[pivot * stride + c]))) {
      failed = c + 1;
      break;
    }
    if (lane == c) pivot_of_lane = pivot;
    __syncwarp();
    if (pivot != c && lane < n) detail::exchange_if(true, a[c * stride + lane], a[pivot * stride + lane]);
    __syncwarp();
    if (lane > c && lane < n) {
      const T factor = a[lane * stride + c] / a[c * stride + c];
      a[lane * stride + c] = factor;
#pragma unroll 1
      for (int k = c + 1; k < n; ++k) a[lane * stride + k] -= factor * a[c * stride + k];
    }
    __syncwarp();
  }
  __syncwarp();
  for_each_entry(n, lane, [&](int entry, int at) { matrix[entry] = a[at]; });
  if (lane < n) pivots[m * n + lane] = static_cast<std::uint8_t>(pivot_of_lane);
  if (lane == 0) status[m] = static_cast<std::uint8_t>(failed);
}

template <class T>
__global__ void __launch_bounds__(kWarps * 32)
    lu_solve_any_kernel(int n, const T* factors, const std::uint8_t* pivots, const std::uint8_t* status, const T* b, T* x,
                        std::int64_t size) {
  extern __shared__ double memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32,
            stride = conflict_free_stride(n);
  const std::int64_t m = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  T* const a = reinterpret_cast<T*>(memory) + warp * n * stride;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (m >= size) return;
  const T* const matrix = factors + m * n * n;
  T value = lane < n ? b[m * n + lane] : T{};
  if (status[m] == 0) {
    for_each_entry(n, lane, [&](int entry, int at) { a[at] = matrix[entry]; });
    const int pivot_of_lane = lane < n ? pivots[m * n + lane] : lane;
    __syncwarp();
    for (int c = 0; c < n; ++c) {
      const int pivot = __shfl_sync(kAllLanes, pivot_of_lane, c);
      const T at_c = __shfl_sync(kAllLanes, value, c), at_pivot = __shfl_sync(kAllLanes, value, pivot);
      if (lane == pivot) value = at_c;
      if (lane == c) value = at_pivot;
    }
    for (int k = 0; k < n; ++k) {
      const T known = __shfl_sync(kAllLanes, value, k);
      if (lane > k && lane < n) value -= a[lane * stride + k] * known;
    }
    for (int k = n - 1; k >= 0; --k) {
      if (lane == k) value /= a[k * stride + k];
      const T known = __shfl_sync(kAllLanes, value, k);
      if (lane < k) value -= a[lane * stride + k] * known;
    }
  }
  if (lane < n) x[m * n + lane] = value;
}

template <class T, int N>
void launch_factor(Stream& stream, const LuBatch<T>& batch) {
  constexpr int kThreads = kThreadsOf<T, N>;
  launch(stream, "lu_factor", {.blocks = (batch.size() + kThreads - 1) / kThreads, .threads = kThreads}, lu_factor_kernel<T, N>,
         batch.factors.data(), batch.pivots.data(), batch.status.data(), batch.size());
}
template <class T, int N>
void launch_solve(Stream& stream, const LuBatch<T>& batch, const T* b, T* x) {
  constexpr int kThreads = kThreadsOf<T, N>;
  launch(stream, "lu_solve", {.blocks = (batch.size() + kThreads - 1) / kThreads, .threads = kThreads}, lu_solve_kernel<T, N>,
         batch.factors.data(), batch.pivots.data(), batch.status.data(), b, x, batch.size());
}

/// Returns m if matrix m is singular, and the largest number otherwise.
struct IndexOfSingular {
  const std::uint8_t* status;
  std::int64_t none;
  WEFT_HD std::int64_t operator()(std::int64_t m) const {
    if (status[m] != 0) return m;
    return none;
  }
};

}  // namespace

template <LinearScalar T>
void lu_factor(space::cuda, Stream& stream, const LuBatch<T>& batch) {
  WEFT_EXPECTS(!stream.is_host() && detail::is_batch(batch));
  if (batch.size() == 0) return;
  switch (batch.n) {
    case 4:
      return launch_factor<T, 4>(stream, batch);
    case 5:
      return launch_factor<T, 5>(stream, batch);
    case 6:
      return launch_factor<T, 6>(stream, batch);
    case 7:
      return launch_factor<T, 7>(stream, batch);
    default:
      break;
  }
  launch(stream, "lu_factor",
         {.blocks = (batch.size() + kWarps - 1) / kWarps, .threads = kWarps * 32, .shared_memory = shared_bytes<T>(batch.n)},
         lu_factor_any_kernel<T>, batch.n, batch.factors.data(), batch.pivots.data(), batch.status.data(), batch.size());
}

template <LinearScalar T>
void lu_solve(space::cuda, Stream& stream, const LuBatch<T>& batch, std::span<const std::type_identity_t<T>> b,
              std::span<std::type_identity_t<T>> x) {
  WEFT_EXPECTS(!stream.is_host() && detail::is_batch(batch) && detail::are_vectors_of<T>(batch, b, x));
  if (batch.size() == 0) return;
  switch (batch.n) {
    case 4:
      return launch_solve<T, 4>(stream, batch, b.data(), x.data());
    case 5:
      return launch_solve<T, 5>(stream, batch, b.data(), x.data());
    case 6:
      return launch_solve<T, 6>(stream, batch, b.data(), x.data());
    case 7:
      return launch_solve<T, 7>(stream, batch, b.data(), x.data());
    default:
      break;
  }
  launch(stream, "lu_solve",
         {.blocks = (batch.size() + kWarps - 1) / kWarps, .threads = kWarps * 32, .shared_memory = shared_bytes<T>(batch.n)},
         lu_solve_any_kernel<T>, batch.n, batch.factors.data(), batch.pivots.data(), batch.status.data(), b.data(), x.data(),
         batch.size());
}

void first_singular(space::cuda gpu, Stream& stream, std::span<const std::uint8_t> status, std::int64_t* result) {
  const auto size = static_cast<std::int64_t>(status.size());
  reduce_into(gpu, stream, size, size, IndexOfSingular{status.data(), size}, Minimum{}, result);
}

template void lu_factor(space::cuda, Stream&, const LuBatch<float>&);
template void lu_factor(space::cuda, Stream&, const LuBatch<double>&);
template void lu_solve(space::cuda, Stream&, const LuBatch<float>&, std::span<const float>, std::span<float>);
template void lu_solve(space::cuda, Stream&, const LuBatch<double>&, std::span<const double>, std::span<double>);

}  // namespace weft::kernels

// Batched LU factorisation on a GPU: a thread for each matrix of 1 to 7 rows, a lane for each row of larger ones.
#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/lane_rows_lu.cuh"
#include "weft/kernels/linear/small_lu.hpp"
#include "weft/kernels/linear/thread_lu.cuh"
#include "weft/kernels/primitives/operators.hpp"

namespace weft::kernels {

namespace {

template <class T, int N>
__global__ void __launch_bounds__(detail::kLuThreads<T, N>)
    lu_solve_kernel(const T* factors, const std::uint8_t* pivots, const std::uint8_t* status, const T* b, T* x,
                    std::int64_t size) {
  using Tile = detail::LuTile<T, N>;
  constexpr int kThreads = detail::kLuThreads<T, N>;
  constexpr typename Tile::At kAt;
  __shared__ T tile[Tile::kSize];
  __shared__ std::uint8_t rows[kThreads * N];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const int count = size - first < kThreads ? static_cast<int>(size - first) : kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  detail::load_matrices<Tile>(tile, factors + first * N * N, count);
  for (int n = thread; n < count * N; n += kThreads) rows[n] = pivots[first * N + n];
  detail::wait_for_tile();
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

template <class T, int N>
void launch_factor(Stream& stream, const LuBatch<T>& batch) {
  detail::launch_lu_factor<N>(stream, batch, detail::BatchMatrices<T, N>{batch.factors.data()});
}
template <class T, int N>
void launch_solve(Stream& stream, const LuBatch<T>& batch, const T* b, T* x) {
  constexpr int kThreads = detail::kLuThreads<T, N>;
  launch(stream, "lu_solve", {.blocks = (batch.size() + kThreads - 1) / kThreads, .threads = kThreads}, lu_solve_kernel<T, N>,
         batch.factors.data(), batch.pivots.data(), batch.status.data(), b, x, batch.size());
}

/// Enqueues the kernels in which a lane has a row.
template <class T>
void launch_factor_rows(Stream& stream, const LuBatch<T>& batch) {
  detail::with_group(batch.n, [&](auto group) {
    launch(stream, "lu_factor", detail::lane_rows_shape<T, group()>(batch), detail::lu_factor_rows_kernel<T, group()>, batch.n,
           batch.factors.data(), batch.pivots.data(), batch.status.data(), batch.size());
  });
}
template <class T>
void launch_solve_rows(Stream& stream, const LuBatch<T>& batch, const T* b, T* x) {
  detail::with_group(batch.n, [&](auto group) {
    launch(stream, "lu_solve", detail::lane_rows_shape<T, group()>(batch), detail::lu_solve_rows_kernel<T, group()>, batch.n,
           batch.factors.data(), batch.pivots.data(), batch.status.data(), b, x, batch.size());
  });
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
    case 1:
      return launch_factor<T, 1>(stream, batch);
    case 2:
      return launch_factor<T, 2>(stream, batch);
    case 3:
      return launch_factor<T, 3>(stream, batch);
    case 4:
      return launch_factor<T, 4>(stream, batch);
    case 5:
      return launch_factor<T, 5>(stream, batch);
    case 6:
      return launch_factor<T, 6>(stream, batch);
    case 7:
      return launch_factor<T, 7>(stream, batch);
    default:
      return launch_factor_rows(stream, batch);
  }
}

template <LinearScalar T>
void lu_solve(space::cuda, Stream& stream, const LuBatch<T>& batch, std::span<const std::type_identity_t<T>> b,
              std::span<std::type_identity_t<T>> x) {
  WEFT_EXPECTS(!stream.is_host() && detail::is_batch(batch) && detail::are_vectors_of<T>(batch, b, x));
  if (batch.size() == 0) return;
  switch (batch.n) {
    case 1:
      return launch_solve<T, 1>(stream, batch, b.data(), x.data());
    case 2:
      return launch_solve<T, 2>(stream, batch, b.data(), x.data());
    case 3:
      return launch_solve<T, 3>(stream, batch, b.data(), x.data());
    case 4:
      return launch_solve<T, 4>(stream, batch, b.data(), x.data());
    case 5:
      return launch_solve<T, 5>(stream, batch, b.data(), x.data());
    case 6:
      return launch_solve<T, 6>(stream, batch, b.data(), x.data());
    case 7:
      return launch_solve<T, 7>(stream, batch, b.data(), x.data());
    default:
      return launch_solve_rows(stream, batch, b.data(), x.data());
  }
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

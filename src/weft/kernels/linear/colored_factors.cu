// ILU(0) and LU-SGS by colours on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/device/cuda.cuh"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/colored_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/primitives/disjoint.hpp"

namespace weft::kernels {

namespace {

constexpr int kThreads = 256;  ///< threads per block of loops over scalar rows
constexpr int kRows = 32;      ///< block rows of a block of a sweep

template <class F>
__global__ void __launch_bounds__(kThreads) colored_rows_kernel(std::int64_t first, std::int64_t last, const F f) {
  const std::int64_t row = first + static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (row < last) f(row);
}

/// Enqueues loops over scalar rows and batched LU.
struct CudaRows {
  Stream& stream;
  template <class F>
  void loop(std::int64_t first, std::int64_t last, const F& f) const {
    if (first == last) return;
    launch(stream, "colored_rows", {.blocks = (last - first + kThreads - 1) / kThreads, .threads = kThreads},
           colored_rows_kernel<F>, first, last, f);
  }
  template <class T>
  void factor(const LuBatch<T>& batch) const {
    lu_factor(space::cuda{}, stream, batch);
  }
};

/// Computes the rows at positions first ... last - 1 in one direction, with a thread for each scalar row.
template <class T, int B, bool kForward>
__global__ void __launch_bounds__(kRows* B)
    colored_sweep_kernel(std::int32_t first, std::int32_t last, const detail::SweepRow<T, B, kForward> row) {
  __shared__ T rests[kRows * B];
  const int within = static_cast<int>(threadIdx.x) / B, i = static_cast<int>(threadIdx.x) % B;
  const std::int64_t at = first + static_cast<std::int64_t>(blockIdx.x) * kRows + within;
  const auto p = static_cast<std::int32_t>(at);
  trigger_dependent_launch();
  grid_dependency_sync();
  if (at < last) rests[threadIdx.x] = row.rest(p, i);
  __syncthreads();
  if (at < last) row.store(p, i, rests + within * B);
}

template <class T, int B, bool kForward>
void sweep(Stream& stream, std::int32_t first, std::int32_t last, const detail::SweepRow<T, B, kForward>& row) {
  if (first == last) return;
  launch(stream, "colored_sweep", {.blocks = (last - first + kRows - 1) / kRows, .threads = kRows * B},
         colored_sweep_kernel<T, B, kForward>, first, last, row);
}

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::factor(space::cuda gpu, Stream& stream, const BsrView<const T, B>& a) {
  WEFT_EXPECTS(!stream.is_host() && a.pattern.rows == lower_.pattern().rows());
  factor_by(CudaRows{stream}, gpu, a);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::apply(space::cuda, Stream& stream, std::span<const T> r, std::span<T> z) {
  WEFT_EXPECTS(!stream.is_host() && are_vectors(r, z));
  const detail::ColoredView<T, B> u = view<space::cuda>();
  T* const y = y_.read_write(detail::linear_side<space::cuda>(y_.backend())).data();
  const auto colors = static_cast<int>(offsets_.size()) - 1;
  for (int c = 0; c < colors; ++c) {
    sweep<T, B, true>(stream, offsets_[to_index(c)], offsets_[to_index(c) + 1], {u, r.data(), y, z.data()});
  }
  for (int c = colors - 1; c >= 0; --c) {
    sweep<T, B, false>(stream, offsets_[to_index(c)], offsets_[to_index(c) + 1], {u, r.data(), y, z.data()});
  }
}

#define WEFT_INSTANTIATE(T, B)                                                                  \
  template void ColoredFactors<T, B>::factor(space::cuda, Stream&, const BsrView<const T, B>&); \
  template void ColoredFactors<T, B>::apply(space::cuda, Stream&, std::span<const T>, std::span<T>);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels

// Instances of the kernels of kernels/primitives and of those of CUB that sorts launch, for ptxas_test.py, which compiles this
// file and reads the report of ptxas: rows, transposes and stencils of float and double, the others of the types below.
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/mutex.cuh"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"
#include "weft/kernels/primitives/select.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"
#include "weft/kernels/primitives/stencil.cuh"
#include "weft/kernels/primitives/transpose.cuh"
#include "weft/kernels/primitives/vote.cuh"

namespace weft::kernels {

struct IsSelected {
  WEFT_HD bool operator()(std::uint32_t value) const { return value % 3 == 0; }
};
struct IsPositive {
  template <class T>
  WEFT_HD bool operator()(const T& value) const {
    return value > 0;
  }
};
struct BinOf {
  const std::uint32_t* x;
  WEFT_HD std::uint32_t operator()(std::int64_t i) const { return x[i]; }
};

/// Calls the primitives of floating-point numbers. It is compiled only.
template <class T>
void call_with(Stream& stream, std::span<const T> in, std::span<T> out, std::span<const std::uint8_t> heads,
               std::span<const std::int64_t> offsets, std::span<const std::int32_t> index, double* result) {
  const space::cuda gpu;
  sum(gpu, stream, in, result);
  dot(gpu, stream, in, in, result);
  axpy_dot(gpu, stream, in.data(), in, out, in, result);
  segmented_sum(gpu, stream, in, offsets, out);
  exclusive_scan(gpu, stream, in, out);
  inclusive_scan(gpu, stream, in, out, T{}, Maximum{});
  segmented_exclusive_scan(gpu, stream, in, heads, out, T{}, Plus{});
  segmented_inclusive_scan(gpu, stream, in, heads, out, T{}, Plus{});
  segmented_inclusive_scan(gpu, stream, in, offsets, out, T{}, Plus{});
  gather(gpu, stream, in, index, out);
  scatter(gpu, stream, in, index, out);
  aos_to_soa(gpu, stream, in, 1, 1, 1, out);
  soa_to_aos(gpu, stream, in, 1, 1, 1, out);
  transpose(gpu, stream, in, 1, 1, out);
  transpose_batch(gpu, stream, in, 2, 1, 1, out);
  apply_stencil(gpu, stream, StencilWeights<T>{}, Box{}, in, out);
  apply_star_stencil(gpu, stream, StarWeights<T>{}, StarBox{}, in, out);
  apply_line_stencil(gpu, stream, LineStencil<T, 4>{}, in, out);
}
template void call_with(Stream&, std::span<const float>, std::span<float>, std::span<const std::uint8_t>,
                        std::span<const std::int64_t>, std::span<const std::int32_t>, double*);
template void call_with(Stream&, std::span<const double>, std::span<double>, std::span<const std::uint8_t>,
                        std::span<const std::int64_t>, std::span<const std::int32_t>, double*);

/// Calls selections of entries of other sizes. They are compiled only.
template <class T>
void select_with(Stream& stream, std::span<const T> in, std::span<T> out, std::span<std::int64_t> offsets, std::int64_t* count) {
  const space::cuda gpu;
  copy_if(gpu, stream, in, IsPositive{}, out, count);
  partition(gpu, stream, in, IsPositive{}, out, count);
  run_length_encode(gpu, stream, in, out, offsets, count);
}
template void select_with(Stream&, std::span<const std::uint8_t>, std::span<std::uint8_t>, std::span<std::int64_t>,
                          std::int64_t*);
template void select_with(Stream&, std::span<const double>, std::span<double>, std::span<std::int64_t>, std::int64_t*);

/// Calls sorts by segments. They are compiled only.
template <class Key>
void sort_with(Stream& stream, std::span<Key> keys, std::span<double> values, std::span<const std::int64_t> offsets) {
  segmented_sort(space::cuda{}, stream, keys, offsets);
  segmented_stable_sort_by_key(space::cuda{}, stream, keys, values, offsets);
}
template void sort_with(Stream&, std::span<std::uint8_t>, std::span<double>, std::span<const std::int64_t>);
template void sort_with(Stream&, std::span<std::int16_t>, std::span<double>, std::span<const std::int64_t>);
template void sort_with(Stream&, std::span<float>, std::span<double>, std::span<const std::int64_t>);
template void sort_with(Stream&, std::span<double>, std::span<double>, std::span<const std::int64_t>);

/// Calls sorts, with the tile sizes of Weft and with those of CUB. They are compiled only.
template <class Key>
void sort_all_with(Stream& stream, std::span<Key> keys, std::span<double> values) {
  sort(space::cuda{}, stream, keys);
  stable_sort_by_key(space::cuda{}, stream, keys, values);
}
template void sort_all_with(Stream&, std::span<std::uint16_t>, std::span<double>);
template void sort_all_with(Stream&, std::span<std::uint32_t>, std::span<double>);
template void sort_all_with(Stream&, std::span<double>, std::span<double>);

/// Votes of warps and blocks. It is compiled only.
template <int kThreads>
__global__ void vote_kernel(const std::uint8_t* yes, int* positions) {
  const Vote of_warp = warp_vote(yes[threadIdx.x] != 0), of_block = block_vote<kThreads>(yes[threadIdx.x] != 0);
  positions[threadIdx.x] = of_block.any() && !of_warp.all() ? of_block.before : of_warp.before;
}
template __global__ void vote_kernel<32>(const std::uint8_t*, int*);
template __global__ void vote_kernel<1024>(const std::uint8_t*, int*);

/// A mutex. It is compiled only.
__global__ void mutex_kernel(Mutex* mutex, int* sum) {
  mutex->lock();
  ++*sum;
  mutex->unlock();
}

/// Calls the primitives of integers. It is compiled only.
void call_with_integers(Stream& stream, std::span<const std::uint32_t> in, std::span<std::uint32_t> out,
                        std::span<std::int64_t> wide, std::int64_t* count) {
  const space::cuda gpu;
  exclusive_scan(gpu, stream, in, out);
  inclusive_scan(gpu, stream, in, wide);
  exclusive_scan(gpu, stream, std::span<const std::int64_t>(wide), wide);
  select(gpu, stream, IsSelected{}, out, count);
  copy_if(gpu, stream, in, IsSelected{}, out, count);
  partition(gpu, stream, in, IsSelected{}, out, count);
  unique(gpu, stream, in, out, count);
  run_length_encode(gpu, stream, in, out, wide, count);
  histogram(gpu, stream, 1, BinOf{in.data()}, wide);
}

}  // namespace weft::kernels

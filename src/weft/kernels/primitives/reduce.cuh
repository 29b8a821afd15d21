#pragma once
/// Reductions on a GPU, for .cu files, with the digits of the host. transform_reduce() of an index is weft::reduce_into()
/// (device/parallel_for.cuh).
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/reduce.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kSegmentThreads = 256;

/// Reduces one short segment per thread, and then the long segments of each warp one after the other with all its lanes.
template <class T, class Result, class Combine>
__global__ void __launch_bounds__(kSegmentThreads)
    segmented_reduce_kernel(std::int64_t segments, const Entry<T, Result> entry, const std::int64_t* offsets,
                            const Result identity, const Combine combine, Result* results) {
  constexpr unsigned kAll = 0xffffffffU;
  const std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * kSegmentThreads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  trigger_dependent_launch();
  grid_dependency_sync();
  std::int64_t first = 0, last = 0;
  if (s < segments) {
    first = offsets[s];
    last = offsets[s + 1];
  }
  const bool is_long = last - first >= kLongSegment;
  if (s < segments && !is_long) {
    Result result = identity;
    for (std::int64_t i = first; i < last; ++i) result = combine(result, entry(i));
    results[s] = result;
  }
  for (unsigned rest = __ballot_sync(kAll, is_long); rest != 0; rest &= rest - 1) {
    const int owner = __ffs(static_cast<int>(rest)) - 1;
    const std::int64_t end = __shfl_sync(kAll, last, owner);
    Result result = identity;
    for (std::int64_t i = __shfl_sync(kAll, first, owner) + lane; i < end; i += 32) result = combine(result, entry(i));
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      const Result other = weft::detail::shuffle_down(result, apart);
      if (lane < apart) result = combine(result, other);
    }
    if (lane == 0) results[s + owner] = result;
  }
}

}  // namespace detail

/// Returns the bytes that reductions of n entries to a Result take from the pool of their stream. Needs no GPU.
template <class Result>
[[nodiscard]] std::size_t reduce_workspace(std::int64_t n) {
  return weft::reduce_scratch(n) * sizeof(Result);
}

/// Stores the sum of all values in `*result`, in memory accessible to the current GPU, in stream order.
/// @pre a stream of the current GPU. @cost one read of every value, in one to three kernels; reduce_workspace<Result>(n) bytes
/// from the pool of the stream. @throws DeviceError where memory is exhausted or a launch is rejected.
template <Provider kProvider = Provider::automatic, class T, class Result>
void sum(space::cuda gpu, Stream& stream, std::span<const T> values, Result* result) {
  WEFT_EXPECTS(!stream.is_host());
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::sum, sizeof(T));
  if constexpr (kChosen == Provider::library) {
    detail::Implementation<Primitive::sum, kChosen>::run(stream, values, result);
  } else {
    reduce_into(gpu, stream, static_cast<std::int64_t>(values.size()), Result{}, detail::Entry<T, Result>{values.data()}, Plus{},
                result);
  }
}

/// Stores the scalar product of x and y in `*result`. @pre equal sizes. @cost, @throws as sum(), for both vectors.
template <class T, class Result>
void dot(space::cuda gpu, Stream& stream, std::span<const T> x, std::span<const std::type_identity_t<T>> y, Result* result) {
  WEFT_EXPECTS(x.size() == y.size());
  reduce_into(gpu, stream, static_cast<std::int64_t>(x.size()), Result{}, detail::Product<T, Result>{x.data(), y.data()}, Plus{},
              result);
}

/// Computes y = y + alpha x and stores the scalar product of the new y and z in `*result`, with alpha and the result in memory of
/// the GPU, so that an iteration of a Krylov method does not wait for the host.
/// @param alpha  device address; not within y.  @param result  device address; may be `alpha`.
/// @pre as on the host. @cost one read of x, y and z (z = y: not twice) and one write of y; otherwise as sum().
template <class T, class Result>
void axpy_dot(space::cuda gpu, Stream& stream, const T* alpha, std::span<const T> x, std::span<T> y,
              std::span<const std::type_identity_t<T>> z, Result* result) {
  WEFT_EXPECTS(x.size() == y.size() && z.size() == y.size());
  WEFT_EXPECTS(detail::disjoint(x, y) && detail::disjoint_or_same(z, y) && detail::disjoint(std::span(alpha, 1), y));
  reduce_into(gpu, stream, static_cast<std::int64_t>(y.size()), Result{},
              detail::UpdateAndProduct<T, Result>{alpha, x.data(), y.data(), z.data()}, Plus{}, result);
}

/// Computes results[s] = values[offsets[s]] .. values[offsets[s + 1] - 1] combined, as on the host.
/// @pre as on the host, where ascending offsets are checked; a stream of the current GPU.
/// @cost one kernel without workspace: a thread for each segment of at most 32 entries, a warp for each longer one. For few
/// segments of many thousand entries reduce_into() for each of them is faster.
template <class T, class Result, class Combine>
void segmented_reduce(space::cuda, Stream& stream, std::span<const T> values, std::span<const std::int64_t> offsets,
                      std::span<Result> results, const std::type_identity_t<Result>& identity, const Combine& combine) {
  WEFT_EXPECTS(!stream.is_host() && offsets.size() == results.size() + 1 && detail::disjoint(values, results));
  if (results.empty()) return;
  const auto segments = static_cast<std::int64_t>(results.size());
  launch(stream, "segmented_reduce",
         {.blocks = (segments + detail::kSegmentThreads - 1) / detail::kSegmentThreads, .threads = detail::kSegmentThreads},
         detail::segmented_reduce_kernel<T, Result, Combine>, segments, detail::Entry<T, Result>{values.data()}, offsets.data(),
         identity, combine, results.data());
}

/// Computes the sums of segments: segmented_reduce() with Plus.
template <Provider kProvider = Provider::automatic, class T>
void segmented_sum(space::cuda gpu, Stream& stream, std::span<const T> values, std::span<const std::int64_t> offsets,
                   std::span<T> sums) {
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::segmented_sum, sizeof(T));
  if constexpr (kChosen == Provider::library) {
    WEFT_EXPECTS(!stream.is_host() && offsets.size() == sums.size() + 1 && detail::disjoint(values, sums));
    if (!sums.empty()) detail::Implementation<Primitive::segmented_sum, kChosen>::run(stream, values, offsets, sums);
  } else {
    segmented_reduce(gpu, stream, values, offsets, sums, T{}, Plus{});
  }
}

}  // namespace weft::kernels

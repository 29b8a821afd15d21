#pragma once
/// Reductions on a GPU, for .cu files, with the digits of the host. transform_reduce() of an index is weft::reduce_into()
/// (device/parallel_for.cuh).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/reduce.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace detail {

inline constexpr int kSegmentThreads = 256, kSegmentWarps = kSegmentThreads / 32;

/// A segment of several chunks, whose results are `results[first_chunk]` and the following ones.
struct DividedSegment {
  std::int64_t segment, first_chunk;
};

/// The divided segments, in any order, with ascending first_chunk.
template <class Result>
struct DividedSegments {
  unsigned long long* count = nullptr;  ///< number of segments * 2^32 + number of chunks; null: there are none
  DividedSegment* list = nullptr;
  Result* results = nullptr;
};

/// Returns the result of entries first .. last-1 in the order of reduce_block(), in lane 0 of a warp.
template <class Result, class Map, class Combine>
__device__ Result reduce_by_lanes(std::int64_t first, std::int64_t last, const Result& identity, const Map& entry,
                                  const Combine& combine) {
  constexpr int kUnroll = sizeof(Result) <= 8 ? 8 : 4;  // concurrent loads
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Result result = identity;
#pragma unroll kUnroll
  for (std::int64_t i = first + lane; i < last; i += 32) result = combine(result, entry(i));
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const Result other = weft::detail::shuffle_down(result, apart);
    if (lane < apart) result = combine(result, other);
  }
  return result;
}

/// Assigns `per_warp` segments to each warp. A thread reduces a segment of at most 32 entries, all lanes together one of up to
/// 1024, one after the other; longer ones are listed for segment_chunks_kernel().
template <class T, class Result, class Combine>
__global__ void __launch_bounds__(kSegmentThreads)
    segmented_reduce_kernel(std::int64_t segments, int per_warp, const Entry<T, Result> entry, const std::int64_t* offsets,
                            const Result identity, const Combine combine, Result* results,
                            const DividedSegments<Result> divided) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * kSegmentWarps + threadIdx.x / 32;
  const std::int64_t s = warp * per_warp + lane;
  trigger_dependent_launch();
  grid_dependency_sync();
  std::int64_t first = 0, last = 0;
  const bool has_segment = lane < per_warp && s < segments;
  if (has_segment) {
    first = offsets[s];
    last = offsets[s + 1];
  }
  if (has_segment && last - first < kLaneSegment) {
    Result result = identity;
    for (std::int64_t i = first; i < last; ++i) result = combine(result, entry(i));
    results[s] = result;
  }
  if (last - first > kSegmentChunk) {
    const auto chunks = static_cast<unsigned long long>(segment_chunks(last - first));
    const unsigned long long before = atomicAdd(divided.count, (1ULL << 32) + chunks);
    divided.list[before >> 32] = {s, static_cast<std::int64_t>(before & 0xffffffffU)};
  }
  const bool by_warp = last - first >= kLaneSegment && last - first <= kSegmentChunk;
  for (unsigned rest = __ballot_sync(kAllLanes, by_warp); rest != 0; rest &= rest - 1) {
    const int owner = __ffs(static_cast<int>(rest)) - 1;
    const std::int64_t begin = __shfl_sync(kAllLanes, first, owner), end = __shfl_sync(kAllLanes, last, owner);
    const Result result = reduce_by_lanes(begin, end, identity, entry, combine);
    if (lane == 0) results[s + owner] = result;
  }
}

/// Reduces the chunks of the divided segments, one per warp.
template <class T, class Result, class Combine>
__global__ void __launch_bounds__(kSegmentThreads)
    segment_chunks_kernel(const Entry<T, Result> entry, const std::int64_t* offsets, const Result identity, const Combine combine,
                          const DividedSegments<Result> divided) {
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * kSegmentWarps + threadIdx.x / 32;
  trigger_dependent_launch();
  grid_dependency_sync();
  const std::int64_t count = static_cast<std::int64_t>(*divided.count >> 32), chunks = *divided.count & 0xffffffffU;
  for (std::int64_t c = warp; c < chunks; c += static_cast<std::int64_t>(gridDim.x) * kSegmentWarps) {
    std::int64_t low = 0, high = count - 1;  // the last segment whose first chunk is at most c
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (divided.list[middle].first_chunk <= c) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const DividedSegment of = divided.list[low];
    const std::int64_t last = offsets[of.segment + 1], chunk = segment_chunk(last - offsets[of.segment]);
    const std::int64_t first = offsets[of.segment] + (c - of.first_chunk) * chunk;
    const Result result = reduce_by_lanes(first, first + chunk < last ? first + chunk : last, identity, entry, combine);
    if (threadIdx.x % 32 == 0) divided.results[c] = result;
  }
}

/// Combines the results of the chunks, one segment per warp.
template <class Result, class Combine>
__global__ void __launch_bounds__(kSegmentThreads)
    combine_chunks_kernel(const std::int64_t* offsets, const Result identity, const Combine combine,
                          const DividedSegments<Result> divided, Result* results) {
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * kSegmentWarps + threadIdx.x / 32;
  trigger_dependent_launch();
  grid_dependency_sync();
  const auto count = static_cast<std::int64_t>(*divided.count >> 32);
  for (std::int64_t n = warp; n < count; n += static_cast<std::int64_t>(gridDim.x) * kSegmentWarps) {
    const DividedSegment of = divided.list[n];
    const std::int64_t chunks = segment_chunks(offsets[of.segment + 1] - offsets[of.segment]);
    const Entry<Result, Result> of_chunk{divided.results + of.first_chunk};
    const Result result = reduce_by_lanes(std::int64_t{0}, chunks, identity, of_chunk, combine);
    if (threadIdx.x % 32 == 0) results[of.segment] = result;
  }
}

/// Returns the largest number of divided segments and of their chunks for n values.
[[nodiscard]] constexpr std::int64_t divided_segments(std::int64_t n) { return n / (kSegmentChunk + 1); }
[[nodiscard]] constexpr std::int64_t divided_chunks(std::int64_t n) { return n / kSegmentChunk + divided_segments(n); }

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
  detail::refuse_overlap(x, y, "x and y of axpy_dot");
  detail::refuse_partial_overlap(z, y, "z and y of axpy_dot");
  detail::refuse_overlap(std::span(alpha, 1), y, "alpha and y of axpy_dot");
  reduce_into(gpu, stream, static_cast<std::int64_t>(y.size()), Result{},
              detail::UpdateAndProduct<T, Result>{alpha, x.data(), y.data(), z.data()}, Plus{}, result);
}

/// Returns the bytes that segmented_reduce() of n values to a Result takes from the pool of its stream. Needs no GPU.
template <class Result>
[[nodiscard]] constexpr std::size_t segmented_reduce_workspace(std::int64_t n) {
  if (detail::divided_segments(n) == 0) return 0;
  return sizeof(unsigned long long) + static_cast<std::size_t>(detail::divided_segments(n)) * sizeof(detail::DividedSegment) +
         static_cast<std::size_t>(detail::divided_chunks(n)) * sizeof(Result);
}

/// Computes results[s] = values[offsets[s]] .. values[offsets[s + 1] - 1] combined, as on the host.
/// @pre as on the host, where ascending offsets are checked; fewer than 2^40 values; a stream of the current GPU.
/// @cost one kernel, and two more for more than 1024 values. A thread reduces a segment of at most 32 entries, a warp one of up
/// to 1024, several warps a longer one. A warp has 32, 8 or 1 segments, by the average length.
/// segmented_reduce_workspace<Result>(values.size()) bytes from the pool of the stream.
/// @throws DeviceError where memory is exhausted or a launch is rejected.
template <class T, class Result, class Combine>
void segmented_reduce(space::cuda, Stream& stream, std::span<const T> values, std::span<const std::int64_t> offsets,
                      std::span<Result> results, const std::type_identity_t<Result>& identity, const Combine& combine) {
  WEFT_EXPECTS(!stream.is_host() && offsets.size() == results.size() + 1);
  WEFT_EXPECTS(values.size() < std::size_t{1} << 40);
  detail::refuse_overlap(values, results, "values and results of segmented_reduce");
  detail::refuse_overlap(offsets, results, "offsets and results of segmented_reduce");
  if (results.empty()) return;
  const auto segments = static_cast<std::int64_t>(results.size()), n = static_cast<std::int64_t>(values.size());
  const std::int64_t most = detail::divided_segments(n), chunks = detail::divided_chunks(n);
  const DeviceVector<unsigned long long> count(stream, most == 0 ? 0 : 1);
  const DeviceVector<detail::DividedSegment> list(stream, static_cast<std::size_t>(most));
  const DeviceVector<Result> of_chunks(stream, most == 0 ? 0 : static_cast<std::size_t>(chunks));
  const detail::DividedSegments<Result> divided{count.data(), list.data(), of_chunks.data()};
  const detail::Entry<T, Result> entry{values.data()};
  if (most > 0) set_bytes(stream, count.data(), 0, count.bytes());
  const int per_warp = n / segments < 32 ? 32 : n / segments < 256 ? 8 : 1;
  const std::int64_t of_block = std::int64_t{per_warp} * detail::kSegmentWarps;
  launch(stream, "segmented_reduce", {.blocks = (segments + of_block - 1) / of_block, .threads = detail::kSegmentThreads},
         detail::segmented_reduce_kernel<T, Result, Combine>, segments, per_warp, entry, offsets.data(), identity, combine,
         results.data(), divided);
  if (most == 0) return;
  const auto blocks_for = [](std::int64_t warps, auto kernel) {
    const std::int64_t blocks = (warps + detail::kSegmentWarps - 1) / detail::kSegmentWarps;
    return std::min<std::int64_t>(blocks, resident_blocks(kernel, detail::kSegmentThreads));
  };
  const auto chunks_kernel = detail::segment_chunks_kernel<T, Result, Combine>;
  launch(stream, "segment_chunks", {.blocks = blocks_for(chunks, chunks_kernel), .threads = detail::kSegmentThreads},
         chunks_kernel, entry, offsets.data(), identity, combine, divided);
  const auto combine_kernel = detail::combine_chunks_kernel<Result, Combine>;
  launch(stream, "combine_chunks", {.blocks = blocks_for(most, combine_kernel), .threads = detail::kSegmentThreads},
         combine_kernel, offsets.data(), identity, combine, divided, results.data());
}

/// Computes the sums of segments: segmented_reduce() with Plus.
template <Provider kProvider = Provider::automatic, class T>
void segmented_sum(space::cuda gpu, Stream& stream, std::span<const T> values, std::span<const std::int64_t> offsets,
                   std::span<T> sums) {
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::segmented_sum, sizeof(T));
  if constexpr (kChosen == Provider::library) {
    WEFT_EXPECTS(!stream.is_host() && offsets.size() == sums.size() + 1);
    detail::refuse_overlap(values, sums, "values and sums of segmented_sum");
    detail::refuse_overlap(offsets, sums, "offsets and sums of segmented_sum");
    if (!sums.empty()) detail::Implementation<Primitive::segmented_sum, kChosen>::run(stream, values, offsets, sums);
  } else {
    segmented_reduce(gpu, stream, values, offsets, sums, T{}, Plus{});
  }
}

}  // namespace weft::kernels

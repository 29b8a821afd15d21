#pragma once
/// Scans on a GPU in the order of scan_order.hpp, for .cu files: with any associative operator, of floating-point numbers with
/// the digits of the host, and by segments.
///
/// Three kernels: one combines the entries of each tile, a scan of these results gives the prefixes of the tiles, and the last
/// kernel reads the entries again and stores. No block waits for another one, and no result depends on the time at which another
/// one is available.
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace detail {

/// Uninitialised entries in shared memory.
template <class T, int kCount>
struct SharedEntries {
  alignas(alignof(T) > 4 ? alignof(T) : 4) unsigned char bytes[kCount * sizeof(T)];
  __device__ T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

inline constexpr int kOrderedThreads = kTileWarps * kScanLanes;

/// The entries of a lane.
template <class T>
using LaneGroup = EntryGroup<T, kLaneEntries>;

/// Returns true if the four entries from `at` on exist and a lane can access them together.
template <class T>
__device__ bool is_group(const T* entries, std::int64_t at, std::int64_t n) {
  return at + kLaneEntries <= n && reinterpret_cast<std::uintptr_t>(entries) % alignof(LaneGroup<T>) == 0;
}
template <class T>
inline constexpr bool kHasGroups = std::has_single_bit(sizeof(T));

/// Loads the four entries of a lane, of which those beyond the end are the identity.
template <class T, class Load>
__device__ void load_entries(const Load& load, std::int64_t at, std::int64_t n, const T& identity, T (&entry)[kLaneEntries]) {
#pragma unroll
  for (int k = 0; k < kLaneEntries; ++k) {
    entry[k] = identity;
    if (at + k < n) entry[k] = load(at + k);
  }
}
template <class T, class In>
  requires kHasGroups<In>
__device__ void load_entries(const LoadEntry<In, T>& load, std::int64_t at, std::int64_t n, const T& identity,
                             T (&entry)[kLaneEntries]) {
  if (is_group(load.in, at, n)) {
    const LaneGroup<In> group = *reinterpret_cast<const LaneGroup<In>*>(load.in + at);
#pragma unroll
    for (int k = 0; k < kLaneEntries; ++k) entry[k] = static_cast<T>(group.value[k]);
  } else {
    load_entries<T, LoadEntry<In, T>>(load, at, n, identity, entry);
  }
}

/// Calls store(i, prefix, total) for the four entries of a lane, except for those beyond the end.
template <class T, class Store>
__device__ void store_entries(const Store& store, std::int64_t at, std::int64_t n, const T (&prefix)[kLaneEntries],
                              const T& total) {
#pragma unroll
  for (int k = 0; k < kLaneEntries; ++k) {
    if (at + k < n) store(at + k, prefix[k], total);
  }
}
template <class T>
  requires kHasGroups<T>
__device__ void store_entries(const StoreEntry<T>& store, std::int64_t at, std::int64_t n, const T (&prefix)[kLaneEntries],
                              const T& total) {
  if (is_group(store.out, at, n)) {
    LaneGroup<T> group;
#pragma unroll
    for (int k = 0; k < kLaneEntries; ++k) group.value[k] = prefix[k];
    *reinterpret_cast<LaneGroup<T>*>(store.out + at) = group;
  } else {
    store_entries<T, StoreEntry<T>>(store, at, n, prefix, total);
  }
}

/// Loads and combines the four entries of a lane, from left to right.
template <class T, class Load, class Combine>
__device__ void load_lane(T (&entry)[kLaneEntries], std::int64_t at, std::int64_t n, const T& identity, const Load& load,
                          const Combine& combine) {
  load_entries(load, at, n, identity, entry);
#pragma unroll
  for (int k = 1; k < kLaneEntries; ++k) entry[k] = combine(entry[k - 1], entry[k]);
}

/// Returns the combined entries of the lanes up to and including this one.
template <class T, class Combine>
__device__ T scan_lanes(T value, int lane, const Combine& combine) {
#pragma unroll
  for (int apart = 1; apart < kScanLanes; apart *= 2) {
    const T before = shuffle_up(value, apart);
    if (lane >= apart) value = combine(before, value);
  }
  return value;
}

/// Stores the combined entries of each tile in results[tile].
template <class T, class Load, class Combine>
__global__ void __launch_bounds__(kOrderedThreads)
    combine_tiles_kernel(std::int64_t n, const T identity, const Load load, const Combine combine, T* results) {
  __shared__ SharedEntries<T, kTileWarps> warps;
  const int lane = static_cast<int>(threadIdx.x) % kScanLanes, warp = static_cast<int>(threadIdx.x) / kScanLanes;
  const std::int64_t first = blockIdx.x * kOrderedTile<T> + warp * kWarpEntries<T> + lane * kLaneEntries;
  trigger_dependent_launch();
  grid_dependency_sync();
  T entry[kWarpRows<T>][kLaneEntries];
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) load_lane(entry[r], first + r * kRowEntries, n, identity, load, combine);
  T result = identity;
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
    result = combine(result, shuffle_from(scan_lanes(entry[r][kLaneEntries - 1], lane, combine), kScanLanes - 1));
  }
  if (lane == 0) warps[warp] = result;
  __syncthreads();
  if (threadIdx.x != 0) return;
  T tile = identity;
  for (int w = 0; w < kTileWarps; ++w) tile = combine(tile, warps[w]);
  results[blockIdx.x] = tile;
}

/// Scans each tile and calls store(i, prefix, total) for its entries.
/// @param before  the combined entries of the tiles before each tile, and of all tiles; null for a single tile.
/// @param total  address for the combined entries of all tiles, or null.
template <bool kInclusive, class T, class Load, class Store, class Combine>
__global__ void __launch_bounds__(kOrderedThreads)
    scan_tiles_kernel(std::int64_t n, const T identity, const Load load, const Store store, const Combine combine,
                      const T* before, T* total) {
  constexpr int kRows = kWarpRows<T>;
  __shared__ SharedEntries<T, kTileWarps> warps;
  const int lane = static_cast<int>(threadIdx.x) % kScanLanes, warp = static_cast<int>(threadIdx.x) / kScanLanes;
  const std::int64_t first = blockIdx.x * kOrderedTile<T> + warp * kWarpEntries<T> + lane * kLaneEntries;
  trigger_dependent_launch();
  grid_dependency_sync();
  T entry[kRows][kLaneEntries], lanes[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) load_lane(entry[r], first + r * kRowEntries, n, identity, load, combine);
  T row = identity;  // combined entries of the rows of the warp
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    lanes[r] = scan_lanes(entry[r][kLaneEntries - 1], lane, combine);
    row = combine(row, shuffle_from(lanes[r], kScanLanes - 1));
  }
  if (lane == 0) warps[warp] = row;
  __syncthreads();
  T tile = identity, before_warp = identity;
  for (int w = 0; w < kTileWarps; ++w) {
    if (w == warp) before_warp = tile;
    tile = combine(tile, warps[w]);
  }
  // Values are assigned instead of selected by ?:, which would select addresses and so keep the values in local memory.
  T before_tile = identity, all = tile;
  if (before != nullptr) {
    before_tile = before[blockIdx.x];
    all = before[gridDim.x];
  }
  before_warp = combine(before_tile, before_warp);
  if (total != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *total = all;
  row = identity;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    T lanes_before = shuffle_up(lanes[r], 1);
    if (lane == 0) lanes_before = identity;
    const T before_lane = combine(combine(before_warp, row), lanes_before);
    row = combine(row, shuffle_from(lanes[r], kScanLanes - 1));
    T prefix[kLaneEntries];
#pragma unroll
    for (int k = 0; k < kLaneEntries; ++k) {
      prefix[k] = before_lane;
      if constexpr (kInclusive) {
        prefix[k] = combine(before_lane, entry[r][k]);
      } else if (k > 0) {
        prefix[k] = combine(before_lane, entry[r][k - 1]);
      }
    }
    store_entries(store, first + r * kRowEntries, n, prefix, all);
  }
}

/// Enqueues the kernels of a scan. @param results  memory for scan_results<T>(n) results.
template <bool kInclusive, class T, class Load, class Store, class Combine>
void ordered_scan(Stream& stream, std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine,
                  T* total, T* results) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "entries of at most 32 bytes");
  const std::int64_t tiles = ordered_tiles<T>(n);
  T* before = nullptr;
  if (tiles > 1) {
    launch(stream, "combine_tiles", {.blocks = tiles, .threads = kOrderedThreads}, combine_tiles_kernel<T, Load, Combine>, n,
           identity, load, combine, results);
    ordered_scan<false>(stream, tiles, identity, LoadEntry<T, T>{results}, StoreEntry<T>{results}, combine, results + tiles,
                        results + tiles + 1);
    before = results;
  }
  launch(stream, "scan_tiles", {.blocks = tiles, .threads = kOrderedThreads},
         scan_tiles_kernel<kInclusive, T, Load, Store, Combine>, n, identity, load, store, combine, static_cast<const T*>(before),
         total);
}

/// Scans with memory from the pool of the stream. @pre n > 0.
template <bool kInclusive, class T, class Load, class Store, class Combine>
void ordered_scan(Stream& stream, std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine,
                  T* total) {
  const DeviceVector<T> results(stream, static_cast<std::size_t>(scan_results<T>(n)));
  ordered_scan<kInclusive>(stream, n, identity, load, store, combine, total, results.data());
}

/// Stores a value in stream order.
template <class T>
__global__ void store_value_kernel(const T value, T* to) {
  trigger_dependent_launch();
  grid_dependency_sync();
  *to = value;
}

template <bool kInclusive, class In, class Out, class Combine>
void ordered_scan_of(Stream& stream, std::span<const In> in, std::span<Out> out, const Out& identity, const Combine& combine,
                     Out* total) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size());
  refuse_partial_overlap(in, out, "in and out of a scan");
  if (in.empty()) {
    if (total != nullptr) launch(stream, "store_value", {.blocks = 1, .threads = 1}, store_value_kernel<Out>, identity, total);
    return;
  }
  ordered_scan<kInclusive>(stream, static_cast<std::int64_t>(in.size()), identity, LoadEntry<In, Out>{in.data()},
                           StoreEntry<Out>{out.data()}, combine, total);
}

template <bool kInclusive, class In, class Out, class Combine>
void segmented_scan_of(Stream& stream, std::span<const In> in, std::span<const std::uint8_t> heads, std::span<Out> out,
                       const Out& identity, const Combine& combine) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size() && heads.size() == in.size());
  refuse_partial_overlap(in, out, "in and out of a segmented scan");
  refuse_overlap(heads, out, "heads and out of a segmented scan");
  if (in.empty()) return;
  ordered_scan<kInclusive>(stream, static_cast<std::int64_t>(in.size()), Segmented<Out>{identity, 0},
                           LoadSegmented<In, Out>{in.data(), heads.data()},
                           StoreSegmented<kInclusive, Out>{out.data(), heads.data(), identity},
                           CombineSegmented<Combine>{combine}, static_cast<Segmented<Out>*>(nullptr));
}

template <bool kInclusive, class In, class Out, class Combine>
void segmented_scan_of(Stream& stream, std::span<const In> in, std::span<const std::int64_t> offsets, std::span<Out> out,
                       const Out& identity, const Combine& combine) {
  WEFT_EXPECTS(!stream.is_host() && !offsets.empty());
  refuse_overlap(offsets, out, "offsets and out of a segmented scan");
  const DeviceVector<std::uint8_t> heads(stream, in.size());
  if (!in.empty()) {
    set_bytes(stream, heads.data(), 0, heads.bytes());
    parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(offsets.size()) - 1, MarkHead{offsets.data(), heads.data()});
  }
  segmented_scan_of<kInclusive>(stream, in, std::span<const std::uint8_t>(heads.span()), out, identity, combine);
}

}  // namespace detail

/// Computes out[i] = in[0] o ... o in[i-1] in stream order in memory accessible to the current GPU, with the digits of the host.
/// `out` may be `in`. Entries of Out have at most 32 bytes; `combine` has a WEFT_HD operator.
/// @param total  device address of the combination of all entries; null: it is not stored.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where memory is exhausted or a launch is rejected.
/// @cost two reads and one write of every entry in three kernels up to 10^7 entries, in one kernel up to one tile of 4096 (8
/// bytes), in five kernels beyond, by up to 16 bytes at a time where the addresses are multiples of 16; scan_workspace<Out>(n)
/// bytes from the pool of the stream.
template <class In, class Out, class Combine>
void exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out,
                    const std::type_identity_t<Out>& identity, const Combine& combine, Out* total = nullptr) {
  detail::ordered_scan_of<false>(stream, in, out, identity, combine, total);
}

/// Computes out[i] = in[0] o ... o in[i]; otherwise as exclusive_scan().
template <class In, class Out, class Combine>
void inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out,
                    const std::type_identity_t<Out>& identity, const Combine& combine, Out* total = nullptr) {
  detail::ordered_scan_of<true>(stream, in, out, identity, combine, total);
}

/// Computes prefix sums of floating-point numbers: exclusive_scan() with Plus.
template <class In, std::floating_point Out>
void exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::ordered_scan_of<false>(stream, in, out, Out{}, Plus{}, total);
}

/// Computes prefix sums of floating-point numbers: inclusive_scan() with Plus.
template <class In, std::floating_point Out>
void inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::ordered_scan_of<true>(stream, in, out, Out{}, Plus{}, total);
}

/// Computes exclusive_scan() within each segment, as on the host. @pre, @throws, @cost as exclusive_scan(), and two reads of the
/// heads; an entry in the workspace has the size of Out and a flag, with padding at most 32 bytes.
template <class In, class Out, class Combine>
void segmented_exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<const std::uint8_t> heads,
                              std::span<Out> out, const std::type_identity_t<Out>& identity, const Combine& combine) {
  detail::segmented_scan_of<false>(stream, in, heads, out, identity, combine);
}

/// Computes inclusive_scan() within each segment; otherwise as segmented_exclusive_scan().
template <class In, class Out, class Combine>
void segmented_inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<const std::uint8_t> heads,
                              std::span<Out> out, const std::type_identity_t<Out>& identity, const Combine& combine) {
  detail::segmented_scan_of<true>(stream, in, heads, out, identity, combine);
}

/// Computes exclusive_scan() within each segment given by offsets, as on the host.
/// @pre as on the host, but the values of the offsets are not checked; a stream of the current GPU. @throws as exclusive_scan().
/// @cost as by heads, and two kernels before, which store them; segmented_scan_workspace<Out>(in.size()) bytes from the pool of
/// the stream.
template <class In, class Out, class Combine>
void segmented_exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<const std::int64_t> offsets,
                              std::span<Out> out, const std::type_identity_t<Out>& identity, const Combine& combine) {
  detail::segmented_scan_of<false>(stream, in, offsets, out, identity, combine);
}

/// Computes inclusive_scan() within each segment given by offsets; otherwise as segmented_exclusive_scan().
template <class In, class Out, class Combine>
void segmented_inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<const std::int64_t> offsets,
                              std::span<Out> out, const std::type_identity_t<Out>& identity, const Combine& combine) {
  detail::segmented_scan_of<true>(stream, in, offsets, out, identity, combine);
}

}  // namespace weft::kernels

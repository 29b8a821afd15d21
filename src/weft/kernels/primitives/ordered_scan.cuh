#pragma once
/// Scans on a GPU in the order of scan_order.hpp, for .cu files: with any associative operator, of floating-point numbers with
/// the digits of the host, and by segments.
///
/// One kernel, which loads and stores each entry once. Each tile publishes the combination of its entries, its aggregate, and the
/// last tile of a group the aggregate and later the prefix of the group. A tile combines the last prefix with the aggregates of
/// the groups and the tiles behind it, always in the order of scan_order.hpp, so that no result depends on the time at which
/// another one is available, in contrast to the look-back of scan.cuh.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/ordered_rows.cuh"
#include "weft/kernels/primitives/published.cuh"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace detail {

/// The memory that the blocks of a scan share, initially bytes of zero. Null for a single tile, which needs none.
template <class T>
struct ScanMemory {
  int* next_tile;        ///< a counter: blocks take tiles in ascending order
  Published<T>* tiles;   ///< the combined entries of each tile
  Published<T>* groups;  ///< those of each group (aggregate), later of all tiles up to its end (prefix)

  static_assert(sizeof(Published<T>) == kPublishedBytes<T>);
  ScanMemory(void* memory, int tile_count)
      : next_tile(static_cast<int*>(memory)),
        tiles(reinterpret_cast<Published<T>*>(static_cast<unsigned char*>(memory) + kCounterBytes)),
        groups(tiles + tile_count) {}
  ScanMemory() : next_tile(nullptr), tiles(nullptr), groups(nullptr) {}
};

/// Returns the combined entries of all groups before a group, from left to right: those up to the end of the last group that has
/// published its prefix, then the aggregates of the groups behind it. All lanes of a warp call it and inspect 32 groups.
template <class T, class Combine>
__device__ T before_group(const ScanMemory<T>& memory, int group, const T& identity, const Combine& combine, int lane) {
  T value = identity;
  int last = 0;  // the lane whose group has published its prefix
  for (bool waits = true; waits;) {
    const int at = group - 1 - lane;
    TileState state = TileState::prefix;  // before the first group it is the identity
    if (at >= 0) state = memory.groups[at].load(value);
    last = __ffs(static_cast<int>(__ballot_sync(kAllLanes, state == TileState::prefix))) - 1;
    waits = last < 0 || (__ballot_sync(kAllLanes, state == TileState::none) & first_lanes(last)) != 0;
  }
  T before = shuffle_from(value, last);
  for (int l = last - 1; l >= 0; --l) before = combine(before, shuffle_from(value, l));
  return before;
}

/// Results of the tiles of a group that the threads of a block determine together, a warp for each row of tiles.
template <class T>
struct SharedGroup {
  SharedEntries<T, kGroupRows> rows;  ///< the combined entries of each row of tiles
  SharedEntries<T, 1> lanes_before;   ///< the combined entries of the tiles that precede tile `count` in its row

  /// Waits until the first `count` tiles of a group are published. Others are the identity. All threads call it, then
  /// __syncthreads().
  template <class Combine>
  __device__ void load(const ScanMemory<T>& memory, int group, int count, const T& identity, const Combine& combine) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kScanLanes;
    T result = identity;
    if (thread < count) result = memory.tiles[group * kGroupTiles + thread].wait();
    result = scan_lanes(result, lane, combine);
    if (lane == kScanLanes - 1) rows[thread / kScanLanes] = result;
    result = shuffle_up(result, 1);
    if (lane == 0) result = identity;
    if (thread == count) lanes_before[0] = result;
  }
  /// Returns the combined entries of the first `count` rows of tiles.
  template <class Combine>
  __device__ T before_row(int count, const T& identity, const Combine& combine) {
    T before = identity;
    for (int r = 0; r < count; ++r) before = combine(before, rows[r]);
    return before;
  }
};
static_assert(kOrderedThreads == kGroupTiles);

/// Combines the entries of a thread from left to right within each lane.
/// @param lanes  for each row, the combined entries of the lanes up to this one.  @return those of the rows of the warp.
template <class T, class Load, class Combine>
__device__ T combine_rows(const Loaded<T, Load>& loaded, const ThreadRows<T>& at, const T& identity, const Combine& combine,
                          int lane, T (&entry)[kWarpRows<T>][kLaneEntries<T>], T (&lanes)[kWarpRows<T>]) {
  const bool all_exist = at.all_exist();
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
#pragma unroll
    for (int k = 0; k < kLaneEntries<T>; ++k) {
      entry[r][k] = identity;
      if (all_exist || at.exists(r, k)) entry[r][k] = loaded(r, k);
    }
  }
  T rows = identity;
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
#pragma unroll
    for (int k = 1; k < kLaneEntries<T>; ++k) entry[r][k] = combine(entry[r][k - 1], entry[r][k]);
    lanes[r] = scan_lanes(entry[r][kLaneEntries<T> - 1], lane, combine);
    rows = combine(rows, shuffle_from(lanes[r], kScanLanes - 1));
  }
  return rows;
}

/// Stores the prefixes within the tile of the entries of a thread in shared memory.
/// @param entry  combined from left to right within each lane.  @param lanes  for each row, the combined entries of its lanes up
/// to this one.  @param before_warp  those of the warps before.
template <bool kInclusive, class T, class Combine>
__device__ void scan_rows(const T (&entry)[kWarpRows<T>][kLaneEntries<T>], const T (&lanes)[kWarpRows<T>], const T& before_warp,
                          const T& identity, const Combine& combine, int lane, ThreadPrefixes<T>& prefix,
                          typename ThreadPrefixes<T>::Place* places) {
  T row = identity;  // combined entries of the rows before
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
    // Values are assigned instead of selected by ?:, which would select addresses and so keep the values in local memory.
    T before_lane = shuffle_up(lanes[r], 1);
    if (lane == 0) before_lane = identity;
    before_lane = combine(combine(before_warp, row), before_lane);
    row = combine(row, shuffle_from(lanes[r], kScanLanes - 1));
    LaneGroup<T> group;
#pragma unroll
    for (int k = 0; k < kLaneEntries<T>; ++k) {
      group.value[k] = before_lane;
      if constexpr (kInclusive) {
        group.value[k] = combine(before_lane, entry[r][k]);
      } else if (k > 0) {
        group.value[k] = combine(before_lane, entry[r][k - 1]);
      }
    }
    prefix.store(places, r, group);
  }
}

/// Scans all tiles and calls store(i, prefix) for their entries. A block processes three tiles as a pipeline: it prefetches the
/// entries of one, combines those of the next and publishes the result, then determines the prefix of the one before, whose
/// predecessors have published by then, and stores it. Blocks take tiles in ascending order, so that no block waits for a tile
/// that has not been assigned to a running block.
/// @param total  address for the combined entries of all tiles, or null.
template <bool kInclusive, class T, class Load, class Store, class Combine>
__global__ void __launch_bounds__(kOrderedThreads, kOrderedBlocks<T, Combine>)
    ordered_scan_kernel(std::int64_t n, int tiles, const T identity, const Load load, const Store store, const Combine combine,
                        const ScanMemory<T> memory, T* total) {
  constexpr int kPlaces = kWarpRows<T> * kOrderedThreads;
  __shared__ SharedEntries<typename ThreadPrefixes<T>::Place, 2 * kPlaces> prefixes;  // within two tiles
  __shared__ SharedEntries<T, kTileWarps> warps;
  __shared__ SharedGroup<T> group, ended_group;          // for the tile to be stored, and for one that ends its group
  __shared__ SharedValue<T> groups_before, last_result;  // results of groups, and of the last tile
  __shared__ int shared_tile;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kScanLanes, warp = thread / kScanLanes;
  const auto take = [&](int without) { return memory.next_tile == nullptr ? without : atomicAdd(memory.next_tile, 1); };
  trigger_dependent_launch();
  grid_dependency_sync();
  if (thread == 0) shared_tile = take(0);
  __syncthreads();

  int loading = shared_tile, published = -1;  // tiles; -1: none
  __syncthreads();                            // all threads have read shared_tile
  ThreadPrefixes<T> next_prefix{thread}, prefix{kPlaces + thread};
  Loaded<T, Load> loaded;  // entries of the tile `loading`
  loaded.load(load, ThreadRows<T>(loading, warp, lane, n));
  while (loading < tiles || published >= 0) {
    const int combined = loading < tiles ? loading : -1;
    int next = 0;
    if (thread == kOrderedThreads - 1) next = take(tiles);
    T entry[kWarpRows<T>][kLaneEntries<T>], lanes[kWarpRows<T>];
    const T rows = combine_rows(loaded, ThreadRows<T>(loading, warp, lane, n), identity, combine, lane, entry, lanes);
    if (lane == 0) warps[warp] = rows;
    if (thread == kOrderedThreads - 1) shared_tile = next;
    __syncthreads();
    loading = shared_tile;
    T result = identity, before_warp = identity;
    for (int w = 0; w < kTileWarps; ++w) {
      if (w == warp) before_warp = result;
      result = combine(result, warps[w]);
    }
    if (thread == 0 && combined == tiles - 1) last_result.store(result);
    if (thread == 0 && combined >= 0 && combined < tiles - 1) memory.tiles[combined].publish(TileState::aggregate, result);
    scan_rows<kInclusive>(entry, lanes, before_warp, identity, combine, lane, next_prefix, prefixes.data());
    loaded.load(load, ThreadRows<T>(loading, warp, lane, n));
    const auto ends_group = [&](int tile) { return (tile + 1) % kGroupTiles == 0 && tile < tiles - 1; };
    const int of_combined = combined / kGroupTiles, of_published = published / kGroupTiles, position = published % kGroupTiles;
    if (combined >= 0 && ends_group(combined)) ended_group.load(memory, of_combined, kGroupTiles, identity, combine);
    if (published >= 0) {
      group.load(memory, of_published, position, identity, combine);
      if (warp == kTileWarps - 1) {
        const T before = before_group(memory, of_published, identity, combine, lane);
        if (lane == 0) groups_before.store(before);
      }
    }
    __syncthreads();
    if (thread == 0 && combined >= 0 && ends_group(combined)) {
      memory.groups[of_combined].publish(TileState::aggregate, ended_group.before_row(kGroupRows, identity, combine));
    }
    if (published >= 0) {
      T before = groups_before.load();
      if (thread == 0 && ends_group(published)) {
        T aggregate = identity;
        (void)memory.groups[of_published].load(aggregate);  // this block has published it
        memory.groups[of_published].publish(TileState::prefix, combine(before, aggregate));
      }
      before = combine(combine(before, group.before_row(position / kScanLanes, identity, combine)), group.lanes_before[0]);
      if (thread == 0 && published == tiles - 1 && total != nullptr) *total = combine(before, last_result.load());
      store_rows(store, ThreadRows<T>(published, warp, lane, n),
                 [&](int r, int k) { return combine(before, prefix.load(prefixes.data(), r).value[k]); });
    }
    published = combined;
    std::swap(prefix, next_prefix);
  }
}

/// A block that waits for the tiles of a group that it ends has not yet published the prefix of another group, which ends up to
/// three tiles of each block earlier. Others look back over 32 groups, so that with more blocks all could wait.
inline constexpr int kMostOrderedBlocks = 32 * kGroupTiles / 3;

/// Scans with memory from the pool of the stream. @pre n > 0.
template <bool kInclusive, class T, class Load, class Store, class Combine>
void ordered_scan(Stream& stream, std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine,
                  T* total) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "entries of at most 32 bytes");
  const DeviceVector<unsigned char> scratch(stream, scan_workspace<T>(n));
  WEFT_EXPECTS(ordered_tiles<T>(n) < 1 << 30);  // 2^39 entries of 32 bytes, more than any GPU has memory for
  const auto tiles = static_cast<int>(ordered_tiles<T>(n));
  ScanMemory<T> memory;
  if (tiles > 1) {
    memory = ScanMemory<T>(scratch.data(), tiles);
    set_bytes(stream, scratch.data(), 0, scratch.size());
  }
  const auto kernel = ordered_scan_kernel<kInclusive, T, Load, Store, Combine>;
  const std::int64_t blocks = std::min({tiles, resident_blocks(kernel, kOrderedThreads), kMostOrderedBlocks});
  launch(stream, "ordered_scan", {.blocks = blocks, .threads = kOrderedThreads}, kernel, n, tiles, identity, load, store, combine,
         memory, total);
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
/// @pre as on the host; a stream of the current GPU; In and Out have default constructors; fewer than 2^39 entries. @throws
/// DeviceError where memory is exhausted or a launch is rejected.
/// @cost one read and one write of every entry, by up to 16 bytes at a time where the addresses are multiples of 16;
/// scan_workspace<Out>(n) bytes from the pool of the stream.
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

/// Computes exclusive_scan() within each segment, as on the host. @pre, @throws, @cost as exclusive_scan(), and one read of the
/// heads, two of an exclusive scan; an entry in the workspace has the size of Out and a flag, with padding at most 32 bytes.
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

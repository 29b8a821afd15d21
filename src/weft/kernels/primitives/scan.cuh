#pragma once
/// Prefix sums on a GPU, for .cu files, in one kernel that reads and writes every number once (D. Merrill and M. Garland,
/// Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA NVR-2016-002).
///
/// Each tile of numbers publishes its aggregate (the sum of its numbers), then inspects its predecessors until one has published
/// an inclusive prefix (the sum of all numbers up to its end). The sum of integers does not depend on the order of addition.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/kernels/primitives/block.cuh"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/published.cuh"
#include "weft/kernels/primitives/scan_order.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace detail {

/// Adjacent numbers that a thread loads and stores together, 16 bytes of sums, so that a warp accesses whole sectors; each thread
/// processes several such groups of a tile.
template <class Sum>
inline constexpr int kScanGroup = 16 / static_cast<int>(sizeof(Sum));
// The tile sizes that were fastest on an H200: docs/notes/2026-11-gpu-kernels.md.
template <class Sum>
inline constexpr int kScanThreads = 1024 / static_cast<int>(sizeof(Sum));
inline constexpr int kScanGroups = 8;
template <class Sum>
inline constexpr int kScanTile = kScanThreads<Sum> * kScanGroups * kScanGroup<Sum>;

/// Returns the sum of all numbers before a tile (its exclusive prefix). All lanes of a warp call it and inspect 32 predecessors
/// at a time.
template <class Sum>
__device__ Sum exclusive_prefix(const Published<Sum>* tiles, std::int64_t tile, int lane) {
  Sum prefix = 0;
  for (std::int64_t at = tile - 1 - lane;; at -= 32) {
    Sum sum = 0;
    TileState state = TileState::prefix;  // before the first tile the prefix is zero
    if (at >= 0) {
      while ((state = tiles[at].load(sum)) == TileState::none) {
      }
    }
    const unsigned prefixes = __ballot_sync(kAllLanes, state == TileState::prefix);
    const int last = prefixes == 0 ? 31 : __ffs(static_cast<int>(prefixes)) - 1;  // its prefix includes the lanes beyond
    if (lane > last) sum = 0;
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(kAllLanes, sum, apart);
    prefix += sum;
    if (prefixes != 0) return prefix;
  }
}

/// Loads the groups of a thread. They begin 32 groups apart, so that the accesses of a warp are coalesced; the groups of a warp
/// form one contiguous run of numbers.
/// @param whole  the tile is complete, and the addresses are aligned to groups.
template <class In, int kGroup, int kGroups>
__device__ void load_tile(const In* in, std::int64_t first, std::int64_t n, bool whole,
                          EntryGroup<In, kGroup> (&group)[kGroups]) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t at = first + g * 32 * kGroup;
    if (whole) {
      group[g] = *reinterpret_cast<const EntryGroup<In, kGroup>*>(in + at);
    } else {
      for (int i = 0; i < kGroup; ++i) group[g].value[i] = at + i < n ? in[at + i] : In{};
    }
  }
}

/// Adds the exclusive prefix of the run to the sums of a thread and stores them as load_tile() loads numbers.
template <class Out, class Sum, int kGroup, int kGroups>
__device__ void store_tile(Out* out, std::int64_t first, std::int64_t n, bool whole, Sum before,
                           const Sum (&sums)[kGroups][kGroup]) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t at = first + g * 32 * kGroup;
    EntryGroup<Out, kGroup> group;
    for (int i = 0; i < kGroup; ++i) group.value[i] = static_cast<Out>(before + sums[g][i]);
    if (whole) {
      *reinterpret_cast<EntryGroup<Out, kGroup>*>(out + at) = group;
    } else {
      for (int i = 0; i < kGroup; ++i) {
        if (at + i < n) out[at + i] = group.value[i];
      }
    }
  }
}

/// Replaces the numbers of a warp by their prefix sums within its run and returns the sum of the run.
template <bool kInclusive, class Sum, int kGroup, int kGroups>
__device__ Sum scan_run(Sum (&value)[kGroups][kGroup], int lane) {
  Sum lane_prefix[kGroups], run_sum = 0;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    for (int i = 1; i < kGroup; ++i) value[g][i] += value[g][i - 1];
    lane_prefix[g] = warp_inclusive_scan(value[g][kGroup - 1], Plus{}, lane);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const Sum before = run_sum + lane_prefix[g] - value[g][kGroup - 1];
    run_sum += __shfl_sync(kAllLanes, lane_prefix[g], 31);
    for (int i = kGroup - 1; i >= 0; --i) value[g][i] = before + (kInclusive ? value[g][i] : i == 0 ? 0 : value[g][i - 1]);
  }
  return run_sum;
}

/// Scans all tiles. A block processes three tiles as a pipeline: it prefetches the numbers of one, sums the next and publishes
/// its aggregate, then determines the prefix of the one before, whose predecessors have published by then, and stores it. Blocks
/// take tiles in ascending order from a counter, so that no block waits for a tile that has not been assigned to a running block.
/// @param next_tile  the counter, initially 0.  @param sums  published values, initially TileState::none.
template <bool kInclusive, class In, class Out>
__global__ void __launch_bounds__(kScanThreads<Out>, 512 / kScanThreads<Out>)
    scan_kernel(const In* in, Out* out, std::int64_t n, std::int64_t tiles, bool aligned, unsigned long long* next_tile,
                Published<std::make_unsigned_t<Out>>* sums, Out* total) {
  using Sum = std::make_unsigned_t<Out>;  // overflow wraps around
  constexpr int kGroup = kScanGroup<Sum>, kGroups = kScanGroups, kThreads = kScanThreads<Sum>, kWarps = kThreads / 32;
  __shared__ Sum warp_sums[kWarps], stored_prefix;
  __shared__ std::int64_t shared_tile;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int own = (warp * kGroups * 32 + lane) * kGroup;
  const auto first_of = [&](std::int64_t tile) { return tile * kScanTile<Sum> + own; };
  const auto is_whole = [&](std::int64_t tile) { return aligned && (tile + 1) * kScanTile<Sum> <= n; };
  const auto take = [&] { return static_cast<std::int64_t>(atomicAdd(next_tile, 1ULL)); };
  trigger_dependent_launch();
  grid_dependency_sync();
  if (thread == 0) shared_tile = take();
  __syncthreads();

  std::int64_t loading = shared_tile, published = -1;  // tiles; -1: none
  EntryGroup<In, kGroup> numbers[kGroups];             // numbers of the tile `loading`
  Sum published_values[kGroups][kGroup] = {}, published_sum = 0;
  if (loading < tiles) load_tile(in, first_of(loading), n, is_whole(loading), numbers);
  while (loading < tiles || published >= 0) {
    const std::int64_t summed = loading < tiles ? loading : -1;
    std::int64_t next = 0;
    if (thread == kThreads - 1) next = take();
    Sum value[kGroups][kGroup];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kGroup; ++i) value[g][i] = static_cast<Sum>(static_cast<Out>(numbers[g].value[i]));
    }
    const Sum run_sum = scan_run<kInclusive>(value, lane);
    __syncthreads();  // all threads have read warp_sums and shared_tile
    if (lane == 0) warp_sums[warp] = run_sum;
    if (thread == kThreads - 1) shared_tile = next;
    __syncthreads();
    loading = shared_tile;
    const Sum warp_prefix = warp_inclusive_scan(lane < kWarps ? warp_sums[lane] : Sum{0}, Plus{}, lane);
    const Sum tile_sum = __shfl_sync(kAllLanes, warp_prefix, 31);
    const Sum before_run = __shfl_sync(kAllLanes, warp_prefix, warp) - run_sum;
    if (thread == 0 && summed >= 0) sums[summed].publish(summed == 0 ? TileState::prefix : TileState::aggregate, tile_sum);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kGroup; ++i) value[g][i] += before_run;
    }
    if (loading < tiles) load_tile(in, first_of(loading), n, is_whole(loading), numbers);
    if (published >= 0) {
      if (warp == 0) {
        const Sum prefix = exclusive_prefix(sums, published, lane);
        if (lane == 0) {
          sums[published].publish(TileState::prefix, prefix + published_sum);
          if (total != nullptr && published + 1 == tiles) *total = static_cast<Out>(prefix + published_sum);
          stored_prefix = prefix;
        }
      }
      __syncthreads();
      store_tile(out, first_of(published), n, is_whole(published), stored_prefix, published_values);
    }
    published = summed;
    published_sum = tile_sum;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kGroup; ++i) published_values[g][i] = value[g][i];
    }
  }
}

template <bool kInclusive, class In, class Out>
void look_back_scan(Stream& stream, std::span<const In> in, std::span<Out> out, Out* total) {
  using Sum = std::make_unsigned_t<Out>;
  const auto n = static_cast<std::int64_t>(in.size());
  if (n == 0) {
    if (total != nullptr) set_bytes(stream, total, 0, sizeof(Out));
    return;
  }
  const std::int64_t tiles = (n + kScanTile<Sum> - 1) / kScanTile<Sum>;
  const DeviceVector<unsigned char> scratch(stream, kCounterBytes + tiles * sizeof(Published<Sum>));
  set_bytes(stream, scratch.data(), 0, scratch.size());
  const auto is_aligned = [](const auto* at) {
    using T = std::remove_cvref_t<decltype(*at)>;
    return reinterpret_cast<std::uintptr_t>(at) % alignof(EntryGroup<T, kScanGroup<Sum>>) == 0;
  };
  const auto kernel = scan_kernel<kInclusive, In, Out>;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, resident_blocks(kernel, kScanThreads<Sum>));
  launch(stream, "scan", {.blocks = blocks, .threads = kScanThreads<Sum>}, kernel, in.data(), out.data(), n, tiles,
         is_aligned(in.data()) && is_aligned(out.data()), reinterpret_cast<unsigned long long*>(scratch.data()),
         reinterpret_cast<Published<Sum>*>(scratch.data() + kCounterBytes), total);
}

template <Provider kProvider, bool kInclusive, class In, class Out>
void scan(Stream& stream, std::span<const In> in, std::span<Out> out, Out* total) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size());
  refuse_partial_overlap(in, out, "in and out of a scan");
  constexpr Provider kChosen = provider(kProvider, Primitive::scan, sizeof(Out));
  if constexpr (kChosen == Provider::library) {
    if (total == nullptr && !in.empty())
      return Implementation<Primitive::scan, kChosen>::template run<kInclusive>(stream, in, out);
  }
  look_back_scan<kInclusive>(stream, in, out, total);
}

}  // namespace detail

/// Computes out[i] = in[0] + ... + in[i-1] in the arithmetic of Out, which wraps around, in stream order. The integers are in
/// memory accessible to the current GPU; `out` may be `in`.
/// @param total  device address of the sum of all numbers; null: the sum is not stored.  @pre equal sizes; `in` and `out` are the
/// same or do not overlap (checked in every build); a stream of the current GPU. Provider::library is used only without `total`.
/// @cost memory: 8 bytes per tile of 8192 numbers (16 bytes per 2048 where Out has 8 bytes) from the stream's pool. time: one
/// read and one write of every number, by up to 16 bytes at a time where both addresses are multiples of 16.
/// @throws DeviceError where memory is exhausted or the launch is rejected.
template <Provider kProvider = Provider::automatic, std::integral In, std::integral Out>
  requires(sizeof(Out) == 4 || sizeof(Out) == 8)
void exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::scan<kProvider, false>(stream, in, out, total);
}

/// Computes out[i] = in[0] + ... + in[i]; otherwise as exclusive_scan().
template <Provider kProvider = Provider::automatic, std::integral In, std::integral Out>
  requires(sizeof(Out) == 4 || sizeof(Out) == 8)
void inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::scan<kProvider, true>(stream, in, out, total);
}

}  // namespace weft::kernels

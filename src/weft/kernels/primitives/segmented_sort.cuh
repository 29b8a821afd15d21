#pragma once
/// Sorting within segments on a GPU, for .cu files.
///
/// A warp sorts a segment of at most 32 keys in registers and lists a longer one by its tiles of 2048 keys. A second kernel sorts
/// each tile in shared memory. Further kernels merge sorted runs of tiles, and then runs of twice the length, until each run is a
/// segment: their number depends on the number of all keys, so that the host need not know the lengths of segments.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/bitonic.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/key_order.hpp"
#include "weft/kernels/primitives/merge.hpp"
#include "weft/kernels/primitives/segmented_sort.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace detail {

inline constexpr int kSortThreads = 256, kSortWarps = kSortThreads / 32;
inline constexpr int kSortTile = 2048, kSortItems = kSortTile / kSortThreads;

/// A tile of a segment with more than 32 keys.
struct SortTile {
  std::int64_t segment, tile;
};

/// The tiles of a sort, in any order. Their number is known on the GPU alone.
struct SortTiles {
  unsigned long long* counts;  ///< numbers of tiles of `alone` and of `merged`
  SortTile *alone, *merged;    ///< tiles that are segments, and tiles of longer segments
};

/// Returns the largest numbers of these tiles for n keys.
[[nodiscard]] constexpr std::int64_t most_alone(std::int64_t n) { return n / 33; }
[[nodiscard]] constexpr std::int64_t most_merged(std::int64_t n) { return n / kSortTile + n / (kSortTile + 1); }

/// Returns the number of times that the runs of a segment are merged.
[[nodiscard]] WEFT_HD constexpr int merges_of(std::int64_t size) {
  int merges = 0;
  for (std::int64_t run = kSortTile; run < size; run *= 2) ++merges;
  return merges;
}

/// The keys, and with values the positions at which sorted keys were before. Between merges a segment is in `keys` if the number
/// of remaining merges is even, and in `other_keys` if it is odd, as encoded numbers; finally as keys in `keys`.
template <class Bits>
struct SortMemory {
  Bits *keys, *other_keys;
  std::uint32_t *order, *other_order;
  KeyCode code;
};

/// A key and its position in its tile.
template <class Bits>
struct NumberedKey {
  Bits key;
  std::uint32_t number;
  __device__ friend bool operator<(const NumberedKey& a, const NumberedKey& b) {
    return a.key < b.key || (a.key == b.key && a.number < b.number);
  }
};

struct IsLess {
  template <class T>
  __device__ constexpr bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

/// Lists the tiles of a segment. All lanes of a warp call it.
__device__ inline void list_tiles(const SortTiles& tiles, std::int64_t segment, std::int64_t size, int lane) {
  const std::int64_t count = (size + kSortTile - 1) / kSortTile;
  unsigned long long at = 0;
  if (lane == 0) at = atomicAdd(tiles.counts + (count == 1 ? 0 : 1), static_cast<unsigned long long>(count));
  at = __shfl_sync(kAllLanes, at, 0);
  SortTile* const list = (count == 1 ? tiles.alone : tiles.merged) + at;
  for (std::int64_t t = lane; t < count; t += 32) list[t] = {segment, t};
}

/// Sorts segments of at most 32 keys, a warp each: the new position of a key is the number of keys that precede it. Lists longer
/// segments.
template <class Bits, bool kPairs>
__global__ void __launch_bounds__(kSortThreads) sort_short_segments_kernel(std::int64_t segments, const std::int64_t* offsets,
                                                                           const SortMemory<Bits> u, const SortTiles tiles) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * kSortWarps + threadIdx.x / 32;
  trigger_dependent_launch();
  grid_dependency_sync();
  for (std::int64_t s = warp; s < segments; s += static_cast<std::int64_t>(gridDim.x) * kSortWarps) {
    const std::int64_t first = offsets[s], size = offsets[s + 1] - first;
    if (size > 32) {
      list_tiles(tiles, s, size, lane);
      continue;
    }
    Bits key{};
    if (lane < size) key = u.code.encode(u.keys[first + lane]);
    int preceding = 0;
    for (int other = 0; other < size; ++other) {
      const Bits of_other = shuffle_from(key, other);
      if (of_other < key || (of_other == key && other < lane)) ++preceding;
    }
    if (lane < size) {
      u.keys[first + preceding] = u.code.decode(key);
      if constexpr (kPairs) u.order[first + preceding] = static_cast<std::uint32_t>(first + lane);
    }
  }
}

/// Sorts tiles.
template <class Bits, bool kPairs>
__global__ void __launch_bounds__(kSortThreads)
    sort_tiles_kernel(const std::int64_t* offsets, const SortMemory<Bits> u, const SortTiles tiles) {
  using Entry = std::conditional_t<kPairs, NumberedKey<Bits>, Bits>;
  __shared__ Entry entries[kSortTile];
  const int thread = static_cast<int>(threadIdx.x);
  trigger_dependent_launch();
  grid_dependency_sync();
  const auto alone = static_cast<std::int64_t>(tiles.counts[0]), all = alone + static_cast<std::int64_t>(tiles.counts[1]);
  for (std::int64_t t = blockIdx.x; t < all; t += gridDim.x) {
    const SortTile tile = t < alone ? tiles.alone[t] : tiles.merged[t - alone];
    const std::int64_t of_segment = offsets[tile.segment], last = offsets[tile.segment + 1];
    const std::int64_t first = of_segment + tile.tile * kSortTile;
    const int n = static_cast<int>(last - first < kSortTile ? last - first : kSortTile), merges = merges_of(last - of_segment);
    for (int i = thread; i < n; i += kSortThreads) {
      const Bits key = u.code.encode(u.keys[first + i]);
      if constexpr (kPairs) {
        entries[i] = {key, static_cast<std::uint32_t>(i)};
      } else {
        entries[i] = key;
      }
    }
    block_bitonic_sort<kSortThreads>(entries, n, IsLess{});
    Bits* const keys = (merges % 2 == 0 ? u.keys : u.other_keys) + first;
    std::uint32_t* const order = (merges % 2 == 0 ? u.order : u.other_order) + first;
    for (int i = thread; i < n; i += kSortThreads) {
      const Entry entry = entries[i];
      if constexpr (kPairs) {
        keys[i] = merges == 0 ? u.code.decode(entry.key) : entry.key;
        order[i] = static_cast<std::uint32_t>(first + entry.number);
      } else {
        keys[i] = merges == 0 ? u.code.decode(entry) : entry;
      }
    }
    __syncthreads();  // before the entries of the next tile are stored
  }
}

/// Returns merge_path(a, b, count) for numbers in global memory. All lanes of a warp call it: they compare at 32 positions at a
/// time.
template <class Bits>
__device__ std::int64_t merge_path_by_lanes(const Bits* a, std::int64_t a_size, const Bits* b, std::int64_t b_size,
                                            std::int64_t count, int lane) {
  std::int64_t low = count > b_size ? count - b_size : 0, high = count < a_size ? count : a_size;
  while (low < high) {
    const std::int64_t step = (high - low + 31) / 32, at = low + lane * step;
    const bool from_a = at < high && !(b[count - at - 1] < a[at]);
    const int lanes = __popc(__ballot_sync(kAllLanes, from_a));  // the first ones, because a and b ascend
    if (lanes == 0) return low;
    const std::int64_t next = low + lanes * step;
    high = next < high ? next : high;
    low += (lanes - 1) * step + 1;
  }
  return low;
}

/// Merges pairs of sorted runs of `run` numbers each, a tile of the result per block.
template <class Bits, bool kPairs>
__global__ void __launch_bounds__(kSortThreads, 3)
    merge_tiles_kernel(const std::int64_t* offsets, const SortMemory<Bits> u, const SortTiles tiles, int merge) {
  __shared__ Bits keys[kSortTile];
  __shared__ std::uint32_t order[kPairs ? kSortTile : 1];
  __shared__ std::int64_t bounds[2];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const std::int64_t run = std::int64_t{kSortTile} << merge;
  trigger_dependent_launch();
  grid_dependency_sync();
  const auto all = static_cast<std::int64_t>(tiles.counts[1]);
  for (std::int64_t t = blockIdx.x; t < all; t += gridDim.x) {
    const SortTile tile = tiles.merged[t];
    const std::int64_t first = offsets[tile.segment], size = offsets[tile.segment + 1] - first;
    const int remaining = merges_of(size) - merge;
    if (remaining <= 0) continue;
    const bool in_other = remaining % 2 != 0;
    const std::int64_t begin = tile.tile * kSortTile, pair = begin & ~(2 * run - 1);  // in the segment
    const std::int64_t a_size = size - pair < run ? size - pair : run, b_rest = size - pair - a_size;
    const std::int64_t b_size = b_rest < run ? b_rest : run;
    const std::int64_t from = begin - pair, rest = a_size + b_size - from;
    const int n = static_cast<int>(rest < kSortTile ? rest : kSortTile);
    const Bits* const a = (in_other ? u.other_keys : u.keys) + first + pair;
    const std::uint32_t* const a_order = (in_other ? u.other_order : u.order) + first + pair;
    if (warp < 2) {
      const std::int64_t bound = merge_path_by_lanes(a, a_size, a + a_size, b_size, from + warp * n, lane);
      if (lane == 0) bounds[warp] = bound;
    }
    __syncthreads();
    const std::int64_t a_from = bounds[0], b_from = a_size + from - a_from;
    const int of_a = static_cast<int>(bounds[1] - a_from);
    for (int i = thread; i < n; i += kSortThreads) {
      const std::int64_t at = i < of_a ? a_from + i : b_from + i - of_a;
      keys[i] = a[at];
      if constexpr (kPairs) order[i] = a_order[at];
    }
    __syncthreads();
    const int own = thread * kSortItems < n ? thread * kSortItems : n;
    const std::span<const Bits> left(keys, of_a), right(keys + of_a, n - of_a);
    int i = static_cast<int>(merge_path(left, right, own, IsLess{})), j = of_a + own - i;
    Bits merged[kSortItems];
    std::uint32_t merged_order[kSortItems];
#pragma unroll
    for (int k = 0; k < kSortItems; ++k) {
      if (own + k >= n) continue;
      const bool from_a = j >= n || (i < of_a && !(keys[j] < keys[i]));
      const int taken = from_a ? i++ : j++;
      merged[k] = keys[taken];
      if constexpr (kPairs) merged_order[k] = order[taken];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSortItems; ++k) {
      if (own + k >= n) continue;
      keys[own + k] = merged[k];
      if constexpr (kPairs) order[own + k] = merged_order[k];
    }
    __syncthreads();
    Bits* const to = (in_other ? u.keys : u.other_keys) + first + begin;
    std::uint32_t* const to_order = (in_other ? u.order : u.other_order) + first + begin;
    for (int k = thread; k < n; k += kSortThreads) {
      to[k] = remaining == 1 ? u.code.decode(keys[k]) : keys[k];
      if constexpr (kPairs) to_order[k] = order[k];
    }
  }
}

/// Sorts n keys; with values also stores the positions at which the sorted keys were before.
template <bool kPairs, class Bits>
void sort_segments(Stream& stream, std::int64_t n, std::span<const std::int64_t> offsets, Bits* keys, std::uint32_t* order,
                   const KeyCode& code) {
  const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
  if (n == 0) return;
  const std::int64_t alone = most_alone(n), merged = most_merged(n);
  const std::size_t others = n > kSortTile ? static_cast<std::size_t>(n) : 0;
  const DeviceVector<unsigned long long> counts(stream, alone == 0 ? 0 : 2);
  const DeviceVector<SortTile> alone_list(stream, static_cast<std::size_t>(alone));
  const DeviceVector<SortTile> merged_list(stream, static_cast<std::size_t>(merged));
  const DeviceVector<Bits> other_keys(stream, others);
  const DeviceVector<std::uint32_t> other_order(stream, kPairs ? others : 0);
  const SortMemory<Bits> u{keys, other_keys.data(), order, other_order.data(), code};
  const SortTiles tiles{counts.data(), alone_list.data(), merged_list.data()};
  const auto run = [&](const char* name, std::int64_t most, auto kernel, const auto&... arguments) {
    const std::int64_t blocks = std::min<std::int64_t>(most, resident_blocks(kernel, kSortThreads));
    launch(stream, name, {.blocks = blocks, .threads = kSortThreads}, kernel, arguments...);
  };
  if (alone > 0) set_bytes(stream, counts.data(), 0, counts.bytes());
  run("sort_short_segments", (segments + kSortWarps - 1) / kSortWarps, sort_short_segments_kernel<Bits, kPairs>, segments,
      offsets.data(), u, tiles);
  if (alone == 0) return;
  run("sort_tiles", alone + merged, sort_tiles_kernel<Bits, kPairs>, offsets.data(), u, tiles);
  for (int merge = 0; merge < merges_of(n); ++merge) {
    run("merge_tiles", merged, merge_tiles_kernel<Bits, kPairs>, offsets.data(), u, tiles, merge);
  }
}

}  // namespace detail

/// Returns the bytes that a segmented sort of n keys takes from the pool of its stream; with values if Value is their type. Needs
/// no GPU.
template <class Key, class Value = void>
[[nodiscard]] constexpr std::size_t segmented_sort_workspace(std::int64_t n) {
  std::size_t of_key = n > detail::kSortTile ? sizeof(Key) : 0, of_value = 0;
  if constexpr (!std::is_void_v<Value>) of_value = (n > detail::kSortTile ? 2 : 1) * sizeof(std::uint32_t) + sizeof(Value);
  return static_cast<std::size_t>(n) * (of_key + of_value) +
         static_cast<std::size_t>(detail::most_alone(n) + detail::most_merged(n)) * sizeof(detail::SortTile) +
         (detail::most_alone(n) > 0 ? 2 * sizeof(unsigned long long) : 0);
}

/// Sorts the keys of each segment in memory of the current GPU, in stream order, as on the host.
/// @pre as on the host, but the values of the offsets are not checked; a stream of the current GPU. @throws DeviceError where
/// memory is exhausted, or a launch is rejected, which may leave other keys.
/// @cost one read and one write of all keys; for segments of more than 2048 keys another one for each doubling of 2048 up to
/// their length. One kernel for segments of up to 32 keys, one for their tiles if there are more keys, and one for each doubling
/// of 2048 up to the number of all keys. segmented_sort_workspace<Key>(keys.size()) bytes from the pool of the stream.
template <RadixKey Key>
void segmented_sort(space::cuda, Stream& stream, std::span<Key> keys, std::span<const std::int64_t> offsets,
                    Direction direction = Direction::ascending) {
  WEFT_EXPECTS(!stream.is_host() && !offsets.empty());
  detail::refuse_overlap(keys, offsets, "keys and offsets of segmented_sort");
  detail::sort_segments<false>(stream, static_cast<std::int64_t>(keys.size()), offsets,
                               reinterpret_cast<detail::KeyBits<Key>*>(keys.data()), nullptr, detail::key_code<Key>(direction));
}

/// Sorts the keys of each segment stably and permutes values in the same way.
/// @pre as segmented_sort(); equal sizes; no overlap (checked in every build). @throws LimitError for more than 2^32 - 1 keys;
/// otherwise as segmented_sort(). @cost as segmented_sort(), for keys and positions of 4 bytes, and two reads and two writes of
/// the values, of which one read is in the order of the keys; segmented_sort_workspace<Key, Value>(keys.size()) bytes from the
/// pool of the stream.
template <RadixKey Key, class Value>
  requires std::is_trivially_copyable_v<Value>
void segmented_stable_sort_by_key(space::cuda gpu, Stream& stream, std::span<Key> keys, std::span<Value> values,
                                  std::span<const std::int64_t> offsets, Direction direction = Direction::ascending) {
  WEFT_EXPECTS(!stream.is_host() && !offsets.empty() && keys.size() == values.size());
  detail::refuse_overlap(keys, values, "keys and values of segmented_stable_sort_by_key");
  detail::refuse_overlap(keys, offsets, "keys and offsets of segmented_stable_sort_by_key");
  detail::refuse_overlap(values, offsets, "values and offsets of segmented_stable_sort_by_key");
  detail::check_pairs(keys.size());
  const DeviceVector<std::uint32_t> order(stream, keys.size());
  detail::sort_segments<true>(stream, static_cast<std::int64_t>(keys.size()), offsets,
                              reinterpret_cast<detail::KeyBits<Key>*>(keys.data()), order.data(),
                              detail::key_code<Key>(direction));
  const DeviceVector<Value> old_values(stream, values.size());
  copy_bytes(stream, old_values.data(), values.data(), values.size_bytes());
  gather(gpu, stream, std::span<const Value>(old_values.span()), std::span<const std::uint32_t>(order.span()), values);
}

}  // namespace weft::kernels

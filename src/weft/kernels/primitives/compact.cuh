#pragma once
/// The kernel of select.cuh: it stores the selected entries of a vector next to each other, in their order, and reads every entry
/// once (decoupled look-back, as in scan.cuh).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/kernels/primitives/block.cuh"
#include "weft/kernels/primitives/key_order.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/published.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/scan_order.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels::detail {

inline constexpr int kSelectThreads = 256, kSelectWarps = kSelectThreads / 32;
/// Adjacent entries that a thread loads together, up to 16 bytes.
template <class T>
inline constexpr int kSelectGroup =
    std::has_single_bit(sizeof(T)) ? static_cast<int>(std::clamp<std::size_t>(16 / sizeof(T), 1, 16)) : 1;
/// Groups of a thread, so that it loads 64 bytes of a tile, and at most 32 entries.
template <class T>
inline constexpr int kSelectGroups =
    static_cast<int>(std::max<std::size_t>(std::min<std::size_t>(64 / (kSelectGroup<T> * sizeof(T)), 32 / kSelectGroup<T>), 1));
template <class T>
inline constexpr int kThreadEntries = kSelectGroup<T> * kSelectGroups<T>;
template <class T>
inline constexpr int kSelectTile = kSelectThreads * kThreadEntries<T>;

/// The vector that a selection reads.
template <class T>
struct StoredEntries {
  using Entry = T;
  const T* in;

  /// Returns the number of entries before the first one that is at a multiple of 16 bytes; tiles begin there.
  [[nodiscard]] int misaligned() const {
    const std::uintptr_t apart = reinterpret_cast<std::uintptr_t>(in) % 16;
    return kSelectGroup<T> > 1 && apart % sizeof(T) == 0 ? static_cast<int>(apart / sizeof(T)) : 0;
  }
  /// Returns true if groups of entries can be loaded together.
  [[nodiscard]] bool has_groups() const {
    return std::has_single_bit(sizeof(T)) && reinterpret_cast<std::uintptr_t>(in) % std::min<std::size_t>(16, sizeof(T)) == 0;
  }
  __device__ T load(std::int64_t i) const { return in[i]; }
  template <int kGroup>
  __device__ void load_group(std::int64_t i, EntryGroup<T, kGroup>& group) const {
    group = *reinterpret_cast<const EntryGroup<T, kGroup>*>(in + i);
  }
};

/// The indices 0 .. n-1 as a vector that is not in memory.
template <class Index>
struct Indices {
  using Entry = Index;

  [[nodiscard]] int misaligned() const { return 0; }
  [[nodiscard]] bool has_groups() const { return true; }
  __device__ Index load(std::int64_t i) const { return static_cast<Index>(i); }
  template <int kGroup>
  __device__ void load_group(std::int64_t first, EntryGroup<Index, kGroup>& group) const {
    for (int i = 0; i < kGroup; ++i) group.value[i] = static_cast<Index>(first + i);
  }
};

/// Selects entries for which a predicate is true.
template <class Predicate>
struct ByPredicate {
  static constexpr bool kComparesWithPrevious = false;
  Predicate predicate;
  template <class T>
  __device__ bool operator()(const T& entry) const {
    return predicate(entry);
  }
};

/// Selects the first key of each run of equal keys.
struct StartsOfRuns {
  static constexpr bool kComparesWithPrevious = true;
  template <class Key>
  __device__ bool operator()(const Key& previous, const Key& key) const {
    return !is_same_key(previous, key);
  }
};

/// The destinations of a selection.
template <class T>
struct SelectOutput {
  T* out;
  std::int64_t* offsets;         ///< index of each selected entry, then n (kOffsets)
  const std::int64_t* selected;  ///< number of selected entries, known before the kernel (kOthers)
  std::int64_t* count;           ///< address for this number (otherwise)
};

/// The entries of one thread in a tile, and before the first one of a warp the entry that precedes it.
template <class T, bool kWithPrevious>
struct ThreadEntries {
  EntryGroup<T, kSelectGroup<T>> group[kSelectGroups<T>];
  T previous;
};
template <class T>
struct ThreadEntries<T, false> {
  EntryGroup<T, kSelectGroup<T>> group[kSelectGroups<T>];
};

/// Loads the entries of a thread from `first` on; groups are 32 groups apart, so that a warp loads contiguous memory. Entries
/// outside 0 .. n-1 are replaced by others, which no caller uses.
template <bool kWithPrevious, class Source, class T>
__device__ void load_entries_of(const Source& source, std::int64_t first, std::int64_t n, bool whole, int lane,
                                ThreadEntries<T, kWithPrevious>& entries) {
  constexpr int kGroup = kSelectGroup<T>, kGroups = kSelectGroups<T>;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t at = first + g * 32 * kGroup;
    if (whole) {
      source.load_group(at, entries.group[g]);
    } else {
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        const std::int64_t inside = at + i < 0 ? 0 : at + i < n ? at + i : n - 1;
        entries.group[g].value[i] = source.load(inside);
      }
    }
  }
  if constexpr (kWithPrevious) {
    if (lane == 0) entries.previous = source.load(first <= 0 ? 0 : first <= n ? first - 1 : n - 1);
  }
}

/// Returns a bit for each selected entry of a thread, bit g * kSelectGroup + i for entry i of group g.
template <class T, class Select, bool kWithPrevious>
__device__ unsigned selected_entries(const Select& is_wanted, const ThreadEntries<T, kWithPrevious>& entries, std::int64_t first,
                                     std::int64_t n, bool whole, int lane) {
  constexpr int kGroup = kSelectGroup<T>, kGroups = kSelectGroups<T>;
  unsigned selected = 0;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    [[maybe_unused]] T previous = entries.group[g].value[0];
    if constexpr (kWithPrevious) {
      previous = shuffle_up(entries.group[g].value[kGroup - 1], 1);
      T of_warp = entries.previous;
      if (g > 0) of_warp = shuffle_from(entries.group[g > 0 ? g - 1 : 0].value[kGroup - 1], 31);
      if (lane == 0) previous = of_warp;
    }
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      const std::int64_t at = first + g * 32 * kGroup + i;
      const T& entry = entries.group[g].value[i];
      bool is_selected = false;
      if constexpr (kWithPrevious) {
        is_selected = at == 0 || is_wanted(previous, entry);
        previous = entry;
      } else {
        is_selected = is_wanted(entry);
      }
      if (is_selected && (whole || (at >= 0 && at < n))) selected |= 1U << (g * kGroup + i);
    }
  }
  return selected;
}

/// Computes the number of selected entries of the warp that precede each group of this thread, and returns that of the warp. The
/// counts of several groups share a word.
template <class T>
__device__ unsigned count_selected(unsigned selected, int lane, unsigned (&before)[kSelectGroups<T>]) {
  constexpr int kGroup = kSelectGroup<T>, kGroups = kSelectGroups<T>;
  constexpr int kBits = 32 * kGroup > 255 ? 16 : 8, kPerWord = 32 / kBits, kWords = (kGroups + kPerWord - 1) / kPerWord;
  constexpr unsigned kGroupMask = 0xffffffffU >> (32 - kGroup), kFieldMask = (1U << kBits) - 1;
  unsigned counts[kWords] = {}, lanes[kWords];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    counts[g / kPerWord] |= static_cast<unsigned>(__popc(selected >> (g * kGroup) & kGroupMask)) << (g % kPerWord * kBits);
  }
#pragma unroll
  for (int w = 0; w < kWords; ++w) lanes[w] = warp_inclusive_scan(counts[w], Plus{}, lane);
  unsigned of_warp = 0;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int w = g / kPerWord, shift = g % kPerWord * kBits;
    before[g] = of_warp + ((lanes[w] - counts[w]) >> shift & kFieldMask);
    of_warp += __shfl_sync(kAllLanes, lanes[w], 31) >> shift & kFieldMask;
  }
  return of_warp;
}

/// Stores the compacted entries of a tile, after the number of selected entries before it has been determined and published.
/// Called by all threads.
/// @param begin  first entry of the tile, negative if it begins before entry 0.  @param count  selected entries of the tile.
template <bool kOthers, bool kOffsets, class T>
__device__ void store_compacted(const T* compacted, const std::uint16_t* positions, std::int64_t tile, std::int64_t begin,
                                unsigned count, std::int64_t n, std::int64_t tiles, Published<std::uint64_t>* sums,
                                const SelectOutput<T>& to, std::int64_t& stored_prefix) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  if (thread < 32) {
    const auto prefix = static_cast<std::int64_t>(exclusive_prefix(sums, tile, lane));
    if (lane == 0) {
      const std::int64_t sum = prefix + count;
      sums[tile].publish(TileState::prefix, static_cast<std::uint64_t>(sum));
      stored_prefix = prefix;
      if (tile + 1 == tiles) {
        if constexpr (!kOthers) *to.count = sum;
        if constexpr (kOffsets) to.offsets[sum] = n;
      }
    }
  }
  __syncthreads();
  const std::int64_t prefix = stored_prefix;
  T* const out = to.out + prefix;
  for (unsigned i = thread; i < count; i += kSelectThreads) out[i] = compacted[i];
  if constexpr (kOffsets) {
    for (unsigned i = thread; i < count; i += kSelectThreads) to.offsets[prefix + i] = begin + positions[i];
  }
  if constexpr (kOthers) {
    constexpr int kTile = kSelectTile<T>;
    const std::int64_t first = begin < 0 ? 0 : begin, last = begin + kTile < n ? begin + kTile : n;
    T* const others = to.out + *to.selected + (first - prefix) - count;
    for (auto i = static_cast<int>(count) + thread; i < last - first; i += kSelectThreads) others[i] = compacted[i];
  }
}

/// Compacts the entries of a thread in shared memory: selected ones first, the others behind all `count` selected ones of the
/// tile.
/// @param own  position of the thread's first entry in the tile.  @param before_warp  selected entries of the warps before.
template <bool kOthers, bool kOffsets, class T, bool kWithPrevious>
__device__ void compact_entries(const ThreadEntries<T, kWithPrevious>& entries, unsigned selected, unsigned before_warp,
                                const unsigned (&before)[kSelectGroups<T>], int own, std::int64_t begin, std::int64_t n,
                                unsigned count, T* compacted, std::uint16_t* positions) {
  constexpr int kGroup = kSelectGroup<T>, kGroups = kSelectGroups<T>;
  const int missing = begin < 0 ? static_cast<int>(-begin) : 0;  // entries of the tile before entry 0
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    unsigned rank = before_warp + before[g];
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      const int position = own + g * 32 * kGroup + i;
      const bool is_selected = (selected >> (g * kGroup + i) & 1U) != 0;
      if (is_selected) {
        compacted[rank] = entries.group[g].value[i];
        if constexpr (kOffsets) positions[rank] = static_cast<std::uint16_t>(position);
        ++rank;
      } else if constexpr (kOthers) {
        if (begin + position >= 0 && begin + position < n) {
          compacted[count + static_cast<unsigned>(position - missing) - rank] = entries.group[g].value[i];
        }
      }
    }
  }
}

/// Selects in all tiles. A block processes three tiles as a pipeline: the loads of one are pending, of the next one it counts the
/// selected entries and publishes their number, and then it determines the number before the previous tile, which is compacted in
/// shared memory, and stores it. Blocks take tiles in ascending order from a counter, so that no block waits for a tile that has
/// not been assigned to a running block.
/// @tparam kOthers  stores the other entries behind the selected ones.  @tparam kOffsets  stores the indices of selected entries.
/// @param misaligned  entries by which the first tile begins before entry 0.  @param groups  groups can be loaded together.
template <bool kOthers, bool kOffsets, class Source, class Select, class T>
__global__ void __launch_bounds__(kSelectThreads)
    compact_kernel(const Source source, const Select is_wanted, std::int64_t n, std::int64_t tiles, int misaligned, bool groups,
                   unsigned long long* next_tile, Published<std::uint64_t>* sums, const SelectOutput<T> to) {
  constexpr int kGroup = kSelectGroup<T>, kGroups = kSelectGroups<T>, kTile = kSelectTile<T>;
  constexpr bool kWithPrevious = Select::kComparesWithPrevious;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 128, "entries of at most 128 bytes");
  static_assert(kTile <= 1 << 16, "positions within a tile have 16 bits");
  __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char entry_memory[kTile * sizeof(T)];
  __shared__ std::uint16_t positions[kOffsets ? kTile : 1];
  __shared__ unsigned warp_counts[kSelectWarps];
  __shared__ std::int64_t stored_prefix, shared_tile;
  T* const compacted = reinterpret_cast<T*>(entry_memory);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int own = (warp * kGroups * 32 + lane) * kGroup;
  const auto begin_of = [&](std::int64_t tile) { return tile * kTile - misaligned; };
  const auto is_whole = [&](std::int64_t tile) { return groups && begin_of(tile) >= 0 && begin_of(tile) + kTile <= n; };
  const auto take = [&] { return static_cast<std::int64_t>(atomicAdd(next_tile, 1ULL)); };
  trigger_dependent_launch();
  grid_dependency_sync();
  if (thread == 0) shared_tile = take();
  __syncthreads();

  std::int64_t loading = shared_tile, compacting = -1;  // tiles; -1: none
  __syncthreads();                                      // all threads have read shared_tile
  unsigned compacted_count = 0;
  ThreadEntries<T, kWithPrevious> loaded;
  if (loading < tiles) load_entries_of(source, begin_of(loading) + own, n, is_whole(loading), lane, loaded);
  while (loading < tiles || compacting >= 0) {
    const std::int64_t counted = loading < tiles ? loading : -1;
    std::int64_t next = 0;
    if (thread == kSelectThreads - 1) next = take();
    const ThreadEntries<T, kWithPrevious> entries = loaded;
    unsigned selected = 0, before[kGroups];
    if (counted >= 0) {
      selected = selected_entries<T>(is_wanted, entries, begin_of(counted) + own, n, is_whole(counted), lane);
    }
    const unsigned of_warp = count_selected<T>(selected, lane, before);
    if (lane == 0) warp_counts[warp] = of_warp;
    if (thread == kSelectThreads - 1) shared_tile = next;
    __syncthreads();  // the previous tile is compacted, too
    loading = shared_tile;
    unsigned before_warp = 0, count = 0;
#pragma unroll
    for (int w = 0; w < kSelectWarps; ++w) {
      if (w == warp) before_warp = count;
      count += warp_counts[w];
    }
    if (thread == 0 && counted >= 0) sums[counted].publish(counted == 0 ? TileState::prefix : TileState::aggregate, count);
    if (loading < tiles) load_entries_of(source, begin_of(loading) + own, n, is_whole(loading), lane, loaded);

    if (compacting >= 0) {
      store_compacted<kOthers, kOffsets>(compacted, positions, compacting, begin_of(compacting), compacted_count, n, tiles, sums,
                                         to, stored_prefix);
    }
    __syncthreads();  // all threads have stored, and have read warp_counts and shared_tile
    if (counted >= 0) {
      compact_entries<kOthers, kOffsets>(entries, selected, before_warp, before, own, begin_of(counted), n, count, compacted,
                                         positions);
    }
    compacting = counted;
    compacted_count = count;
  }
}

/// Enqueues the kernel. @pre n > 0.
template <bool kOthers, bool kOffsets, class Source, class Select, class T>
void compact(Stream& stream, std::int64_t n, const Source& source, const Select& is_wanted, const SelectOutput<T>& to) {
  const int misaligned = source.misaligned();
  const std::int64_t tiles = (n + misaligned + kSelectTile<T> - 1) / kSelectTile<T>;
  const DeviceVector<unsigned char> scratch(stream, kCounterBytes + tiles * sizeof(Published<std::uint64_t>));
  set_bytes(stream, scratch.data(), 0, scratch.size());
  const auto kernel = compact_kernel<kOthers, kOffsets, Source, Select, T>;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, resident_blocks(kernel, kSelectThreads));
  launch(stream, "compact", {.blocks = blocks, .threads = kSelectThreads}, kernel, source, is_wanted, n, tiles, misaligned,
         source.has_groups(), reinterpret_cast<unsigned long long*>(scratch.data()),
         reinterpret_cast<Published<std::uint64_t>*>(scratch.data() + kCounterBytes), to);
}

}  // namespace weft::kernels::detail

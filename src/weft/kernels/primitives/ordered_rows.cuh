#pragma once
/// The entries of a tile in a scan on a GPU, for .cu files: a thread loads, keeps and stores those of its lane in each row of its
/// warp (scan_order.hpp).
#include <bit>
#include <cstdint>
#include <type_traits>

#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels::detail {

/// Uninitialised entries in shared memory.
template <class T, int kCount>
struct SharedEntries {
  alignas(alignof(T) > 4 ? alignof(T) : 4) unsigned char bytes[kCount * sizeof(T)];
  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
  __device__ T& operator[](int i) { return data()[i]; }
};

inline constexpr int kOrderedThreads = kTileWarps * kScanLanes;
/// Blocks of a multiprocessor for which the compiler limits the registers of a kernel: as many as need no stack.
template <class T, class Combine>
inline constexpr int kOrderedBlocks = !std::is_arithmetic_v<T>        ? 2
                                      : std::is_same_v<Combine, Plus> ? 4
                                                                      : 3;
template <class T>
inline constexpr int kOrderedBlocks<Segmented<T>, CombineSegmented<Plus>> = std::is_arithmetic_v<T> ? 3 : 2;

/// Segmented entries are exchanged without the padding.
template <class T>
__device__ Segmented<T> shuffle_up(const Segmented<T>& value, int apart) {
  return {shuffle_up(value.value, apart), shuffle_up(value.head, apart)};
}
template <class T>
__device__ Segmented<T> shuffle_from(const Segmented<T>& value, int lane) {
  return {shuffle_from(value.value, lane), shuffle_from(value.head, lane)};
}

/// The entries of type In of a lane of a scan of type T.
template <class T, class In = T>
using LaneGroup = EntryGroup<In, kLaneEntries<T>>;

/// The entries of a thread in a tile: those of a row are at first + row * kRowEntries, and before `first` + `left`.
template <class T>
struct ThreadRows {
  std::int64_t first;
  int left;

  __device__ ThreadRows(int tile, int warp, int lane, std::int64_t n)
      : first(tile * kOrderedTile<T> + warp * kWarpEntries<T> + lane * kLaneEntries<T>),
        left(n - first < kWarpEntries<T> ? static_cast<int>(n - first) : kWarpEntries<T>) {}
  [[nodiscard]] __device__ bool all_exist() const { return left > kWarpEntries<T> - kRowEntries<T> + kLaneEntries<T> - 1; }
  [[nodiscard]] __device__ bool exists(int row, int k) const { return row * kRowEntries<T> + k < left; }
  [[nodiscard]] __device__ std::int64_t index(int row, int k = 0) const { return first + row * kRowEntries<T> + k; }
  /// Returns true if all entries exist and those of a lane can be accessed together. @param memory  of entry 0.
  template <class In>
  [[nodiscard]] __device__ bool has_groups(const In* memory) const {
    return std::has_single_bit(sizeof(In)) && all_exist() &&
           reinterpret_cast<std::uintptr_t>(memory) % alignof(LaneGroup<T, In>) == 0;
  }
};

/// The entries of the rows of a thread between their load and their use, which converts them: a conversion would wait for the
/// load. Only those that exist are loaded.
template <class T, class In>
struct LoadedRows {
  LaneGroup<T, In> rows[kWarpRows<T>];

  __device__ void load(const In* in, const ThreadRows<T>& at) {
    if (at.has_groups(in)) {
#pragma unroll
      for (int r = 0; r < kWarpRows<T>; ++r) rows[r] = *reinterpret_cast<const LaneGroup<T, In>*>(in + at.index(r));
    } else {
      load([in](std::int64_t i) { return in[i]; }, at);
    }
  }
  template <class Load>
  __device__ void load(const Load& load, const ThreadRows<T>& at) {
#pragma unroll
    for (int r = 0; r < kWarpRows<T>; ++r) {
#pragma unroll
      for (int k = 0; k < kLaneEntries<T>; ++k) {
        if (at.exists(r, k)) rows[r].value[k] = load(at.index(r, k));
      }
    }
  }
};
template <class T, class Load>
struct Loaded {
  LoadedRows<T, T> entries;
  __device__ void load(const Load& from, const ThreadRows<T>& at) { entries.load(from, at); }
  __device__ T operator()(int row, int k) const { return entries.rows[row].value[k]; }
};
template <class T, class In>
struct Loaded<T, LoadEntry<In, T>> {
  LoadedRows<T, In> entries;
  __device__ void load(const LoadEntry<In, T>& from, const ThreadRows<T>& at) { entries.load(from.in, at); }
  __device__ T operator()(int row, int k) const { return static_cast<T>(entries.rows[row].value[k]); }
};
template <class T, class In>
struct Loaded<Segmented<T>, LoadSegmented<In, T>> {
  LoadedRows<Segmented<T>, In> entries;
  LoadedRows<Segmented<T>, std::uint8_t> heads;
  __device__ void load(const LoadSegmented<In, T>& from, const ThreadRows<Segmented<T>>& at) {
    entries.load(from.in, at);
    heads.load(from.heads, at);
  }
  __device__ Segmented<T> operator()(int row, int k) const {
    return LoadSegmented<In, T>::entry(entries.rows[row].value[k], heads.rows[row].value[k]);
  }
};

/// Calls store(i, entry) for the entries of a thread that exist. @param entry  a function of row and k.
template <class T, class Store, class Entry>
__device__ void store_rows(const Store& store, const ThreadRows<T>& at, const Entry& entry) {
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
#pragma unroll
    for (int k = 0; k < kLaneEntries<T>; ++k) {
      if (at.exists(r, k)) store(at.index(r, k), entry(r, k));
    }
  }
}
/// Stores entries together. @pre at.has_groups(out)
template <class T, class Out, class Entry>
__device__ void store_groups(Out* out, const ThreadRows<T>& at, const Entry& entry) {
#pragma unroll
  for (int r = 0; r < kWarpRows<T>; ++r) {
    LaneGroup<T, Out> group;
#pragma unroll
    for (int k = 0; k < kLaneEntries<T>; ++k) group.value[k] = entry(r, k);
    *reinterpret_cast<LaneGroup<T, Out>*>(out + at.index(r)) = group;
  }
}
template <class T, class Entry>
__device__ void store_rows(const StoreEntry<T>& store, const ThreadRows<T>& at, const Entry& entry) {
  if (at.has_groups(store.out)) {
    store_groups(store.out, at, entry);
  } else {
    store_rows<T, StoreEntry<T>, Entry>(store, at, entry);
  }
}
template <bool kInclusive, class T, class Entry>
__device__ void store_rows(const StoreSegmented<kInclusive, T>& store, const ThreadRows<Segmented<T>>& at, const Entry& entry) {
  if (at.has_groups(store.out)) {
    store_groups(store.out, at, [&](int r, int k) { return store.entry(at.index(r, k), entry(r, k)); });
  } else {
    store_rows<Segmented<T>, StoreSegmented<kInclusive, T>, Entry>(store, at, entry);
  }
}

/// The prefixes within a tile of the entries of a thread, in shared memory.
template <class T>
struct ThreadPrefixes {
  using Place = LaneGroup<T>;
  int first;  ///< place of row 0; that of the next row is kOrderedThreads further

  __device__ void store(Place* places, int row, const LaneGroup<T>& prefix) { places[first + row * kOrderedThreads] = prefix; }
  __device__ LaneGroup<T> load(const Place* places, int row) const { return places[first + row * kOrderedThreads]; }
};
template <class T>
struct ThreadPrefixes<Segmented<T>> {
  using Entry = Segmented<T>;
  using Place = LaneGroup<Entry, T>;
  int first;
  std::uint32_t heads;  ///< bit row * kLaneEntries + k: the flag of an entry
  static_assert(kWarpRows<Entry> * kLaneEntries<Entry> <= 32);

  __device__ void store(Place* places, int row, const LaneGroup<Entry>& prefix) {
    if (row == 0) heads = 0;
    Place group;
#pragma unroll
    for (int k = 0; k < kLaneEntries<Entry>; ++k) {
      group.value[k] = prefix.value[k].value;
      if (prefix.value[k].head != 0) heads |= 1U << (row * kLaneEntries<Entry> + k);
    }
    places[first + row * kOrderedThreads] = group;
  }
  __device__ LaneGroup<Entry> load(const Place* places, int row) const {
    const Place group = places[first + row * kOrderedThreads];
    LaneGroup<Entry> prefix;
#pragma unroll
    for (int k = 0; k < kLaneEntries<Entry>; ++k) {
      prefix.value[k] = {group.value[k], static_cast<typename Entry::Flag>(heads >> (row * kLaneEntries<Entry> + k) & 1U)};
    }
    return prefix;
  }
};

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

/// Returns the same for entries with flags, which a ballot shows to all lanes.
template <class T, class Combine>
__device__ Segmented<T> scan_lanes(Segmented<T> value, int lane, const CombineSegmented<Combine>& combine) {
  const unsigned heads = __ballot_sync(kAllLanes, value.head != 0) & first_lanes(lane + 1);
  const int since_head = heads == 0 ? lane : lane - (31 - __clz(static_cast<int>(heads)));  // lanes behind the last flag
#pragma unroll
  for (int apart = 1; apart < kScanLanes; apart *= 2) {
    const T before = shuffle_up(value.value, apart);
    if (since_head >= apart) value.value = combine.combine(before, value.value);
  }
  value.head = heads != 0 ? 1 : 0;
  return value;
}

}  // namespace weft::kernels::detail

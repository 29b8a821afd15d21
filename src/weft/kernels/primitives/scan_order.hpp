#pragma once
/// The order of combination of scans, which hosts and GPUs share, and the memory that a scan on a GPU needs.
///
/// Entries are divided into tiles, a tile into 8 warps, a warp into rows, and a row into 32 lanes. A lane has 4 entries of up to
/// 4 bytes, 2 of up to 8 bytes, and otherwise 1. A warp has 4 rows of entries of up to 16 bytes and 2 of larger ones; in scans by
/// segments 3 of 5 to 8 bytes and 2 of others. 256 tiles are a group of 8 rows of 32 tiles. Each of the following is exclusive,
/// starts with the identity and has a fixed order:
///
///     lane        entries of the lane                      from left to right
///     row         results of the lanes before              in five steps at distances 1, 2, 4, 8, 16
///     warp        results of the rows of the warp before   from left to right
///     tile        results of the warps before              from left to right
///     group lane  results of the tiles before in the row   in five steps
///     group row   results of the rows of tiles before      from left to right
///     all         results of the groups before             from left to right
///
/// and entry i is ((all o group row) o group lane) o (((tile o warp) o row) o lane), where o combines. The total is that of the
/// last tile with its result. Entries beyond the last one are the identity, tiles beyond the last one, too. Example: doubles have
/// rows of 64, warps of 256 and tiles of 2048 entries; entry 5000 is in group 0, tile 2, warp 3, row 2, lane 4.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kScanLanes = 32, kTileWarps = 8;
/// Bytes of an entry in the memory of a GPU, without the flag of a segment.
template <class T>
inline constexpr std::size_t kStoredBytes = sizeof(T);
template <class T>
inline constexpr int kLaneEntries = kStoredBytes<T> <= 4   ? 4
                                    : kStoredBytes<T> <= 8 ? 2
                                                           : 1;
template <class T>
inline constexpr int kRowEntries = kScanLanes * kLaneEntries<T>;
/// Rows of a warp, so many that a thread of a GPU has their entries in registers.
template <class T>
inline constexpr int kWarpRows = kStoredBytes<T> <= 16 ? 4 : 2;
template <class T>
inline constexpr int kWarpEntries = kWarpRows<T> * kRowEntries<T>;
template <class T>
inline constexpr std::int64_t kOrderedTile = kTileWarps * kWarpEntries<T>;
inline constexpr int kGroupRows = 8, kGroupTiles = kGroupRows * kScanLanes;

/// Returns the number of tiles of n entries.
template <class T>
[[nodiscard]] constexpr std::int64_t ordered_tiles(std::int64_t n) {
  return n / kOrderedTile<T> + (n % kOrderedTile<T> != 0 ? 1 : 0);
}

/// Bytes in the memory of a GPU of a value of type T that blocks publish for each other: 32 bits of it for each 8
/// (published.cuh).
template <class T>
inline constexpr std::size_t kPublishedBytes = sizeof(T) <= 4 ? 8 : (sizeof(T) + 7) / 8 * 16;
/// Bytes of the counter of tiles before these values, with padding to their alignment.
inline constexpr std::size_t kCounterBytes = 16;

/// The entries of a vector in the arithmetic of T.
template <class In, class T>
struct LoadEntry {
  const In* in;
  WEFT_HD T operator()(std::int64_t i) const { return static_cast<T>(in[i]); }
};

/// Stores the results of a scan.
template <class T>
struct StoreEntry {
  T* out;
  WEFT_HD void operator()(std::int64_t i, const T& value) const { out[i] = value; }
};

/// A row of 32 lanes of kCount entries each.
template <class T, int kCount>
struct ScanRow {
  T entry[kScanLanes][kCount];  ///< combined from left to right within the lane
  T lane[kScanLanes];           ///< combined entries of the lanes up to this one

  /// Combines load(0) ... load(32 * kCount - 1).
  template <class Load, class Combine>
  ScanRow(const Load& load, const Combine& combine) {
    for (int l = 0; l < kScanLanes; ++l) {
      for (int k = 0; k < kCount; ++k) {
        const T loaded = load(l * kCount + k);
        entry[l][k] = k == 0 ? loaded : combine(entry[l][k - 1], loaded);
      }
      lane[l] = entry[l][kCount - 1];
    }
    for (int apart = 1; apart < kScanLanes; apart *= 2) {
      for (int l = kScanLanes - 1; l >= apart; --l) lane[l] = combine(lane[l - apart], lane[l]);
    }
  }
  /// Calls store(i, prefix) for the first `count` entries, where prefix has `before` and the entries of the row before entry i.
  template <bool kInclusive, class Store, class Combine>
  void store_prefixes(int count, const T& before, const T& identity, const Store& store, const Combine& combine) const {
    for (int l = 0; l < kScanLanes; ++l) {
      const T before_lane = combine(before, l == 0 ? identity : lane[l - 1]);
      for (int k = 0; k < kCount; ++k) {
        if (l * kCount + k >= count) return;
        if constexpr (kInclusive) {
          store(l * kCount + k, combine(before_lane, entry[l][k]));
        } else {
          store(l * kCount + k, k == 0 ? before_lane : combine(before_lane, entry[l][k - 1]));
        }
      }
    }
  }
  [[nodiscard]] const T& all() const { return lane[kScanLanes - 1]; }
};

/// Calls store(i, prefix), or store(i, prefix, total) where that is what `store` takes.
template <class T, class Store>
void store_prefix(const Store& store, std::int64_t i, const T& prefix, const T& total) {
  if constexpr (std::invocable<const Store&, std::int64_t, const T&, const T&>) {
    store(i, prefix, total);
  } else {
    store(i, prefix);
  }
}

/// Combines the entries of one tile, and if kEmits passes each of them to store_prefix().
/// @param before  combined entries of the tiles before.  @param total  combined entries of all tiles, for `store`.
template <bool kEmits, bool kInclusive, class T, class Load, class Store, class Combine>
T scan_tile(std::int64_t first, std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine,
            const T& before, const T& total) {
  if constexpr (kIsExact<T, Combine>) {
    T result{};
    for (std::int64_t i = first; i < std::min(first + kOrderedTile<T>, n); ++i) {
      const T prefix = combine(before, result);
      result = combine(result, load(i));
      if constexpr (kEmits) store_prefix(store, i, kInclusive ? combine(before, result) : prefix, total);
    }
    return result;
  } else {
    T tile = identity;
    for (int w = 0; w < kTileWarps; ++w) {
      T warp = identity;
      for (int r = 0; r < kWarpRows<T>; ++r, first += kRowEntries<T>) {
        if (first >= n) {
          warp = combine(warp, identity);
          continue;
        }
        const ScanRow<T, kLaneEntries<T>> row([&](int i) { return first + i < n ? load(first + i) : identity; }, combine);
        if constexpr (kEmits) {
          const auto store_entry = [&](int i, const T& prefix) {
            store_prefix(store, first + i, combine(before, prefix), total);
          };
          row.template store_prefixes<kInclusive>(static_cast<int>(std::min<std::int64_t>(n - first, kRowEntries<T>)),
                                                  combine(tile, warp), identity, store_entry, combine);
        }
        warp = combine(warp, row.all());
      }
      tile = combine(tile, warp);
    }
    return tile;
  }
}

/// Replaces the results of tiles by those of all tiles before each of them.
template <class T, class Combine>
void scan_tiles(T* results, std::int64_t tiles, const T& identity, const Combine& combine) {
  T all = identity;
  for (std::int64_t first = 0; first < tiles;) {
    T rows = identity;
    for (int r = 0; r < kGroupRows && first < tiles; ++r, first += kScanLanes) {
      const ScanRow<T, 1> row([&](int i) { return first + i < tiles ? results[first + i] : identity; }, combine);
      const auto store = [&](int i, const T& before) { results[first + i] = before; };
      row.template store_prefixes<false>(static_cast<int>(std::min<std::int64_t>(tiles - first, kScanLanes)), combine(all, rows),
                                         identity, store, combine);
      rows = combine(rows, row.all());
    }
    all = combine(all, rows);
  }
}

/// Scans load(0) .. load(n-1): passes every prefix to store_prefix() and returns the total, `identity` if n is 0. A tile is
/// loaded twice, and the second time before the entries of its row are stored.
template <bool kInclusive, class T, class Load, class Store, class Combine>
T ordered_scan(std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine, Team& team) {
  const std::int64_t tiles = ordered_tiles<T>(n);
  const auto memory = std::make_unique<T[]>(static_cast<std::size_t>(tiles));
  T* const results = memory.get();
  split(team, tiles, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      results[t] = scan_tile<false, kInclusive>(t * kOrderedTile<T>, n, identity, load, store, combine, identity, identity);
    }
  });
  if (tiles == 0) return identity;
  const T last = results[tiles - 1];
  scan_tiles(results, tiles, identity, combine);
  const T total = combine(results[tiles - 1], last);
  split(team, tiles, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      scan_tile<true, kInclusive>(t * kOrderedTile<T>, n, identity, load, store, combine, results[t], total);
    }
  });
  return total;
}

}  // namespace detail

/// Returns the bytes that an ordered scan of n entries of type T on a GPU takes from the pool of its stream: none for a single
/// tile, otherwise about two entries for each tile. Needs no GPU.
template <class T>
[[nodiscard]] constexpr std::size_t scan_workspace(std::int64_t n) {
  const std::int64_t tiles = detail::ordered_tiles<T>(n), groups = (tiles + detail::kGroupTiles - 1) / detail::kGroupTiles;
  return tiles <= 1 ? 0 : detail::kCounterBytes + static_cast<std::size_t>(tiles + groups) * detail::kPublishedBytes<T>;
}

}  // namespace weft::kernels

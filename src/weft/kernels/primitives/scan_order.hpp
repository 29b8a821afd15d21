#pragma once
/// The order of combination of scans, which hosts and GPUs share, and the memory that a scan on a GPU needs.
///
/// Entries are divided into tiles, a tile into 8 warps, a warp into rows of 128 entries (1 to 8 rows, by the size of an entry),
/// and a row into 32 lanes of 4 entries. Each of the following is exclusive, starts with the identity and has a fixed order:
///
///     lane    entries of the lane                      from left to right
///     row     results of the lanes before              in five steps at distances 1, 2, 4, 8, 16
///     warp    results of the rows of the warp before   from left to right
///     tile    results of the warps before              from left to right
///     all     results of the tiles before              a scan of the results of tiles in this same order
///
/// and entry i is ((((all o tile) o warp) o row) o lane), where o combines. Entries beyond the last one are the identity.
/// Example: doubles have rows of 128, warps of 512 and tiles of 4096 entries; entry 5000 is in tile 1, warp 1, row 3, lane 2.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kScanLanes = 32, kLaneEntries = 4, kRowEntries = kScanLanes * kLaneEntries, kTileWarps = 8;
/// Rows of a warp, so that a thread of a GPU has entries of 128 bytes.
template <class T>
inline constexpr int kWarpRows = sizeof(T) <= 4    ? 8
                                 : sizeof(T) <= 8  ? 4
                                 : sizeof(T) <= 16 ? 2
                                                   : 1;
template <class T>
inline constexpr int kWarpEntries = kWarpRows<T> * kRowEntries;
template <class T>
inline constexpr std::int64_t kOrderedTile = kTileWarps * kWarpEntries<T>;

/// Returns the number of tiles of n entries.
template <class T>
[[nodiscard]] constexpr std::int64_t ordered_tiles(std::int64_t n) {
  return n / kOrderedTile<T> + (n % kOrderedTile<T> != 0 ? 1 : 0);
}

/// Returns the number of results of tiles, on all levels, that a scan on a GPU stores: none for a single tile.
template <class T>
[[nodiscard]] constexpr std::int64_t scan_results(std::int64_t n) {
  std::int64_t results = 0;
  while (n > kOrderedTile<T>) {
    n = ordered_tiles<T>(n);
    results += n + 1;  // and their total
  }
  return results;
}

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
  WEFT_HD void operator()(std::int64_t i, const T& value, const T&) const { out[i] = value; }
};

/// Combines the entries of one tile, and if kEmits calls store(i, prefix, total) for each of them.
/// @param all  combined entries of the tiles before.  @param total  combined entries of all tiles, for `store`.
template <bool kEmits, bool kInclusive, class T, class Load, class Store, class Combine>
T scan_tile(std::int64_t first, std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine,
            const T& all, const T& total) {
  if constexpr (kIsExact<T, Combine>) {
    T result{};
    for (std::int64_t i = first; i < std::min(first + kOrderedTile<T>, n); ++i) {
      const T before = combine(all, result);
      result = combine(result, load(i));
      if constexpr (kEmits) store(i, kInclusive ? combine(all, result) : before, total);
    }
    return result;
  } else {
    T tile = identity;
    for (int w = 0; w < kTileWarps; ++w) {
      const T before_warp = combine(all, tile);
      T warp = identity;
      for (int r = 0; r < kWarpRows<T>; ++r, first += kRowEntries) {
        if (first >= n) {
          warp = combine(warp, identity);
          continue;
        }
        T entry[kScanLanes][kLaneEntries], lane[kScanLanes];
        for (int l = 0; l < kScanLanes; ++l) {
          for (int k = 0; k < kLaneEntries; ++k) {
            const std::int64_t at = first + l * kLaneEntries + k;
            const T loaded = at < n ? load(at) : identity;
            entry[l][k] = k == 0 ? loaded : combine(entry[l][k - 1], loaded);
          }
          lane[l] = entry[l][kLaneEntries - 1];
        }
        for (int apart = 1; apart < kScanLanes; apart *= 2) {
          for (int l = kScanLanes - 1; l >= apart; --l) lane[l] = combine(lane[l - apart], lane[l]);
        }
        if constexpr (kEmits) {
          const T before_row = combine(before_warp, warp);
          for (int l = 0; l < kScanLanes; ++l) {
            const T before_lane = combine(before_row, l == 0 ? identity : lane[l - 1]);
            for (int k = 0; k < kLaneEntries; ++k) {
              const std::int64_t at = first + l * kLaneEntries + k;
              if (at >= n) break;
              if constexpr (kInclusive) {
                store(at, combine(before_lane, entry[l][k]), total);
              } else {
                store(at, k == 0 ? before_lane : combine(before_lane, entry[l][k - 1]), total);
              }
            }
          }
        }
        warp = combine(warp, lane[kScanLanes - 1]);
      }
      tile = combine(tile, warp);
    }
    return tile;
  }
}

/// Scans load(0) .. load(n-1): calls store(i, prefix, total) for every i and returns the total, `identity` if n is 0. A tile is
/// loaded twice, and the second time before the entries of its row are stored.
template <bool kInclusive, class T, class Load, class Store, class Combine>
T ordered_scan(std::int64_t n, const T& identity, const Load& load, const Store& store, const Combine& combine, Team& team) {
  const std::int64_t tiles = ordered_tiles<T>(n);
  const auto combine_tile = [&](std::int64_t t) {
    return scan_tile<false, kInclusive>(t * kOrderedTile<T>, n, identity, load, store, combine, identity, identity);
  };
  const auto store_tile = [&](std::int64_t t, const T& before, const T& total) {
    scan_tile<true, kInclusive>(t * kOrderedTile<T>, n, identity, load, store, combine, before, total);
  };
  if (tiles == 0) return identity;
  if (tiles == 1) {
    const T total = combine_tile(0);
    store_tile(0, identity, total);
    return total;
  }
  const auto memory = std::make_unique<T[]>(tiles);
  T* const results = memory.get();
  split(team, tiles, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) results[t] = combine_tile(t);
  });
  const T total =
      ordered_scan<false>(tiles, identity, LoadEntry<T, T>{results}, StoreEntry<T>{results}, combine, calling_thread());
  split(team, tiles, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) store_tile(t, results[t], total);
  });
  return total;
}

}  // namespace detail

/// Returns the bytes that an ordered scan of n entries of type T on a GPU takes from the pool of its stream: about one entry for
/// each tile. Needs no GPU.
template <class T>
[[nodiscard]] constexpr std::size_t scan_workspace(std::int64_t n) {
  return static_cast<std::size_t>(detail::scan_results<T>(n)) * sizeof(T);
}

}  // namespace weft::kernels

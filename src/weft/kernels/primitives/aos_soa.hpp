#pragma once
/// Conversion between arrays of structures (AoS, the entries of a row are adjacent) and structures of arrays (SoA, the rows of a
/// component are adjacent). aos_soa.cuh has overloads for GPUs.
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// Returns true if one side has rows * width entries and the other one `width` components of `stride` >= rows entries.
[[nodiscard]] constexpr bool is_aos_and_soa(std::size_t aos, std::size_t soa, std::int64_t rows, std::int64_t width,
                                            std::int64_t stride) {
  if (rows < 0 || width <= 0 || stride < rows) return false;
  const auto components = static_cast<std::size_t>(width);
  return aos % components == 0 && aos / components == static_cast<std::size_t>(rows) && soa % components == 0 &&
         soa / components == static_cast<std::size_t>(stride);
}

/// Calls move(row, component) for all entries, by blocks of rows that fit in a cache.
template <class Move>
void for_entries_by_component(std::int64_t rows, std::int64_t width, Team& team, const Move& move) {
  constexpr std::int64_t kRows = 256;
  split(team, rows, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += kRows) {
      const std::int64_t last = std::min(first + kRows, end);
      for (std::int64_t c = 0; c < width; ++c) {
        for (std::int64_t row = first; row < last; ++row) move(row, c);
      }
    }
  });
}

}  // namespace detail

/// Converts `rows` rows of `width` entries: soa[c * stride + i] = aos[i * width + c]. Entries of `soa` beyond the rows of a
/// component are unchanged. Example: rows {1, 2}, {3, 4}, {5, 6} and stride 4 give {1, 3, 5, x, 2, 4, 6, x}.
/// @pre width > 0, stride >= rows; `aos` has rows * width and `soa` width * stride entries; no overlap (checked in every build).
/// @cost O(rows width).
template <class T>
void aos_to_soa(std::span<const T> aos, std::int64_t rows, std::int64_t width, std::int64_t stride, std::span<T> soa,
                Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(aos, soa, "aos and soa of aos_to_soa");
  detail::for_entries_by_component(rows, width, team,
                                   [&](std::int64_t i, std::int64_t c) { soa[c * stride + i] = aos[i * width + c]; });
}

/// Converts back: aos[i * width + c] = soa[c * stride + i]. @pre, @cost as aos_to_soa().
template <class T>
void soa_to_aos(std::span<const T> soa, std::int64_t rows, std::int64_t width, std::int64_t stride, std::span<T> aos,
                Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::is_aos_and_soa(aos.size(), soa.size(), rows, width, stride));
  detail::refuse_overlap(soa, aos, "soa and aos of soa_to_aos");
  detail::for_entries_by_component(rows, width, team,
                                   [&](std::int64_t i, std::int64_t c) { aos[i * width + c] = soa[c * stride + i]; });
}

}  // namespace weft::kernels

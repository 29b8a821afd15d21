#pragma once
/// Checks for segments of consecutive entries.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::kernels::detail {

/// Returns true if the offsets divide n entries into segments, of which any may be empty: they ascend from 0 to n.
[[nodiscard]] inline bool are_segments(std::span<const std::int64_t> offsets, std::size_t n) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(n) &&
         std::is_sorted(offsets.begin(), offsets.end());
}

}  // namespace weft::kernels::detail

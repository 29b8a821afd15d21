#pragma once
/// Merging and merge sort with a team of threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels::detail {

/// Returns how many of the first `count` entries of the merged sequence of `a` and `b` come from `a`. Of equal entries those of
/// `a` precede. Kernels call it, too. (O. Green, R. McColl and D. A. Bader, GPU Merge Path, ICS 2012.)
template <class T, class Less>
[[nodiscard]] constexpr std::size_t merge_path(std::span<const T> a, std::span<const T> b, std::size_t count, const Less& less) {
  std::size_t low = count > b.size() ? count - b.size() : 0, high = std::min(count, a.size());
  while (low < high) {
    const std::size_t from_a = low + (high - low) / 2;
    if (less(b[count - from_a - 1], a[from_a])) {
      high = from_a;
    } else {
      low = from_a + 1;
    }
  }
  return low;
}

/// Sorts by `less`, a strict weak order without equivalent entries that differ. The result is that of std::sort. Each thread
/// sorts a part of the entries; rounds of merging follow, in each of which all threads merge an equal share of every pair of
/// parts.
template <class T, class Less>
void merge_sort(std::span<T> entries, const Less& less, Team& team) {
  constexpr std::size_t kSmallest = 1 << 14;
  const std::size_t n = entries.size();
  if (team.size() == 1 || n < kSmallest) return std::sort(entries.begin(), entries.end(), less);
  const auto threads = static_cast<std::size_t>(team.size());
  const std::size_t part = (n + threads - 1) / threads;
  const auto bound = [&](std::size_t parts) { return std::min(parts * part, n); };
  team.run([&](int thread) noexcept {
    const auto t = static_cast<std::size_t>(thread);
    const std::span<T> own = entries.subspan(bound(t), bound(t + 1) - bound(t));
    std::sort(own.begin(), own.end(), less);
  });
  std::vector<T> buffer(entries.begin(), entries.end());
  std::span<T> from = entries, to = buffer;
  for (std::size_t parts = 1; parts < threads; parts *= 2) {
    team.run([&](int thread) noexcept {
      for (std::size_t p = 0; p < threads; p += 2 * parts) {
        const std::size_t first = bound(p), middle = bound(p + parts), last = bound(p + 2 * parts);
        const std::span<const T> a = from.subspan(first, middle - first), b = from.subspan(middle, last - middle);
        const std::size_t begin = (last - first) * static_cast<std::size_t>(thread) / threads;
        const std::size_t end = (last - first) * (static_cast<std::size_t>(thread) + 1) / threads;
        const std::size_t a_begin = merge_path(a, b, begin, less), a_end = merge_path(a, b, end, less);
        std::merge(a.data() + a_begin, a.data() + a_end, b.data() + (begin - a_begin), b.data() + (end - a_end),
                   to.data() + first + begin, less);
      }
    });
    std::swap(from, to);
  }
  if (from.data() != entries.data()) {
    split(team, static_cast<std::int64_t>(n), 1, [&](std::int64_t begin, std::int64_t end) {
      std::copy(from.data() + begin, from.data() + end, entries.data() + begin);
    });
  }
}

}  // namespace weft::kernels::detail

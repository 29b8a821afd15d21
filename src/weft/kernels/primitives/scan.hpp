#pragma once
/// Prefix sums.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"

namespace weft::kernels {

/// Computes out[i] = in[0] + ... + in[i-1], added from left to right in the arithmetic of Out, and returns the total. `out` may
/// be `in`.
/// @pre equal sizes. @cost O(n).
template <class In, class Out>
Out exclusive_scan(std::span<const In> in, std::span<Out> out) {
  WEFT_EXPECTS(in.size() == out.size());
  Out total{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Out value = static_cast<Out>(in[i]);
    out[i] = total;
    total = static_cast<Out>(total + value);
  }
  return total;
}

/// Computes out[i] = in[0] + ... + in[i] and returns the total; otherwise as exclusive_scan().
template <class In, class Out>
Out inclusive_scan(std::span<const In> in, std::span<Out> out) {
  WEFT_EXPECTS(in.size() == out.size());
  Out total{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    total = static_cast<Out>(total + static_cast<Out>(in[i]));
    out[i] = total;
  }
  return total;
}

/// Returns the counts.size() + 1 offsets of a CSR array: the start of each of counts.size() consecutive segments, then the total.
/// Example: counts {2, 0, 1} give {0, 2, 2, 3}.
template <class Integer>
[[nodiscard]] std::vector<std::int64_t> offsets_of(std::span<const Integer> counts) {
  std::vector<std::int64_t> offsets(counts.size() + 1);
  offsets.back() = exclusive_scan(counts, std::span(offsets).first(counts.size()));
  return offsets;
}

}  // namespace weft::kernels

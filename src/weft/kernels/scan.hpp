#pragma once
/// Prefix sums.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"

namespace weft::kernels {

/// out[i] = in[0] + ... + in[i-1], added in order in Out's arithmetic; returns the sum of all. `out` may be `in`.
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

/// out[i] = in[0] + ... + in[i]; otherwise as exclusive_scan.
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

/// Where each of counts.size() consecutive segments starts, and at the end the total: counts.size() + 1 offsets, as a CSR array
/// has them.
template <class Integer>
[[nodiscard]] std::vector<std::int64_t> offsets_of(std::span<const Integer> counts) {
  std::vector<std::int64_t> offsets(counts.size() + 1);
  offsets.back() = exclusive_scan(counts, std::span(offsets).first(counts.size()));
  return offsets;
}

}  // namespace weft::kernels

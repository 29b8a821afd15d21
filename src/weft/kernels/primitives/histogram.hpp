#pragma once
/// Histograms. histogram.cuh has an overload for GPUs.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// Counts for each bin b of 0 .. counts.size()-1 the indices i of 0 .. n-1 with bin_of(i) == b. Indices with any other bin, such
/// as a negative one, are not counted. Example: bins {2, 0, 2, -1} and three counts give {1, 0, 2}.
/// @param bin_of  returns an integer. @pre n >= 0. @cost O(n + bins); with more than one thread, counts for each of them.
template <class Bin>
void histogram(std::int64_t n, const Bin& bin_of, std::span<std::int64_t> counts, Team& team = calling_thread()) {
  WEFT_EXPECTS(n >= 0);
  const std::size_t bins = counts.size();
  const auto count = [&](std::int64_t begin, std::int64_t end, std::int64_t* to) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto bin = static_cast<std::uint64_t>(bin_of(i));
      if (bin < bins) ++to[bin];
    }
  };
  std::fill(counts.begin(), counts.end(), 0);
  const auto threads = static_cast<std::size_t>(team.size());
  if (threads == 1 || n < static_cast<std::int64_t>(bins)) return count(0, n, counts.data());
  std::vector<std::int64_t> partial(bins * threads, 0);
  team.run([&](int thread) noexcept {
    const std::int64_t share = n / team.size() + 1;
    count(std::min(thread * share, n), std::min((thread + 1) * share, n),
          partial.data() + static_cast<std::size_t>(thread) * bins);
  });
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t b = 0; b < bins; ++b) counts[b] += partial[t * bins + b];
  }
}

}  // namespace weft::kernels

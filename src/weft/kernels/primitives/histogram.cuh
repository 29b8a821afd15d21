#pragma once
/// Histograms on a GPU, for .cu files.
#include <algorithm>
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/histogram.hpp"
#include "weft/kernels/primitives/providers.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kHistogramThreads = 512;
/// Bins up to which each block counts in shared memory, of which 48 kB are available everywhere.
inline constexpr int kSharedBins = 8192;

/// Counts in the shared memory of each block, then adds to `counts`.
template <class Bin>
__global__ void __launch_bounds__(kHistogramThreads)
    histogram_kernel(std::int64_t n, const Bin bin_of, unsigned bins, unsigned long long* counts) {
  extern __shared__ unsigned shared_counts[];
  for (unsigned b = threadIdx.x; b < bins; b += kHistogramThreads) shared_counts[b] = 0;
  trigger_dependent_launch();
  grid_dependency_sync();
  __syncthreads();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kHistogramThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kHistogramThreads + threadIdx.x; i < n; i += stride) {
    const auto bin = static_cast<std::uint64_t>(bin_of(i));
    if (bin < bins) atomicAdd(shared_counts + bin, 1U);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += kHistogramThreads) {
    if (shared_counts[b] != 0) atomicAdd(counts + b, static_cast<unsigned long long>(shared_counts[b]));
  }
}

/// Counts in `counts` directly.
template <class Bin>
__global__ void __launch_bounds__(kHistogramThreads)
    large_histogram_kernel(std::int64_t n, const Bin bin_of, std::uint64_t bins, unsigned long long* counts) {
  trigger_dependent_launch();
  grid_dependency_sync();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kHistogramThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kHistogramThreads + threadIdx.x; i < n; i += stride) {
    const auto bin = static_cast<std::uint64_t>(bin_of(i));
    if (bin < bins) atomicAdd(counts + bin, 1ULL);
  }
}

}  // namespace detail

/// Counts in stream order, as on the host; `counts` is memory accessible to the current GPU. Counts are integers, so that the
/// order of the additions does not matter. @param bin_of  with a WEFT_HD operator.
/// @pre 0 <= n < 2^40; a stream of the current GPU. @cost one call of bin_of for each index; up to 8192 bins one atomic addition
/// in shared memory each, beyond in global memory. No workspace. @throws DeviceError where a launch is rejected; LimitError by
/// Provider::library for 2^31 - 1 bins or more.
template <Provider kProvider = Provider::automatic, class Bin>
void histogram(space::cuda, Stream& stream, std::int64_t n, const Bin& bin_of, std::span<std::int64_t> counts) {
  WEFT_EXPECTS(!stream.is_host() && n >= 0 && n < std::int64_t{1} << 40);
  if (counts.empty()) return;
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::histogram, 0);
  if constexpr (kChosen == Provider::library) {
    return detail::Implementation<Primitive::histogram, kChosen>::run(stream, n, bin_of, counts);
  }
  set_bytes(stream, counts.data(), 0, counts.size_bytes());
  if (n == 0) return;
  auto* const to = reinterpret_cast<unsigned long long*>(counts.data());
  const std::int64_t most = (n + detail::kHistogramThreads - 1) / detail::kHistogramThreads;
  if (counts.size() <= detail::kSharedBins) {
    const std::size_t bytes = counts.size() * sizeof(unsigned);
    const auto kernel = detail::histogram_kernel<Bin>;
    const std::int64_t blocks = std::min<std::int64_t>(most, resident_blocks(kernel, detail::kHistogramThreads, bytes));
    launch(stream, "histogram", {.blocks = blocks, .threads = detail::kHistogramThreads, .shared_memory = bytes}, kernel, n,
           bin_of, static_cast<unsigned>(counts.size()), to);
  } else {
    const auto kernel = detail::large_histogram_kernel<Bin>;
    const std::int64_t blocks = std::min<std::int64_t>(most, resident_blocks(kernel, detail::kHistogramThreads));
    launch(stream, "histogram", {.blocks = blocks, .threads = detail::kHistogramThreads}, kernel, n, bin_of,
           static_cast<std::uint64_t>(counts.size()), to);
  }
}

}  // namespace weft::kernels

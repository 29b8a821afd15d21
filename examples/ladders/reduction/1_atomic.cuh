#pragma once
/// Step 1: one atomic addition per entry.
///
/// The shortest correct sum. nvcc adds the 32 entries of a warp first (REDUX), so that one addition per warp goes to the L2
/// cache. All of them have the same address, and the slice that has it completes one per clock.
///
/// Predicted: 2^26 entries are 2.1 M additions, 1.2 ms at 1.7 GHz, against 0.063 ms for reading them at the rate of a
/// copy: 5% of that rate.
/// Measured on an H100: 5.4% of copy.
#include "../ladder.cuh"

namespace ladder {

using SumStep = Step<std::span<const std::uint32_t>, std::uint32_t*>;
constexpr int kSumThreads = 256;

static __global__ void __launch_bounds__(kSumThreads)
    atomic_sum_kernel(const std::uint32_t* in, std::int64_t n, std::uint32_t* result) {
  weft::grid_dependency_sync();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
  if (i < n) atomicAdd(result, in[i]);
}

/// Launches a kernel with one thread per entry, which adds to `*result`.
inline void launch_sum(weft::Stream& stream, void (*kernel)(const std::uint32_t*, std::int64_t, std::uint32_t*),
                       std::span<const std::uint32_t> in, std::uint32_t* result) {
  const auto n = static_cast<std::int64_t>(in.size());
  weft::set_bytes(stream, result, 0, sizeof *result);
  weft::launch(stream, "sum", {.blocks = (n + kSumThreads - 1) / kSumThreads, .threads = kSumThreads}, kernel, in.data(), n,
               result);
}

constexpr SumStep kAtomicSum{"1 atomic addition per entry", 0.05,
                             [](weft::Stream& stream, std::span<const std::uint32_t> in, std::uint32_t* result) {
                               launch_sum(stream, atomic_sum_kernel, in, result);
                             }};

}  // namespace ladder

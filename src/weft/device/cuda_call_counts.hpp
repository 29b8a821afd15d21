#pragma once
/// Counters of CUDA operations requested by the host, for tests that an operation does not wait, allocate or launch.
#include <cstdint>

namespace weft::detail {

/// Numbers of CUDA operations.
struct CudaCallCounts {
  std::int64_t kernels = 0;  ///< kernel launches, including those captured in a graph
  std::int64_t graphs = 0;   ///< graph launches
  std::int64_t allocations = 0;
  std::int64_t copies = 0;  ///< copies and memory sets enqueued in streams
  std::int64_t waits = 0;   ///< waits of the host for a stream, an event or a GPU

  friend CudaCallCounts operator-(const CudaCallCounts& a, const CudaCallCounts& b) {
    return {a.kernels - b.kernels, a.graphs - b.graphs, a.allocations - b.allocations, a.copies - b.copies, a.waits - b.waits};
  }
};

/// Returns the counters since the start of the process. Not thread-safe: one thread of a process uses GPUs.
[[nodiscard]] inline CudaCallCounts& cuda_call_counts() {
  static CudaCallCounts work;
  return work;
}

}  // namespace weft::detail

#pragma once
/// What the host has asked of CUDA, counted: for tests of what must not wait, allocate or launch.
#include <cstdint>

namespace weft::detail {

struct HostWork {
  std::int64_t kernels = 0;  ///< launches, those of kernels in a graph that is being captured included
  std::int64_t graphs = 0;   ///< launches
  std::int64_t allocations = 0;
  std::int64_t copies = 0;  ///< put into streams; memory set, too
  std::int64_t waits = 0;   ///< of the host, for a stream, an event or a GPU

  friend HostWork operator-(const HostWork& a, const HostWork& b) {
    return {a.kernels - b.kernels, a.graphs - b.graphs, a.allocations - b.allocations, a.copies - b.copies, a.waits - b.waits};
  }
};

/// Since the process began. By the thread that uses GPUs, of which a process has one.
[[nodiscard]] inline HostWork& host_work() {
  static HostWork work;
  return work;
}

}  // namespace weft::detail

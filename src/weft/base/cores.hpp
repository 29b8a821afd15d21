#pragma once
/// The cores that this process may use.

namespace weft {

/// Returns the number of hardware threads in the CPU affinity mask of the calling thread, at least 1, or in the share of a rank
/// whose threads are bound (ThreadBinding). mpirun, batch systems and containers restrict this mask, and
/// std::thread::hardware_concurrency() need not respect it.
[[nodiscard]] int usable_cores();

}  // namespace weft

#pragma once
/// The cores that this process may use.

namespace weft {

/// Returns the number of hardware threads that the calling thread may run on: those of its CPU affinity, which mpirun, batch
/// systems and containers restrict, and which std::thread::hardware_concurrency() does not look at. At least 1.
[[nodiscard]] int usable_cores();

}  // namespace weft

#pragma once
/// The cores of the threads of all ranks on a machine.
#include "weft/comm/communicator.hpp"

namespace weft {

/// Returns true if each of `threads` threads of each rank on this machine has a core of its own, as far as this process can know:
/// then a waiting thread may poll, otherwise it would take time from working ones.  @collective
[[nodiscard]] bool each_thread_has_core(const Communicator& comm, int threads);

}  // namespace weft

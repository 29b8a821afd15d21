#include "weft/comm/thread_cores.hpp"

#include <unistd.h>

#include "weft/base/cores.hpp"
#include "weft/comm/environment.hpp"

namespace weft {

bool each_thread_has_core(const Communicator& comm, int threads) {
  const long of_machine = sysconf(_SC_NPROCESSORS_ONLN);
  return long{comm.split_shared_memory().size()} * threads <= of_machine && threads <= usable_cores() &&
         !MpiEnvironment::yields_when_idle();
}

}  // namespace weft

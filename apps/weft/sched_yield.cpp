// Replaces sched_yield() of the C library in the weft program and in the tests. Open MPI calls it between its polls where waiting
// ranks yield (mpi_yield_when_idle): blocking calls then leave the core as the exchanges of the library do. A call outside of a
// BlockingCall never sleeps.
#include <sched.h>

#include "weft/base/back_off.hpp"

extern "C" int sched_yield() noexcept {
  weft::yield_in_call();
  return 0;
}

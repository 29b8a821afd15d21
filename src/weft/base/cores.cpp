#include "weft/base/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

namespace weft {

int usable_cores() {
  // The system rejects a set smaller than its own (EINVAL) and does not report the size, so the set is doubled until it fits.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> cores(sets);
    if (sched_getaffinity(0, sets * sizeof(cpu_set_t), cores.data()) == 0) {
      return std::max(1, CPU_COUNT_S(sets * sizeof(cpu_set_t), cores.data()));
    }
    if (errno != EINVAL) break;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace weft

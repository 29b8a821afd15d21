#include "weft/base/resident_memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace weft {

double resident_bytes() {
  malloc_trim(0);
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE));
}

}  // namespace weft

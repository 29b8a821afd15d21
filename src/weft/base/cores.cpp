#include "weft/base/cores.hpp"

#include <algorithm>
#include <thread>

#include "weft/base/thread_binding.hpp"

namespace weft {

int usable_cores() {
  if (const int bound = ThreadBinding::cores(); bound > 0) return bound;
  const auto permitted = static_cast<int>(affinity().size());
  return permitted > 0 ? permitted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace weft

#include "weft/base/id.hpp"

#include <fmt/format.h>

#include <limits>

#include "weft/base/error.hpp"

namespace weft {

std::int32_t checked_local(std::int64_t value, const char* what) {
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    throw LimitError(fmt::format("{}: {} does not fit a 32-bit local id", what, value), "use more ranks");
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace weft

#include "weft/array/exchange_memory.hpp"

#include <cstdint>

#include "weft/array/transport/copies.hpp"
#include "weft/array/transport/packed_messages.hpp"

namespace weft {

std::size_t most_exchange_bytes(const GhostPlan& plan, std::size_t row_bytes) {
  std::size_t bytes = 0;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    const std::size_t rows = n.send_rows.size() + static_cast<std::size_t>(n.ghosts.size());
    const std::size_t lists = rows * sizeof(std::int32_t) + 2 * sizeof(detail::CopyPart);
    bytes += rows * row_bytes + 2 * detail::kSectionAlignment + lists;
  }
  return bytes;
}

}  // namespace weft

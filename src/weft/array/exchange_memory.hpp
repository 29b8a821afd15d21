#pragma once
/// The device memory that exchanges will take, before they are created.
#include <cstddef>

#include "weft/array/ghost_plan.hpp"

namespace weft {

/// Returns an upper bound of the device memory, in bytes, that a pull or push of one array takes on this rank, whatever its
/// transport: messages to and from each neighbour, and lists of the rows in them. An exchange of several arrays takes at most the
/// sum.
/// @param row_bytes  of a row of the array.  @cost O(neighbours)
[[nodiscard]] std::size_t most_exchange_bytes(const GhostPlan& plan, std::size_t row_bytes);

}  // namespace weft

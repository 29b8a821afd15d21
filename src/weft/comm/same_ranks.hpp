#pragma once
/// Comparison of communicators.
#include "weft/comm/communicator.hpp"

namespace weft {

/// Returns true if two communicators have the same ranks in the same order. Without communication.
/// @throws CommError if MPI fails.  @pre both are valid()
[[nodiscard]] bool same_ranks(const Communicator& a, const Communicator& b);

}  // namespace weft

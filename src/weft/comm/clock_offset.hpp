#pragma once
/// Differences between the clocks of ranks on several machines.
#include <cstdint>
#include <functional>

#include "weft/comm/communicator.hpp"

namespace weft {

/// A clock in ns.
using Nanoseconds = std::function<std::int64_t()>;

/// Returns the time of this rank's clock minus that of rank 0's at one moment, ns; 0 on rank 0.
///
/// Rank 0 and each other rank in turn exchange the times at which they send: a message is received after it was sent, which
/// bounds the difference from both sides. The result is in the middle of the narrowest bounds; its error is at most the
/// shortest time that a message took, a few us.
/// @collective  @cost 16 messages in each direction between rank 0 and each other rank, one rank after the other.
[[nodiscard]] std::int64_t measure_clock_offset(const Communicator& comm, const Nanoseconds& clock);

/// Returns the time of the steady clock of this rank minus that of rank 0. Ranks of one machine share the clock, so that only
/// one rank of each machine measures. @collective
[[nodiscard]] std::int64_t clock_offset(const Communicator& comm);

}  // namespace weft

#pragma once
/// Rates of the host: of copies in memory and of arithmetic.
#include "weft/base/team.hpp"

namespace weft {

struct HostRates {
  double copy = 0;   ///< bytes/s, read plus written
  double flops = 0;  ///< additions and multiplications of doubles per second, in full SIMD vectors, not fused
};

/// Measures what the threads of a team reach together, each copying arrays of its own: the best of five repetitions.
/// Processes that share a machine measure their shares of it if they call this at the same time.
/// @throws std::bad_alloc for less than 64 MB per thread.  @cost 64 MB per thread and about 0.1 s; no communication.
[[nodiscard]] HostRates measure_host_rates(Team& team);

}  // namespace weft

#pragma once
/// Teams of one to four threads for tests of host primitives.
#include "weft/base/team.hpp"

#include "support/sanitized.hpp"

namespace weft::kernels::test {

/// Calls check(team) for teams of 1, 2, 3 and 4 threads; with sanitizers of 1 and 3.
template <class Check>
void for_teams(const Check& check) {
  for (int threads = 1; threads <= 4; threads += full_or_sanitized(1, 2)) {
    Team team(threads);
    check(team);
  }
}

}  // namespace weft::kernels::test

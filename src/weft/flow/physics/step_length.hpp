#pragma once
/// How long a step is: the host's and the GPU's answer to the same numbers is the same to the last bit.
#include "weft/flow/physics/math.hpp"

namespace weft::flow::detail {

/// Whether `time` has come to `event`, up to rounding.
[[nodiscard]] WEFT_HD constexpr bool reached(double time, double event) { return time >= event * (1 - 1e-13); }

/// The most that a step may take of what remains: two equal steps rather than a whole one and a sliver. `stable` is the longest
/// stable step of the least stable cell; with local time steps each cell limits itself.
[[nodiscard]] WEFT_HD constexpr double step_limit(double remaining, double stable, bool local) {
  return !local && remaining < 2 * stable && remaining > stable ? 0.5 * remaining : remaining;
}

/// The length that cells are given.
[[nodiscard]] WEFT_HD constexpr double step_length(double limit, double stable, bool local) {
  return local ? limit : lesser(stable, limit);
}

}  // namespace weft::flow::detail

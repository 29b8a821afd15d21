#pragma once
/// The length of a step, computed bitwise equally on host and GPU.
#include "weft/flow/physics/math.hpp"

namespace weft::flow::detail {

/// Returns whether `time` has reached `event`, up to rounding.
[[nodiscard]] WEFT_HD constexpr bool reached(double time, double event) { return time >= event * (1 - 1e-13); }

/// Returns the largest part of the remaining time that a step may take: two equal steps instead of one stable step and a very
/// short one. `stable` is the smallest stable step of all cells; with local time steps each cell limits its own.
[[nodiscard]] WEFT_HD constexpr double step_limit(double remaining, double stable, bool local) {
  return !local && remaining < 2 * stable && remaining > stable ? 0.5 * remaining : remaining;
}

/// Returns the length of a step; with local time steps, before the limits of the cells.
[[nodiscard]] WEFT_HD constexpr double step_length(double limit, double stable, bool local) {
  return local ? limit : lesser(stable, limit);
}

}  // namespace weft::flow::detail

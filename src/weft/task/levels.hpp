#pragma once
/// Priorities of nodes by the costs of tasks.
#include <cstdint>
#include <vector>

#include "weft/task/schedule.hpp"

namespace weft::task {

inline constexpr std::uint8_t kLevels = 16;

/// Returns, by node, the level of its remaining time: 0 for the longest, up to kLevels - 1. The remaining time is the largest sum
/// of costs along a path from the node to the end. Empty if no node has a cost.
///
/// Example: a (3 s) and b (1 s) precede c (1 s): the remaining times are 4, 2 and 1 s, the levels 0, 8 and 12.
/// @cost O(nodes + dependencies)
[[nodiscard]] std::vector<std::uint8_t> levels(const Stage& stage);

}  // namespace weft::task

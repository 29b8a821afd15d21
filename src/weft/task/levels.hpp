#pragma once
/// Priorities of nodes: by the communication that waits for them, and by the costs of tasks.
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

/// Most different urgencies of urgent nodes of a stage.
inline constexpr int kUrgencies = 8;

/// Sets the urgency of the nodes of a stage, and sorts the successors of each node by it; those of equal urgency keep their
/// order.
///
/// The nodes of the host that precede the first communication, directly or through others, have urgency 0, those that precede the
/// next one but not the first have urgency 1, and so on; those that no communication waits for come last. Nodes of the
/// largest urgency of a stage are not urgent: they use the list of all other nodes, even if communication waits for them, because
/// there is nothing that they could precede. If there were more than kUrgencies others, successive ones are one.
///
/// Example: task a precedes a pull, b and c precede a reduction after it, c follows the pull; d precedes neither: the urgencies
/// of a, b, c and d are 0, 1, 1 and 2, and a has successors in the order start, b, d. Without d nothing is less urgent than b.
/// @pre stage.urgency is empty; the nodes are in an order that respects the dependencies.  @cost O(nodes + dependencies), sorted
void set_urgency(Stage& stage);

/// Returns the number of urgencies of urgent nodes; 0 if no node is urgent.
[[nodiscard]] int urgencies(const Stage& stage);

}  // namespace weft::task

#pragma once
/// Segments: the work of a device between two nodes of the host, which is launched together.
#include <vector>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// A stage in which each segment is one node of Kind::segment.
struct SegmentedStage {
  Stage stage;
  std::vector<std::vector<int>> segments;  ///< by Node::index: nodes of the original stage, in their order
  std::vector<int> original{};             ///< by node: its number in the original stage; -1 for a segment
};

/// Joins the tasks of a device that follow the same nodes of other kinds and that the same ones follow, so that none starts later
/// and nothing waits longer. If nothing else is in the stage, it becomes one segment.
///
/// The segments have no cycle: along an edge between tasks the set of such predecessors can only grow, and that of successors
/// only shrink, so that on a cycle both are equal and its tasks are in one segment.
/// @param exchanges  exchanges of the device are part of segments too: if the stage contains nothing but work of the device.
/// @cost O(nodes times nodes that are in no segment) / 64; O(nodes) without tasks of a device.
[[nodiscard]] SegmentedStage join_segments(const Stage& stage, bool exchanges);

/// Returns true if all nodes are tasks or exchanges of a device.
[[nodiscard]] bool is_of_device(const Stage& stage);

}  // namespace weft::task

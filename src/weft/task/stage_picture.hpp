#pragma once
/// Pictures of compiled task graphs.
#include <string>
#include <string_view>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// Returns the nodes of a stage as SVG. A node is in the column after the last of those that it waits for, and in the row of the
/// place that executes it: the threads, the thread that communicates (MPI), or a stream of a device. Arrows are dependencies,
/// except those that follow from others. Inserted nodes have a colour of their own; the title of a node, which browsers show at
/// the pointer, is its name and the reason why it was inserted.
/// @cost O(nodes * arrows)
[[nodiscard]] std::string stage_svg(const Stage& stage, std::string_view title);

}  // namespace weft::task

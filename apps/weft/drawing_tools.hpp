#pragma once
/// The drawing tools: Python modules of tools/weftplot, which `weft plot`, `weft report` and `weft mesh info --picture` start.
#include <string>
#include <vector>

#include "command.hpp"

namespace weft::app {

/// Replaces this process by the drawing tools. Returns only on other ranks than 0, and where they cannot be started, with a
/// message.
/// @param words  the command of the tools (plot or report) and its arguments
Exit become_drawing_tool(std::vector<std::string> words);

/// Runs the drawing tools in a process of its own and waits for its end. Their messages go to the streams of this process.
/// @return failed where they cannot be started or their exit code is not 0
Exit run_drawing_tool(std::vector<std::string> words);

}  // namespace weft::app

#pragma once
/// Start of the drawing tools, the Python package weft.plot (python/weft/plot), for `weft plot`, `weft report`, and the pictures
/// of `weft mesh info` and `weft bench kernels`.
#include <string>
#include <vector>

#include "command.hpp"

namespace weft::app {

/// Replaces this process by the drawing tools. Returns, with a message, only on ranks other than 0 or if they cannot be
/// started.
/// @param words  the command of the tools (plot, report or kernels) and its arguments
Exit become_drawing_tool(std::vector<std::string> words);

/// Runs the drawing tools in a separate process and waits for its end. Their messages go to the streams of this process.
/// @return failed if they cannot be started or their exit code is not 0
Exit run_drawing_tool(std::vector<std::string> words);

}  // namespace weft::app

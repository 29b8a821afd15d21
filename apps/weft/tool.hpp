#pragma once
/// The drawing tools in Python that lie beside this program: a build links them there, an installation puts them there.
#include <string>
#include <vector>

namespace weft::app {

/// Runs a tool to its end. What it prints goes where our own output goes; where it fails, a warning on standard error says so.
void start_tool(const std::string& name, const std::vector<std::string>& words);

}  // namespace weft::app

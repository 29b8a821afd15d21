#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "launch.hpp"

namespace weft::app {
namespace {

/// The drawing tools are Python, and lie beside this program: a build links them there, an installation puts them there.
Exit run_tool(const std::string& name, std::vector<std::string> words) {
  if (rank_of_environment() != 0) return Exit::done;
  std::error_code failed;
  const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name;
  words.insert(words.begin(), tool.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // which the program ignores
  execv(arguments[0], arguments.data());
  fmt::print(stderr, "weft: error: {}: {}; the tool belongs beside weft: install or build weft again\n", tool.string(),
             errno == ENOENT ? "this tool, or /usr/bin/python3 to run it, is not there" : std::strerror(errno));
  return Exit::failed;
}

}  // namespace

void add_report(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("report", "Write one HTML page about the results of a run");
  command->footer(
      "Examples:\n  weft report results/naca0012\n  weft report results/naca0012 --output page.html");  // of the manual
  command->prefix_command();  // the tool knows its options, --help among them
  command->set_help_flag();
  command->callback(
      [command, &request] { request.without_mpi = [words = command->remaining()] { return run_tool("weft-report", words); }; });
}

}  // namespace weft::app

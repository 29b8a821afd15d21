#include "drawing_tools.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "launch.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // the Python with Debian's h5py, numpy and matplotlib

/// Returns the command line of the tools for execv(). A build links the modules to the location of an installation.
class CommandLine {
 public:
  explicit CommandLine(std::vector<std::string> words) : words_(std::move(words)) {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto modules = (program.parent_path() / WEFT_PYTHON_FROM_PROGRAM / "weft" / "plot").lexically_normal();
    words_.insert(words_.begin(), {kPython, "-B", modules.string()});
    for (std::string& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
    modules_ = modules.string();
  }

  [[nodiscard]] char* const* arguments() const { return arguments_.data(); }
  [[nodiscard]] bool there() const {
    std::error_code failed;
    return std::filesystem::exists(modules_, failed);
  }
  [[nodiscard]] Exit missing() const {
    print_error(fmt::format("weft: error: {}: the drawing tools are not there; install or build weft again\n", modules_));
    return Exit::failed;
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  std::string modules_;
};

Exit not_started(int error) {
  print_error(
      fmt::format("weft: error: {}: cannot be started ({}); drawing needs it: apt-get install python3-matplotlib python3-h5py\n",
                  kPython, std::strerror(error)));
  return Exit::failed;
}

/// @param examples  for the manual page, because the tool answers --help.
void add_tool(CLI::App& app, Request& request, const std::string& name, const std::string& help, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, help);
  command->footer("Examples:\n" + examples);
  command->prefix_command();  // the tool parses its options, including --help
  command->set_help_flag();
  command->callback([command, name, &request] {
    request.without_mpi = [name, words = command->remaining()]() mutable {
      words.insert(words.begin(), name);
      return become_drawing_tool(std::move(words));
    };
  });
}

}  // namespace

Exit become_drawing_tool(std::vector<std::string> words) {
  if (rank_of_environment() != 0) return Exit::done;
  const CommandLine line(std::move(words));
  if (!line.there()) return line.missing();
  execv(line.arguments()[0], line.arguments());
  return not_started(errno);
}

Exit run_drawing_tool(std::vector<std::string> words) {
  const CommandLine line(std::move(words));
  if (!line.there()) return line.missing();
  pid_t process = 0;
  const int error = posix_spawn(&process, line.arguments()[0], nullptr, nullptr, line.arguments(), environ);
  if (error != 0) return not_started(error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Exit::done : Exit::failed;
}

void add_report(CLI::App& app, Request& request) {
  add_tool(app, request, "report", "Write one HTML page about the results of a run",
           "  weft report results/naca0012\n  weft report results/naca0012 --output page.html");
}

void add_plot(CLI::App& app, Request& request) {
  add_tool(app, request, "plot", "Draw the results of a run: fields, walls, histories; as PNG, PDF, SVG, GIF or MP4",
           "  weft plot results/naca0012\n  weft plot results/naca0012 --field mach,schlieren\n"
           "  weft plot results/naca0012 --field pressure --lines 20 --output figure.pdf");
}

}  // namespace weft::app

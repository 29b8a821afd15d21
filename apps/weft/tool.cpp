#include "tool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "standard_output.hpp"

namespace weft::app {

void start_tool(const std::string& name, const std::vector<std::string>& words) {
  std::error_code failed;
  std::string tool = (std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / name).string();
  std::vector<std::string> copies = words;
  std::vector<char*> arguments{tool.data()};
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes{};
  sigset_t defaults{};
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);  // which this program ignores
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  int status = -1;
  if (posix_spawn(&process, tool.c_str(), nullptr, &attributes, arguments.data(), environ) == 0) {
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  }
  posix_spawnattr_destroy(&attributes);
  if (status != 0) print_error(fmt::format("weft: warning: {} drew nothing of {}\n", name, fmt::join(words, " ")));
}

}  // namespace weft::app

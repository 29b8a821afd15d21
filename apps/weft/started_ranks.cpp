#include "started_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace weft::app {
namespace {

/// Environment variable of the ranks with the path of a file in memory, to which each rank of this machine appends the number of
/// its process when it starts.
constexpr const char* kVariable = "WEFT_STARTED";
constexpr const char* kName = "weft-started";

/// Returns true if a path is that of a file created by a launcher of this user: /proc/<pid>/fd/<descriptor>, referring to a
/// file in memory with our name. The environment may come from another user, and on another machine the path refers to
/// another file.
bool is_list(const char* path) {
  long pid = 0, descriptor = 0;
  int length = 0;
  if (std::sscanf(path, "/proc/%ld/fd/%ld%n", &pid, &descriptor, &length) != 2 || path[length] != '\0') return false;
  char target[64] = {};
  struct stat file {};
  return readlink(path, target, sizeof target - 1) > 0 && target == fmt::format("/memfd:{} (deleted)", kName) &&
         stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0 && file.st_uid == geteuid();
}

}  // namespace

int make_list_of_ranks() {
  const int file = memfd_create(kName, MFD_CLOEXEC);
  if (file >= 0) setenv(kVariable, fmt::format("/proc/{}/fd/{}", getpid(), file).c_str(), /*overwrite=*/1);
  return file;
}

void note_start() {
  const char* const list = std::getenv(kVariable);
  if (list == nullptr || !is_list(list)) return;
  const int file = open(list, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const pid_t self = getpid();
  (void)!write(file, &self, sizeof self);
  close(file);
}

std::vector<pid_t> started_ranks(int list) {
  struct stat file {};
  if (fstat(list, &file) != 0) return {};
  std::vector<pid_t> processes(file.st_size / sizeof(pid_t));
  const ssize_t size = pread(list, processes.data(), processes.size() * sizeof(pid_t), 0);
  processes.resize(std::max(size, ssize_t{0}) / sizeof(pid_t));
  return processes;
}

bool request_end(std::span<const pid_t> ranks) {
  bool received = false;
  for (const pid_t rank : ranks) {
    if (executable_of(std::to_string(rank)) != executable_of("self")) continue;  // another process has this number by now
    if (kill(rank, SIGUSR1) == 0) received = true;
  }
  return received;
}

std::string executable_of(const std::string& process) {
  const std::string link = fmt::format("/proc/{}/exe", process);
  std::error_code unknown;
  const std::filesystem::path path = std::filesystem::read_symlink(link, unknown);
  return unknown ? link : path.string();
}

}  // namespace weft::app

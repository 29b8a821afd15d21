#include "started_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

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

constexpr const char* kOwnLink = "/proc/self/exe";

using Path = std::array<char, 4096>;

/// Returns the path of the program of a process; empty if the system does not provide it. Here and below only what signal
/// handlers may call.
std::string_view program_of(const char* link, Path& path) {
  const ssize_t length = readlink(link, path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max(length, ssize_t{0}))};
}

/// Returns true if a process executes the same program as this one: its number may be that of another process by now.
bool executes_this_program(pid_t process) {
  std::array<char, 32> link{};
  char* const end = std::copy_n("/proc/", 6, link.data());
  std::copy_n("/exe", 4, std::to_chars(end, end + 12, process).ptr);
  Path own, other;
  const std::string_view program = program_of(link.data(), other);
  return !program.empty() && program == program_of(kOwnLink, own);
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

int started_ranks(int list) {
  struct stat file {};
  return fstat(list, &file) == 0 ? static_cast<int>(file.st_size / static_cast<off_t>(sizeof(pid_t))) : 0;
}

bool request_end(int list) {
  bool received = false;
  pid_t rank = 0;
  for (off_t at = 0; pread(list, &rank, sizeof rank, at) == sizeof rank; at += sizeof rank) {
    if (executes_this_program(rank) && kill(rank, SIGUSR1) == 0) received = true;
  }
  return received;
}

std::string path_of_program() {
  Path path;
  const std::string_view program = program_of(kOwnLink, path);
  return std::string(program.empty() ? kOwnLink : program);
}

}  // namespace weft::app

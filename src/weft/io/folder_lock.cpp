#include "weft/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is of POSIX
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "weft/base/error.hpp"

namespace weft::io {
namespace {

std::string host_name() {
  utsname machine{};
  uname(&machine);
  return machine.nodename;
}

/// Returns the process that a lock file names, as "<pid> <host>".
struct Holder {
  long pid = 0;
  std::string host;

  [[nodiscard]] std::string text() const { return fmt::format("pid {} on {}", pid, host); }
  [[nodiscard]] bool exists_here() const { return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM; }
};

Holder read_holder(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t count = pread(descriptor, bytes.data(), bytes.size(), 0);
  Holder holder;
  std::istringstream(std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)))) >> holder.pid >>
      holder.host;
  return holder;
}

/// Returns true if other hosts may write to this file.
bool on_network_file_system(int descriptor) {
  // NFS, Lustre, GPFS, Ceph, BeeGFS, SMB 1 and 2, CIFS, AFS, 9P, FUSE (statfs(2)).
  constexpr std::array<std::uint32_t, 11> kNetwork{0x6969,     0x0bd00bd0, 0x47504653, 0x00c36400, 0x19830326, 0x517b,
                                                   0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997, 0x65735546};
  struct statfs system {};
  if (fstatfs(descriptor, &system) != 0) return true;
  return std::find(kNetwork.begin(), kNetwork.end(), static_cast<std::uint32_t>(system.f_type)) != kNetwork.end();
}

/// Returns true if the open file still has this name: the process that held it may have removed it.
bool has_name(int descriptor, const std::filesystem::path& file) {
  struct stat open_file {
  }, named_file{};
  return fstat(descriptor, &open_file) == 0 && stat(file.c_str(), &named_file) == 0 && open_file.st_dev == named_file.st_dev &&
         open_file.st_ino == named_file.st_ino;
}

/// Opens and locks the lock file. @return the descriptor, and whether no other process holds the lock.
std::pair<int, bool> open_and_lock(const std::filesystem::path& file, const std::string& host) {
  constexpr int kTries = 1000;  // each failure means that another run has removed the file, which it does once, at its end
  for (int i = 0; i < kTries; ++i) {
    const int descriptor = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      throw IoError(fmt::format("cannot create this lock file: {}", std::strerror(errno)), "check permissions and free space",
                    Where{.file = file.string()});
    }
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    const bool no_locks = !locked && errno != EWOULDBLOCK && errno != EINTR;
    if (!has_name(descriptor, file)) {
      close(descriptor);
      continue;
    }
    const Holder holder = read_holder(descriptor);
    if (holder.pid == 0) return {descriptor, locked || no_locks};
    if (holder.host != host) return {descriptor, locked && !on_network_file_system(descriptor)};
    return {descriptor, no_locks ? !holder.exists_here() : locked};
  }
  throw IoError("this lock file is replaced each time it is opened", "choose an output.directory on another file system",
                Where{.file = file.string()});
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kFileName) {
  const std::string host = host_name();
  const auto [descriptor, free] = open_and_lock(file_, host);
  const Holder holder = read_holder(descriptor);
  if (!free) {
    close(descriptor);
    const std::string advice = holder.host.empty() || holder.host == host
                                   ? "wait for it to end, or choose another output.directory"
                                   : fmt::format("wait for it to end, or remove {} if it has ended there", file_.string());
    throw InputError(
        fmt::format("this folder is in use by another run ({})", holder.pid == 0 ? "which is starting" : holder.text()), advice,
        {.file = folder.string()});
  }
  if (holder.pid != 0) taken_over_from_ = holder.text();
  const std::string text = fmt::format("{} {}\n", getpid(), host);
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const int reason = errno;
    unlink(file_.c_str());
    close(descriptor);
    throw IoError(fmt::format("cannot write this lock file: {}", std::strerror(reason)),
                  "free disk space, or write to another disk", {.file = file_.string()});
  }
  descriptor_ = descriptor;
}

FolderLock::~FolderLock() {
  unlink(file_.c_str());  // while it is locked, so that a process that has opened it notices the removal
  close(descriptor_);
}

}  // namespace weft::io

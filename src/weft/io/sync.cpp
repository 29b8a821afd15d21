#include "weft/io/sync.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/base/error.hpp"

namespace weft::io::detail {
namespace {

[[noreturn]] void throw_not_opened(const std::filesystem::path& path) {
  throw IoError(fmt::format("cannot open it to sync it to the disk: {}", std::strerror(errno)), "check its permissions",
                Where{.file = path.string()});
}

void sync_and_close(int descriptor, const std::filesystem::path& path) {
  try {
    sync_descriptor(descriptor, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

}  // namespace

void sync_descriptor(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) == 0) return;
  // File systems without sync return EINVAL, ENOSYS or ENOTSUP: only the rename is possible then.
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return;
  throw IoError(fmt::format("cannot sync it to the disk: {}", std::strerror(errno)), "is the disk full?",
                Where{.file = path.string()});
}

void sync_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_not_opened(path);
  sync_and_close(descriptor, path);
}

void sync_parent(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    // EACCES: the directory is writable but not readable. Other errors: file systems (FUSE, SMB) that do not open
    // directories.
    for (const int refused : {EACCES, EPERM, EINVAL, EISDIR, ENOSYS, ENOTSUP}) {
      if (errno == refused) return;
    }
    throw_not_opened(parent);
  }
  sync_and_close(descriptor, parent);
}

}  // namespace weft::io::detail

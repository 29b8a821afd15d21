#include "weft/io/detail/sync.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/base/error.hpp"

namespace weft::io::detail {
namespace {

void open_and_sync(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) {
    throw IoError(fmt::format("cannot open it to bring it to the disk: {}", std::strerror(errno)), "check its permissions",
                  Where{.file = path.string()});
  }
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
  // File systems that cannot sync say EINVAL, ENOSYS or ENOTSUP: the rename alone is then the best there is.
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return;
  throw IoError(fmt::format("cannot bring it to the disk: {}", std::strerror(errno)), "is the disk full?",
                Where{.file = path.string()});
}

void sync_file(const std::filesystem::path& path) { open_and_sync(path, O_RDONLY); }

void sync_parent(const std::filesystem::path& path) {
  open_and_sync(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), O_RDONLY | O_DIRECTORY);
}

}  // namespace weft::io::detail

#include "weft/io/replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/comm/agreement.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

void sync(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  // Some file systems cannot sync (EINVAL, ENOSYS): the rename is still the best there is.
  if (!synced && (reason == EIO || reason == ENOSPC || reason == EDQUOT)) {
    throw IoError(fmt::format("cannot bring it to the disk: {}", std::strerror(reason)), "is the disk full?",
                  Where{.file = path.string()});
  }
}

/// Gives the file a second name. `path` itself is there all the time.
void keep_as(const fs::path& path, const fs::path& previous) {
  std::error_code code;
  if (!fs::exists(path, code)) return;
  const fs::path part = part_name(previous);
  fs::remove(part, code);
  fs::create_hard_link(path, part, code);
  if (code) {  // some file systems have no links
    code.clear();
    fs::copy_file(path, part, code);
    if (!code) sync(part, O_RDWR);
  }
  if (!code) fs::rename(part, previous, code);
  std::error_code ignored;
  fs::remove(part, ignored);  // still there where both were names of one file already
  if (code) {
    throw IoError(fmt::format("cannot keep it as {}: {}", previous.string(), code.message()), "check permissions and free space",
                  Where{.file = path.string()});
  }
}

}  // namespace

fs::path part_name(const fs::path& path) { return path.string() + ".part"; }

void replace_file(const Communicator& comm, const fs::path& path, const fs::path& previous) {
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    sync(part_name(path), O_RDWR);
    if (!previous.empty()) keep_as(path, previous);
    std::error_code code;
    fs::rename(part_name(path), path, code);
    if (code) {
      throw IoError(fmt::format("cannot rename {} to it: {}", part_name(path).string(), code.message()), {},
                    Where{.file = path.string()});
    }
    sync(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
  });
}

}  // namespace weft::io

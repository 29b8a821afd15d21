#include "weft/io/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "weft/base/error.hpp"
#include "weft/io/sync.hpp"

namespace weft::io::detail {
namespace {

Where in(const std::filesystem::path& path) { return Where{.file = path.string()}; }

void write_all(int descriptor, const std::filesystem::path& path, std::int64_t position, std::span<const std::byte> bytes,
               std::int64_t piece) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), static_cast<std::size_t>(piece));
    const ssize_t written = ::pwrite(descriptor, bytes.data(), count, static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw IoError(
          fmt::format("cannot write {} bytes at byte {}: {}", count, position, std::strerror(written < 0 ? errno : EIO)),
          "is the disk full?", in(path));
    }
    position += written;
    bytes = bytes.subspan(written);
  }
}

/// Returns the reason why the content of `path` is not `mark`; empty if it is.
std::string mismatch(const std::filesystem::path& path, const std::string& mark) {
  // NFS updates the list of names when the directory is opened.
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (const int directory = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); directory >= 0) ::close(directory);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fmt::format("cannot open it: {}", std::strerror(errno));
  std::string found(mark.size() + 1, '\0');
  const ssize_t bytes = ::pread(descriptor, found.data(), found.size(), 0);
  ::close(descriptor);
  found.resize(std::max<ssize_t>(bytes, 0));
  return found == mark ? std::string() : "has another file of this name";
}

}  // namespace

void write_mark(const std::filesystem::path& path, const std::string& mark) {
  if (std::filesystem::is_directory(path)) {
    throw IoError("a directory of this name is in the way", "choose another name", in(path));
  }
  const int descriptor = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int reason = errno;
    throw IoError(fmt::format("cannot write it: {}", std::strerror(reason)),
                  reason == ENOENT ? "make its directory first" : "check the permissions and the disk", in(path));
  }
  try {
    write_all(descriptor, path, 0, std::as_bytes(std::span(mark)), static_cast<std::int64_t>(mark.size()));
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) {
    throw IoError(fmt::format("cannot write it: {}", std::strerror(errno)), "is the disk full?", in(path));
  }
}

SharedFile::SharedFile(const std::filesystem::path& path, const std::string& mark) : path_(path) {
  constexpr int kTries = 20;
  constexpr std::chrono::milliseconds kInterval(100);
  std::string reason = mismatch(path, mark);
  for (int i = 0; !reason.empty() && i < kTries; ++i) {
    std::this_thread::sleep_for(kInterval);
    reason = mismatch(path, mark);
  }
  if (!reason.empty()) throw IoError(reason, {}, in(path));
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw IoError(fmt::format("cannot write it: {}", std::strerror(errno)), {}, in(path));
}

void SharedFile::keep_to_own_bytes(std::int64_t rank) const {
  struct statfs disk {};
  if (::fstatfs(descriptor_, &disk) != 0 || disk.f_type != NFS_SUPER_MAGIC) return;
  constexpr std::int64_t kBehindAll = std::int64_t{1} << 62;
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = kBehindAll + rank;
  byte.l_len = 1;
  if (::fcntl(descriptor_, F_OFD_SETLK, &byte) == 0) return;
  throw IoError(
      fmt::format("cannot lock a byte of it: {}; without locks machines that write one file on NFS overwrite each other's "
                  "bytes",
                  std::strerror(errno)),
      "mount it with the option local_lock=all, or write to another file system", in(path_));
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedFile::write_at(std::int64_t position, std::span<const std::byte> bytes, std::int64_t piece) const {
  write_all(descriptor_, path_, position, bytes, piece);
}

void SharedFile::sync_and_close() {
  if (descriptor_ < 0) return;
  sync_descriptor(descriptor_, path_);
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    throw IoError(fmt::format("cannot finish writing it: {}", std::strerror(errno)), "is the disk full?", in(path_));
  }
}

}  // namespace weft::io::detail

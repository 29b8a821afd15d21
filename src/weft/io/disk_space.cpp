#include "weft/io/disk_space.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "weft/base/error.hpp"

namespace weft::io::detail {
namespace {

constexpr std::int64_t kRecord = std::int64_t{16} << 10;  // metadata of a dataset or group

/// Returns the space to keep for what HDF5 writes when it closes a file for which so many bytes were announced.
std::int64_t space_for_closing(std::int64_t announced) {
  constexpr std::int64_t kLeast = std::int64_t{64} << 10, kMost = std::int64_t{1} << 20;
  return std::min(kLeast + announced / 4, kMost);
}

}  // namespace

DiskSpace::DiskSpace(const std::filesystem::path& path) : name_(path.string()), descriptor_(::open(path.c_str(), O_WRONLY)) {
  if (descriptor_ < 0) throw IoError(fmt::format("cannot write it: {}", std::strerror(errno)), {}, Where{.file = name_});
}

void DiskSpace::reserve(std::int64_t bytes) {
  if (descriptor_ < 0) return;
  const std::int64_t wanted = announced_ + bytes + kRecord, slack = space_for_closing(wanted);
  const auto refuse = [&](const char* reason) {
    throw IoError(fmt::format("the disk has no space for {:.1f} MB more: {}", static_cast<double>(bytes + slack) * 1e-6, reason),
                  "free disk space, or write to another disk", Where{.file = name_});
  };
  if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, wanted + slack) == 0) {
    reserved_ = true;
  } else {
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) refuse(std::strerror(errno));
    struct statvfs disk {};
    struct stat file {};
    if (::fstatvfs(descriptor_, &disk) == 0 && ::fstat(descriptor_, &file) == 0) {
      const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
      if (free < wanted + slack - file.st_size) refuse(std::strerror(ENOSPC));
    }
  }
  announced_ = wanted;
  payload_ += bytes;
}

void DiskSpace::release() {
  close();
  if (!reserved_) return;
  // Truncating a file to its own length frees the blocks beyond it. The file is opened again because other machines may have
  // written to it: NFS guarantees the current length only after opening. If this fails, the blocks remain allocated.
  const int descriptor = ::open(name_.c_str(), O_WRONLY);
  struct stat file {};
  if (descriptor >= 0 && ::fstat(descriptor, &file) == 0 && file.st_size >= payload_) {
    static_cast<void>(::ftruncate(descriptor, file.st_size) == 0);
  }
  if (descriptor >= 0) ::close(descriptor);
  reserved_ = false;
}

void DiskSpace::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace weft::io::detail

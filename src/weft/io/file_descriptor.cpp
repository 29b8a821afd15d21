#include "weft/io/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"

namespace weft::io::detail {

FileDescriptor::FileDescriptor(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileDescriptor::read_at(std::int64_t position, std::span<std::byte> bytes, Team& team) const {
  constexpr std::int64_t kPiece = 1 << 16;
  const auto size = static_cast<std::int64_t>(bytes.size());
  for_shares(team, (size + kPiece - 1) / kPiece, [&](LoopShare share) {
    const std::int64_t end = std::min(share.end * kPiece, size);
    for (std::int64_t at = share.begin * kPiece; at < end;) {
      const ssize_t got = ::pread(descriptor_, bytes.data() + at, static_cast<std::size_t>(end - at), position + at);
      if (got < 0 && errno == EINTR) continue;
      const int reason = errno;
      const Where where{.file = path_, .offset = position + at};
      if (got < 0) throw IoError(fmt::format("the file cannot be read ({})", std::strerror(reason)), "check the disk", where);
      // The share that contains the end of the file is the first that throws, with `at` as the number of bytes there.
      if (got == 0) {
        throw IoError(fmt::format("the file ends before its data (bytes to be read from byte {} on: {}; bytes there: {})",
                                  position, size, at),
                      "it is truncated, or was changed while it was read: write or copy it again", where);
      }
      at += got;
    }
  });
}

}  // namespace weft::io::detail

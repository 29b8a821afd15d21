#include "weft/io/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "weft/base/team_loops.hpp"

namespace weft::io::detail {

FileDescriptor::FileDescriptor(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileDescriptor::read_at(std::int64_t position, std::span<std::byte> bytes, Team& team) const {
  constexpr std::int64_t kPiece = 1 << 16;
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::atomic<bool> read = true;
  for_shares(team, (size + kPiece - 1) / kPiece, [&](LoopShare share) {
    const std::int64_t end = std::min(share.end * kPiece, size);
    for (std::int64_t at = share.begin * kPiece; at < end;) {
      const ssize_t got = ::pread(descriptor_, bytes.data() + at, static_cast<std::size_t>(end - at), position + at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        read = false;
        return;
      }
      at += got;
    }
  });
  return read;
}

}  // namespace weft::io::detail

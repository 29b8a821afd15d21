#pragma once
/// A file that the threads of one rank read together.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weft/base/team.hpp"

namespace weft::io::detail {

/// A file that is open for reading; closed by the destructor.
class FileDescriptor {
 public:
  /// Opens a file for reading; errno states why it is not open.
  explicit FileDescriptor(const std::string& path);
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// Reads bytes from a position, each thread one contiguous share.
  /// @throws IoError with the first byte that is not there or cannot be read; the same on any number of threads.
  void read_at(std::int64_t position, std::span<std::byte> bytes, Team& team) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace weft::io::detail

#pragma once
/// Room on the disk for a file that is being written, taken before it is needed.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace weft::io::detail {

/// Keeps blocks reserved behind the end of one file: enough for what was announced, and some for HDF5's own records.
class DiskSpace {
 public:
  DiskSpace() = default;
  /// @throws IoError if the file cannot be opened.
  explicit DiskSpace(const std::filesystem::path& path);
  DiskSpace(DiskSpace&& other) noexcept { swap(other); }
  DiskSpace& operator=(DiskSpace&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DiskSpace() { close(); }
  DiskSpace(const DiskSpace&) = delete;
  DiskSpace& operator=(const DiskSpace&) = delete;

  /// Announces so many more bytes. @throws IoError if there is no room for them.
  void reserve(std::int64_t bytes);
  /// Gives back what lies behind the end of the file. @pre everybody has closed the file.
  void release();

 private:
  void close() noexcept;
  void swap(DiskSpace& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(announced_, other.announced_);
    std::swap(payload_, other.payload_);
    std::swap(reserved_, other.reserved_);
  }
  std::string name_;
  int descriptor_ = -1;
  std::int64_t announced_ = 0;  ///< with HDF5's records
  std::int64_t payload_ = 0;    ///< without
  bool reserved_ = false;
};

}  // namespace weft::io::detail

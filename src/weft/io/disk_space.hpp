#pragma once
/// Reservation of disk space for a file before it is written.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace weft::io::detail {

/// Reserves blocks beyond the end of a file: the announced bytes, and some for the metadata of HDF5.
class DiskSpace {
 public:
  DiskSpace() = default;
  /// Opens the file. @throws IoError if that fails.
  explicit DiskSpace(const std::filesystem::path& path);
  DiskSpace(DiskSpace&& other) noexcept { swap(other); }
  DiskSpace& operator=(DiskSpace&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DiskSpace() { close(); }
  DiskSpace(const DiskSpace&) = delete;
  DiskSpace& operator=(const DiskSpace&) = delete;

  /// Announces additional bytes. @throws IoError if the disk has no space for them.
  void reserve(std::int64_t bytes);
  /// Frees the blocks beyond the end of the file. @pre all ranks have closed the file.
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
  std::int64_t announced_ = 0;  ///< including metadata of HDF5
  std::int64_t payload_ = 0;    ///< without metadata
  bool reserved_ = false;
};

}  // namespace weft::io::detail

#pragma once
/// Access of one rank to a file that several ranks write, each to its own bytes. No member communicates, so that neither
/// errors nor the destructor wait for other ranks.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace weft::io::detail {

/// Replaces the content of `path` by `mark`; creates the file if necessary.
/// @throws IoError: the directory does not exist, is not writable, or the disk is full.
void write_mark(const std::filesystem::path& path, const std::string& mark);

class SharedFile {
 public:
  SharedFile() = default;
  /// Opens a file that another rank has created with write_mark(). The mark distinguishes it from a file of the same name on
  /// a disk that the ranks do not share. Retries for up to 2 s, because NFS may show new files with a delay.
  /// @throws IoError: this machine does not have that file.
  SharedFile(const std::filesystem::path& path, const std::string& mark);

  /// Prevents this machine from writing bytes of other ranks to a file that several machines write. Linux writes an entire
  /// page of an NFS file if it considers the page up to date (nfs_can_extend_write), with old bytes in place of those written
  /// by another machine, unless a part of the file is locked. This function locks one byte per rank beyond all contents until
  /// the file is closed. No effect on other file systems.
  /// @param rank  unique among the callers.
  /// @throws IoError: the NFS mount does not support locks.
  void keep_to_own_bytes(std::int64_t rank) const;
  SharedFile(SharedFile&& other) noexcept { swap(other); }
  SharedFile& operator=(SharedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Closes the descriptor without sync.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Writes bytes at a position, in calls of at most `piece` bytes (Linux transfers less than 2 GiB per call).
  /// @throws IoError: the disk is full or faulty.
  void write_at(std::int64_t position, std::span<const std::byte> bytes, std::int64_t piece) const;

  /// Waits until the data written by this machine are on disk (fsync), then closes. @throws IoError as write_at().
  void sync_and_close();

 private:
  void swap(SharedFile& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
  }
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace weft::io::detail

#pragma once
/// The access of one rank to a file that several ranks write, each rank its own bytes. No member communicates, so neither an
/// error nor a destructor makes a rank wait for another one.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace weft::io::detail {

/// Replaces the content of `path` by `mark`, and creates the file where it does not exist.
/// @throws IoError: the directory does not exist, is not writable, or has no room.
void write_mark(const std::filesystem::path& path, const std::string& mark);

class SharedFile {
 public:
  SharedFile() = default;
  /// Opens a file that another rank has created with write_mark(). The mark tells that file from one of the same name on a
  /// disk that the ranks do not share. Tries for up to 2 s, since NFS may show new files late.
  /// @throws IoError: this machine does not have that file.
  SharedFile(const std::filesystem::path& path, const std::string& mark);

  /// Keeps this machine from writing bytes of other ranks, for a file that several machines write. Linux writes a whole page of
  /// an NFS file where it takes the page to be up to date (nfs_can_extend_write), with old bytes in place of those that another
  /// machine has written there; not so while a part of the file is locked. So this locks a byte of its own, behind every content,
  /// until the file is closed. Does nothing on other file systems.
  /// @param rank  different for every caller.
  /// @throws IoError: the NFS mount has no locks.
  void keep_to_own_bytes(std::int64_t rank) const;
  SharedFile(SharedFile&& other) noexcept { swap(other); }
  SharedFile& operator=(SharedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Closes the descriptor without a sync.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Writes bytes at a position of the file, in calls of at most `piece` bytes (Linux transfers less than 2 GiB a call).
  /// @throws IoError: the disk is full or broken.
  void write_at(std::int64_t position, std::span<const std::byte> bytes, std::int64_t piece) const;

  /// Waits until what this machine has written is on the disk, then closes. @throws IoError as write_at().
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

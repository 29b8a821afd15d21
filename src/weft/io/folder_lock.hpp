#pragma once
/// Lock that lets one process at a time write to a folder.
#include <filesystem>
#include <string>

namespace weft::io {

/// Locks a folder for this process. The lock file in it contains pid and host of the process, which also holds an advisory
/// lock (flock) on the file. The kernel releases that lock when the process ends for any reason, so that the lock file of a
/// killed process blocks no other process.
///
/// A lock file of another host on a network file system counts as held, because the advisory lock may not reach that host. If
/// the file system has no advisory locks, the lock of this host counts as held while a process with its pid exists.
class FolderLock {
 public:
  static constexpr const char* kFileName = "run.lock";

  /// Locks the folder. Called by one rank.
  /// @pre the folder exists.
  /// @throws InputError with pid and host of the process that holds it; IoError if the lock file cannot be written.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Removes the lock file.
  ~FolderLock();

  /// Returns the process that ended and left its lock file ("pid 12 on node7"); empty if the folder was free.
  [[nodiscard]] const std::string& taken_over_from() const { return taken_over_from_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string taken_over_from_;
};

}  // namespace weft::io

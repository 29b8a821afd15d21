#pragma once
/// A folder that one program at a time writes to.
#include <filesystem>
#include <string>

namespace weft::io {

/// Holds a folder for this process. The lock file in it names the process (pid and host). The process also holds an advisory
/// lock (flock) on that file, which the kernel releases when the process ends, however it ends: a lock file that a killed process
/// left behind blocks nobody.
///
/// A lock file of another host on a network file system counts as held, because the advisory lock need not reach that host. Where
/// the file system has no advisory locks, the lock of this host counts as held while a process with its pid exists.
class FolderLock {
 public:
  static constexpr const char* kFileName = "run.lock";

  /// Takes the folder. This rank alone.
  /// @pre the folder exists.
  /// @throws InputError naming pid and host of the process that holds it; IoError where the lock file cannot be written.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Removes the lock file.
  ~FolderLock();

  /// The process that left its lock file behind when it ended ("pid 12 on node7"); empty where the folder was free.
  [[nodiscard]] const std::string& taken_over_from() const { return taken_over_from_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string taken_over_from_;
};

}  // namespace weft::io

#pragma once
/// Synchronisation of files with the disk, so that after a crash a renamed file has its content.
#include <filesystem>

namespace weft::io::detail {

/// Waits until all data written to an open file by this machine are on disk. No effect on file systems without sync.
/// @throws IoError: the disk is full or faulty.
void sync_descriptor(int descriptor, const std::filesystem::path& path);

/// Opens a file and syncs it like sync_descriptor(). @throws IoError, also if the file cannot be opened.
void sync_file(const std::filesystem::path& path);

/// Syncs the directory of `path`, so that a rename in it persists after a crash. No effect if the directory cannot be opened
/// or the file system does not support it: the content persists, but the file may have its old name after a crash.
/// @throws IoError: the directory does not exist; the disk is faulty.
void sync_parent(const std::filesystem::path& path);

}  // namespace weft::io::detail

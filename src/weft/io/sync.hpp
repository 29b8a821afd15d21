#pragma once
/// Bringing files to the disk, so that a rename that follows never names a file whose content is lost in a crash.
#include <filesystem>

namespace weft::io::detail {

/// Waits until everything that this machine has written to an open file is on the disk. Does nothing on file systems that
/// cannot sync. @throws IoError: the disk is full or broken.
void sync_descriptor(int descriptor, const std::filesystem::path& path);

/// Opens a file and syncs it as sync_descriptor() does. @throws IoError: it cannot be opened either.
void sync_file(const std::filesystem::path& path);

/// Syncs the directory that holds `path`, so that a rename in it survives a crash. Does nothing where the directory may not be
/// opened, or cannot be on its file system: the file keeps its content, but after a crash of the machine may have its old name.
/// @throws IoError: there is no such directory; the disk is broken.
void sync_parent(const std::filesystem::path& path);

}  // namespace weft::io::detail

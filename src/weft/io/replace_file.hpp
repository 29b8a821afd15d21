#pragma once
/// Atomic replacement of a file: it is written under a temporary name and renamed when complete.
#include <filesystem>

#include "weft/comm/communicator.hpp"

namespace weft::io {

/// Returns the temporary name of a file that is being written.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& path);

/// Renames part_name(path), which must be complete and synced (Hdf5File::close() does both), to `path` on rank 0, so that
/// `path` at all times is the old file or the complete new one. @param previous  if given, the new name of the old file,
/// which also is always a complete file. @throws IoError on every rank. @collective
void replace_file(const Communicator& comm, const std::filesystem::path& path, const std::filesystem::path& previous = {});

}  // namespace weft::io

#pragma once
/// Atomic replacement of a file: it is written under a temporary name and renamed when complete.
#include <filesystem>

#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {

/// Returns the temporary name of a file that is being written.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& path);

/// Renames part_name(path), which must be complete and synced (Hdf5File::close() does both), to `path` on rank 0, so that
/// `path` at all times is the old file or the complete new one. @param previous  if given, the new name of the old file,
/// which also is always a complete file. @throws IoError on every rank. @collective
void replace_file(const Communicator& comm, const std::filesystem::path& path, const std::filesystem::path& previous = {});

/// Creates an HDF5 file, calls `write(file)`, and renames the complete file. An incomplete file is removed if an error is
/// thrown. If `write` throws on one rank alone, the error is passed on without waiting for the other ranks; main then ends
/// the job. @param previous  as in replace_file. @collective
template <class Write>
void write_whole_hdf5(const Communicator& comm, const std::filesystem::path& path, Write&& write,
                      const std::filesystem::path& previous = {}) {
  try {
    Hdf5File file = Hdf5File::create(comm, part_name(path));
    write(file);
    file.close();
    replace_file(comm, path, previous);
  } catch (...) {
    std::error_code ignored;
    if (comm.is_root()) std::filesystem::remove(part_name(path), ignored);
    throw;
  }
}

}  // namespace weft::io

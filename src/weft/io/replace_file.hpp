#pragma once
/// The last step of writing a file safely: it was written under another name, and now takes its own.
#include <filesystem>

#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {

/// The name under which a file is written until it is whole.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& path);

/// Rank 0 renames part_name(path), which must be whole and on the disk (Hdf5File::close() sees to it), to `path`, so that `path`
/// is either the old file or the whole new one, whatever happens. @param previous  where given, the name that the old file gets:
/// it, too, is always a whole file once it is there. @throws IoError on every rank. @collective
void replace_file(const Communicator& comm, const std::filesystem::path& path, const std::filesystem::path& previous = {});

/// Creates an HDF5 file, lets `write(file)` fill it, and gives it its name when it is whole. What was written goes away if an
/// error is thrown. An error that `write` throws on one rank alone leaves here at once, without waiting for the others: main then
/// ends the job. @param previous  as of replace_file. @collective
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

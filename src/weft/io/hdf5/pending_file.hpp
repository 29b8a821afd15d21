#pragma once
/// HDF5 files that replace those of their name when they are complete, and that may be written while the ranks go on.
#include <filesystem>
#include <system_error>
#include <utility>

#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/replace_file.hpp"

namespace weft::io {

/// A file under a temporary name, which finish() renames. It is removed if an error is thrown or finish() is not called.
class PendingFile {
 public:
  /// Creates the file and calls `write(file)`. If `write` throws on one rank alone, the error is passed on without waiting for
  /// the other ranks; main then ends the job. @collective
  template <class Write>
  PendingFile(const Communicator& comm, const std::filesystem::path& path, Write&& write)
      : incomplete_(comm, path), file_(Hdf5File::create(comm, part_name(path))) {
    std::forward<Write>(write)(file_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return incomplete_.path; }
  /// Starts threads that write the rows of Hdf5File::write_rows_on_close() and wait for the disk.
  /// @throws IoError  @collective
  void start() { file_.start_close(); }
  /// Returns whether finish() will not wait for the disk on this rank. @pre start()
  [[nodiscard]] bool is_written() const { return file_.is_written(); }
  /// Writes what is not written, and renames the file. @param previous  as in replace_file().
  /// @throws IoError  @collective
  void finish(const std::filesystem::path& previous = {}) {
    file_.close();
    replace_file(file_.comm(), incomplete_.path, previous);
    incomplete_.removes = false;
  }

 private:
  /// Removes the file of the temporary name on rank 0.
  struct Incomplete {
    Incomplete(const Communicator& comm, std::filesystem::path final_path)
        : path(std::move(final_path)), removes(comm.is_root()) {}
    Incomplete(Incomplete&& other) noexcept : path(std::move(other.path)), removes(std::exchange(other.removes, false)) {}
    ~Incomplete() {
      std::error_code ignored;
      if (removes) std::filesystem::remove(part_name(path), ignored);
    }
    Incomplete& operator=(Incomplete&&) = delete;

    std::filesystem::path path;
    bool removes;
  };

  Incomplete incomplete_;  // destroyed last
  Hdf5File file_;
};

/// Creates an HDF5 file, calls `write(file)`, and renames the complete file, as PendingFile does.
/// @param previous  as in replace_file().  @throws IoError  @collective
template <class Write>
void write_whole_hdf5(const Communicator& comm, const std::filesystem::path& path, Write&& write,
                      const std::filesystem::path& previous = {}) {
  PendingFile(comm, path, std::forward<Write>(write)).finish(previous);
}

}  // namespace weft::io

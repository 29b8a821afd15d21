#pragma once
/// Implementation of Hdf5File.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/disk_space.hpp"
#include "weft/io/file_descriptor.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/hdf5/hdf5_handle.hpp"
#include "weft/io/shared_file.hpp"

namespace weft::io {

namespace detail {

/// Rows of this rank that close() writes.
struct KeptRows {
  std::int64_t position;  ///< in the file
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// The thread of start_close(), and what became of it.
struct Closing {
  std::atomic<bool> has_ended = false;
  std::exception_ptr error;  ///< read after the end
  std::jthread thread;       ///< destroyed first, which asks it to stop and waits for it
};

}  // namespace detail

struct Hdf5File::State {
  Communicator comm;
  std::filesystem::path path;
  bool writing = false;
  detail::DiskSpace space{};                          ///< file being written, on rank 0; destroyed after `file`
  detail::Hdf5Handle file{};                          ///< invalid after close(), and on ranks other than 0 while writing
  detail::SharedFile shared{};                        ///< file being written: access of this rank to the bytes of its rows
  std::unique_ptr<detail::FileDescriptor> reading{};  ///< file being read: access of threads to the bytes of rows
  std::vector<detail::KeptRows> kept{};               ///< file being written: rows that close() writes
  std::unique_ptr<detail::Closing> closing{};         ///< after start_close(); destroyed before what its thread uses

  /// Writes the kept rows and waits until all that this rank has written is on disk. Does not communicate.
  /// @param stop  where a stop is requested, the file is not needed and stays incomplete.
  void write_kept_rows(const std::stop_token& stop = {}) {
    for (detail::KeptRows& rows : kept) {
      if (stop.stop_requested()) return;
      shared.write_at(rows.position, rows.bytes, comm.piece_bytes());
      rows.owner.reset();
    }
    if (!stop.stop_requested()) shared.sync_and_close();
  }

  [[nodiscard]] std::string name() const { return path.string(); }

  /// Runs `work` on the ranks that have the file open in HDF5, agrees on its outcome, and returns the result of rank 0: HDF5
  /// may return different results on different ranks for a damaged file. `work` must not communicate. @collective
  template <class Work>
  auto together(Work&& work) const {
    using Result = decltype(work());
    const auto run = [&] {
      const Waiting waiting("HDF5", Waiting::kNoRank);
      if (!file.valid() && (!writing || comm.is_root())) {
        throw IoError("the file is closed", "open it again", Where{.file = name()});
      }
      if constexpr (std::is_void_v<Result>) {
        if (file.valid()) work();
      } else {
        return file.valid() ? work() : Result{};
      }
    };
    if constexpr (std::is_void_v<Result>) {
      agreed(comm, run);
    } else {
      Result result = agreed(comm, run);
      if constexpr (std::is_same_v<Result, std::string>) {
        comm.broadcast(result);
      } else {
        result = comm.broadcast(result);
      }
      return result;
    }
  }
};

namespace detail {

/// Makes the missing groups on the path of the object `name`.
void make_groups_of(Hdf5Id file, const std::string& file_name, const std::string& name);
/// Makes a dataset and the missing groups on its path. @param creation  dataset creation list
[[nodiscard]] Hdf5Handle create_dataset(Hdf5Id file, const std::string& file_name, const std::string& name, Hdf5Id type,
                                        Hdf5Id space, Hdf5Id creation);
/// Makes a group whose path exists.
void make_group(Hdf5Id file, const std::string& file_name, const std::string& name);

/// Returns a creation list of `kind` (H5P_DATASET_CREATE, ...) that stores no times, so that files of the same content are equal.
[[nodiscard]] Hdf5Handle without_times(Hdf5Id kind, const std::string& file_name);

}  // namespace detail

}  // namespace weft::io

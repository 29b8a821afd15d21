#pragma once
/// Implementation of Hdf5File.
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/disk_space.hpp"
#include "weft/io/file_descriptor.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/hdf5/hdf5_handle.hpp"
#include "weft/io/shared_file.hpp"

namespace weft::io {

struct Hdf5File::State {
  Communicator comm;
  std::filesystem::path path;
  bool writing = false;
  detail::DiskSpace space{};                          ///< file being written, on rank 0; destroyed after `file`
  detail::Hdf5Handle file{};                          ///< invalid after close(), and on ranks other than 0 while writing
  detail::SharedFile shared{};                        ///< file being written: access of this rank to the bytes of its rows
  std::unique_ptr<detail::FileDescriptor> reading{};  ///< file being read: access of threads to the bytes of rows

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

/// Returns a link creation list that creates missing groups.
[[nodiscard]] Hdf5Handle make_intermediate_groups(const std::string& file_name);

}  // namespace detail

}  // namespace weft::io

#pragma once
/// The inside of Hdf5File, for the sources that implement it.
#include <filesystem>
#include <string>
#include <type_traits>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/disk_space.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/hdf5/hdf5_handle.hpp"
#include "weft/io/shared_file.hpp"

namespace weft::io {

struct Hdf5File::State {
  Communicator comm;
  std::filesystem::path path;
  bool writing = false;
  detail::DiskSpace space{};    ///< of a file being written, on rank 0; outlives `file`
  detail::Hdf5Handle file{};    ///< invalid after close(), and on ranks other than 0 while writing
  detail::SharedFile shared{};  ///< of a file being written: this rank's access to the bytes of its rows

  [[nodiscard]] std::string name() const { return path.string(); }

  /// Runs `work` on the ranks that have the file open in HDF5, agrees on its outcome, and returns what rank 0 has found: of a
  /// damaged file HDF5 may tell each rank something else. `work` must not communicate. @collective
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

/// Returns a link creation list that makes the groups on the way to an object.
[[nodiscard]] Hdf5Handle make_intermediate_groups(const std::string& file_name);

}  // namespace detail

}  // namespace weft::io

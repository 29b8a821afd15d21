#pragma once
/// NCCL: messages between GPUs, enqueued in streams.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// Returns the version of the NCCL library, "2.28.3"; an empty string in a build without NCCL.
[[nodiscard]] std::string nccl_version();

/// An NCCL communicator of the ranks of a Communicator, each with the GPU that was current at construction.
class NcclCommunicator {
 public:
  /// Returns the NCCL communicator of `comm` for an additional owner, and creates it if there is none. It exists, and retains
  /// `comm`, until its last owner calls release() or the process ends: its destruction waits for other ranks, so no
  /// destructor does it.
  /// @collective  @pre the ranks have different GPUs.
  /// @throws DeviceError in a build without NCCL, and on every rank if the set-up of NCCL fails on any rank; CommError.
  /// @cost about half a second if the communicator is created.
  [[nodiscard]] static std::shared_ptr<NcclCommunicator> of(const Communicator& comm);
  /// Releases ownership obtained from of(). The release by the last owner destroys the communicator on all ranks.
  /// @pre the exchanges of the owner have completed, and every Graph that contains one is destroyed: NCCL waits for graphs.
  /// @collective  @throws CommError on every rank if NCCL fails on any rank.
  static void release(std::shared_ptr<NcclCommunicator> owned);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  struct Message {
    Rank rank;
    std::byte* data;  ///< GPU memory
    std::size_t bytes;
  };
  /// Enqueues all sends and receives as one group in `stream`. A Graph can capture the operation.
  /// @collective  between the listed ranks.  @throws CommError.
  void exchange(std::span<const Message> sends, std::span<const Message> receives, Stream& stream);

 private:
  NcclCommunicator(const Communicator& comm, const void* id);
  /// Aborts the communicator after its set-up has failed on another rank.
  void abandon() noexcept;
  /// Destroys the communicator. @collective
  void destroy();
  Communicator comm_;  ///< retained, so that MPI does not reuse its handle
  void* handle_ = nullptr;
  std::int64_t owners_ = 0;  ///< owners that have not called release(); equal on all ranks
};

}  // namespace weft

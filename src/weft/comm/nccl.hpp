#pragma once
/// NCCL: messages between GPUs as work of a stream.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// Version of the NCCL library, "2.28.3"; empty in a build without it.
[[nodiscard]] std::string nccl_version();

/// A communicator of NCCL with the ranks of one of ours, each with the GPU that was current when it was made.
class NcclCommunicator {
 public:
  /// Returns the one of `comm`, made where none lives, for one more owner. It lives, and keeps `comm`, until the last owner calls
  /// release(), or until the process ends: destroying it waits for the other ranks, so that no destructor does it.
  /// @collective  @pre no two ranks have the same GPU.
  /// @throws DeviceError in a build without NCCL, and on every rank where NCCL cannot be set up on any; CommError.
  /// @cost where none lives about half a second.
  [[nodiscard]] static std::shared_ptr<NcclCommunicator> of(const Communicator& comm);
  /// Gives up what of() returned. The last owner destroys the communicator, on every rank.
  /// @pre the owner's exchanges are complete, and every Graph that holds any is destroyed: NCCL waits for that.
  /// @collective  @throws CommError on every rank, where NCCL fails on any.
  static void release(std::shared_ptr<NcclCommunicator> owned);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  struct Message {
    Rank rank;
    std::byte* data;  ///< memory of the GPU
    std::size_t bytes;
  };
  /// Sends and receives all of these as one group, as work of `stream`; can be captured in a Graph.
  /// @collective  between the ranks named.  @throws CommError.
  void exchange(std::span<const Message> sends, std::span<const Message> receives, Stream& stream);

 private:
  NcclCommunicator(const Communicator& comm, const void* id);
  /// Lets go of what the other ranks could not make.
  void give_up() noexcept;
  /// Ends it. @collective
  void destroy();
  Communicator comm_;  ///< so that MPI gives its handle to no other
  void* handle_ = nullptr;
  std::int64_t owners_ = 0;  ///< that have not called release(); equal on every rank
};

}  // namespace weft

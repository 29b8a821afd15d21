#pragma once
/// A flag that ends the waits of GPUs for the rows of a rank that has failed.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/shared_memory.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/registered_memory.hpp"

namespace weft::detail {

/// A number in host memory of each rank of an exchange, which the GPU of this rank reads and its neighbours write. It is 0 until
/// this rank or a neighbour raises it, once and for all. Raising it is a store to memory by the host, so that it succeeds while a
/// GPU cannot be used, and while the host of a neighbour is inside of a function of CUDA that waits for kernels.
///
///     rank 0            rank 1            rank 2      rank 1 calls raise(): the flags of ranks 0, 1 and 2 are raised, and the
///     flag <-- raise -- flag -- raise --> flag        kernels there end. Ranks 0 and 2 notice it and raise those of rank 3, ...
class StopFlag {
 public:
  /// @param backend  cuda: kernels of the current GPU read the flag; host: functions of the host do.
  /// @param neighbours  each of them names this rank.
  /// @throws DeviceError on every rank if a rank cannot map the memory of a neighbour, or if CUDA cannot page-lock memory.
  /// @collective @cost a page of page-locked memory, and two messages to each neighbour.
  StopFlag(const Communicator& comm, std::span<const Rank> neighbours, Backend backend);
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  /// Raises the flags of this rank and of its neighbours. Waits for no rank.
  void raise() noexcept;
  /// Returns true if this rank or a neighbour has raised the flag.
  [[nodiscard]] bool raised() const noexcept;
  /// Returns the address of the number: for kernels, if the backend is cuda. It is valid until the object is destroyed.
  [[nodiscard]] const std::uint32_t* address() const { return number_; }

 private:
  SharedMemory own_;
  std::vector<SharedMemory> of_neighbours_;
  std::optional<RegisteredMemory> locked_;
  std::optional<HostDeviceVector<std::uint32_t>> on_gpu_;  ///< checks that the GPU has the same address; destroyed before locked_
  const std::uint32_t* number_ = nullptr;
};

}  // namespace weft::detail

#pragma once
/// Checks whether a case fits into the memory of its ranks' GPUs.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/device/device.hpp"

namespace weft::flow::detail {

/// Memory demand on a GPU, of one rank or of all that share it.
struct GpuDemand {
  GpuId gpu{};
  std::size_t needed = 0;           ///< bytes
  std::size_t free = 0, total = 0;  ///< bytes of the GPU
  std::int64_t cells = 0;           ///< number of cells that need this memory
  int ranks = 1;
};

/// Returns the error for a GPU with too little memory, with the number of such GPUs that would suffice for a case that needs
/// `of_case` bytes on all of them; none if the memory suffices.
[[nodiscard]] std::optional<DeviceError> gpu_memory_shortage(const GpuDemand& demand, std::size_t of_case);

/// Adds up the demands of a machine's ranks on the same GPU; free is the smallest value that any of them has found. Called before
/// any rank allocates.
/// @collective  @throws DeviceError of gpu_memory_shortage(), on every rank, if a GPU has too little memory.
void require_gpu_memory(const Communicator& comm, const GpuDemand& of_rank);

}  // namespace weft::flow::detail

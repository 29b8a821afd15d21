#pragma once
/// Whether a case fits on the GPUs of its ranks.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/device/device.hpp"

namespace weft::flow::detail {

/// What is wanted of a GPU, by one rank or by all that share it.
struct GpuDemand {
  GpuId gpu{};
  std::size_t needed = 0;           ///< bytes
  std::size_t free = 0, total = 0;  ///< bytes of the GPU
  std::int64_t cells = 0;           ///< for which they are needed
  int ranks = 1;
};

/// What to throw where a GPU has too little room, saying how many such GPUs would do for a case that needs `of_case` bytes on all
/// of them; none where it has enough.
[[nodiscard]] std::optional<DeviceError> gpu_memory_shortage(const GpuDemand& demand, std::size_t of_case);

/// Adds up what ranks of a machine want of the same GPU; free is the least that any of them has found. Before any rank allocates.
/// @collective  @throws DeviceError of gpu_memory_shortage(), on every rank, where a GPU has too little room.
void require_gpu_memory(const Communicator& comm, const GpuDemand& of_rank);

}  // namespace weft::flow::detail

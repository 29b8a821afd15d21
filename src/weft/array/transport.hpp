#pragma once
/// Mechanisms that move the messages of an exchange.
#include <cstdint>

namespace weft {

enum class Transport : std::uint8_t {
  automatic,   ///< the fastest one that all ranks can use
  host,        ///< MPI messages from and to the host side of the arrays
  shared,      ///< memory shared by ranks of one machine, from and to the host side of the arrays
  staged,      ///< rows packed on the device into pinned memory, and MPI messages from there
  cuda_aware,  ///< MPI messages from and to device memory, by a CUDA-aware MPI library
  nccl,        ///< sends and receives of NCCL, one group per exchange; each rank has a GPU of its own
  peer,        ///< one kernel that writes to the neighbours' memory; ranks of one machine, each with a GPU of its own, that
               ///< support atomics in each other's memory (NVLink)
};

[[nodiscard]] const char* to_string(Transport transport);

}  // namespace weft

#pragma once
/// Ways in which the messages of an exchange travel.
#include <cstdint>

namespace weft {

enum class Transport : std::uint8_t {
  automatic,   ///< the fastest one that every rank can use
  host,        ///< MPI messages from and to the host side of the arrays
  shared,      ///< through memory that ranks of one machine share, from and to the host side of the arrays
  staged,      ///< rows packed on the device into page-locked memory of the host, MPI messages from there
  cuda_aware,  ///< MPI messages from and to device memory, by an MPI library that takes such addresses
  nccl,        ///< NCCL's sends and receives, one group per exchange; ranks do not share a GPU
  peer,        ///< one kernel that writes straight into the neighbours' memory; ranks of one machine, each with a GPU of its own,
               ///< that do atomics in each other's memory (NVLink)
};

[[nodiscard]] const char* to_string(Transport transport);

}  // namespace weft

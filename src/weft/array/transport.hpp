#pragma once
/// Ways in which the messages of an exchange travel.
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "weft/base/registry.hpp"

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

namespace detail {
class TransportBody;
struct TransportSetup;
// Each function sets up the messages of an exchange. @throws DeviceError on every rank if the transport cannot be used.
// @collective
[[nodiscard]] std::unique_ptr<TransportBody> make_host_transport(const TransportSetup& setup);
[[nodiscard]] std::unique_ptr<TransportBody> make_device_mpi_transport(const TransportSetup& setup);
[[nodiscard]] std::unique_ptr<TransportBody> make_nccl_transport(const TransportSetup& setup);
[[nodiscard]] std::unique_ptr<TransportBody> make_peer_transport(const TransportSetup& setup);
}  // namespace detail

struct TransportRow {
  Transport value;
  std::string_view name, doc;
  bool of_host;  ///< true where it moves the host side of arrays
  std::unique_ptr<detail::TransportBody> (*make)(const detail::TransportSetup& setup);
};

inline constexpr Registry kTransports{
    "transport",
    std::array{TransportRow{Transport::automatic, "automatic",
                            "between GPUs the first of peer, nccl, cuda_aware and staged that can be used, on the host shared or "
                            "host, with each neighbour",
                            true, detail::make_host_transport},
               TransportRow{Transport::host, "host", "on the host, by MPI", true, detail::make_host_transport},
               TransportRow{Transport::shared, "shared", "on the host, through memory that the ranks of a machine share", true,
                            detail::make_host_transport},
               TransportRow{Transport::staged, "staged", "between GPUs, by MPI from memory of the host", false,
                            detail::make_device_mpi_transport},
               TransportRow{Transport::cuda_aware, "cuda_aware", "between GPUs, by MPI from their memory", false,
                            detail::make_device_mpi_transport},
               TransportRow{Transport::nccl, "nccl", "between GPUs, by NCCL", false, detail::make_nccl_transport},
               TransportRow{Transport::peer, "peer", "between GPUs, written straight into the other GPU's memory", false,
                            detail::make_peer_transport}}};
[[nodiscard]] constexpr const auto& registry_of(Transport /*tag*/) { return kTransports; }
static_assert(is_complete<Transport>());

/// Returns the name of the enumerator.
[[nodiscard]] constexpr const char* to_string(Transport transport) { return name_of(transport).data(); }

}  // namespace weft

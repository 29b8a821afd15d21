#pragma once
/// Ways in which the messages of an exchange travel.
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "weft/base/registry.hpp"

namespace weft {

enum class Transport : std::uint8_t {
  automatic,   ///< between GPUs the fastest that all ranks can use; on the host the faster one for each neighbour
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
  bool of_host = false;      ///< true where it moves the host side of arrays
  bool capturable = false;   ///< true where exchanges are work of streams alone, without the host: a CUDA graph can contain them
  bool maps_arrays = false;  ///< true where other ranks map the memory of arrays, which is freed after Exchange::close() only
  bool ends_waits = true;  ///< false where kernels that wait for a failed rank do not end, as Exchange::stop() cannot reach them
  std::unique_ptr<detail::TransportBody> (*make)(const detail::TransportSetup& setup);
};

inline constexpr Registry kTransports{
    "transport",
    std::array{TransportRow{.value = Transport::automatic,
                            .name = "automatic",
                            .doc = "between GPUs the first of peer, nccl, cuda_aware and staged that can be used, on the host "
                                   "shared or host, with each neighbour",
                            .of_host = true,
                            .make = detail::make_host_transport},
               TransportRow{.value = Transport::host,
                            .name = "host",
                            .doc = "on the host, by MPI",
                            .of_host = true,
                            .make = detail::make_host_transport},
               TransportRow{.value = Transport::shared,
                            .name = "shared",
                            .doc = "on the host, through memory that the ranks of a machine share",
                            .of_host = true,
                            .make = detail::make_host_transport},
               TransportRow{.value = Transport::staged,
                            .name = "staged",
                            .doc = "between GPUs, by MPI from memory of the host",
                            .make = detail::make_device_mpi_transport},
               TransportRow{.value = Transport::cuda_aware,
                            .name = "cuda_aware",
                            .doc = "between GPUs, by MPI from their memory",
                            .make = detail::make_device_mpi_transport},
               TransportRow{.value = Transport::nccl,
                            .name = "nccl",
                            .doc = "between GPUs, by NCCL",
                            .capturable = true,
                            .ends_waits = false,
                            .make = detail::make_nccl_transport},
               TransportRow{.value = Transport::peer,
                            .name = "peer",
                            .doc = "between GPUs, written straight into the other GPU's memory",
                            .capturable = true,
                            .maps_arrays = true,
                            .make = detail::make_peer_transport}}};
[[nodiscard]] constexpr const auto& registry_of(Transport /*tag*/) { return kTransports; }
static_assert(is_complete<Transport>());

/// Returns the name of the enumerator.
[[nodiscard]] constexpr const char* to_string(Transport transport) { return name_of(transport).data(); }

}  // namespace weft

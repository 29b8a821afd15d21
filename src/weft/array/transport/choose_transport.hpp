#pragma once
/// Choice of the transport of an exchange.
#include <functional>
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/space.hpp"

namespace weft::detail {

/// Returns whether a result of choose_transports() moves the host side of arrays.
[[nodiscard]] constexpr bool is_host_transport(Transport transport) { return row_of(transport).of_host; }

/// Returns the usable transports as far as known, the fastest first; a single one unless `wanted` is automatic.
/// @param backend  backend of the device side of all arrays of this rank: mirror, cuda, or for memory that a GPU accesses but
/// other processes cannot map cuda_managed or cuda_mapped; host if they differ or have none.
/// @param why_host  the reason why the host exchanges the arrays, for the message if a device transport was requested.
/// @return automatic for arrays of the host, where each pair of neighbours chooses between host and shared.
/// @throws InputError with the reason on every rank if `wanted` cannot be used.
/// @collective  on plan.comm(); the result is the same on every rank.
/// @cost several reductions; for GPUs one message to each neighbour and one more.
[[nodiscard]] std::vector<Transport> choose_transports(const GhostPlan& plan, Backend backend, Transport wanted,
                                                       const char* why_host);

/// Creates the first of `candidates` that succeeds, and removes those before it: whether processes can map each other's
/// memory (not possible in some containers) is known only after an attempt.
/// @param make  collective; a DeviceError is thrown on all ranks or on none.
/// @throws DeviceError of the last candidate; any other exception of `make` immediately. @collective
[[nodiscard]] std::unique_ptr<TransportBody> make_first(std::vector<Transport>& candidates,
                                                        const std::function<std::unique_ptr<TransportBody>(Transport)>& make);

}  // namespace weft::detail

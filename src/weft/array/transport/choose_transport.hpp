#pragma once
/// Which way the messages of an exchange travel.
#include <functional>
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/space.hpp"

namespace weft::detail {

/// Whether it moves the host side of arrays, for the results of choose_transports.
[[nodiscard]] constexpr bool is_host_transport(Transport transport) {
  return transport == Transport::automatic || transport == Transport::host || transport == Transport::shared;
}

/// Returns the ways that nothing known stands against, the fastest first; one alone unless `wanted` is automatic.
/// @param backend  what all of this rank's arrays have their device side in (mirror or cuda), or host where they differ or have
/// none.
/// @param why_host  said where they are exchanged by the host and something else was wanted.
/// @return automatic for arrays of the host, where each pair of neighbours chooses between host and shared.
/// @throws InputError on every rank where `wanted` cannot be used, saying why.
/// @collective  on plan.comm(); the result is the same on every rank.
/// @cost some reductions; for GPUs a message to each neighbour and one more.
[[nodiscard]] std::vector<Transport> choose_transports(const GhostPlan& plan, Backend backend, Transport wanted,
                                                       const char* why_host);

/// Makes the first of `candidates` that can be made, and removes those before it: a container may keep processes from mapping
/// each other's memory, which shows only when it is tried.
/// @param make  collective; where it throws a DeviceError, it does on every rank.
/// @throws DeviceError of the last of them; at once what else `make` throws. @collective
[[nodiscard]] std::unique_ptr<TransportBody> make_first(std::vector<Transport>& candidates,
                                                        const std::function<std::unique_ptr<TransportBody>(Transport)>& make);

}  // namespace weft::detail

#pragma once
/// Which way the messages of an exchange travel.
#include "weft/array/ghost_plan.hpp"
#include "weft/array/transport.hpp"
#include "weft/device/space.hpp"

namespace weft::detail {

/// @param backend  what all of this rank's arrays have their device side in (mirror or cuda), or host where they differ or have
/// none.
/// @param why_host  said where they are exchanged by the host and something else was wanted.
/// @return automatic for arrays of the host, where each pair of neighbours chooses between host and shared.
/// @throws InputError on every rank where `wanted` cannot be used, saying why.
/// @collective  on plan.comm(); the result is the same on every rank.
/// Whether it moves the host side of arrays, for choose_transport's result.
[[nodiscard]] constexpr bool of_host(Transport transport) {
  return transport == Transport::automatic || transport == Transport::host || transport == Transport::shared;
}

[[nodiscard]] Transport choose_transport(const GhostPlan& plan, Backend backend, Transport wanted, const char* why_host);

}  // namespace weft::detail

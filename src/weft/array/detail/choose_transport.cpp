#include "weft/array/detail/choose_transport.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>

#include "weft/array/detail/put.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/nccl.hpp"

namespace weft::detail {
namespace {

struct Place {
  std::array<char, 256> machine{};
  GpuName gpu;
};

bool same_machine(const Place& a, const Place& b) { return std::strcmp(a.machine.data(), b.machine.data()) == 0; }
bool same_gpu(const Place& a, const Place& b) { return same_machine(a, b) && a.gpu == b.gpu; }

/// Empty where this rank could use it; else what stands against it.
struct Obstacles {
  std::string nccl, peer;
};

Obstacles obstacles_of(const GhostPlan& plan) {
  const Communicator& comm = plan.comm();
  const Place here = agreed(comm, [&] {
    Place place{.machine = {}, .gpu = current_gpu()};
    const std::string machine = MpiEnvironment::machine();
    std::strncpy(place.machine.data(), machine.c_str(), place.machine.size() - 1);
    return place;
  });
  const std::vector<Place> places = comm.all_gather(here);
  Obstacles obstacles;
  for (std::size_t a = 0; a < places.size() && obstacles.peer.empty(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (same_gpu(places[a], places[b])) obstacles.peer = fmt::format("ranks {} and {} share a GPU", b, a);
    }
  }
  obstacles.nccl = nccl_version().empty() ? "this build has no NCCL" : obstacles.peer;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    if (n.rank == comm.rank() || !obstacles.peer.empty()) continue;
    const Place& there = places[n.rank.index()];
    if (!same_machine(here, there)) {
      obstacles.peer = fmt::format("ranks {} and {} are on different machines", comm.rank().value(), n.rank.value());
    } else if (const char* const obstacle = obstacle_to(there.gpu)) {
      obstacles.peer = fmt::format("between the GPUs of ranks {} and {}: {}", comm.rank().value(), n.rank.value(), obstacle);
    }
  }
  return obstacles;
}

}  // namespace

Transport choose_transport(const GhostPlan& plan, Backend backend, Transport wanted, const char* why_host) {
  const Communicator& comm = plan.comm();
  const auto kind = static_cast<int>(backend);
  if (comm.min(kind) != comm.max(kind)) backend = Backend::host;
  const auto refuse_if = [&](Transport transport, const std::string& obstacle) {
    if (wanted == transport && !obstacle.empty()) {
      throw InputError(fmt::format("messages cannot travel by \"{}\": {}", to_string(wanted), obstacle), "use \"automatic\"");
    }
  };
  if (backend == Backend::host) {
    agreed(comm, [&] {
      if (!of_host(wanted)) refuse_if(wanted, why_host);
    });
    return wanted;
  }
  if (wanted == Transport::host || wanted == Transport::shared || wanted == Transport::staged) return wanted;
  const bool mirror = backend == Backend::mirror;
  const bool aware = comm.all(mirror || MpiEnvironment::cuda_aware().value_or(false));
  Obstacles obstacles{"the arrays are not on GPUs", "the arrays are not on GPUs"};
  if (!mirror) obstacles = obstacles_of(plan);
  agreed(comm, [&] {
    refuse_if(Transport::cuda_aware, aware ? "" : "MPI does not say that it takes addresses of a GPU");
    refuse_if(Transport::nccl, obstacles.nccl);
    refuse_if(Transport::peer, obstacles.peer);
  });
  if (wanted != Transport::automatic) return wanted;
  if (mirror) return Transport::staged;
  if (comm.all(obstacles.peer.empty())) return Transport::peer;
  if (comm.all(obstacles.nccl.empty())) return Transport::nccl;
  return aware ? Transport::cuda_aware : Transport::staged;
}

}  // namespace weft::detail

#include "weft/array/transport/choose_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "weft/array/transport/peer_transport.hpp"
#include "weft/array/transport/put.hpp"
#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/nccl.hpp"
#include "weft/comm/shared_memory.hpp"

namespace weft::detail {
namespace {

/// A GPU and its machine.
struct Place {
  std::array<char, 64> machine{};
  GpuId gpu;
};

/// Machines are identified by the boot id of the system: host names are those of containers and may be equal.
bool same_machine(const Place& a, const Place& b) {
  return a.machine[0] != 0 && std::strcmp(a.machine.data(), b.machine.data()) == 0;
}
bool same_gpu(const Place& a, const Place& b) { return same_machine(a, b) && a.gpu == b.gpu; }

std::uint64_t hash(const Place& place) {
  return hash_text({place.gpu.bus, sizeof place.gpu.bus}, hash_text({place.machine.data(), place.machine.size()}));
}

/// Returns the ranks that share a GPU if both have reported to this rank; empty otherwise. Each rank reports to one rank,
/// which a hash of the GPU selects. @collective @cost a message, and a barrier.
std::string shared_gpu(const Communicator& comm, const Place& here) {
  struct Resident {
    Place place;
    std::int32_t rank;
  };
  const Rank chosen(static_cast<std::int64_t>(hash(here) % static_cast<std::uint64_t>(comm.size())));
  const std::vector<RankValues<Resident>> sent{{chosen, {{here, comm.rank().value()}}}};
  std::vector<Resident> residents = comm.all_to_all_joined(sent);  // by rank
  std::stable_sort(residents.begin(), residents.end(),
                   [](const Resident& a, const Resident& b) { return hash(a.place) < hash(b.place); });
  for (std::size_t i = 1; i < residents.size(); ++i) {
    const Resident &a = residents[i - 1], &b = residents[i];
    if (same_gpu(a.place, b.place)) return fmt::format("ranks {} and {} share a GPU", a.rank, b.rank);
  }
  return {};
}

/// Reason why this rank cannot use a transport; empty if it can.
struct Obstacles {
  std::string nccl, peer;
};

Obstacles obstacles_of(const GhostPlan& plan) {
  const Communicator& comm = plan.comm();
  const Place here = agreed(comm, [&] {
    Place place{.machine = {}, .gpu = current_gpu()};
    const std::string machine = SharedMemory::machine();
    std::strncpy(place.machine.data(), machine.c_str(), place.machine.size() - 1);
    return place;
  });
  Obstacles obstacles;
  obstacles.peer = shared_gpu(comm, here);
  obstacles.nccl = nccl_version().empty() ? "this build has no NCCL" : obstacles.peer;
  std::vector<Rank> ranks;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    if (n.rank != comm.rank()) ranks.push_back(n.rank);
  }
  const std::vector<std::vector<Place>> places =
      comm.exchange(std::span<const Rank>(ranks), std::vector<std::vector<Place>>(ranks.size(), {here}));
  for (std::size_t i = 0; i < ranks.size() && obstacles.peer.empty(); ++i) {
    const Place& there = places[i].at(0);
    if (!same_machine(here, there)) {
      obstacles.peer = fmt::format("ranks {} and {} are on different machines", comm.rank().value(), ranks[i].value());
    } else if (const char* const obstacle = peer_write_obstacle(there.gpu)) {
      obstacles.peer = fmt::format("between the GPUs of ranks {} and {}: {}", comm.rank().value(), ranks[i].value(), obstacle);
    }
  }
  return obstacles;
}

}  // namespace

std::vector<Transport> choose_transports(const GhostPlan& plan, Backend backend, Transport wanted, const char* why_host) {
  const Communicator& comm = plan.comm();
  const auto kind = static_cast<int>(is_cuda(backend) ? Backend::cuda : backend);  // one for all memory that GPUs access
  if (comm.min(kind) != comm.max(kind)) backend = Backend::host;
  const auto refuse_if = [&](Transport transport, const std::string& obstacle) {
    if (wanted == transport && !obstacle.empty()) {
      throw InputError(fmt::format("the transport \"{}\" cannot be used: {}", to_string(wanted), obstacle),
                       fmt::format("use \"{}\"", name_of(Transport::automatic)));
    }
  };
  if (backend == Backend::host) {
    agreed(comm, [&] {
      if (!is_host_transport(wanted)) refuse_if(wanted, why_host);
    });
    return {wanted};
  }
  if (wanted == Transport::host || wanted == Transport::shared || wanted == Transport::staged) return {wanted};
  const bool mirror = backend == Backend::mirror;
  if (mirror && wanted == Transport::peer && peer_of_mirrors_for_tests() != nullptr) return {wanted};
  const bool aware = comm.all(mirror || MpiEnvironment::cuda_aware().value_or(false));
  Obstacles obstacles{"the arrays are not on GPUs", "the arrays are not on GPUs"};
  if (!mirror) obstacles = obstacles_of(plan);
  if (sides_share_memory(backend) && obstacles.peer.empty()) {
    obstacles.peer = "other processes cannot map the managed or mapped memory of the arrays, or that of others";
  }
  agreed(comm, [&] {
    refuse_if(Transport::cuda_aware, aware ? "" : "MPI does not report that it is CUDA-aware");
    refuse_if(Transport::nccl, obstacles.nccl);
    refuse_if(Transport::peer, obstacles.peer);
  });
  if (wanted != Transport::automatic) return {wanted};
  if (mirror) return {Transport::staged};
  std::vector<Transport> candidates;
  if (comm.all(obstacles.peer.empty())) candidates.push_back(Transport::peer);
  if (comm.all(obstacles.nccl.empty())) candidates.push_back(Transport::nccl);
  if (aware) candidates.push_back(Transport::cuda_aware);
  candidates.push_back(Transport::staged);
  return candidates;
}

std::unique_ptr<TransportBody> make_first(std::vector<Transport>& candidates,
                                          const std::function<std::unique_ptr<TransportBody>(Transport)>& make) {
  for (;; candidates.erase(candidates.begin())) {
    try {
      return make(candidates.at(0));
    } catch (const DeviceError&) {
      if (candidates.size() == 1) throw;
    }
  }
}

}  // namespace weft::detail

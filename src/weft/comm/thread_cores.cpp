#include "weft/comm/thread_cores.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/core_topology.hpp"
#include "weft/base/cores.hpp"
#include "weft/base/counted.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/environment.hpp"

namespace weft {
namespace {

/// The hardware threads of the ranks on a machine.
struct Masks {
  std::vector<int> own;
  bool same = true;      ///< all ranks may use the same
  bool disjoint = true;  ///< no two ranks may use a common one
};

/// @collective
[[nodiscard]] Masks masks_of(const Communicator& machine) {
  Masks masks{.own = ThreadBinding::unbound()};
  std::vector<int> all = machine.all_gather(std::span<const int>(masks.own));
  masks.same = machine.all(std::ssize(all) == std::ssize(masks.own) * machine.size());
  for (std::size_t i = 0; masks.same && i < all.size(); ++i) masks.same = all[i] == masks.own[i % masks.own.size()];
  masks.same = machine.all(masks.same);
  std::ranges::sort(all);
  masks.disjoint = std::ranges::adjacent_find(all) == all.end();
  return masks;
}

/// Returns whether the job has ranks on this machine that `machine` lacks, as far as the launcher reports.
[[nodiscard]] bool lacks_ranks(const Communicator& machine) {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* const ranks = std::getenv(name)) return std::atoi(ranks) > machine.size();
  }
  return false;
}

/// The cores of a rank, and why there are none.
struct Share {
  std::vector<Core> cores{};
  std::string problem{};
  bool several_nodes = false;  ///< the machine has several NUMA nodes
  bool full = false;           ///< the threads of its ranks are more than half of its cores
};

/// @collective
[[nodiscard]] Share find_share(const Communicator& machine, Bind how, int threads) {
  const Masks masks = masks_of(machine);
  const std::vector<Core> cores = cores_of(masks.own);
  Share share;
  if (cores.empty()) {
    share.problem = "the system does not report which cores the process may use";
  } else if (lacks_ranks(machine)) {
    share.problem = "other ranks of the job use the same machine";
  } else if (masks.same) {
    share.cores = share_of_rank(cores, machine.size(), machine.rank().value(), threads);
  } else if (how == Bind::automatic) {
    share.problem = "the launcher has bound the ranks";
  } else if (masks.disjoint) {
    share.cores = share_of_rank(cores, 1, 0, threads);
  } else {
    share.problem = "the launcher has bound ranks to the same cores";
  }
  if (share.cores.empty() && share.problem.empty()) {
    share.problem = masks.same
                        ? fmt::format("{} of {} on {} have {}", counted(machine.size(), "rank"), counted(threads, "thread"),
                                      MpiEnvironment::machine(), counted(std::ssize(masks.own), "core"))
                        : fmt::format("{} of a rank have {} of the launcher", counted(threads, "thread"),
                                      counted(std::ssize(masks.own), "core"));
  }
  if (!cores.empty()) share.several_nodes = cores.front().node != cores.back().node;
  share.full = std::int64_t{2} * machine.size() * threads > std::ssize(cores);
  return share;
}

/// Returns the texts of the ranks on rank 0's machine, on every rank.  @collective
[[nodiscard]] std::string joined_on_first_machine(const Communicator& comm, const Communicator& machine,
                                                  const std::string& mine) {
  constexpr int kMostNamed = 8;
  std::string text = (machine.is_root() ? "" : ", ") + mine;
  const std::vector<char> all = machine.rank().value() < kMostNamed ? machine.all_gather(std::span<const char>(text))
                                                                    : machine.all_gather(std::span<const char>());
  text.assign(all.begin(), all.end());
  if (machine.size() > kMostNamed) text += fmt::format(", and those of {} more", counted(machine.size() - kMostNamed, "rank"));
  comm.broadcast(text);
  return text;
}

}  // namespace

bool each_thread_has_core(const Communicator& comm, int threads) {
  const long of_machine = sysconf(_SC_NPROCESSORS_ONLN);
  return long{comm.split_shared_memory().size()} * threads <= of_machine && threads <= usable_cores() &&
         !MpiEnvironment::yields_when_idle();
}

BoundThreads bind_threads(const Communicator& comm, Bind how, int threads) {
  WEFT_EXPECTS(threads >= 1);
  if (how == Bind::none) {
    ThreadBinding::release();
    return {};
  }
  const Communicator machine = comm.split_shared_memory();
  Share share = find_share(machine, how, threads);
  if (how == Bind::automatic && !(share.several_nodes && share.full)) share.problem = "it would not help";
  const auto first_problem = [&] {
    const int rank = comm.min(share.problem.empty() ? comm.size() : comm.rank().value());
    std::string problem = share.problem;
    if (rank < comm.size()) comm.broadcast(problem, Rank(rank));
    return problem;
  };
  std::string problem = first_problem();
  if (problem.empty()) {
    if (!ThreadBinding::bind(share.cores, threads, how != Bind::cores)) share.problem = "the system refuses to bind threads";
    problem = first_problem();
  }
  if (problem.empty()) return {.cores = joined_on_first_machine(comm, machine, ThreadBinding::text()), .problem = {}};
  ThreadBinding::release();
  return {.cores = {}, .problem = how == Bind::automatic ? std::string() : problem};
}

int share_of_cores(const Communicator& comm) {
  const std::vector<int> cores = affinity();
  std::uint64_t hash = cores.size();
  for (const int core : cores) hash = hash_with(hash, static_cast<std::uint64_t>(core));
  const std::vector<std::uint64_t> all = comm.split_shared_memory().all_gather(hash);
  const auto ranks = std::max(1, static_cast<int>(std::count(all.begin(), all.end(), hash)));
  return std::max(1, usable_cores() / ranks);
}

}  // namespace weft

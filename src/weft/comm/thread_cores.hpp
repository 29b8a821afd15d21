#pragma once
/// The cores of the threads of all ranks on a machine.
#include <string>

#include "weft/base/thread_binding.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Returns true if each of `threads` threads of each rank on this machine has a core of its own, as far as this process can know:
/// then a waiting thread may poll, otherwise it would take time from working ones.  @collective
[[nodiscard]] bool each_thread_has_core(const Communicator& comm, int threads);

/// Result of bind_threads(), the same on every rank.
struct BoundThreads {
  std::string cores;    ///< cores of the threads of the ranks on rank 0's machine: "0-3 4-7, 8-11 12-15"; empty: not bound
  std::string problem;  ///< why nothing is bound although Bind::cores or Bind::numa requests it; empty otherwise
};

/// Binds the calling thread and those of teams that are started later to cores of this machine, which the ranks there share:
/// see ThreadBinding and share_of_rank(). All ranks are bound, or none. Replaces an earlier binding; Bind::none ends it.
///
/// Ranks to which a launcher has given different hardware threads divide these only among their own threads, unless two ranks
/// have one in common. Nothing is bound where a machine has fewer hardware threads than its ranks have threads, or where only
/// some of the ranks of the job call.
/// @param comm  all ranks of the job.  @param threads  of each rank, at least 1.
/// @collective  @cost one split of `comm` and O(ranks on this machine * cores).
[[nodiscard]] BoundThreads bind_threads(const Communicator& comm, Bind how, int threads);

/// Returns how many threads this rank may use if the ranks of this machine divide its cores: those of its CPU affinity mask,
/// divided by the number of ranks of `comm` on this machine with the same mask; at least 1.  @collective
[[nodiscard]] int share_of_cores(const Communicator& comm);

}  // namespace weft

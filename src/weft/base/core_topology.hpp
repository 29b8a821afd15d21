#pragma once
/// The cores of a machine, its NUMA nodes, and their division among ranks and threads.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace weft {

/// A physical core, with those of its hardware threads that a process may use. Numbers are those of the operating system.
struct Core {
  int node = 0;           ///< NUMA node
  std::vector<int> cpus;  ///< hardware threads, ascending
  friend bool operator==(const Core&, const Core&) = default;
};

/// Returns the hardware threads in the CPU affinity mask of the calling thread, ascending; empty if the system does not report
/// it.
[[nodiscard]] std::vector<int> affinity();
/// Restricts the calling thread to these hardware threads. Returns false if the system refuses.
bool set_affinity(std::span<const int> cpus) noexcept;

/// Returns the cores that have these hardware threads, in the order of NUMA nodes and, within one, of hardware threads. Where
/// the system does not describe them, each hardware thread is a core of node 0.
/// @param system  folder in which Linux describes cores and nodes.
[[nodiscard]] std::vector<Core> cores_of(std::span<const int> cpus, const std::filesystem::path& system = "/sys/devices/system");

/// Returns the cores of one of several ranks that share a machine; empty if there are fewer hardware threads than `ranks` times
/// `threads`. The shares of different ranks are disjoint, and together they are all cores.
///
/// Ranks are divided equally among the NUMA nodes, and the cores of a node among its ranks; with more nodes than ranks each rank
/// has whole nodes. If some rank would then have fewer cores than threads, all cores are divided equally in their order. Where
/// there are fewer cores than threads of all ranks, a hardware thread counts as a core.
///
///     2 nodes of 4 cores, 3 ranks:   rank 0: 0 1 | rank 1: 2 3 | rank 2: 4 5 6 7     with up to 2 threads
///
/// @param cores  as cores_of() returns them.  @pre 0 <= rank < ranks; threads >= 1.
[[nodiscard]] std::vector<Core> share_of_rank(std::span<const Core> cores, int ranks, int rank, int threads);

/// Returns the hardware threads of all cores, ascending.
[[nodiscard]] std::vector<int> cpus_of(std::span<const Core> cores);
/// Returns numbers as text with ranges: "0-3,8".
[[nodiscard]] std::string number_ranges(std::span<const int> ascending);

}  // namespace weft

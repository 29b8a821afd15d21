#pragma once
/// The cores to which the threads of this process are bound.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/core_topology.hpp"
#include "weft/base/registry.hpp"

namespace weft {

/// How the threads of the ranks on a machine are bound.
enum class Bind : std::uint8_t { automatic, none, cores, numa };

inline constexpr Registry kBinds{
    "binding of threads",
    std::array{
        Row{Bind::automatic, "automatic",
            "numa on a machine with several NUMA nodes, if the threads of the run are more than half of its cores and not more "
            "than its hardware threads, and no launcher has bound the ranks; none otherwise"},
        Row{Bind::none, "none", "the operating system chooses the cores, within what a launcher permits"},
        Row{Bind::cores, "cores", "each rank has a share of the cores of its machine, and each of its threads one core of it"},
        Row{Bind::numa, "numa",
            "each rank has a share of the cores of its machine, and each of its threads those of one NUMA node of it"}}};
[[nodiscard]] constexpr const auto& registry_of(Bind /*tag*/) { return kBinds; }
static_assert(is_complete<Bind>());

/// The binding of this process. Thread t of every Team that is started after bind() is bound to the hardware threads that
/// bind() assigns to number t; the thread that calls bind() is number 0. Other threads of the library may use the whole share
/// of the rank.
class ThreadBinding {
 public:
  /// Binds the calling thread and those that start later. Replaces an earlier binding.
  /// @param share  cores of the rank, at least one per thread.  @param to_nodes  a thread moves among the cores of one NUMA node
  ///   of the share; otherwise it has one core.
  /// @return false, and nothing is bound, if the system refuses.
  static bool bind(std::span<const Core> share, int threads, bool to_nodes);
  /// Gives the calling thread the affinity mask again that it had before the first bind(), and binds no further thread.
  static void release();

  /// Binds the calling thread as number `thread` of a team. Does nothing without a binding.
  static void apply(int thread) noexcept;
  /// Permits the calling thread, which belongs to no team, all hardware threads of the rank's share.
  static void apply_to_helper() noexcept;

  /// Returns the affinity mask that the process has without a binding.
  [[nodiscard]] static std::vector<int> unbound();
  /// Returns the number of hardware threads of the rank's share; 0 without a binding.
  [[nodiscard]] static int cores();
  /// Returns true if the threads are bound to cores of different NUMA nodes.
  [[nodiscard]] static bool spans_nodes();
  /// Returns the hardware threads of each thread of a team, "0-3 4-7"; empty without a binding.
  [[nodiscard]] static std::string text();
};

}  // namespace weft

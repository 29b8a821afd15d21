#pragma once
/// Summary of the traces of all ranks: critical path, hidden communication, load, waits and messages.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/traffic.hpp"
#include "weft/task/exchange_overlap.hpp"
#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// Times are seconds per iteration; of exchanges and tasks, means over ranks unless a rank is named.
struct TraceSummary {
  /// A node on the critical path, or a message in flight.
  struct Step {
    std::string name;
    double seconds = 0;
  };
  using Exchange = ExchangeOverlap;
  struct Phase {
    std::string name;
    double executions = 0, mean = 0, most = 0;
    int rank = 0;  ///< that with the most
  };
  struct Wait {
    int rank = 0, for_rank = 0;
    double seconds = 0;
  };
  struct Message {
    int from = 0, to = 0;
    Traffic traffic;  ///< sum of the whole trace
  };

  int ranks = 0, iterations = 0;
  double iteration = 0;                         ///< time of the slowest rank
  int critical_rank = 0;                        ///< the rank with the longest critical path
  double critical_path = 0;                     ///< its length
  std::vector<Step> critical{};                 ///< its steps, the longest first
  std::vector<Exchange> exchanges{};            ///< those of the host; see DeviceOverlap for those of devices
  double computed_mean = 0, computed_most = 0;  ///< bodies of all threads of a rank
  int busiest_rank = 0;
  std::vector<Phase> phases{};  ///< the longest first
  std::vector<Wait> waits{};
  std::vector<Message> messages{};

  /// Returns the share of the communication of the host that computation hides; 1 where nothing can be hidden.
  [[nodiscard]] double hidden_share() const { return task::hidden_share(exchanges); }
  [[nodiscard]] std::string text() const;
};

/// Summarizes the traces of all ranks, by rank.
///
/// The critical path is the longest chain of dependencies: no number of threads makes an iteration shorter. On it, an exchange
/// counts with the time from the end of its start node to the beginning of its finish node; Exchange::seconds also contains both
/// nodes. A rank waits for the neighbour that started the exchange last, and in a reduction over ranks for the rank that began it
/// last, until then.
///
/// The bodies that may run during an exchange are those that depend on neither of its nodes, and on which neither depends. Their
/// time is the sum divided by the threads that execute nodes of the rank, but at least what they hide. The sums for each exchange
/// are over the iterations, and then over the ranks:
///
///     start [0, 1]  inner rows [1, 3]  wait [3, 4]  finish [4, 4.5]     seconds 4.5, hidden 2, can be hidden min(4.5, 2)
/// @cost O(exchanges * dependencies) for each graph, O(events * exchanges of an iteration) for the rest.
[[nodiscard]] TraceSummary summarize(std::span<const RankTrace> ranks);

}  // namespace weft::task

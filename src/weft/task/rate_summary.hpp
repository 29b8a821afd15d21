#pragma once
/// Summary of the rates of tasks: FLOP/s, bytes/s and the share of the roofline.
#include <span>
#include <string>
#include <vector>

#include "weft/task/operation_count.hpp"
#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// The rates of the tasks of all ranks. A rate is that of one rank: the mean over the ranks.
struct RateSummary {
  struct Task {
    std::string name;
    bool on_device = false;    ///< its times are those of a stream
    double executions = 0;     ///< on all ranks
    double seconds = 0;        ///< sum over all executions on all ranks
    OperationCount count{};    ///< sum over all executions on all ranks
    double least_seconds = 0;  ///< least time of all executions at the rates of the machine; 0: not known
  };
  std::vector<Task> tasks{};  ///< those of the host, then those of devices; each the longest first
  MachineRates host{}, device{};
  int ranks = 0;

  /// Returns the seconds of all tasks of the host or of devices.
  [[nodiscard]] double seconds(bool on_device) const;
  /// Returns a table; empty without tasks that have counts.
  [[nodiscard]] std::string text() const;
};

/// Sums the tasks of the traces of all ranks, by rank: those of the host, and what was executed in the streams of devices.
/// @param host,device  rates of the machine for one rank, instead of those in the traces where they are not 0.
[[nodiscard]] RateSummary summarize_rates(std::span<const RankTrace> ranks, const MachineRates& host = {},
                                          const MachineRates& device = {});

}  // namespace weft::task

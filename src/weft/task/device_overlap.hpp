#pragma once
/// Hidden communication of devices, from the rows of their streams in a trace.
#include <span>
#include <string>
#include <vector>

#include "weft/task/exchange_overlap.hpp"
#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// Times are seconds per iteration whose nodes have rows in streams: means over the ranks.
struct DeviceOverlap {
  bool has_exchanges = false;  ///< exchanges of a device are in a graph, or in a row
  int iterations = 0;          ///< with rows of an exchange: the most of a rank
  int without_rows = 0;        ///< iterations of plans that have no rows in streams: the most of a rank
  std::vector<ExchangeOverlap> exchanges{};

  /// Returns whether there are rows from which the share follows.
  [[nodiscard]] bool known() const { return !exchanges.empty(); }
  /// Returns the share of the communication that computation hides, as hidden_share(). @pre known()
  [[nodiscard]] double hidden_share() const { return task::hidden_share(exchanges); }
  /// Returns the share and a table, or why it is not known and what to do; empty without exchanges of a device.
  [[nodiscard]] std::string text() const;
};

/// Summarizes the exchanges of the devices of all ranks, by rank, from the rows of their streams.
///
/// As on the host (summarize()): an exchange lasts from the beginning of the row of its start node to the end of that of its
/// finish node; hidden is the part during which some row of a task is under way, in any stream; and it can be hidden for the time
/// during which a row of a task is under way that depends on neither node and on which neither depends, but at least for what is
/// hidden and at most for its own time:
///
///     urgent tasks and exchanges   | start [0, 1] |   | finish [3, 4] |     time 4, hidden 3,
///     tasks                           | inner rows [1, 6]             |     can be hidden min(4, 5)
///
/// Rows say what is under way at the same time, but not by how much tasks and exchanges delay each other meanwhile. Nodes within
/// a CUDA graph have no rows. Tasks of the host are not counted.
/// @cost O(exchanges * dependencies) for each graph, O(rows * exchanges of an iteration) for the rest.
[[nodiscard]] DeviceOverlap summarize_device_overlap(std::span<const RankTrace> ranks);

}  // namespace weft::task

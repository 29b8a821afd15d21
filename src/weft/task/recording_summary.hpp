#pragma once
/// Summary of a Recording: where the time of all ranks went.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/traffic.hpp"
#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// Times are those of the thread of each rank that communicates. A step is a region of the name kStep. Of steps, times are
/// seconds per step whose events were kept.
struct RecordingSummary {
  static constexpr const char* kStep = "step";

  /// A region within the same outer ones, on all ranks.
  struct Phase {
    std::string name;
    int depth = 0;                              ///< number of outer regions
    double executions = 0, mean = 0, most = 0;  ///< per rank: s in the kept events
    int rank = 0;                               ///< that with the most
    double waiting = 0;                         ///< mean, s
  };
  /// A part of the critical path: what a rank did, or waited for a message or in a collective that no rank was late for.
  struct Part {
    int rank = 0;
    std::string name;
    double seconds = 0;
  };
  struct Exchange {
    std::string name;
    double starts = 0;     ///< per rank and step
    double in_flight = 0;  ///< s per rank and step, from the end of its start to the end of its finish
    double covered = 0;    ///< thereof without waiting
  };
  /// The time that a rank waited in steps because another one was late; for_rank -1: in messages and collectives themselves.
  struct Wait {
    int rank = 0, for_rank = 0;
    double seconds = 0;
  };
  struct Message {
    int from = 0, to = 0;
    Traffic traffic;  ///< sum over the whole recording
  };

  int ranks = 0;
  std::int64_t steps = 0, kept = 0, dropped = 0;
  double seconds = 0;           ///< from the first event to the last, of all ranks
  std::vector<Phase> phases{};  ///< an outer one before those in it, which are in the order of their first beginnings
  double step = 0;              ///< the slowest rank's
  double computed_mean = 0, computed_most = 0;
  int busiest_rank = 0;
  std::int64_t path_steps = 0;   ///< steps that the critical path covers: the last that follow each other
  double path = 0;               ///< their duration, s
  std::vector<Part> critical{};  ///< the longest first
  std::vector<Exchange> exchanges{};
  bool on_devices = false;          ///< some exchanges are those of devices; see DeviceOverlap
  std::vector<Wait> waits{};        ///< the longest first
  std::vector<Message> messages{};  ///< with the most bytes first

  /// Returns the share of the time of exchanges in which the ranks did not wait; 1 without exchanges.
  [[nodiscard]] double overlap() const;
  [[nodiscard]] std::string text() const;
};

/// Returns whether the traces are of a Recording.
[[nodiscard]] bool is_recording(std::span<const RankTrace> ranks);

/// Summarizes the recordings of all ranks, by rank.
///
/// The critical path begins at the end of the last step and goes back in time. Where a rank waited for a message, it continues on
/// the rank that sent the message, if that sent it after the wait began; where a rank waited in a collective, on the rank that
/// entered it last. To shorten a step, shorten what is on the path.
/// @cost O(events * log(events))
[[nodiscard]] RecordingSummary summarize_recording(std::span<const RankTrace> ranks);

/// Returns the summaries of a trace: that of its recording, that of its plans, or both; the hidden communication of
/// its devices; and the rates of its tasks.
/// @param host,device  as summarize_rates().
[[nodiscard]] std::string summary_text(std::span<const RankTrace> ranks, const MachineRates& host = {},
                                       const MachineRates& device = {});

}  // namespace weft::task

#pragma once
/// Recording: the trace of a whole program: its regions, waits, exchanges and plans.
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// Records what this process does from construction to destruction, and writes it to a file with what the other ranks do.
///
///     task::Recording recording(comm, "trace.json");
///     ...                        // TracedRegion, Waiting, Exchange and Plan::run() add events
///     recording.write();
///
/// Kept are the events before the first step, and those of the first and the last N steps (Recorder). The file is a complete
/// trace at all times: an empty one before the first write().
class Recording {
 public:
  static constexpr int kSteps = 20;

  /// @param steps  N, at least 1.
  /// @throws IoError on every rank: the file cannot be written, or a file of that name is there which is no trace;
  ///   ContractError: another recording of this process has not ended. @collective
  Recording(Communicator comm, std::string path, int steps = kSteps);
  /// Ends the recording. Waits for no other rank.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Writes the events of all ranks so far. @throws IoError on every rank. @collective
  /// @pre no thread but the caller is in a region.
  void write() const;
  /// Writes the events of the start and of the first N steps once they are complete, and does nothing before and after that, so
  /// that a program that is killed leaves them. Called in every step, with the same number of steps on all ranks.
  /// @throws as write(). @collective
  void write_first_steps();
  /// Writes the events of this rank alone, for the case that the others cannot take part: the other ranks have none.
  void write_alone() const;
  /// Sets the rates of the machine in the trace of this rank, which summaries compare with those of tasks.
  void set_rates(const MachineRates& host, const MachineRates& device);

  /// Returns the number of a graph in the trace of this rank. Called by a plan that is executed while there is a recording.
  [[nodiscard]] static int add_graph(RankTrace::Graph graph);
  /// Begins an iteration of a plan and returns its number.
  [[nodiscard]] static int begin_iteration();

 private:
  [[nodiscard]] RankTrace of_rank(std::int64_t offset) const;

  Communicator comm_;
  std::string path_;
  int steps_;                 ///< N
  bool wrote_first_ = false;  ///< write_first_steps() has written
  std::int64_t offset_ = 0;   ///< clock_offset()
  MachineRates host_{}, device_{};
};

}  // namespace weft::task

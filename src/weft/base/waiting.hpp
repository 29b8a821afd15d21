#pragma once
/// Records the operation that this process waits for, and a watchdog that reports it.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "weft/base/recorder.hpp"

namespace weft {

/// Marks the main thread as waiting during its lifetime, for a Watchdog and for the trace of a Recorder, which contains the
/// outermost of nested waits. @cost two reads of the clock with one of these; one load without.
class Waiting {
 public:
  static constexpr int kAllRanks = -1, kNoRank = -2;
  /// @param what  a string literal that names the operation: "MPI_Barrier", "ghost rows".
  /// @param rank  the rank waited for, in the communicator used; kAllRanks: all its ranks; kNoRank: no rank (a GPU, a disk).
  explicit Waiting(const char* what, int rank = kAllRanks) noexcept;
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  bool marked_ = false, recorded_ = false;
  int outer_rank_ = kAllRanks;
  const char* outer_what_ = nullptr;
  std::optional<RecordedSpan> span_{};
};

/// Adds lines to the report of the watchdog during its lifetime. Of nested ones the innermost counts.
class WaitDetail {
 public:
  /// @param describe  returns the text, without a final end of line; called only with a Watchdog.
  explicit WaitDetail(const std::function<std::string()>& describe);
  ~WaitDetail();
  WaitDetail(const WaitDetail&) = delete;
  WaitDetail& operator=(const WaitDetail&) = delete;

 private:
  bool marked_;
  std::string outer_;
};

/// Ends the process with kExitCode when it neither enters nor leaves a wait for a given time, after printing report() on stderr.
/// The launcher then ends the other ranks. The process exits 3 seconds after its report, so that other waiting ranks can report
/// as well; it continues if its state changes within that time.
class Watchdog {
 public:
  static constexpr int kExitCode = 124;
  /// Starts a thread that checks the state five times per second. @param seconds  the time limit, > 0.
  /// @param name  of this process: "rank 2 of 4 on host". @pre there is no other Watchdog.
  Watchdog(double seconds, std::string name);
  /// Ends the thread of the watchdog.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Returns the current report: "has waited 12 s for rank 1 (ghost rows)", "has computed for 3 s since MPI_Barrier"; and the
  /// lines of a WaitDetail.
  [[nodiscard]] static std::string report();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace weft

#pragma once
/// What this process waits for: marked where it waits, told by a watchdog.
#include <cstdint>
#include <memory>
#include <string>

namespace weft {

/// Marks, while it lives, that the main thread waits. Costs two looks at the clock, and next to nothing without a Watchdog.
class Waiting {
 public:
  static constexpr int kEverybody = -1, kNobody = -2;
  /// @param what  a literal: "MPI_Barrier", "ghost rows".
  /// @param rank  whom it waits for, in the communicator at hand; kEverybody: all of its ranks; kNobody: no rank (a GPU, a disk).
  explicit Waiting(const char* what, int rank = kEverybody) noexcept;
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  bool marked_;
  int outer_rank_ = kEverybody;
  const char* outer_what_ = nullptr;
};

/// Ends the process when it neither comes out of a wait nor goes into one for so long, after saying on stderr what it was at. The
/// launcher then ends the other ranks; those that wait, too, have a few seconds to say so, and who goes on within them is let go.
class Watchdog {
 public:
  static constexpr int kExitCode = 124;
  /// Starts a thread that looks several times a second. @param seconds > 0. @param name  of this process: "rank 2 of 4 on host".
  Watchdog(double seconds, std::string name);
  /// Ends the thread.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// What it would say now: "has waited 12 s for rank 1 (ghost rows)", "has computed for 3 s since MPI_Barrier".
  [[nodiscard]] static std::string report();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace weft

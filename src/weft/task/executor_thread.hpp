#pragma once
/// The state of a thread of an Executor.
#include <cstddef>
#include <optional>
#include <vector>

#include "weft/base/back_off.hpp"
#include "weft/base/waiting.hpp"
#include "weft/task/executor.hpp"

namespace weft::task {

/// Attempts to end an exchange before the communicating thread yields its core: about 1 ms, because the thread that gets the core
/// may use it for several ms; few if threads share cores.
inline constexpr int kPollsInFlight = 20000, kPollsOnSharedCores = 50;

/// State of a thread in a stage. The lists keep their memory between stages.
struct alignas(64) Executor::Thread {
  /// Sets the state at the beginning of a stage.
  void begin(int of_thread) {
    number = of_thread;
    done = polls = 0;
    taken = {};
    next = 0;
    in_flight.clear();
    copying.clear();
    back_off.restart();
    tested = {};
  }

  int number = 0;
  int done = 0;  ///< executed nodes that remaining_ still counts
  int polls = 0;
  IdRange<ReadyList::Position> taken{};  ///< positions of normal_
  // The following are used by the communicating thread only:
  std::size_t next = 0;          ///< position in Stage::communication
  std::vector<int> in_flight{};  ///< finish nodes of started exchanges
  std::vector<int> copying{};    ///< launched copies
  Clock::time_point tested{};
  Clock::time_point idle_since{};
  BackOff back_off{};  ///< restarted when work of communication or copies begins or ends
  std::optional<Waiting> waiting{};
  std::optional<WaitDetail> detail{};
  Clock::time_point described{};
};

inline bool Executor::communication_is_ready(const Thread& thread) const {
  return thread.next < stage_->communication.size() && waits_for_[stage_->communication[thread.next]].load() == 0;
}

/// Returns false where communicate() would do nothing, at less cost.
inline bool Executor::has_to_communicate(const Thread& thread) const {
  return has_launches_ || !thread.in_flight.empty() || communication_is_ready(thread);
}

}  // namespace weft::task

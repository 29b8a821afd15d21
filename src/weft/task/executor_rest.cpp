// Waits of the threads of an executor while no node is ready.
#include <algorithm>
#include <chrono>
#include <thread>

#include "weft/base/waiting.hpp"
#include "weft/task/executor.hpp"
#include "weft/task/executor_thread.hpp"

namespace weft::task {
namespace {

/// Attempts to find work before a thread sleeps: about 0.1 ms.
constexpr int kPolls = 2000;
/// When nothing has happened for this long, the communicating thread sleeps between two tests: for a 64th of the time without an
/// event, so that a wait becomes longer by no more than that and the slack of the system's timer (50 us on Linux).
constexpr std::chrono::microseconds kYields{2000}, kLongestSleep{200};
constexpr int kSleepShare = 64;
/// The communicating thread describes what it waits for, for the watchdog, not more often. It reads the clock at every 64th
/// attempt, because an attempt may take milliseconds where other processes use the cores.
constexpr std::chrono::milliseconds kDescribeInterval{200};
constexpr int kPollsPerTime = 64;

}  // namespace

/// Leaves the core to others for a while, because the end of a message or a copy wakes no thread.
void Executor::leave_core(Thread& thread, Clock::time_point now) {
  if (!thread.quiet) {
    thread.quiet = true;
    thread.quiet_since = now;
  }
  const auto waited = now - thread.quiet_since;
  if (waited < kYields) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::min<Clock::duration>(waited / kSleepShare, kLongestSleep));
  }
}

/// Polls once; sleeps after many polls without work.
void Executor::rest(Thread& thread) {
  if (thread.polls == 0) {
    thread.quiet = false;
    if (tracing_) thread.idle_since = Clock::now();
    if (!thread.in_flight.empty()) {
      thread.waiting.emplace("ghost rows of a task");
      thread.described = Clock::now();
    }
  }
  thread.polls = std::min(thread.polls + 1, kPollsInFlight);
  if (!thread.in_flight.empty() || !thread.copying.empty()) {
    const bool yields = thread.polls >= polls_in_flight_;
    if (!yields && thread.polls % kPollsPerTime != 0) return;
    const Clock::time_point now = Clock::now();
    if (yields) leave_core(thread, now);
    if (now - thread.described > kDescribeInterval) {
      thread.described = now;
      thread.detail.reset();
      thread.detail.emplace([&] { return report(thread.in_flight); });
    }
    return;
  }
  if (thread.polls < kPolls) return;
  sleeping_.fetch_add(1);
  const int seen = signal_.load();
  const bool work = any_ready() || remaining_.load() == 0 || broken_.load() ||
                    (thread.number == 0 && (communication_is_ready(thread) || !launches_.empty()));
  if (!work) signal_.wait(seen);
  sleeping_.fetch_sub(1);
}

void Executor::wake() {
  signal_.fetch_add(1);
  signal_.notify_all();
}

}  // namespace weft::task

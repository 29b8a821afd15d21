// Waits of the threads of an executor while no node is ready.
#include <algorithm>
#include <chrono>

#include "weft/base/waiting.hpp"
#include "weft/task/executor.hpp"
#include "weft/task/executor_thread.hpp"

namespace weft::task {
namespace {

/// Attempts to find work before a thread sleeps: about 0.1 ms.
constexpr int kPolls = 2000;
/// The communicating thread describes what it waits for, for the watchdog, not more often. It reads the clock at every 64th
/// attempt, because an attempt may take milliseconds where other processes use the cores.
constexpr std::chrono::milliseconds kDescribeInterval{200};
constexpr int kPollsPerTime = 64;

}  // namespace

/// Polls once; sleeps after many polls without work.
void Executor::rest(Thread& thread) {
  if (thread.polls == 0) {
    thread.back_off.restart();
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
    if (yields) thread.back_off.leave_core();
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

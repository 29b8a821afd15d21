#include "weft/base/back_off.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <utility>

namespace weft {
namespace {

// All times are in ns. A wait yields this often, or for this time, and then sleeps for a share of the time waited.
constexpr std::int64_t kYields = 5000, kYieldingTime = 20'000'000, kSleepShare = 64, kLongestSleep = 200'000;
// Yields that begin a period without yields, and what a wait does in it: polls, then sleeps.
constexpr std::int64_t kLongYield = 2'500'000, kPollingTime = 30'000, kShortSleep = 20'000;
constexpr std::int64_t kFirstPeriod = 5'000'000, kLongestPeriod = 80'000'000;

/// Set by yield_in_call(): the program replaces sched_yield().
std::atomic<bool> replaces_sched_yield{false};

/// Period without yields: another process is assumed to compute on the core of this thread.
struct SharedCore {
  std::int64_t until = 0;   ///< end of the period
  std::int64_t period = 0;  ///< its length
};
thread_local SharedCore shared_core;
/// BackOff of the innermost BlockingCall of this thread; null outside of one.
thread_local BackOff* of_call = nullptr;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void sleep_ns(std::int64_t ns) {
  const timespec time{0, ns};
  const int error = errno;  // a signal changes it
  nanosleep(&time, nullptr);
  errno = error;
}

/// Yields. A long yield begins a period without yields: of kFirstPeriod, or twice as long as the last one if that has ended less
/// than kFirstPeriod ago.
void yield(std::int64_t now) {
  syscall(SYS_sched_yield);  // not sched_yield(), which programs replace
  const std::int64_t after = now_ns();
  if (after - now < kLongYield || !replaces_sched_yield.load(std::memory_order_relaxed)) return;
  const bool again = now - shared_core.until < kFirstPeriod;
  shared_core.period = again ? std::min(2 * shared_core.period, kLongestPeriod) : kFirstPeriod;
  shared_core.until = after + shared_core.period;
}

}  // namespace

void BackOff::leave_core() noexcept {
  const std::int64_t now = now_ns();
  if (begin_ns_ == 0) begin_ns_ = now;
  const std::int64_t waited = now - begin_ns_;
  if (yields_ >= kYields || waited > kYieldingTime) {
    sleep_ns(std::min(waited / kSleepShare, kLongestSleep));
  } else if (now < shared_core.until) {
    if (waited > kPollingTime) sleep_ns(kShortSleep);
  } else {
    ++yields_;
    yield(now);
  }
}

BlockingCall::BlockingCall() noexcept : outer_(std::exchange(of_call, &back_off_)) {}
BlockingCall::~BlockingCall() { of_call = outer_; }

void yield_in_call() noexcept {
  replaces_sched_yield.store(true, std::memory_order_relaxed);
  if (of_call != nullptr) {
    of_call->leave_core();
  } else if (const std::int64_t now = now_ns(); now >= shared_core.until) {
    yield(now);
  }
}

}  // namespace weft

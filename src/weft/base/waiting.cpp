#include "weft/base/waiting.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "weft/base/contracts.hpp"

namespace weft {
namespace {

std::int64_t nanoseconds_now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// The state of the main thread, written by it and read by the thread of the watchdog. The fields are not updated together, so
/// a report may combine old and new values; it is only meant for people.
struct MainThreadState {
  std::atomic<bool> watched{false};
  std::atomic<const char*> what{nullptr};      ///< operation waited for; null: not waiting
  std::atomic<const char*> last{"the start"};  ///< most recent operation waited for
  std::atomic<int> rank{Waiting::kAllRanks};
  std::atomic<std::int64_t> since{0};  ///< time in ns at which the current wait began or the last one ended
};
MainThreadState g_state;

}  // namespace

Waiting::Waiting(const char* what, int rank) noexcept : marked_(g_state.watched.load(std::memory_order_relaxed)) {
  if (!marked_) return;
  outer_what_ = g_state.what.load();
  outer_rank_ = g_state.rank.load();
  g_state.since = nanoseconds_now();
  g_state.rank = rank;
  g_state.what = what;
}

Waiting::~Waiting() {
  if (!marked_) return;
  g_state.last = g_state.what.load();
  g_state.what = outer_what_;
  g_state.rank = outer_rank_;
  g_state.since = nanoseconds_now();
}

struct Watchdog::Body {
  std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  std::thread thread;
};

std::string Watchdog::report() {
  const char* const what = g_state.what.load();
  const int rank = g_state.rank.load();
  const double seconds = static_cast<double>(nanoseconds_now() - g_state.since.load()) * 1e-9;
  char number[32];
  std::snprintf(number, sizeof number, "%.3g s", seconds);
  if (what == nullptr) return std::string("has computed for ") + number + " since " + g_state.last.load();
  const std::string target = rank == Waiting::kAllRanks ? " for the other ranks"
                             : rank == Waiting::kNoRank ? ""
                                                        : " for rank " + std::to_string(rank);
  return std::string("has waited ") + number + target + " (" + what + ")";
}

Watchdog::Watchdog(double seconds, std::string name) : body_(std::make_unique<Body>()) {
  WEFT_EXPECTS(seconds > 0 && !g_state.watched);
  g_state.since = nanoseconds_now();
  g_state.watched = true;
  body_->thread = std::thread([this, seconds, name = std::move(name)] {
    std::unique_lock lock(body_->mutex);
    while (!body_->stopped.wait_for(lock, std::chrono::milliseconds(200), [this] { return body_->stop; })) {
      if (static_cast<double>(nanoseconds_now() - g_state.since.load()) * 1e-9 < seconds) continue;
      const std::string line = "weft: watchdog: " + name + " " + report() + "\n";
      (void)!::write(STDERR_FILENO, line.data(), line.size());
      // The launcher ends the other ranks as soon as one has exited, so they get time to print their own reports.
      const std::int64_t since = g_state.since.load();
      if (body_->stopped.wait_for(lock, std::chrono::seconds(3), [this] { return body_->stop; })) return;
      if (g_state.since.load() == since) ::_exit(kExitCode);
      constexpr char kResumed[] = "weft: watchdog: the process resumed\n";
      (void)!::write(STDERR_FILENO, kResumed, sizeof kResumed - 1);
    }
  });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(body_->mutex);
    body_->stop = true;
  }
  body_->stopped.notify_one();
  body_->thread.join();
  g_state.watched = false;
}

}  // namespace weft

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
#include "weft/base/traced_region.hpp"

namespace weft {
namespace {

std::int64_t nanoseconds_now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// The state of the main thread, written by it and read by the thread of the watchdog. The fields are not updated together, so
/// a report may combine old and new values; it is only meant for people.
struct MainThreadState {
  std::atomic<const char*> what{nullptr};      ///< operation waited for; null: not waiting
  std::atomic<const char*> last{"the start"};  ///< most recent operation waited for
  std::atomic<int> rank{Waiting::kAllRanks};
  std::atomic<std::int64_t> since{0};  ///< time in ns at which the current wait began or the last one ended
};
MainThreadState g_state;
std::mutex g_detail_mutex;
std::string g_detail;

[[nodiscard]] bool is_watched() { return (detail::g_observers.load(std::memory_order_relaxed) & detail::kWatchdog) != 0; }

thread_local int t_waits = 0;  ///< nested waits that are recorded

std::string exchange_detail(std::string text) {
  const std::lock_guard lock(g_detail_mutex);
  return std::exchange(g_detail, std::move(text));
}

}  // namespace

Waiting::Waiting(const char* what, int rank) noexcept {
  const int observers = detail::g_observers.load(std::memory_order_relaxed);
  if (observers == 0) return;
  recorded_ = RecordedSpan::observed();
  if (recorded_ && t_waits++ == 0) {
    span_.emplace(
        RecordedEvent{.name = what, .kind = RecordedEvent::Kind::wait, .peer = rank >= 0 ? rank : RecordedEvent::kNone});
  }
  marked_ = (observers & detail::kWatchdog) != 0;
  if (!marked_) return;
  outer_what_ = g_state.what.load();
  outer_rank_ = g_state.rank.load();
  g_state.since = nanoseconds_now();
  g_state.rank = rank;
  g_state.what = what;
}

Waiting::~Waiting() {
  if (recorded_) --t_waits;
  if (!marked_) return;
  g_state.last = g_state.what.load();
  g_state.what = outer_what_;
  g_state.rank = outer_rank_;
  g_state.since = nanoseconds_now();
}

WaitDetail::WaitDetail(const std::function<std::string()>& describe) : marked_(is_watched()) {
  if (marked_) outer_ = exchange_detail(describe());
}

WaitDetail::~WaitDetail() {
  if (marked_) exchange_detail(std::move(outer_));
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
  std::string detail;
  {
    const std::lock_guard lock(g_detail_mutex);
    if (!g_detail.empty()) detail = "\n" + g_detail;
  }
  if (what == nullptr) return std::string("has computed for ") + number + " since " + g_state.last.load() + detail;
  const std::string target = rank == Waiting::kAllRanks ? " for the other ranks"
                             : rank == Waiting::kNoRank ? ""
                                                        : " for rank " + std::to_string(rank);
  return std::string("has waited ") + number + target + " (" + what + ")" + detail;
}

Watchdog::Watchdog(double seconds, std::string name) : body_(std::make_unique<Body>()) {
  WEFT_EXPECTS(seconds > 0 && !is_watched());
  g_state.since = nanoseconds_now();
  detail::g_observers.fetch_or(detail::kWatchdog);
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
  detail::g_observers.fetch_and(~detail::kWatchdog);
}

}  // namespace weft

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

/// Written by the main thread, read by the watchdog's. One field may be newer than another for a moment: what is told is for
/// people.
struct Board {
  std::atomic<bool> watched{false};
  std::atomic<const char*> what{nullptr};  ///< null: not waiting
  std::atomic<const char*> last{"the start"};
  std::atomic<int> rank{Waiting::kEverybody};
  std::atomic<std::int64_t> since{0};  ///< ns: of the wait, or of its end
};
Board g_board;

}  // namespace

Waiting::Waiting(const char* what, int rank) noexcept : marked_(g_board.watched.load(std::memory_order_relaxed)) {
  if (!marked_) return;
  outer_what_ = g_board.what.load();
  outer_rank_ = g_board.rank.load();
  g_board.since = nanoseconds_now();
  g_board.rank = rank;
  g_board.what = what;
}

Waiting::~Waiting() {
  if (!marked_) return;
  g_board.last = g_board.what.load();
  g_board.what = outer_what_;
  g_board.rank = outer_rank_;
  g_board.since = nanoseconds_now();
}

struct Watchdog::Body {
  std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  std::thread thread;
};

std::string Watchdog::report() {
  const char* const what = g_board.what.load();
  const int rank = g_board.rank.load();
  const double seconds = static_cast<double>(nanoseconds_now() - g_board.since.load()) * 1e-9;
  char number[32];
  std::snprintf(number, sizeof number, "%.3g s", seconds);
  if (what == nullptr) return std::string("has computed for ") + number + " since " + g_board.last.load();
  const std::string whom = rank == Waiting::kEverybody ? " for the other ranks"
                           : rank == Waiting::kNobody  ? ""
                                                       : " for rank " + std::to_string(rank);
  return std::string("has waited ") + number + whom + " (" + what + ")";
}

Watchdog::Watchdog(double seconds, std::string name) : body_(std::make_unique<Body>()) {
  WEFT_EXPECTS(seconds > 0 && !g_board.watched);
  g_board.since = nanoseconds_now();
  g_board.watched = true;
  body_->thread = std::thread([this, seconds, name = std::move(name)] {
    std::unique_lock lock(body_->mutex);
    while (!body_->stopped.wait_for(lock, std::chrono::milliseconds(200), [this] { return body_->stop; })) {
      if (static_cast<double>(nanoseconds_now() - g_board.since.load()) * 1e-9 < seconds) continue;
      const std::string line = "weft: watchdog: " + name + " " + report() + "\n";
      (void)!::write(STDERR_FILENO, line.data(), line.size());
      // The first to end makes the launcher end the others, who may have something to say as well.
      const std::int64_t since = g_board.since.load();
      if (body_->stopped.wait_for(lock, std::chrono::seconds(3), [this] { return body_->stop; })) return;
      if (g_board.since.load() == since) ::_exit(kExitCode);
      constexpr char kWentOn[] = "weft: watchdog: it went on\n";
      (void)!::write(STDERR_FILENO, kWentOn, sizeof kWentOn - 1);
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
  g_board.watched = false;
}

}  // namespace weft

#include "weft/base/team.hpp"

#include <string>
#include <system_error>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/recorder.hpp"
#include "weft/base/thread_binding.hpp"

namespace weft {
namespace {

/// Polls before a thread blocks: about 0.2 ms.
constexpr int kPolls = 10000;

inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(int threads, bool polls_first) : polls_(polls_first ? kPolls : 0) {
  WEFT_EXPECTS(threads >= 1);
  try {
    for (int t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
  } catch (const std::system_error& error) {
    const int started = size();
    end_threads();
    throw LimitError(
        "only " + std::to_string(started) + " of " + std::to_string(threads) + " threads could be started (" + error.what() + ")",
        "request fewer threads");
  }
}

Team::~Team() { end_threads(); }

void Team::end_threads() {
  job_ = {};
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::run_all(const AnyJob& job) {
  job_ = job;
  working_.store(size() - 1, std::memory_order_relaxed);
  round_.fetch_add(1);
  round_.notify_all();
  job.call(job.function, 0);
  for (int running = 0; (running = working_.load(std::memory_order_acquire)) > 0;) await_change(working_, running);
}

void Team::serve(int thread) {
  Recorder::set_thread(thread);
  ThreadBinding::apply(thread);
  for (int round = 0;; ++round) {
    await_change(round_, round);
    if (job_.call == nullptr) return;
    job_.call(job_.function, thread);
    if (working_.fetch_sub(1) == 1) working_.notify_one();
  }
}

/// Blocks until the value of `word` differs from `old`.
void Team::await_change(const std::atomic<int>& word, int old) const {
  for (int poll = 0; poll < polls_; ++poll) {
    if (word.load(std::memory_order_acquire) != old) return;
    pause_core();
  }
  word.wait(old, std::memory_order_acquire);
}

}  // namespace weft

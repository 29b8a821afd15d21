#include "weft/base/team.hpp"

#include <string>
#include <system_error>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"

namespace weft {
namespace {

constexpr int kLooks = 10000;

inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(int threads, bool looks_first) : looks_(looks_first ? kLooks : 0) {
  WEFT_EXPECTS(threads >= 1);
  try {
    for (int t = 1; t < threads; ++t) others_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error& error) {
    const int started = size();
    dismiss();
    throw LimitError(
        "of " + std::to_string(threads) + " threads " + std::to_string(started) + " could be started (" + error.what() + ")",
        "ask for fewer");
  }
}

Team::~Team() { dismiss(); }

void Team::dismiss() {
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
  job.call(job.of, 0);
  for (int left = 0; (left = working_.load(std::memory_order_acquire)) > 0;) await_other(working_, left);
}

void Team::work(int thread) {
  for (int round = 0;; ++round) {
    await_other(round_, round);
    if (job_.call == nullptr) return;
    job_.call(job_.of, thread);
    if (working_.fetch_sub(1) == 1) working_.notify_one();
  }
}

/// Returns once the word is no longer `old`.
void Team::await_other(const std::atomic<int>& word, int old) const {
  for (int look = 0; look < looks_; ++look) {
    if (word.load(std::memory_order_acquire) != old) return;
    pause_core();
  }
  word.wait(old, std::memory_order_acquire);
}

}  // namespace weft

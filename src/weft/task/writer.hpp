#pragma once
/// Writer: the thread that executes the I/O tasks of a plan.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace weft::task {

/// Executes functions one after the other, in the order in which they were added. The thread starts with the first one.
class Writer {
 public:
  /// Functions that are executed or wait; another one is added after the first of them has ended, so that memory is bounded.
  static constexpr std::size_t kMostPending = 2;

  Writer() = default;
  /// Returns when all functions have ended.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Adds a function, which must not throw. Blocks while kMostPending are pending. @throws LimitError if the thread cannot be
  /// started; the function is not added then.
  void add(std::function<void()> function);
  /// Blocks the main thread until all functions have ended.
  void wait();

 private:
  void start_thread();
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> pending_;  ///< the first one is executed
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace weft::task

#include "weft/task/writer.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/thread_binding.hpp"
#include "weft/base/waiting.hpp"

namespace weft::task {

Writer::~Writer() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::add(std::function<void()> function) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pending_.size() < kMostPending; });
  if (!thread_.joinable()) start_thread();  // first: a function without a thread would stay pending for ever
  pending_.push_back(std::move(function));
  changed_.notify_all();
}

void Writer::start_thread() {
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::system_error& error) {
    throw LimitError(std::string("the thread of the I/O tasks could not be started (") + error.what() + ")",
                     "use fewer threads or processes on this machine");
  }
}

void Writer::wait() {
  std::unique_lock lock(mutex_);
  if (pending_.empty()) return;
  const Waiting waiting("output of a task", Waiting::kNoRank);
  changed_.wait(lock, [this] { return pending_.empty(); });
}

void Writer::loop() {
  ThreadBinding::apply_to_helper();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const std::function<void()>& first = pending_.front();  // stays where it is: only this thread removes elements
    lock.unlock();
    first();
    lock.lock();
    pending_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace weft::task

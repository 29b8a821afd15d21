#include "weft/task/writer.hpp"

#include <utility>

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
  pending_.push_back(std::move(function));
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  changed_.notify_all();
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
    lock.unlock();
    pending_.front()();  // only this thread removes elements, and the others add at the end
    lock.lock();
    pending_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace weft::task

#include "weft/device/stream.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/waiting.hpp"
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/cuda/event_state.hpp"

namespace weft {

namespace cuda = detail::cuda;

namespace detail {
namespace {

/// Unused events by GPU and kind. The pool is never destroyed, because the last Event may outlive all static objects.
struct EventPool {
  std::mutex mutex;
  std::map<std::pair<int, bool>, std::vector<void*>> free;
};
EventPool& event_pool() {
  static auto* const pool = new EventPool;
  return *pool;
}

}  // namespace

EventState::EventState(int gpu, bool with_time) : device(gpu), timed(with_time), handle(nullptr) {
  {
    const std::lock_guard lock(event_pool().mutex);
    auto& free = event_pool().free[{device, timed}];
    if (!free.empty()) {
      handle = free.back();
      free.pop_back();
      return;
    }
    free.reserve(64);
  }
  handle = cuda::create_event(device, timed);
}

EventState::~EventState() {
  if (handle == nullptr) return;
  const std::lock_guard lock(event_pool().mutex);
  event_pool().free[{device, timed}].push_back(handle);
}

}  // namespace detail

bool Event::done() const {
  WEFT_EXPECTS(!captured());
  return state_ == nullptr || cuda::event_done(state_->handle);
}

void Event::wait() const {
  WEFT_EXPECTS(!captured());
  if (state_ == nullptr) return;
  const Waiting waiting("work of the GPU", Waiting::kNoRank);
  cuda::wait_event(state_->handle);
}

double Event::seconds_since(const Event& begin) const {
  WEFT_EXPECTS(state_ != nullptr && state_->timed && begin.state_ != nullptr && begin.state_->timed);
  wait();
  return cuda::seconds_between(begin.state_->handle, state_->handle);
}

void* Event::handle() const { return state_ == nullptr ? nullptr : state_->handle; }

bool Event::captured() const { return state_ != nullptr && state_->captured; }

Stream::Stream(Priority priority) : handle_(cuda::create_stream(priority == Priority::high)), device_(cuda::current_device()) {}

Stream Stream::for_backend(Backend backend, Priority priority) {
  return is_cuda(backend) ? Stream(priority) : Stream(nullptr, -1);
}

Stream Stream::of_others(void* handle) {
  const int device = cuda::current_device();
  return {handle == nullptr ? cuda::default_stream() : handle, device, false};
}

Stream::~Stream() {
  if (handle_ != nullptr && owned_) cuda::destroy_stream(handle_);
}

Stream::Stream(Stream&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), device_(std::exchange(other.device_, -1)), owned_(other.owned_) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  std::swap(owned_, other.owned_);
  return *this;
}

Event Stream::make_event(bool timed) {
  if (is_host()) return {};
  const auto state = std::make_shared<detail::EventState>(device_, timed);
  state->captured = capturing();
  cuda::record_event(state->handle, handle_);
  return Event(state);
}

Event Stream::record() { return make_event(false); }

Event Stream::record_timed() { return make_event(true); }

void Stream::wait_for(const After& before) {
  if (is_host()) {
    before.wait();
  } else if (before.event().handle() != nullptr) {
    cuda::stream_waits(handle_, before.event().handle());
  }
}

void Stream::wait() {
  if (is_host()) return;
  const Waiting waiting("work of the GPU", Waiting::kNoRank);
  cuda::wait_stream(handle_);
}

bool Stream::capturing() const { return !is_host() && cuda::capturing(handle_); }

Stream& host_stream() {
  static Stream stream(nullptr, -1);
  return stream;
}

After after(Stream& stream) { return After(stream.record()); }

After after(const Event& event) { return After(event); }

}  // namespace weft

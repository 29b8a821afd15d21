#include "weft/base/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

#include "weft/base/contracts.hpp"
#include "weft/base/traced_region.hpp"

namespace weft {
namespace {

/// The most events that a thread keeps outside of the last steps, and in one of these: 14 and 1.4 MB.
constexpr std::size_t kMostEvents = 200'000, kMostOfStep = 20'000;

/// The events of one thread. Used by no two threads at a time, and never freed, because a thread may end at any time.
struct Buffer {
  struct Step {
    std::int64_t number = RecordedEvent::kNone;
    std::vector<RecordedEvent> events{};
    std::int64_t dropped = 0;
  };

  std::vector<RecordedEvent> first{};  ///< those before the first step, and of the first N steps
  std::vector<Step> last{};            ///< a ring: step s is at s modulo N
  std::int64_t dropped = 0;            ///< events that `first` has no memory for
  std::atomic<bool> in_use{true};
  Buffer* next = nullptr;
};

std::atomic<Buffer*> g_buffers{nullptr};
std::atomic<std::int64_t> g_step{RecordedEvent::kNone};
std::atomic<int> g_kept{1};  ///< N
std::atomic<std::int64_t> g_session{0};
std::vector<RecordedExchange> g_exchanges;
std::mutex g_names_mutex;

/// Returns the buffer that a thread which has ended has left, or a new one.
Buffer* take_buffer() {
  for (Buffer* buffer = g_buffers.load(); buffer != nullptr; buffer = buffer->next) {
    bool unused = false;
    if (buffer->in_use.compare_exchange_strong(unused, true)) return buffer;
  }
  auto* const buffer = new Buffer;
  buffer->next = g_buffers.load();
  while (!g_buffers.compare_exchange_weak(buffer->next, buffer)) {
  }
  return buffer;
}

/// The buffer of this thread, from its first event to its end.
struct Lease {
  Buffer* buffer = nullptr;
  ~Lease() {
    if (buffer != nullptr) buffer->in_use.store(false);
  }
};
thread_local Lease t_lease;
thread_local int t_thread = 0;

void append(std::vector<RecordedEvent>& events, std::int64_t& dropped, std::size_t most, const RecordedEvent& event) {
  if (events.size() < most) {
    events.push_back(event);
  } else {
    ++dropped;
  }
}

}  // namespace

void Recorder::start(int steps) {
  WEFT_EXPECTS(!on() && steps >= 1);
  for (Buffer* buffer = g_buffers.load(); buffer != nullptr; buffer = buffer->next) {
    buffer->first.clear();
    buffer->last.clear();
    buffer->dropped = 0;
  }
  g_exchanges.clear();
  g_step = RecordedEvent::kNone;
  g_kept = steps;
  g_session.fetch_add(1);
  detail::g_observers.fetch_or(detail::kRecorder);
}

void Recorder::stop() { detail::g_observers.fetch_and(~detail::kRecorder); }

bool Recorder::on() { return (detail::g_observers.load(std::memory_order_relaxed) & detail::kRecorder) != 0; }

std::int64_t Recorder::session() { return g_session.load(std::memory_order_relaxed); }

void Recorder::next_step() {
  if (on()) g_step.fetch_add(1, std::memory_order_relaxed);
}

std::int64_t Recorder::steps() { return g_step.load() + 1; }

void Recorder::add(RecordedEvent event) noexcept {
  if (!on()) return;
  try {
    if (t_lease.buffer == nullptr) t_lease.buffer = take_buffer();
    Buffer& mine = *t_lease.buffer;
    event.step = g_step.load(std::memory_order_relaxed);
    if (event.thread < 0) event.thread = t_thread;
    const int kept = g_kept.load(std::memory_order_relaxed);
    if (event.step < kept) return append(mine.first, mine.dropped, kMostEvents, event);
    mine.last.resize(kept);
    Buffer::Step& step = mine.last[event.step % kept];
    if (step.number != event.step) {
      step.events.clear();  // keeps its memory
      step.dropped = 0;
      step.number = event.step;
    }
    append(step.events, step.dropped, kMostOfStep, event);
  } catch (const std::bad_alloc&) {
    if (t_lease.buffer != nullptr) ++t_lease.buffer->dropped;
  }
}

std::int64_t Recorder::now() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }

const char* Recorder::name(std::string_view text) {
  static std::set<std::string, std::less<>> names;
  const std::lock_guard lock(g_names_mutex);
  auto found = names.find(text);
  if (found == names.end()) found = names.emplace(text).first;
  return found->c_str();
}

int Recorder::add_exchange(RecordedExchange exchange) {
  WEFT_EXPECTS(on());
  g_exchanges.push_back(std::move(exchange));
  return static_cast<int>(g_exchanges.size()) - 1;
}

std::int64_t Recorder::count_start(int exchange) { return g_exchanges[exchange].starts++; }

const std::vector<RecordedExchange>& Recorder::exchanges() { return g_exchanges; }

std::vector<RecordedEvent> Recorder::events() {
  const std::int64_t oldest = steps() - g_kept.load();
  std::vector<RecordedEvent> all;
  for (const Buffer* buffer = g_buffers.load(); buffer != nullptr; buffer = buffer->next) {
    all.insert(all.end(), buffer->first.begin(), buffer->first.end());
    for (const Buffer::Step& step : buffer->last) {
      if (step.number >= oldest) all.insert(all.end(), step.events.begin(), step.events.end());
    }
  }
  std::ranges::stable_sort(all, {}, [](const RecordedEvent& event) { return std::tuple(event.begin, -event.end); });
  return all;
}

std::int64_t Recorder::dropped() {
  const std::int64_t oldest = steps() - g_kept.load();
  std::int64_t sum = 0;
  for (const Buffer* buffer = g_buffers.load(); buffer != nullptr; buffer = buffer->next) {
    sum += buffer->dropped;
    for (const Buffer::Step& step : buffer->last) sum += step.number >= oldest ? step.dropped : 0;
  }
  return sum;
}

void Recorder::set_thread(int number) noexcept { t_thread = number; }

}  // namespace weft

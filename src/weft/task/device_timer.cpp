#include "weft/task/device_timer.hpp"

namespace weft::task {

DeviceTimer::DeviceTimer(Stream& stream) {
  stream.wait();
  const Clock::time_point before = Clock::now();
  zero_ = mark(stream);
  zero_.event.wait();
  zero_.on_host = before + (Clock::now() - before) / 2;
}

DeviceTimer::Mark DeviceTimer::mark(Stream& stream) { return {stream.record_timed(), Clock::now()}; }

DeviceTimer::Clock::time_point DeviceTimer::time_of(const Mark& mark) const {
  if (mark.event.handle() == nullptr) return mark.on_host;
  const std::chrono::duration<double> since(mark.event.seconds_since(zero_.event));
  return zero_.on_host + std::chrono::duration_cast<Clock::duration>(since);
}

std::vector<DeviceTimer::Span> DeviceTimer::spans() const {
  std::vector<Span> list;
  for (const Timed& timed : timed_) {
    list.push_back({timed.node, timed.stream, timed.iteration, time_of(timed.begin), time_of(timed.end)});
  }
  return list;
}

}  // namespace weft::task

#pragma once
/// DeviceTimer: when the nodes of a plan were executed in the streams of a device.
#include <chrono>
#include <cstdint>
#include <vector>

#include "weft/device/stream.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Records an event with a time stamp before and after each node; the clock of the host takes their place where the device is a
/// mirror. Times of a GPU are placed on the clock of the host by an event that completes while the host waits for it, to within
/// half of that wait: some 10 us.
class DeviceTimer {
 public:
  using Clock = std::chrono::steady_clock;
  struct Span {
    const Node* node;
    std::uint8_t stream;
    int iteration;  ///< number of those that were begun before
    Clock::time_point begin, end;
  };

  /// Waits for the work in a stream of the device. @throws DeviceError
  explicit DeviceTimer(Stream& stream);
  /// Begins an iteration.
  void begin_iteration() { ++iteration_; }
  /// Takes the time of what enqueue() enqueues in `stream`. @param number  of that stream in the plan.
  template <class F>
  void time(const Node& node, std::uint8_t number, Stream& stream, const F& enqueue) {
    const Mark begin = mark(stream);
    enqueue();
    timed_.push_back({&node, number, iteration_, begin, mark(stream)});
  }
  /// Returns the nodes in the order in which they were enqueued; waits for them. @throws DeviceError
  [[nodiscard]] std::vector<Span> spans() const;

 private:
  struct Mark {
    Event event;
    Clock::time_point on_host;
  };
  struct Timed {
    const Node* node;
    std::uint8_t stream;
    int iteration;
    Mark begin, end;
  };
  [[nodiscard]] static Mark mark(Stream& stream);
  [[nodiscard]] Clock::time_point time_of(const Mark& mark) const;

  Mark zero_;
  int iteration_ = -1;
  std::vector<Timed> timed_;
};

}  // namespace weft::task

#pragma once
/// Ordered queues of work, and what to wait for.
///
/// The work of the host stream is done when the call that asks for it returns; a stream of a GPU works ahead of the host. Code
/// that passes streams along and waits through After and Event means the same on both.
#include <cstdint>
#include <memory>

#include "weft/device/space.hpp"

namespace weft {

namespace detail {
struct EventState;
}

/// A point in a stream: done once all work put there before it is done. Default-constructed it is done. Copies are the same
/// point.
class Event {
 public:
  Event() = default;
  /// Cost: none on the host; a look at the GPU's memory else. @throws DeviceError for what failed in the work before.
  [[nodiscard]] bool done() const;
  /// Blocks the host until done. @throws DeviceError for what failed in the work before.
  void wait() const;
  /// Seconds from `begin` to this, once both are done. @pre both were made by Stream::record_timed() of streams of one GPU.
  [[nodiscard]] double seconds_since(const Event& begin) const;
  /// The cudaEvent_t; null where it is of the host.
  [[nodiscard]] void* handle() const;
  /// True for a point in a Graph that was being captured: streams of the capture may wait for it, nobody else.
  [[nodiscard]] bool captured() const;

 private:
  friend class Stream;
  explicit Event(std::shared_ptr<const detail::EventState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::EventState> state_;
};

class Stream;

/// What a copy, a kernel or an exchange must wait for before it starts. Made by after(); default-constructed: nothing.
class After {
 public:
  After() = default;
  explicit After(const Event& event) : event_(event) {}
  /// Blocks the host until the work before is done.
  void wait() const { event_.wait(); }
  [[nodiscard]] const Event& event() const { return event_; }

 private:
  Event event_;
};

/// Which of two streams of a GPU goes first where both have work: small kernels that others wait for go first.
enum class Priority : std::uint8_t { normal, high };

/// Work is done in the order in which it is put in. Streams are independent of each other and of CUDA's default stream.
class Stream {
 public:
  /// A stream of the current GPU. @throws DeviceError saying what is missing where there is no GPU.
  explicit Stream(Priority priority = Priority::normal);
  /// One for work on the device side of arrays with this backend: of the current GPU, or a host stream.
  [[nodiscard]] static Stream for_backend(Backend backend, Priority priority = Priority::normal);
  /// Work that was put in is still done.
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  /// True where the calling thread does the work itself.
  [[nodiscard]] bool is_host() const { return handle_ == nullptr; }
  /// The GPU; -1 for a host stream.
  [[nodiscard]] int device() const { return device_; }
  /// The cudaStream_t; null for a host stream.
  [[nodiscard]] void* handle() const { return handle_; }

  /// The point after all work so far.
  [[nodiscard]] Event record();
  /// The same, for Event::seconds_since.
  [[nodiscard]] Event record_timed();
  /// Work put in from now on starts after `before`. Does not block the host unless this is a host stream.
  void wait_for(const After& before);
  /// Blocks the host until all work so far is done. @throws DeviceError for what failed in it.
  void wait();
  /// True while a Graph is being captured from this stream: nothing that blocks the host may be called then.
  [[nodiscard]] bool capturing() const;

 private:
  Stream(void* handle, int device) : handle_(handle), device_(device) {}
  Event make_event(bool timed);
  friend Stream& host_stream();

  void* handle_ = nullptr;
  int device_ = -1;
};

/// The stream of work that the calling thread does itself.
[[nodiscard]] Stream& host_stream();

/// All work put into `stream` so far.
[[nodiscard]] After after(Stream& stream);
[[nodiscard]] After after(const Event& event);

}  // namespace weft

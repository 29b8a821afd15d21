#pragma once
/// Streams (ordered queues of work), events and dependencies.
///
/// Work in the host stream has completed when the call that enqueues it returns; a stream of a GPU executes asynchronously. Code
/// that takes a stream and waits through After and Event is valid for both.
#include <cstdint>
#include <memory>

#include "weft/device/space.hpp"

namespace weft {

namespace detail {
struct EventState;
}

/// A point in a stream, which completes when all work enqueued before it has completed. A default-constructed event is complete.
/// Copies refer to the same point.
class Event {
 public:
  Event() = default;
  /// Returns true if the event has completed. Never blocks. @throws DeviceError for errors of the preceding work.
  [[nodiscard]] bool done() const;
  /// Blocks the host until the event has completed. @throws DeviceError for errors of the preceding work.
  void wait() const;
  /// Waits for this event and returns the seconds from `begin` to it. @pre both were created by Stream::record_timed() of streams
  /// of one GPU, and `begin` completes before this event.
  [[nodiscard]] double seconds_since(const Event& begin) const;
  /// Returns the cudaEvent_t; null for an event of a host stream.
  [[nodiscard]] void* handle() const;
  /// Returns true for an event recorded while a Graph was being captured. Only streams of that capture may wait for it.
  [[nodiscard]] bool captured() const;

 private:
  friend class Stream;
  explicit Event(std::shared_ptr<const detail::EventState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::EventState> state_;
};

class Stream;

/// A dependency: the event for which a copy, a kernel or an exchange waits before it starts. It is created by after(); a
/// default-constructed dependency is already satisfied.
class After {
 public:
  After() = default;
  explicit After(const Event& event) : event_(event) {}
  /// Blocks the host until the dependency is satisfied.
  void wait() const { event_.wait(); }
  [[nodiscard]] const Event& event() const { return event_; }

 private:
  Event event_;
};

/// The scheduling priority of a stream among those of a GPU. Short kernels on which other streams depend should have high
/// priority.
enum class Priority : std::uint8_t { normal, high };

/// An ordered queue of work. Streams are independent of each other and of the default stream of CUDA.
class Stream {
 public:
  /// Creates a stream of the current GPU. @throws DeviceError (see no_gpu()) where there is no GPU.
  explicit Stream(Priority priority = Priority::normal);
  /// Returns a stream for work on the device side of arrays with this backend: a stream of the current GPU, or a host stream.
  [[nodiscard]] static Stream for_backend(Backend backend, Priority priority = Priority::normal);
  /// Refers to a stream of another library on the current GPU, which that library destroys after this object.
  /// @param handle  cudaStream_t; null: the default stream of CUDA. @throws DeviceError (see no_gpu()) where there is no GPU.
  [[nodiscard]] static Stream of_others(void* handle);
  /// Destroys the stream, unless it is one of others. Work that was enqueued still completes.
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  /// Returns true if the calling thread executes the work itself.
  [[nodiscard]] bool is_host() const { return handle_ == nullptr; }
  /// Returns the index of the GPU; -1 for a host stream.
  [[nodiscard]] int device() const { return device_; }
  /// Returns the cudaStream_t; null for a host stream.
  [[nodiscard]] void* handle() const { return handle_; }

  /// Returns an event that completes with all work enqueued so far.
  [[nodiscard]] Event record();
  /// Returns an event with a time stamp, for Event::seconds_since(), that completes with all work enqueued so far.
  [[nodiscard]] Event record_timed();
  /// Makes work enqueued from now on start after `before`. Blocks the host only if this is a host stream.
  void wait_for(const After& before);
  /// Blocks the host until all work enqueued so far has completed. @throws DeviceError for its errors.
  void wait();
  /// Returns true while a Graph is being captured from this stream, when no function that blocks the host may be called.
  [[nodiscard]] bool capturing() const;

 private:
  Stream(void* handle, int device, bool owned = true) : handle_(handle), device_(device), owned_(owned) {}
  Event make_event(bool timed);
  friend Stream& host_stream();

  void* handle_ = nullptr;
  int device_ = -1;
  bool owned_ = true;
};

/// Returns the stream whose work the calling thread executes itself.
[[nodiscard]] Stream& host_stream();

/// Returns a dependency on all work enqueued in `stream` so far.
[[nodiscard]] After after(Stream& stream);
/// Returns a dependency on `event`.
[[nodiscard]] After after(const Event& event);

}  // namespace weft

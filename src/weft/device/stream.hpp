#pragma once
/// Ordered queues of work, and what to wait for.
///
/// There is one stream today: the host stream, whose work is done when the call that asks for it returns. Code that passes
/// streams along and waits through After and Event keeps its meaning on streams that work ahead of the host.

namespace weft {

/// A point in a stream: done once all work put there before it is done. Default-constructed it is done.
class Event {
 public:
  [[nodiscard]] bool done() const;
  /// Blocks the host until done.
  void wait() const;
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

/// Work is done in the order in which it is put in.
class Stream {
 public:
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The point after all work so far.
  [[nodiscard]] Event record();
  /// Work put in from now on starts after `before`. Does not block the host unless this is the host stream.
  void wait_for(const After& before);
  /// Blocks the host until all work so far is done.
  void wait();

 private:
  Stream() = default;
  friend Stream& host_stream();
};

/// The stream of work that the calling thread does itself.
[[nodiscard]] Stream& host_stream();

/// All work put into `stream` so far.
[[nodiscard]] After after(Stream& stream);
[[nodiscard]] After after(const Event& event);

}  // namespace weft

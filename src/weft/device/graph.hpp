#pragma once
/// Work that is recorded once and launched many times.
#include <functional>

#include "weft/device/stream.hpp"

namespace weft {

/// A recording of the work that a function enqueues in a stream (a CUDA graph). A launch takes a few microseconds of the host.
///
///     Graph step = Graph::capture(stream, [&](Stream& s) { gradient(s); flux(s); update(s); });  // executes nothing
///     for (int i = 0; i < n; ++i) step.launch(stream);
///
/// The function may fork into other streams if they wait for the captured stream and it waits for them at the end. It must
/// neither block the host nor allocate memory except by a DeviceVector made with the stream. A launch uses the addresses and
/// sizes of the capture. On a host stream the graph stores the function, and each launch calls it, so objects that it refers to
/// must outlive the graph.
class Graph {
 public:
  /// Creates an empty graph, whose launch has no effect.
  Graph() = default;
  /// Records the work that `work` enqueues in `stream`. @throws exceptions of `work`; DeviceError where an operation cannot be
  /// captured. In both cases the capture is ended.
  [[nodiscard]] static Graph capture(Stream& stream, std::function<void(Stream&)> work);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;

  /// Executes the recorded work in stream order. Launches of one graph do not overlap.
  /// @pre `stream` belongs to the GPU of the captured stream, or both are host streams.
  void launch(Stream& stream);

 private:
  void* handle_ = nullptr;
  std::function<void(Stream&)> on_host_;
};

}  // namespace weft

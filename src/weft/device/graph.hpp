#pragma once
/// Work that is recorded once and launched many times.
#include <functional>

#include "weft/device/stream.hpp"

namespace weft {

/// A recording of the work that a function enqueues in a stream (a CUDA graph). A launch takes a few microseconds of the host.
///
///     Graph step = Graph::capture(stream, [&](Stream& s) { gradient(s); flux(s); update(s); });  // executes nothing
///     for (int i = 0; i < n; ++i) step.launch(stream);
///     step.update(stream, [&](Stream& s) { gradient(s); flux(s); update(s); });  // with other arguments, cheaper than anew
///
/// The function may fork into other streams if they wait for the captured stream and it waits for them at the end. It may call
/// call_on_host(), and may launch other graphs, which become part of this one. It must neither block the host nor allocate memory
/// except by a DeviceVector made with the stream. A launch uses the addresses and sizes of the capture. On a host stream the
/// graph stores the function, and each launch calls it, so objects that it refers to must outlive the graph.
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

  /// Replaces the recording by that of `work`. Where it enqueues the same operations in the same order as before, the executable
  /// graph receives the new arguments (addresses, sizes, launch configurations) in place; otherwise, a new one is made, as by
  /// capture(). Launches that were enqueued before use the old arguments. @throws as capture(), and the graph is unchanged.
  /// @pre `stream` is as that of the capture: a host stream, or one of the same GPU.
  /// @return true where the executable graph was updated in place; on a host stream, where the graph had a function. @cost a
  /// capture; and in the other case an instantiation, which takes several times as long.
  bool update(Stream& stream, std::function<void(Stream&)> work);

  /// Executes the recorded work in stream order. Launches of one graph do not overlap. While `stream` is being captured, the
  /// graph becomes a node of that capture, with a copy of its present content; it must then contain no allocation.
  /// @pre `stream` belongs to the GPU of the captured stream, or both are host streams.
  void launch(Stream& stream);

 private:
  void* graph_ = nullptr;       ///< cudaGraph_t, the recording
  void* executable_ = nullptr;  ///< cudaGraphExec_t made of it
  std::function<void(Stream&)> on_host_;
};

/// Enqueues a call of `f`. On a host stream f is called at once. On a stream of a GPU a thread of CUDA calls it after the
/// preceding work and before the following; in a capture the call becomes a node of the graph, which calls f at every launch and
/// owns it. There f must neither call CUDA (streams, copies, events) nor wait for work of the GPU, and must not throw: an
/// exception ends the program. What f refers to must remain valid until the last call.
void call_on_host(Stream& stream, std::function<void()> f);

}  // namespace weft

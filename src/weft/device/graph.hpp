#pragma once
/// Work that is put together once and done many times.
#include <functional>

#include "weft/device/stream.hpp"

namespace weft {

/// A recording of the work that a function puts into a stream. Launching it costs a few microseconds, whatever it holds.
///
///     Graph step = Graph::capture(stream, [&](Stream& s) { gradient(s); flux(s); update(s); });  // does nothing yet
///     for (int i = 0; i < n; ++i) step.launch(stream);
///
/// The function may fork into other streams that wait for the one captured and that it waits for at its end; it must not block
/// the host or allocate but from StreamBuffer. Addresses and sizes are those of the capture. On a host stream the function itself
/// is kept and each launch calls it: what it refers to must live as long as the graph.
class Graph {
 public:
  /// Nothing to do.
  Graph() = default;
  /// @throws what `work` throws; DeviceError where it did what cannot be captured. Neither leaves the stream capturing.
  [[nodiscard]] static Graph capture(Stream& stream, std::function<void(Stream&)> work);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;

  /// Does the work once more as work of `stream`. Launches of one graph do not overlap. @pre a stream of the same GPU, or a host
  /// stream where it was captured from one.
  void launch(Stream& stream);

 private:
  void* handle_ = nullptr;
  std::function<void(Stream&)> on_host_;
};

}  // namespace weft

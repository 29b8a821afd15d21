#include "weft/device/graph.hpp"

#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda/cuda_api.hpp"

namespace weft {

namespace cuda = detail::cuda;

Graph Graph::capture(Stream& stream, std::function<void(Stream&)> work) {
  Graph graph;
  if (stream.is_host()) {
    graph.on_host_ = std::move(work);
    return graph;
  }
  cuda::begin_capture(stream.handle());
  try {
    work(stream);
  } catch (...) {
    cuda::abandon_capture(stream.handle());
    throw;
  }
  graph.handle_ = cuda::end_capture(stream.handle());
  return graph;
}

Graph::~Graph() {
  if (handle_ != nullptr) cuda::destroy_graph(handle_);
}

Graph::Graph(Graph&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), on_host_(std::exchange(other.on_host_, nullptr)) {}

Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(on_host_, other.on_host_);
  return *this;
}

void Graph::launch(Stream& stream) {
  WEFT_EXPECTS(stream.is_host() ? handle_ == nullptr : on_host_ == nullptr);
  if (handle_ != nullptr) {
    cuda::launch_graph(handle_, stream.handle());
  } else if (on_host_ != nullptr) {
    on_host_(stream);
  }
}

}  // namespace weft

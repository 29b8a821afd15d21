#include "weft/device/graph.hpp"

#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda/cuda_api.hpp"

namespace weft {

namespace cuda = detail::cuda;

namespace {

/// Returns the recording of the work that `work` enqueues in a stream of a GPU.
void* record(Stream& stream, const std::function<void(Stream&)>& work) {
  cuda::begin_capture(stream.handle());
  try {
    work(stream);
  } catch (...) {
    cuda::abandon_capture(stream.handle());
    throw;
  }
  return cuda::end_capture(stream.handle());
}

}  // namespace

Graph Graph::capture(Stream& stream, std::function<void(Stream&)> work) {
  Graph graph;
  if (stream.is_host()) {
    graph.on_host_ = std::move(work);
    return graph;
  }
  graph.graph_ = record(stream, work);
  graph.executable_ = cuda::instantiate(graph.graph_);
  return graph;
}

Graph::~Graph() {
  if (executable_ != nullptr) cuda::destroy_executable(executable_);
  if (graph_ != nullptr) cuda::destroy_graph(graph_);
}

Graph::Graph(Graph&& other) noexcept
    : graph_(std::exchange(other.graph_, nullptr)),
      executable_(std::exchange(other.executable_, nullptr)),
      on_host_(std::exchange(other.on_host_, nullptr)) {}

Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(graph_, other.graph_);
  std::swap(executable_, other.executable_);
  std::swap(on_host_, other.on_host_);
  return *this;
}

bool Graph::update(Stream& stream, std::function<void(Stream&)> work) {
  WEFT_EXPECTS(stream.is_host() ? graph_ == nullptr : on_host_ == nullptr);
  if (stream.is_host() || executable_ == nullptr) {
    const bool in_place = on_host_ != nullptr;
    *this = capture(stream, std::move(work));
    return in_place;
  }
  Graph next;
  next.graph_ = record(stream, work);
  if (cuda::update_executable(executable_, next.graph_)) {
    std::swap(graph_, next.graph_);
    return true;
  }
  next.executable_ = cuda::instantiate(next.graph_);
  std::swap(*this, next);
  return false;
}

void Graph::launch(Stream& stream) {
  WEFT_EXPECTS(stream.is_host() ? graph_ == nullptr : on_host_ == nullptr);
  if (graph_ != nullptr) {
    if (stream.capturing()) {
      cuda::add_child_graph(stream.handle(), graph_);
    } else {
      cuda::launch_executable(executable_, stream.handle());
    }
  } else if (on_host_ != nullptr) {
    on_host_(stream);
  }
}

void call_on_host(Stream& stream, std::function<void()> f) {
  if (stream.is_host()) {
    f();
  } else {
    cuda::call_on_host(stream.handle(), std::move(f));
  }
}

}  // namespace weft

#pragma once
/// The state of a Graph.
#include <vector>

#include "weft/task/graph.hpp"
#include "weft/task/plan_body.hpp"

namespace weft::task {

struct Graph::Body {
  Communicator comm;
  std::vector<Datum> data{};
  std::vector<Task> tasks{};
};

}  // namespace weft::task

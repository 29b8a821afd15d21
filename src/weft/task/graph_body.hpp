#pragma once
/// The state of a Graph.
#include <cstdint>
#include <vector>

#include "weft/task/graph.hpp"
#include "weft/task/plan_body.hpp"

namespace weft::task {

struct Graph::Body {
  Communicator comm;
  std::vector<Datum> data{};
  std::vector<Task> tasks{};
  std::int32_t subsets = 0;  ///< that were added
};

}  // namespace weft::task

#include "weft/task/levels.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::task {

std::vector<std::uint8_t> levels(const Stage& stage) {
  const std::size_t n = stage.nodes.size();
  if (std::ranges::all_of(stage.nodes, [](const Node& node) { return node.cost == 0; })) return {};
  std::vector<int> order, waits_for = stage.predecessors;  // order: nodes after their predecessors
  for (std::size_t i = 0; i < n; ++i) {
    if (waits_for[i] == 0) order.push_back(static_cast<int>(i));
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const int successor : stage.successors_of(order[next])) {
      if (--waits_for[successor] == 0) order.push_back(successor);
    }
  }
  std::vector<double> remaining(n);
  for (std::size_t k = order.size(); k-- > 0;) {
    double& mine = remaining[order[k]];
    for (const int successor : stage.successors_of(order[k])) mine = std::max(mine, remaining[successor]);
    mine += stage.nodes[order[k]].cost;
  }
  const double longest = std::ranges::max(remaining);
  std::vector<std::uint8_t> list;
  for (const double time : remaining) {
    const int level = static_cast<int>(kLevels * (1 - time / longest));
    list.push_back(static_cast<std::uint8_t>(std::min(level, kLevels - 1)));
  }
  return list;
}

}  // namespace weft::task

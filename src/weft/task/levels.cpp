#include "weft/task/levels.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft::task {
namespace {

/// Returns, by node, the position in Stage::communication of the first one that it is or that waits for it; the number of
/// communications for a node that precedes none.
[[nodiscard]] std::vector<std::size_t> first_communication(const Stage& stage) {
  std::vector<std::size_t> first(stage.nodes.size(), stage.communication.size());
  for (std::size_t k = 0; k < stage.communication.size(); ++k) first[stage.communication[k]] = k;
  for (std::size_t i = first.size(); i-- > 0;) {
    for (const int successor : stage.successors_of(static_cast<int>(i))) first[i] = std::min(first[i], first[successor]);
  }
  return first;
}

/// Returns true for nodes that any thread executes.
[[nodiscard]] bool is_executed_by_threads(const Node& node) {
  return node.side == Side::host && (node.kind == Kind::task || node.kind == Kind::neutralize || node.kind == Kind::reset);
}

}  // namespace

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

void set_urgency(Stage& stage) {
  if (stage.communication.empty()) return;
  const std::vector<std::size_t> first = first_communication(stage);
  std::vector<int> urgency(stage.communication.size() + 1);  // by first communication; at first 1 if some node has it
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (is_executed_by_threads(stage.nodes[i])) urgency[first[i]] = 1;
  }
  int used = 0;
  for (int& of : urgency) used += std::exchange(of, used);
  const int others = used - 1, most = std::min(others, kUrgencies);  // the last one is that of nodes that are not urgent
  if (others <= 0) return;
  for (int& of : urgency) of = of >= others ? most : of * most / others;
  for (const std::size_t of : first) stage.urgency.push_back(static_cast<std::uint8_t>(urgency[of]));
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto begin = stage.successors.begin() + stage.first_successor[i];
    const auto end = stage.successors.begin() + stage.first_successor[i + 1];
    std::stable_sort(begin, end, [&](int a, int b) { return stage.urgency[a] < stage.urgency[b]; });
  }
}

int urgencies(const Stage& stage) { return stage.urgency.empty() ? 0 : std::ranges::max(stage.urgency); }

}  // namespace weft::task

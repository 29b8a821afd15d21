#include "weft/task/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "weft/base/contracts.hpp"

namespace weft::task {
namespace {

using Set = std::vector<std::uint64_t>;

void insert(Set& set, std::size_t element) { set[element / 64] |= std::uint64_t{1} << (element % 64); }
void insert(Set& set, const Set& elements) {
  for (std::size_t i = 0; i < set.size(); ++i) set[i] |= elements[i];
}

[[nodiscard]] bool is_exchange(const Node& node) { return node.kind == Kind::start || node.kind == Kind::finish; }

/// Returns true for nodes that can be part of a segment.
[[nodiscard]] bool can_join(const Node& node, bool exchanges) {
  return node.side == Side::device && node.kind != Kind::copy && (exchanges || !is_exchange(node));
}

/// Returns, by node, the number of its segment, or -1; and the nodes of each segment.
[[nodiscard]] std::pair<std::vector<int>, std::vector<std::vector<int>>> segments_of(const Stage& stage, bool exchanges) {
  const std::size_t n = stage.nodes.size();
  std::vector<int> number(n, -1);  // numbers of the nodes outside, then of segments
  std::size_t others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!can_join(stage.nodes[i], exchanges)) number[i] = static_cast<int>(others++);
  }
  std::vector<std::vector<int>> segments;
  if (others == n) return {std::vector<int>(n, -1), segments};
  const Set none((others + 63) / 64, 0);
  std::vector<Set> before(n, none), behind(n, none);
  for (std::size_t i = 0; i < n; ++i) {  // the sequence respects the dependencies
    for (const int successor : stage.successors_of(static_cast<int>(i))) {
      Set& of = before[successor];
      insert(of, before[i]);
      if (number[i] >= 0) insert(of, number[i]);
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (const int s : stage.successors_of(static_cast<int>(i))) {
      insert(behind[i], behind[s]);
      if (number[s] >= 0) insert(behind[i], number[s]);
    }
  }
  std::map<std::pair<Set, Set>, int> known;
  for (std::size_t i = 0; i < n; ++i) {
    if (number[i] >= 0) {
      number[i] = -1;
      continue;
    }
    const auto [found, is_new] = known.try_emplace({before[i], behind[i]}, static_cast<int>(segments.size()));
    if (is_new) segments.emplace_back();
    number[i] = found->second;
    segments[found->second].push_back(static_cast<int>(i));
  }
  return {number, segments};
}

/// Returns nodes in an order that respects the dependencies: of those that wait for none of the others, the one with the smallest
/// number comes next. @param successors  by node, each of them once.
[[nodiscard]] std::vector<int> sorted_by_dependencies(const std::vector<std::vector<int>>& successors) {
  std::vector<int> waits_for(successors.size(), 0), order;
  for (const std::vector<int>& list : successors) {
    for (const int successor : list) ++waits_for[successor];
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < successors.size(); ++i) {
    if (waits_for[i] == 0) ready.push(static_cast<int>(i));
  }
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int successor : successors[node]) {
      if (--waits_for[successor] == 0) ready.push(successor);
    }
  }
  WEFT_ASSERT(order.size() == successors.size());  // no cycle
  return order;
}

}  // namespace

bool is_of_device(const Stage& stage) {
  return std::ranges::all_of(stage.nodes, [](const Node& node) { return can_join(node, true); });
}

SegmentedStage join_segments(const Stage& stage, bool exchanges) {
  const auto [number, segments] = segments_of(stage, exchanges);
  SegmentedStage joined{.stage = {}, .segments = segments, .original = {}};
  std::vector<int> now(stage.nodes.size());                    // by node: its node in the result
  std::vector<int> of_segment(segments.size(), -1), original;  // by node of the result, before it is sorted
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
    const Node& node = stage.nodes[i];
    std::vector<Node>& nodes = joined.stage.nodes;
    if (number[i] < 0) {
      now[i] = static_cast<int>(nodes.size());
      nodes.push_back(node);
      original.push_back(static_cast<int>(i));
      continue;
    }
    int& at = of_segment[number[i]];
    if (at < 0) {
      at = static_cast<int>(nodes.size());
      original.push_back(-1);
      const std::size_t members = segments[number[i]].size();
      nodes.push_back({.kind = Kind::segment,
                       .index = number[i],
                       .side = Side::device,
                       .name = members == 1 ? node.name : fmt::format("graph of {} nodes from '{}'", members, node.name)});
    }
    now[i] = at;
    nodes[at].urgent |= node.urgent;
    nodes[at].cost += node.cost;
  }
  const std::size_t n = joined.stage.nodes.size();
  std::vector<std::vector<int>> successors(n);
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
    for (const int successor : stage.successors_of(static_cast<int>(i))) {
      const int to = now[successor];
      if (to != now[i]) successors[now[i]].push_back(to);
    }
  }
  for (std::vector<int>& list : successors) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  // A segment may wait for one whose first member comes after its own.
  const std::vector<int> order = sorted_by_dependencies(successors);
  std::vector<int> place(n);  // by node: where it is in the order
  for (std::size_t i = 0; i < n; ++i) place[order[i]] = static_cast<int>(i);
  std::vector<Node> nodes;
  joined.stage.predecessors.assign(n, 0);
  joined.stage.first_successor.assign(1, 0);
  for (const int node : order) {
    nodes.push_back(std::move(joined.stage.nodes[node]));
    joined.original.push_back(original[node]);
    std::vector<int> list;
    for (const int successor : successors[node]) list.push_back(place[successor]);
    std::ranges::sort(list);
    for (const int successor : list) ++joined.stage.predecessors[successor];
    joined.stage.successors.insert(joined.stage.successors.end(), list.begin(), list.end());
    joined.stage.first_successor.push_back(static_cast<int>(joined.stage.successors.size()));
  }
  joined.stage.nodes = std::move(nodes);
  for (const int node : stage.communication) {
    if (number[node] < 0) joined.stage.communication.push_back(place[now[node]]);
  }
  return joined;
}

}  // namespace weft::task

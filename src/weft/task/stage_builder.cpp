#include "weft/task/stage_builder.hpp"

#include <algorithm>
#include <utility>

namespace weft::task {

int StageBuilder::add(Node node) {
  stage_.nodes.push_back(std::move(node));
  waits_for_.emplace_back();
  return static_cast<int>(stage_.nodes.size()) - 1;
}

void StageBuilder::access(int node, DataId data, Part part, bool write, Side side) {
  for (std::size_t p = 0; p < kSingleParts.size(); ++p) {
    if (!overlap(part, kSingleParts[p])) continue;
    note(node, used_[data.index()].parts[2 * p + (side == Side::device ? 1 : 0)], write);
  }
}

Stage StageBuilder::build() {
  const std::size_t n = stage_.nodes.size();
  stage_.predecessors.resize(n);
  stage_.first_successor.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int>& list = waits_for_[i];
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    std::erase(list, static_cast<int>(i));
    // All that it follows, the start node follows as well; so the communicating thread alone makes it ready.
    if (stage_.nodes[i].kind == Kind::finish) list = {static_cast<int>(i) - 1};
    stage_.predecessors[i] = static_cast<int>(list.size());
    for (const int before : list) ++stage_.first_successor[before + 1];
  }
  for (std::size_t i = 0; i < n; ++i) stage_.first_successor[i + 1] += stage_.first_successor[i];
  stage_.successors.resize(stage_.first_successor[n]);
  std::vector<int> next(stage_.first_successor.begin(), stage_.first_successor.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const Kind kind = stage_.nodes[i].kind;
    const bool communicates = kind == Kind::start || kind == Kind::all_reduce;
    if (communicates) stage_.communication.push_back(static_cast<int>(i));
    for (const int before : waits_for_[i]) {
      stage_.successors[next[before]++] = static_cast<int>(i);
      if (communicates) stage_.nodes[before].urgent = true;
    }
  }
  return std::move(stage_);
}

void StageBuilder::note(int node, Use& use, bool write) {
  if (use.writer >= 0) waits_for_.back().push_back(use.writer);
  if (write) {
    for (const int reader : use.readers) waits_for_.back().push_back(reader);
    use = {.writer = node, .readers = {}};
  } else {
    use.readers.push_back(node);
  }
}

}  // namespace weft::task

#include "weft/task/stage_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft::task {

StageBuilder::StageBuilder(std::span<const DataShape> data) : used_(data.size()) {
  for (std::size_t d = 0; d < data.size(); ++d) used_[d].parts.resize(2 * data[d].parts());
}

int StageBuilder::add(Node node) {
  stage_.nodes.push_back(std::move(node));
  waits_for_.emplace_back();
  return static_cast<int>(stage_.nodes.size()) - 1;
}

void StageBuilder::access(int node, DataId data, Part part, bool write, Side side) {
  std::vector<Use>& parts = used_[data.index()].parts;
  for (std::size_t p = 0; 2 * p < parts.size(); ++p) {
    if (overlap(part, single_part(p))) note(node, parts[2 * p + (side == Side::device ? 1 : 0)], write);
  }
}

void StageBuilder::name_subsets(int node, std::string text) {
  if (text.empty()) return;
  stage_.subsets.resize(stage_.nodes.size());
  stage_.subsets[node] = std::move(text);
}

Stage StageBuilder::build() {
  const std::size_t n = stage_.nodes.size();
  if (!stage_.subsets.empty()) stage_.subsets.resize(n);
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

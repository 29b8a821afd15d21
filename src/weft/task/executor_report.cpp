// The report of an executor for the watchdog.
#include <string>
#include <vector>

#include "weft/task/executor.hpp"

namespace weft::task {

/// Returns what the communicating thread waits for, and the first nodes that have not become ready, a line each.
std::string Executor::report(const std::vector<int>& waits) const {
  constexpr int kMostNamed = 5;
  std::string text;
  for (const int number : waits) {
    if (!text.empty()) text += '\n';
    text += work_->waits_for(stage_->nodes[number]);
  }
  std::string names;
  int tasks = 0;
  for (std::size_t i = 0; i < stage_->nodes.size(); ++i) {
    if (waits_for_[i].load() == 0 || stage_->nodes[i].kind != Kind::task || ++tasks > kMostNamed) continue;
    names += (names.empty() ? "'" : ", '") + stage_->nodes[i].name + "'";
  }
  if (tasks == 0) return text;
  text += "\n  tasks that wait: " + names;
  return tasks > kMostNamed ? text + " and " + std::to_string(tasks - kMostNamed) + " more" : text;
}

}  // namespace weft::task

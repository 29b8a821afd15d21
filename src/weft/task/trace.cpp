#include "weft/task/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "weft/comm/agreement.hpp"
#include "weft/comm/clock_offset.hpp"
#include "weft/task/device_overlap.hpp"
#include "weft/task/trace_file.hpp"
#include "weft/task/trace_summary.hpp"

namespace weft::task {
namespace {

[[nodiscard]] double seconds(Trace::Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

int Trace::add_graph(Graph graph) {
  const auto known = std::ranges::find(graphs_, graph);
  const auto number = static_cast<int>(known - graphs_.begin());
  if (known == graphs_.end()) graphs_.push_back(std::move(graph));
  return number;
}

/// Returns the trace of this rank by the clock of rank 0. @collective
RankTrace Trace::of_rank(const Communicator& comm) const {
  const Clock::time_point zero{std::chrono::nanoseconds(clock_offset(comm))};
  RankTrace mine{.events = {}, .graphs = graphs_, .sent = {}};
  for (const Event& event : events_) {
    mine.events.push_back({.name = event.name,
                           .thread = event.thread,
                           .iteration = event.iteration,
                           .stage = event.stage,
                           .node = event.node,
                           .begin = seconds(event.begin - zero),
                           .end = seconds(event.end - zero),
                           .kind = event.kind});
  }
  for (const auto& [to, traffic] : sent_) mine.sent.push_back({to, traffic});
  return mine;
}

std::string Trace::summary(const Communicator& comm) const {
  const std::vector<RankTrace> ranks = gather(comm, of_rank(comm));
  return comm.is_root() ? summarize(ranks).text() + summarize_device_overlap(ranks).text() : std::string();
}

std::string Trace::summary() const {
  struct Sum {
    int count = 0;
    double seconds = 0;
  };
  std::map<std::string, Sum> by_name;
  double total = 0;
  for (const Event& event : events_) {
    Sum& sum = by_name[event.name];
    ++sum.count;
    sum.seconds += seconds(event.end - event.begin);
    total += seconds(event.end - event.begin);
  }
  std::vector<std::pair<std::string, Sum>> rows(by_name.begin(), by_name.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.seconds; });
  std::string text = fmt::format("{:<40} {:>8} {:>12} {:>7}\n", "", "times", "seconds", "share");
  for (const auto& [name, sum] : rows) {
    text += fmt::format("{:<40} {:>8} {:>12.6f} {:>6.1f}%\n", name, sum.count, sum.seconds,
                        total > 0 ? 100 * sum.seconds / total : 0.0);
  }
  return text;
}

void Trace::write(const Communicator& comm, const std::string& path) const {
  const std::vector<RankTrace> ranks = gather(comm, of_rank(comm));
  agreed(comm, [&] {
    if (comm.is_root()) write_trace(ranks, path);
  });
}

}  // namespace weft::task

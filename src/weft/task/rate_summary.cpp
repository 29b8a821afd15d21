#include "weft/task/rate_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace weft::task {
namespace {

using Event = RankTrace::Event;

constexpr std::size_t kMostTasks = 16;  // rows of the table, because the number of tasks has no bound
constexpr double kGiga = 1e-9, kMilliseconds = 1e3;

/// Returns whether an event is the execution of a task: on the host, where it was computed and not launched; in a stream, where
/// an exchange is work of the device as well.
[[nodiscard]] bool is_execution(const RankTrace& rank, const Event& event) {
  if (event.stage < 0 || event.node < 0) return false;
  const Kind kind = rank.graphs[event.stage][event.node].kind;
  return kind == Kind::task || (event.thread >= kFirstStream && kind != Kind::segment);
}

/// Returns the mean over the ranks of a rate, of those that have it.
template <class Rate>
[[nodiscard]] double mean_rate(std::span<const RankTrace> ranks, double given, const Rate& rate) {
  if (given > 0) return given;
  double sum = 0, count = 0;
  for (const RankTrace& rank : ranks) {
    sum += rate(rank);
    count += rate(rank) > 0 ? 1 : 0;
  }
  return count > 0 ? sum / count : 0;
}

[[nodiscard]] std::string number(double value, int width, const char* format) {
  return value > 0 ? fmt::format(fmt::runtime(format), value, width) : fmt::format("{:>{}}", "-", width);
}

[[nodiscard]] std::string row_text(const RateSummary::Task& task, int ranks, double all) {
  const auto& [flops, bytes] = task.count;
  std::string text = fmt::format("  {:<46} {:>7.6g} {:>9.4f} {:>6.1f} %", task.name, task.executions / ranks,
                                 kMilliseconds * task.seconds / task.executions, all > 0 ? 100 * task.seconds / all : 0.0);
  text += number(kGiga * flops / task.seconds, 9, "{:>{}.2f}") + number(kGiga * bytes / task.seconds, 9, "{:>{}.2f}");
  text += number(bytes > 0 ? flops / bytes : 0, 11, "{:>{}.2f}");
  text +=
      task.least_seconds > 0 ? fmt::format(" {:>10.1f} %", 100 * task.least_seconds / task.seconds) : fmt::format("{:>13}", "-");
  return text + "\n";
}

[[nodiscard]] std::string machine_text(const MachineRates& rates) {
  if (rates.bytes_per_second <= 0) return "no rates of the machine are known";
  std::string text = fmt::format("roofline of a rank: copy {:.1f} GB/s", kGiga * rates.bytes_per_second);
  if (rates.flops_per_second > 0) text += fmt::format(", {:.1f} GFLOP/s", kGiga * rates.flops_per_second);
  return text;
}

}  // namespace

double RateSummary::seconds(bool on_device) const {
  double sum = 0;
  for (const Task& task : tasks) sum += task.on_device == on_device ? task.seconds : 0;
  return sum;
}

std::string RateSummary::text() const {
  std::string text;
  for (const bool on_device : {false, true}) {
    const auto counted = [&](const Task& task) { return task.on_device == on_device && !(task.count == OperationCount{}); };
    if (std::ranges::none_of(tasks, counted)) continue;
    text += fmt::format("\ntasks {}, by counted operations and compulsory bytes; {}\n",
                        on_device ? "in the streams of the GPU" : "on the host", machine_text(on_device ? device : host));
    text += fmt::format("  {:<46} {:>7} {:>9} {:>8}{:>9}{:>9}{:>11} {:>12}\n", "task", "times", "ms each", "share", "GFLOP/s",
                        "GB/s", "FLOP/byte", "of roofline");
    std::size_t shown = 0, more = 0;
    for (const Task& task : tasks) {
      if (task.on_device != on_device) continue;
      if (shown < kMostTasks) text += row_text(task, ranks, seconds(on_device));
      ++(shown < kMostTasks ? shown : more);
    }
    if (more > 0) text += fmt::format("  and {} shorter tasks\n", more);
  }
  return text;
}

RateSummary summarize_rates(std::span<const RankTrace> ranks, const MachineRates& host, const MachineRates& device) {
  RateSummary summary;
  const auto rates = [&](const MachineRates& given, MachineRates RankTrace::*side) {
    return MachineRates{.flops_per_second = mean_rate(ranks, given.flops_per_second,
                                                      [&](const RankTrace& r) { return (r.*side).flops_per_second; }),
                        .bytes_per_second = mean_rate(ranks, given.bytes_per_second,
                                                      [&](const RankTrace& r) { return (r.*side).bytes_per_second; })};
  };
  summary.ranks = static_cast<int>(ranks.size());
  summary.host = rates(host, &RankTrace::host);
  summary.device = rates(device, &RankTrace::device);
  std::map<std::pair<bool, std::string>, RateSummary::Task> by_name;
  for (const RankTrace& rank : ranks) {
    for (const Event& event : rank.events) {
      if (!is_execution(rank, event)) continue;
      const bool on_device = event.thread >= kFirstStream;
      RateSummary::Task& task = by_name[{on_device, event.name}];
      const OperationCount& count = rank.graphs[event.stage][event.node].count;
      task.name = event.name;
      task.on_device = on_device;
      task.executions += 1;
      task.seconds += event.end - event.begin;
      task.count += count;
      task.least_seconds += (on_device ? summary.device : summary.host).seconds(count);
    }
  }
  for (auto& [name, task] : by_name) summary.tasks.push_back(std::move(task));
  std::ranges::stable_sort(summary.tasks, {},
                           [](const RateSummary::Task& task) { return std::tuple(task.on_device, -task.seconds); });
  return summary;
}

}  // namespace weft::task

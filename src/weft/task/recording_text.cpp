// Summaries of traces as text.
#include <fmt/format.h>

#include <algorithm>

#include "weft/task/device_overlap.hpp"
#include "weft/task/rate_summary.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_summary.hpp"

namespace weft::task {
namespace {

constexpr std::size_t kMost = 16;  // rows of a table without bound
constexpr double kMs = 1e3;

[[nodiscard]] double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0.0; }

[[nodiscard]] std::string phases_text(const std::vector<RecordingSummary::Phase>& phases) {
  std::string text =
      fmt::format("\n{:<44} {:>9} {:>10} {:>10} {:>8} {:>10}\n", "phase, s", "times", "mean", "most", "on rank", "waiting");
  for (const RecordingSummary::Phase& phase : phases) {
    text += fmt::format("{:<44} {:>9.6g} {:>10.4f} {:>10.4f} {:>8} {:>10.4f}\n",
                        std::string(static_cast<std::size_t>(2 * phase.depth), ' ') + phase.name, phase.executions, phase.mean,
                        phase.most, phase.rank, phase.waiting);
  }
  return text;
}

[[nodiscard]] std::string path_text(const RecordingSummary& summary) {
  std::string text = fmt::format("\ncritical path of the last {} steps, {:.4f} ms a step\n", summary.path_steps,
                                 kMs * summary.path / static_cast<double>(summary.path_steps));
  for (std::size_t i = 0; i < std::min(kMost, summary.critical.size()); ++i) {
    const RecordingSummary::Part& part = summary.critical[i];
    text += fmt::format("  {:<42} on rank {:<6} {:>10.4f} {:>6.1f} %\n", part.name, part.rank,
                        kMs * part.seconds / static_cast<double>(summary.path_steps), percent(part.seconds, summary.path));
  }
  if (summary.critical.size() > kMost) text += fmt::format("  and {} shorter parts\n", summary.critical.size() - kMost);
  return text;
}

[[nodiscard]] std::string waits_text(const std::vector<RecordingSummary::Wait>& waits) {
  if (waits.empty()) return {};
  std::string text = "\nwaiting, ms a step\n";
  for (std::size_t i = 0; i < std::min(kMost, waits.size()); ++i) {
    const std::string reason =
        waits[i].for_rank < 0 ? "in messages and collectives themselves" : fmt::format("for rank {}", waits[i].for_rank);
    text += fmt::format("  rank {:<6} {:<38} {:>10.4f}\n", waits[i].rank, reason, kMs * waits[i].seconds);
  }
  if (waits.size() > kMost) text += fmt::format("  and {} shorter waits\n", waits.size() - kMost);
  return text;
}

[[nodiscard]] std::string messages_text(const std::vector<RecordingSummary::Message>& messages) {
  if (messages.empty()) return {};
  constexpr std::size_t kPairs = kMost * kMost;
  std::string text = fmt::format("\nmessages of the whole run\n  {:>6} {:>6} {:>12} {:>16}\n", "from", "to", "messages", "bytes");
  for (std::size_t i = 0; i < std::min(kPairs, messages.size()); ++i) {
    const RecordingSummary::Message& m = messages[i];
    text += fmt::format("  {:>6} {:>6} {:>12} {:>16}\n", m.from, m.to, m.traffic.messages, m.traffic.bytes);
  }
  if (messages.size() > kPairs) text += fmt::format("  and {} pairs with less\n", messages.size() - kPairs);
  return text;
}

}  // namespace

std::string RecordingSummary::text() const {
  std::string text = fmt::format("{} rank{}, {} step{}, {:.4f} s; with the events of {} steps\n", ranks, ranks == 1 ? "" : "s",
                                 steps, steps == 1 ? "" : "s", seconds, kept);
  if (dropped > 0) text += fmt::format("incomplete: threads had {} more events than are kept\n", dropped);
  text += phases_text(phases);
  if (kept == 0) return text + messages_text(messages);
  text += fmt::format(
      "\nsteps: the slowest rank takes {:.4f} ms; rank {} computes {:.4f}, {:.1f} % more than the mean of {:.4f}\n", kMs * step,
      busiest_rank, kMs * computed_most, percent(computed_most - computed_mean, computed_mean), kMs * computed_mean);
  text += path_text(*this);
  if (!exchanges.empty()) {
    text += fmt::format("\noverlap: ranks compute during {:.1f} % of the time of exchanges\n", 100 * overlap());
    text += fmt::format("  {:<58} {:>8} {:>12} {:>12}\n", "exchange, ms a step", "starts", "in flight", "covered");
    for (const Exchange& of : exchanges) {
      text += fmt::format("  {:<58} {:>8.6g} {:>12.4f} {:>12.4f}\n", of.name, of.starts, kMs * of.in_flight, kMs * of.covered);
    }
    if (on_devices) text += "  of exchanges on GPUs, this is the time in which the host enqueues them, one by one\n";
  }
  return text + waits_text(waits) + messages_text(messages);
}

std::string summary_text(std::span<const RankTrace> ranks, const MachineRates& host, const MachineRates& device) {
  const bool of_plans = std::ranges::any_of(ranks, [](const RankTrace& rank) { return !rank.graphs.empty(); });
  std::string text;
  if (is_recording(ranks)) text += summarize_recording(ranks).text();
  if (of_plans) text += (text.empty() ? "" : "\ntask graphs: ") + summarize(ranks).text();
  if (const std::string of_devices = summarize_device_overlap(ranks).text(); !of_devices.empty()) text += "\n" + of_devices;
  text += summarize_rates(ranks, host, device).text();
  return text.empty() ? "the trace has no events: the program has not ended, or was killed before it wrote them\n" : text;
}

}  // namespace weft::task

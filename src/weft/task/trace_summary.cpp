#include "weft/task/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace weft::task {
namespace {

using Event = RankTrace::Event;

/// The events of one iteration of one rank.
struct Iteration {
  const RankTrace::Graph* graph = nullptr;
  std::vector<const Event*> by_node{};  ///< null: not executed
  std::vector<const Event*> waits{};    ///< those of the communicating thread
  double begin = 0, end = 0;
};

[[nodiscard]] std::map<int, Iteration> iterations_of(const RankTrace& rank) {
  std::map<int, Iteration> list;
  for (const Event& event : rank.events) {
    if (event.iteration < 0 || event.thread >= kFirstStream) continue;  // an event of no plan, or in a stream of a device
    const auto [at, is_new] = list.try_emplace(event.iteration);
    Iteration& iteration = at->second;
    if (is_new || event.begin < iteration.begin) iteration.begin = event.begin;
    if (is_new || event.end > iteration.end) iteration.end = event.end;
    if (event.node < 0) {
      if (event.thread == 0) iteration.waits.push_back(&event);
      continue;
    }
    if (event.stage < 0) continue;
    iteration.graph = &rank.graphs[event.stage];
    iteration.by_node.resize(iteration.graph->size());
    iteration.by_node[event.node] = &event;
  }
  std::erase_if(list, [](const auto& entry) { return entry.second.graph == nullptr; });
  return list;
}

/// The exchange of a finish node in an iteration, if it was executed.
struct Flight {
  const Event* start = nullptr;
  const Event* finish = nullptr;
  /// The time between the two nodes, in which messages may be waited for.
  [[nodiscard]] Interval between() const { return {start->end, std::max(start->end, finish->begin)}; }
  [[nodiscard]] Interval whole() const { return {start->begin, finish->end}; }
};

[[nodiscard]] std::map<int, Flight> flights(const Iteration& iteration) {
  std::map<int, Flight> list;
  for (int i = 0; i < std::ssize(*iteration.graph); ++i) {
    const RankTrace::Node& node = (*iteration.graph)[i];
    if (node.kind != Kind::finish) continue;
    const int start = start_of(*iteration.graph, i);
    if (start < 0) continue;
    const Flight flight{iteration.by_node[start], iteration.by_node[i]};
    if (flight.start != nullptr && flight.finish != nullptr) list[i] = flight;
  }
  return list;
}

/// Returns the steps of the longest chain of dependencies.
[[nodiscard]] std::vector<TraceSummary::Step> critical_path(const Iteration& iteration) {
  const RankTrace::Graph& graph = *iteration.graph;
  std::vector<double> length(graph.size());
  std::vector<int> previous(graph.size(), -1);
  const auto flight_before = [&](std::size_t i, int p) {
    const Event* const start = iteration.by_node[p];
    const Event* const finish = iteration.by_node[i];
    return graph[i].kind == Kind::finish && start != nullptr && finish != nullptr ? std::max(0.0, finish->begin - start->end)
                                                                                  : 0.0;
  };
  std::size_t last = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    double longest = 0;
    for (const int p : graph[i].waits_for) {
      const double through = length[p] + flight_before(i, p);
      if (previous[i] >= 0 && through <= longest) continue;
      longest = through;
      previous[i] = p;
    }
    const Event* const event = iteration.by_node[i];
    length[i] = longest + (event == nullptr ? 0.0 : event->end - event->begin);
    if (length[i] > length[last]) last = i;
  }
  std::vector<TraceSummary::Step> steps;
  for (int i = graph.empty() ? -1 : static_cast<int>(last); i >= 0; i = previous[i]) {
    const Event* const event = iteration.by_node[i];
    if (event == nullptr) continue;
    steps.push_back({event->name, event->end - event->begin});
    if (graph[i].kind == Kind::finish) {
      steps.push_back({exchange_name(event->name) + " in flight", flight_before(i, previous[i])});
    }
  }
  return steps;
}

/// Adds the seconds of all ranks and iterations; summarize() divides at the end.
class Summary {
 public:
  explicit Summary(std::span<const RankTrace> ranks) : ranks_(ranks) {
    for (const RankTrace& rank : ranks) iterations_.push_back(iterations_of(rank));
    result.ranks = static_cast<int>(std::ssize(ranks));
    for (const auto& list : iterations_) result.iterations = std::max(result.iterations, static_cast<int>(std::ssize(list)));
    for (int r = 0; r < result.ranks; ++r) add_rank(r);
    if (result.iterations > 0) average();
  }
  TraceSummary result;

 private:
  void add_rank(int r) {
    std::map<std::string, double> critical;
    std::map<std::string, std::pair<double, double>> phases;  // executions, seconds
    double length = 0, whole = 0, computed = 0;
    for (const auto& [number, iteration] : iterations_[r]) {
      whole += iteration.end - iteration.begin;
      for (const TraceSummary::Step& step : critical_path(iteration)) {
        critical[step.name] += step.seconds;
        length += step.seconds;
      }
      for (std::size_t i = 0; i < iteration.by_node.size(); ++i) {
        const Event* const event = iteration.by_node[i];
        if (event == nullptr) continue;
        auto& [executions, seconds] = phases[event->name];
        executions += 1;
        seconds += event->end - event->begin;
        if (is_body((*iteration.graph)[i].kind)) computed += event->end - event->begin;
      }
      add_exchanges(iteration);
      add_waits(r, number, iteration);
    }
    result.iteration = std::max(result.iteration, whole);
    result.computed_mean += computed;
    if (r == 0 || computed > result.computed_most) {
      result.computed_most = computed;
      result.busiest_rank = r;
    }
    if (r == 0 || length > result.critical_path) {
      result.critical_path = length;
      result.critical_rank = r;
      result.critical.clear();
      for (const auto& [name, seconds] : critical) result.critical.push_back({name, seconds});
    }
    for (const auto& [name, phase] : phases) {
      const auto [entry, is_new] = phases_.try_emplace(name, TraceSummary::Phase{.name = name, .rank = r});
      TraceSummary::Phase& of = entry->second;
      of.executions += phase.first;
      of.mean += phase.second;
      if (phase.second > of.most) {
        of.most = phase.second;
        of.rank = r;
      }
    }
    for (const RankTrace::Sent& sent : ranks_[r].sent) result.messages.push_back({r, sent.to, sent.traffic});
  }

  void add_exchanges(const Iteration& iteration) {
    std::vector<Interval> bodies;
    std::set<int> threads;
    for (std::size_t i = 0; i < iteration.by_node.size(); ++i) {
      const Event* const event = iteration.by_node[i];
      if (event == nullptr) continue;
      threads.insert(event->thread);
      if (is_body((*iteration.graph)[i].kind)) bodies.push_back(span_of(*event));
    }
    for (const auto& [finish, flight] : flights(iteration)) {
      if ((*iteration.graph)[finish].on_device) continue;  // its times are those in which it was enqueued
      auto [known, is_new] = independent_.try_emplace({iteration.graph, finish});
      if (is_new) known->second = independent_of(*iteration.graph, finish);
      double available = 0;
      for (std::size_t i = 0; i < iteration.by_node.size(); ++i) {
        const Event* const event = iteration.by_node[i];
        if (event != nullptr && known->second[i] && is_body((*iteration.graph)[i].kind)) available += event->end - event->begin;
      }
      const Interval whole = flight.whole();
      const double length = whole.length();
      const double hidden = covered_length(whole, bodies);
      const std::string name = exchange_name(flight.finish->name);
      TraceSummary::Exchange& exchange = exchanges_[name];
      exchange.name = name;
      exchange.seconds += length;
      exchange.hidden += hidden;
      exchange.can_be_hidden += std::min(length, std::max(hidden, available / static_cast<double>(threads.size())));
    }
  }

  /// Returns the event of a node of another rank, or null.
  [[nodiscard]] const Event* event_of(int rank, int iteration, int node) const {
    const auto& list = iterations_[rank];
    const auto found = list.find(iteration);
    if (found == list.end() || static_cast<std::size_t>(node) >= found->second.by_node.size()) return nullptr;
    return found->second.by_node[node];
  }

  void add_waits(int r, int number, const Iteration& iteration) {
    const auto exchanges = flights(iteration);
    for (const Event* const wait : iteration.waits) {
      double longest = 0;
      const Event* start = nullptr;
      for (const auto& [finish, flight] : exchanges) {
        const Interval interval = flight.between();
        const double common = std::min(wait->end, interval.end) - std::max(wait->begin, interval.begin);
        if (common <= longest) continue;
        longest = common;
        start = flight.start;
      }
      if (start == nullptr) continue;
      int last = -1;
      double latest = 0;
      for (int other = 0; other < result.ranks; ++other) {
        const auto& sent = ranks_[other].sent;
        if (other == r || std::ranges::find(sent, r, &RankTrace::Sent::to) == sent.end()) continue;
        const Event* const theirs = event_of(other, number, start->node);
        if (theirs == nullptr || (last >= 0 && theirs->end <= latest)) continue;
        last = other;
        latest = theirs->end;
      }
      if (last >= 0) waits_[{r, last}] += longest;
    }
    for (std::size_t i = 0; i < iteration.by_node.size(); ++i) {
      const Event* const mine = iteration.by_node[i];
      if (mine == nullptr || (*iteration.graph)[i].kind != Kind::all_reduce) continue;
      int last = r;
      double latest = mine->begin;
      for (int other = 0; other < result.ranks; ++other) {
        const Event* const theirs = event_of(other, number, static_cast<int>(i));
        if (theirs == nullptr || theirs->begin <= latest) continue;
        last = other;
        latest = theirs->begin;
      }
      if (last != r) waits_[{r, last}] += latest - mine->begin;
    }
  }

  void average() {
    const double iterations = result.iterations, all = iterations * result.ranks;
    result.iteration /= iterations;
    result.critical_path /= iterations;
    for (TraceSummary::Step& step : result.critical) step.seconds /= iterations;
    std::ranges::stable_sort(result.critical, std::greater(), &TraceSummary::Step::seconds);
    result.computed_mean /= all;
    result.computed_most /= iterations;
    for (auto& [name, exchange] : exchanges_) {
      exchange.seconds /= all;
      exchange.hidden /= all;
      exchange.can_be_hidden /= all;
      result.exchanges.push_back(exchange);
    }
    for (auto& [name, phase] : phases_) {
      phase.executions /= all;
      phase.mean /= all;
      phase.most /= iterations;
      result.phases.push_back(phase);
    }
    std::ranges::stable_sort(result.phases, std::greater(), &TraceSummary::Phase::mean);
    for (const auto& [ranks, seconds] : waits_) result.waits.push_back({ranks.first, ranks.second, seconds / iterations});
    std::ranges::stable_sort(result.waits, std::greater(), &TraceSummary::Wait::seconds);
  }

  std::span<const RankTrace> ranks_;
  std::vector<std::map<int, Iteration>> iterations_;  ///< by rank, then by number
  std::map<std::pair<const RankTrace::Graph*, int>, std::vector<bool>> independent_;
  std::map<std::string, TraceSummary::Exchange> exchanges_;
  std::map<std::string, TraceSummary::Phase> phases_;
  std::map<std::pair<int, int>, double> waits_;
};

}  // namespace

TraceSummary summarize(std::span<const RankTrace> ranks) { return Summary(ranks).result; }

std::string TraceSummary::text() const {
  constexpr std::size_t kMost = 16;  // rows of a table without bound
  constexpr double kMs = 1e3;
  const auto share = [](double part, double whole) { return whole > 0 ? 100 * part / whole : 0.0; };
  std::string text = fmt::format("{} iterations on {} ranks; times in ms per iteration; the slowest rank takes {:.4f}\n",
                                 iterations, ranks, kMs * iteration);
  text += fmt::format("critical path: {:.4f} on rank {}, {:.1f} % of the time of the slowest rank\n", kMs * critical_path,
                      critical_rank, share(critical_path, iteration));
  for (std::size_t i = 0; i < std::min(kMost, critical.size()); ++i) {
    text += fmt::format("  {:<40} {:>10.4f} {:>6.1f} %\n", critical[i].name, kMs * critical[i].seconds,
                        share(critical[i].seconds, critical_path));
  }
  if (!exchanges.empty()) text += overlap_text(exchanges, "hidden communication", "");
  text += fmt::format("load: rank {} computes {:.4f}, {:.1f} % more than the mean of {:.4f}\n", busiest_rank, kMs * computed_most,
                      share(computed_most - computed_mean, computed_mean), kMs * computed_mean);
  text += fmt::format("  {:<40} {:>10} {:>10} {:>10} {:>8}\n", "node", "executions", "mean", "most", "on rank");
  for (const Phase& phase : phases) {
    text += fmt::format("  {:<40} {:>10.1f} {:>10.4f} {:>10.4f} {:>8}\n", phase.name, phase.executions, kMs * phase.mean,
                        kMs * phase.most, phase.rank);
  }
  for (std::size_t i = 0; i < std::min(kMost, waits.size()); ++i) {
    text += fmt::format("rank {} waits {:.4f} for rank {}\n", waits[i].rank, kMs * waits[i].seconds, waits[i].for_rank);
  }
  if (waits.size() > kMost) text += fmt::format("and {} shorter waits\n", waits.size() - kMost);
  if (messages.empty()) return text;
  text += fmt::format("messages in all iterations\n  {:>6} {:>6} {:>12} {:>16}\n", "from", "to", "messages", "bytes");
  std::vector<Message> largest = messages;
  std::ranges::stable_sort(largest, std::greater(), [](const Message& m) { return m.traffic.bytes; });
  if (largest.size() > kMost * kMost) largest.resize(kMost * kMost);
  for (const Message& m : largest) {
    text += fmt::format("  {:>6} {:>6} {:>12} {:>16}\n", m.from, m.to, m.traffic.messages, m.traffic.bytes);
  }
  if (messages.size() > largest.size()) text += fmt::format("and {} pairs with less\n", messages.size() - largest.size());
  return text;
}

}  // namespace weft::task

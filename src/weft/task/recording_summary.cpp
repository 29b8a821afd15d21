#include "weft/task/recording_summary.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "weft/task/device_overlap.hpp"
#include "weft/task/timeline.hpp"

namespace weft::task {
namespace {

using Event = RankTrace::Event;
using EventKind = RecordedEvent::Kind;

/// The reason why a wait ended when it did.
struct Cause {
  int rank = 0;      ///< the one that was late
  double since = 0;  ///< when it was no longer late: it had sent its message, or had entered the collective
};

/// The timelines of all ranks.
class Ranks {
 public:
  explicit Ranks(std::span<const RankTrace> traces) : traces_(traces) {
    for (const RankTrace& trace : traces) lines_.emplace_back(trace);
  }
  [[nodiscard]] int size() const { return static_cast<int>(std::ssize(lines_)); }
  [[nodiscard]] const Timeline& operator[](int rank) const { return lines_[rank]; }
  [[nodiscard]] const RankTrace& trace(int rank) const { return traces_[rank]; }

  /// Returns the rank that was late in a wait of `rank`, and itself where none was: a message or a collective took the time.
  [[nodiscard]] Cause cause_of(int rank, const Event& wait) const {
    Cause cause{rank, wait.begin};
    const auto consider = [&](int other, double since) {
      if (since > cause.since && since <= wait.end) cause = {other, since};
    };
    if (wait.peer >= 0 && wait.peer != rank) {
      if (const Event* const start = (*this)[wait.peer].start_by(wait.end); start != nullptr) consider(wait.peer, start->end);
      return cause;
    }
    for (int other = 0; other < size(); ++other) {
      if (other == rank) continue;
      const Event* const theirs = (*this)[other].wait_before(wait.end);
      if (theirs != nullptr && theirs->name == wait.name && theirs->end > wait.begin) consider(other, theirs->begin);
    }
    if (cause.rank != rank || !within_exchange(wait)) return cause;
    for (const int other : senders_to(rank, wait)) {
      if (const Event* const start = (*this)[other].start_by(wait.end); start != nullptr) consider(other, start->end);
    }
    return cause;
  }

 private:
  /// Returns whether a plan waits for messages: such a wait names no rank.
  [[nodiscard]] static bool within_exchange(const Event& wait) { return wait.peer < 0 && wait.name.starts_with("ghost rows"); }

  /// Returns the ranks whose messages arrived at the end of a wait.
  [[nodiscard]] std::set<int> senders_to(int rank, const Event& wait) const {
    std::set<int> senders;
    for (const Event* const event : (*this)[rank].events()) {
      if (event->kind != EventKind::finish || event->exchange < 0 || event->end < wait.begin) continue;
      if (event->begin > wait.end) break;
      for (const RecordedMessage& m : trace(rank).exchanges[event->exchange].received) {
        if (m.rank < size()) senders.insert(m.rank);
      }
    }
    return senders;
  }

  std::span<const RankTrace> traces_;
  std::vector<Timeline> lines_;
};

class Summary {
 public:
  explicit Summary(std::span<const RankTrace> traces) : ranks_(traces) {
    result.ranks = ranks_.size();
    result.on_devices = summarize_device_overlap(traces).has_exchanges;
    Interval all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    std::set<std::int64_t> kept;
    for (const RankTrace& trace : traces) {
      result.steps = std::max(result.steps, trace.steps);
      result.dropped += trace.dropped;
      for (const Event& event : trace.events) {
        all = {std::min(all.begin, event.begin), std::max(all.end, event.end)};
        if (event.kind == EventKind::region && event.name == RecordingSummary::kStep && event.step >= 0) kept.insert(event.step);
      }
    }
    result.seconds = all.length();
    result.kept = std::ssize(kept);
    for (int r = 0; r < ranks_.size(); ++r) add_phases(r);
    finish_phases();
    add_messages();
    if (kept.empty()) return;
    for (int r = 0; r < ranks_.size(); ++r) add_steps(r);
    finish_steps();
    std::int64_t first = *kept.rbegin();
    while (kept.contains(first - 1)) --first;
    result.path_steps = *kept.rbegin() - first + 1;
    walk(first);
  }
  RecordingSummary result;

 private:
  /// A phase while it is added up. Children are by name.
  struct Node {
    RecordingSummary::Phase phase;
    double first = 0;  ///< beginning on the first rank that has it
    std::map<std::string, int> inside{};
  };

  void add_phases(int r) {
    const Timeline& line = ranks_[r];
    std::vector<int> node_of(line.events().size(), 0);
    std::map<int, double> seconds;  // by node
    for (std::size_t i = 0; i < node_of.size(); ++i) {
      const Event& event = *line.events()[i];
      const int outer = line.outer()[i];
      const int parent = outer < 0 ? 0 : node_of[outer];
      if (event.kind == EventKind::wait) {
        node_of[i] = parent;
        continue;
      }
      const auto [at, is_new] = nodes_[parent].inside.try_emplace(event.name, std::ssize(nodes_));
      const int number = at->second;
      if (is_new) {
        nodes_.push_back({.phase = {.name = event.name, .depth = nodes_[parent].phase.depth + 1}, .first = event.begin});
      }
      node_of[i] = number;
      Node& node = nodes_[number];
      node.phase.executions += 1;
      node.phase.waiting += line.waiting(span_of(event));
      seconds[number] += event.end - event.begin;
    }
    for (const auto& [number, time] : seconds) {
      RecordingSummary::Phase& phase = nodes_[number].phase;
      phase.mean += time;
      if (time <= phase.most) continue;
      phase.most = time;
      phase.rank = r;
    }
  }

  void finish_phases() {
    for (Node& node : nodes_) {
      node.phase.executions /= result.ranks;
      node.phase.mean /= result.ranks;
      node.phase.waiting /= result.ranks;
    }
    list_phases(0);
  }
  void list_phases(int outer) {
    std::vector<std::pair<double, int>> inside;
    for (const auto& [name, number] : nodes_[outer].inside) {
      inside.emplace_back(nodes_[number].first, number);
    }
    std::ranges::sort(inside);
    for (const auto& [first, number] : inside) {
      result.phases.push_back(nodes_[number].phase);
      list_phases(number);
    }
  }

  void add_messages() {
    for (int r = 0; r < ranks_.size(); ++r) {
      std::map<int, Traffic> to;
      for (const RankTrace::Exchange& exchange : ranks_.trace(r).exchanges) {
        for (const RecordedMessage& m : exchange.sent) to[m.rank] += {exchange.starts, exchange.starts * m.bytes};
      }
      for (const auto& [other, traffic] : to) result.messages.push_back({r, other, traffic});
    }
    std::ranges::stable_sort(result.messages, std::greater(), [](const auto& m) { return m.traffic.bytes; });
  }

  void add_steps(int r) {
    const Timeline& line = ranks_[r];
    double whole = 0, computed = 0;
    for (const Event* const step : line.regions(RecordingSummary::kStep)) {
      whole += step->end - step->begin;
      computed += step->end - step->begin - line.waiting(span_of(*step));
      for (auto wait = std::ranges::partition_point(line.waits(), [&](const Event* w) { return w->begin < step->begin; });
           wait != line.waits().end() && (*wait)->begin < step->end; ++wait) {
        const Cause cause = ranks_.cause_of(r, **wait);
        if (cause.rank != r) waits_[{r, cause.rank}] += cause.since - (*wait)->begin;
        waits_[{r, -1}] += (*wait)->end - cause.since;
      }
      add_exchanges(line, ranks_.trace(r), span_of(*step));
    }
    result.step = std::max(result.step, whole);
    result.computed_mean += computed / result.ranks;
    if (r > 0 && computed <= result.computed_most) return;
    result.computed_most = computed;
    result.busiest_rank = r;
  }

  void add_exchanges(const Timeline& line, const RankTrace& trace, const Interval& step) {
    std::map<std::pair<int, std::int64_t>, double> started;
    const auto& events = line.events();
    for (auto at = std::ranges::partition_point(events, [&](const Event* e) { return e->begin < step.begin; });
         at != events.end() && (*at)->begin < step.end; ++at) {
      const Event& event = **at;
      if (event.exchange < 0) continue;
      const std::pair key{event.exchange, event.round};
      if (event.kind == EventKind::start) started[key] = event.end;
      if (event.kind != EventKind::finish || !started.contains(key)) continue;
      const RankTrace::Exchange& exchange = trace.exchanges[event.exchange];
      const Interval flight{started[key], event.end};
      RecordingSummary::Exchange& sum = exchanges_[{exchange.plan, exchange.index}];
      sum.name = exchange.name;
      sum.starts += 1;
      sum.in_flight += flight.length();
      sum.covered += flight.length() - line.waiting(flight);
    }
  }

  void finish_steps() {
    const auto steps = static_cast<double>(result.kept);
    result.step /= steps;
    result.computed_mean /= steps;
    result.computed_most /= steps;
    for (auto& [key, sum] : exchanges_) {
      for (double* const value : {&sum.starts, &sum.in_flight, &sum.covered}) *value /= steps * result.ranks;
      result.exchanges.push_back(sum);
    }
    for (const auto& [who, seconds] : waits_) {
      if (seconds > 0) result.waits.push_back({who.first, who.second, seconds / steps});
    }
    std::ranges::stable_sort(result.waits, std::greater(), &RecordingSummary::Wait::seconds);
  }

  /// Follows the critical path back from the end of the last step to the beginning of the first of those that follow each other.
  void walk(std::int64_t first_step) {
    Interval left{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    int r = 0;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      for (const Event* const step : ranks_[rank].regions(RecordingSummary::kStep)) {
        if (step->step < first_step) continue;
        left.begin = std::min(left.begin, step->begin);
        if (step->end <= left.end) continue;
        left.end = step->end;
        r = rank;
      }
    }
    result.path = left.length();
    std::map<std::pair<int, std::string>, double> parts;
    const auto add = [&](int rank, const std::string& name, const Interval& span) {
      if (span.length() > 0) parts[{rank, name}] += span.length();
    };
    const auto add_computed = [&](int rank, const Interval& span) {
      double rest = span.length();
      for (const Timeline::Piece& piece : ranks_[rank].pieces(span)) {
        add(rank, piece.event->name, piece.span);
        rest -= piece.span.length();
      }
      add(rank, "outside of regions", {0, rest});
    };
    while (left.length() > 0) {
      const Event* const wait = ranks_[r].wait_before(left.end);
      if (wait == nullptr || wait->end <= left.begin) {
        add_computed(r, left);
        break;
      }
      add_computed(r, {std::min(wait->end, left.end), left.end});
      left.end = std::min(wait->end, left.end);
      Cause cause = ranks_.cause_of(r, *wait);
      if (cause.since >= left.end) cause = {r, wait->begin};  // the path comes from the middle of the wait
      const double since = cause.since;
      add(r, wait->name + " (wait)", {std::max(since, left.begin), left.end});
      left.end = since;
      r = cause.rank;
    }
    for (const auto& [key, seconds] : parts) result.critical.push_back({key.first, key.second, seconds});
    std::ranges::stable_sort(result.critical, std::greater(), &RecordingSummary::Part::seconds);
  }

  Ranks ranks_;
  std::vector<Node> nodes_{Node{.phase = {.name = {}, .depth = -1}}};  ///< the first contains the outermost phases
  std::map<std::pair<std::int64_t, int>, RecordingSummary::Exchange> exchanges_;
  std::map<std::pair<int, int>, double> waits_;
};

}  // namespace

bool is_recording(std::span<const RankTrace> ranks) {
  return std::ranges::any_of(ranks, [](const RankTrace& rank) {
    return rank.steps > 0 || std::ranges::any_of(rank.events, [](const Event& event) { return event.iteration < 0; });
  });
}

RecordingSummary summarize_recording(std::span<const RankTrace> ranks) { return Summary(ranks).result; }

double RecordingSummary::overlap() const {
  double covered = 0, all = 0;
  for (const Exchange& exchange : exchanges) {
    covered += exchange.covered;
    all += exchange.in_flight;
  }
  return all > 0 ? covered / all : 1.0;
}

}  // namespace weft::task

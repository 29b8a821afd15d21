#include "weft/task/device_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace weft::task {
namespace {

[[nodiscard]] bool is_exchange(Kind kind) { return kind == Kind::start || kind == Kind::finish; }

/// The rows of the streams in one iteration of a plan, by node of its compiled graph.
struct StreamRows {
  const RankTrace::Graph* graph = nullptr;
  std::vector<const RankTrace::Event*> by_node{};  ///< null: no row

  [[nodiscard]] std::vector<Interval> bodies(const std::vector<bool>* among = nullptr) const {
    std::vector<Interval> list;
    for (std::size_t i = 0; i < by_node.size(); ++i) {
      const bool counts = by_node[i] != nullptr && is_body((*graph)[i].kind) && (among == nullptr || (*among)[i]);
      if (counts) list.push_back(span_of(*by_node[i]));
    }
    return list;
  }
};

class Summary {
 public:
  explicit Summary(std::span<const RankTrace> ranks) {
    for (const RankTrace& rank : ranks) add_rank(rank);
    for (auto& [name, exchange] : exchanges_) {
      for (double* const value : {&exchange.seconds, &exchange.hidden, &exchange.can_be_hidden}) *value /= with_rows_;
      result.exchanges.push_back(std::move(exchange));
    }
  }
  DeviceOverlap result;

 private:
  void add_rank(const RankTrace& rank) {
    std::map<std::pair<int, int>, StreamRows> rows;  // by iteration and graph
    std::set<int> iterations, in_streams;
    for (const RankTrace::Event& event : rank.events) {
      if (event.iteration >= 0) iterations.insert(event.iteration);
      if (event.thread < kFirstStream) continue;
      result.has_exchanges |= event.kind == RecordedEvent::Kind::communication;
      in_streams.insert(event.iteration);
      if (event.iteration < 0 || event.stage < 0 || event.node < 0) continue;
      StreamRows& of = rows[{event.iteration, event.stage}];
      of.graph = &rank.graphs[event.stage];
      of.by_node.resize(of.graph->size());
      of.by_node[event.node] = &event;
    }
    for (const RankTrace::Graph& graph : rank.graphs) {
      result.has_exchanges |=
          std::ranges::any_of(graph, [](const RankTrace::Node& node) { return node.on_device && is_exchange(node.kind); });
    }
    int with_rows = 0;
    for (const auto& [number, of] : rows) with_rows += add_exchanges(of) ? 1 : 0;
    with_rows_ += with_rows;
    result.iterations = std::max(result.iterations, with_rows);
    const auto without = std::ranges::count_if(iterations, [&](int iteration) { return !in_streams.contains(iteration); });
    result.without_rows = std::max(result.without_rows, static_cast<int>(without));
  }

  /// Adds the exchanges of an iteration and returns whether it has any.
  bool add_exchanges(const StreamRows& rows) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const std::vector<Interval> bodies = rows.bodies();
    bool any = false;
    for (int i = 0; i < std::ssize(*rows.graph); ++i) {
      const RankTrace::Event* const finish = rows.by_node[i];
      if ((*rows.graph)[i].kind != Kind::finish || finish == nullptr) continue;
      const int before = start_of(*rows.graph, i);
      const RankTrace::Event* const start = before < 0 ? nullptr : rows.by_node[before];
      if (start == nullptr) continue;
      auto [known, is_new] = independent_.try_emplace({rows.graph, i});
      if (is_new) known->second = independent_of(*rows.graph, i);
      const Interval whole{start->begin, finish->end};
      const double hidden = covered_length(whole, bodies);
      const double available = covered_length({-kInfinite, kInfinite}, rows.bodies(&known->second));
      ExchangeOverlap& exchange = exchanges_[exchange_name(finish->name)];
      exchange.name = exchange_name(finish->name);
      exchange.seconds += whole.length();
      exchange.hidden += hidden;
      exchange.can_be_hidden += std::min(whole.length(), std::max(hidden, available));
      any = true;
    }
    return any;
  }

  std::map<std::pair<const RankTrace::Graph*, int>, std::vector<bool>> independent_;
  std::map<std::string, ExchangeOverlap> exchanges_;
  double with_rows_ = 0;  ///< iterations with rows of exchanges, of all ranks
};

}  // namespace

std::string DeviceOverlap::text() const {
  if (!has_exchanges) return {};
  constexpr const char* kWhat = "hidden communication on GPUs";
  if (!known()) {
    return fmt::format(
        "{}: not known, because no exchange has rows in streams: nodes within a CUDA graph have none.\n"
        "  Launch the tasks one by one: trace with task::Trace(task::Trace::Streams::shown), or run more steps with\n"
        "  weft run --trace, which does so in one time step of 16, after the first two\n",
        kWhat);
  }
  std::string text = overlap_text(exchanges, kWhat, fmt::format("; iterations with rows: {}; ms", iterations));
  if (without_rows > 0) {
    text += fmt::format(
        "  not contained: {} iterations without rows in streams; nodes within a CUDA graph have none, nor have\n"
        "  plans without a device\n",
        without_rows);
  }
  return text + "  rows do not say how much tasks and exchanges delay each other: compare with the time of an exchange alone\n";
}

DeviceOverlap summarize_device_overlap(std::span<const RankTrace> ranks) { return Summary(ranks).result; }

}  // namespace weft::task

// Reading of trace files.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/task/trace_file.hpp"

namespace weft::task {
namespace {

using Json = nlohmann::json;
using Event = RankTrace::Event;
using EventKind = RecordedEvent::Kind;

constexpr const char* kOther = "give a file that weft run --trace has written";

[[nodiscard]] Json parse(const std::string& text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto byte = std::min(error.byte, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n') + 1;
    const bool ends_early = error.byte > text.size();
    throw InputError(ends_early ? "the file ends in the middle of a trace" : "this is no trace: the file is not JSON",
                     ends_early ? "copy it again, or run again" : kOther,
                     {.file = path, .line = static_cast<std::int64_t>(line), .offset = static_cast<std::int64_t>(byte)});
  }
}

/// Returns the rank of a message in a trace of `ranks` ranks.
[[nodiscard]] int peer_of(const Json& message, std::size_t ranks) {
  const int rank = message.at(0).get<int>();
  if (rank < 0 || static_cast<std::size_t>(rank) >= ranks) throw std::out_of_range("the rank of a message");
  return rank;
}

[[nodiscard]] std::vector<RecordedMessage> messages_of(const Json& list, std::size_t ranks) {
  std::vector<RecordedMessage> messages;
  for (const Json& m : list) messages.push_back({.rank = peer_of(m, ranks), .bytes = m.at(1).get<std::int64_t>()});
  return messages;
}

[[nodiscard]] RankTrace::Graph graph_of(const Json& list) {
  RankTrace::Graph graph;
  for (const Json& item : list) {
    const int kind = item.at(0).get<int>();
    if (kind < 0 || kind > static_cast<int>(Kind::segment)) throw std::out_of_range("the kind of a node");
    RankTrace::Node node{.kind = static_cast<Kind>(kind)};
    for (std::size_t i = 1; i < item.size(); ++i) {
      node.waits_for.push_back(item[i].get<int>());
      if (node.waits_for.back() < 0 || node.waits_for.back() >= std::ssize(graph)) throw std::out_of_range("a dependency");
    }
    const auto starts = [&](int before) { return graph[before].kind == Kind::start; };
    if (node.kind == Kind::finish && std::ranges::none_of(node.waits_for, starts)) {
      throw std::out_of_range("a finish node without its start node");
    }
    graph.push_back(std::move(node));
  }
  return graph;
}

void read_counts(const Json& list, RankTrace::Graph& graph) {
  for (const Json& item : list) {
    graph.at(item.at(0).get<std::size_t>()).count = {item.at(1).get<double>(), item.at(2).get<double>()};
  }
}

[[nodiscard]] MachineRates rates_of(const Json& item) { return {item.at(0).get<double>(), item.at(1).get<double>()}; }

/// @param ranks  number of ranks of the trace.
[[nodiscard]] RankTrace rank_of(const Json& json, std::size_t ranks) {
  RankTrace rank{.steps = json.at("steps").get<std::int64_t>(), .dropped = json.at("dropped").get<std::int64_t>()};
  for (const Json& graph : json.at("graphs")) rank.graphs.push_back(graph_of(graph));
  if (json.contains("counts")) {  // not in traces of earlier versions
    for (std::size_t g = 0; g < rank.graphs.size(); ++g) read_counts(json["counts"].at(g), rank.graphs[g]);
    rank.host = rates_of(json.at("rates").at("host"));
    rank.device = rates_of(json["rates"].at("device"));
  }
  if (json.contains("device")) {  // nor this
    for (std::size_t g = 0; g < rank.graphs.size(); ++g) {
      for (const Json& node : json["device"].at(g)) rank.graphs[g].at(node.get<std::size_t>()).on_device = true;
    }
  }
  for (const Json& sent : json.at("sent")) {
    rank.sent.push_back({peer_of(sent, ranks), {sent.at(1).get<std::int64_t>(), sent.at(2).get<std::int64_t>()}});
  }
  for (const Json& e : json.at("exchanges")) {
    rank.exchanges.push_back({.name = e.at("name").get<std::string>(),
                              .plan = e.at("plan").get<std::int64_t>(),
                              .index = e.at("index").get<int>(),
                              .sent = messages_of(e.at("sent"), ranks),
                              .received = messages_of(e.at("received"), ranks),
                              .starts = e.at("starts").get<std::int64_t>()});
  }
  return rank;
}

[[nodiscard]] EventKind kind_of(const std::string& name) {
  for (int kind = 0; kind <= static_cast<int>(EventKind::launch); ++kind) {
    if (name == to_string(static_cast<EventKind>(kind))) return static_cast<EventKind>(kind);
  }
  throw std::out_of_range("the category \"" + name + "\"");
}

void add_event(std::vector<RankTrace>& ranks, const Json& json) {
  const auto ns = [](const Json& us) { return std::round(1e3 * us.get<double>()); };
  if (json.at("ph") != "X") return;  // names of processes, and arrows
  const Json& arguments = json.at("args");
  RankTrace& rank = ranks.at(json.at("pid").get<std::size_t>());
  Event event{.name = json.at("name").get<std::string>(),
              .thread = json.at("tid").get<int>(),
              .iteration = arguments.value("iteration", -1),
              .stage = arguments.value("stage", -1),
              .node = arguments.value("node", -1),
              .begin = 1e-9 * ns(json.at("ts")),
              .end = 1e-9 * (ns(json.at("ts")) + ns(json.at("dur"))),
              .kind = kind_of(json.at("cat").get<std::string>()),
              .step = arguments.value("step", std::int64_t{-1}),
              .peer = arguments.value("peer", -1),
              .exchange = arguments.value("exchange", -1),
              .round = arguments.value("round", std::int64_t{0})};
  if (event.exchange >= std::ssize(rank.exchanges)) throw std::out_of_range("the number of an exchange");
  if (event.peer >= std::ssize(ranks)) throw std::out_of_range("the rank of a wait");
  if (event.stage >= std::ssize(rank.graphs) || (event.stage >= 0 && event.node >= std::ssize(rank.graphs[event.stage]))) {
    throw std::out_of_range("the number of a node");
  }
  rank.events.push_back(std::move(event));
}

}  // namespace

std::vector<RankTrace> parse_trace(const std::string& text, const std::string& path) {
  const Json json = parse(text, path);
  if (!json.is_object() || !json.contains("weft") || !json.contains("traceEvents")) {
    throw InputError("this JSON is no trace of weft: it has no members \"weft\" and \"traceEvents\"", kOther, {.file = path});
  }
  std::vector<RankTrace> ranks;
  std::size_t number = 0;
  bool in_events = false;
  try {
    const Json& list = json["weft"].at("ranks");
    for (const Json& rank : list) {
      ranks.push_back(rank_of(rank, list.size()));
      ++number;
    }
    in_events = true;
    number = 0;
    for (const Json& event : json["traceEvents"]) {
      add_event(ranks, event);
      ++number;
    }
  } catch (const std::exception& error) {  // an error of JSON, or a number that is out of range
    throw InputError(fmt::format("{} {} of the trace is wrong: {}", in_events ? "event" : "rank", number, error.what()), kOther,
                     {.file = path});
  }
  return ranks;
}

}  // namespace weft::task

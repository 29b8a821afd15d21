#include "weft/task/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "weft/base/error.hpp"
#include "weft/task/json_text.hpp"

namespace weft::task {
namespace {

namespace fs = std::filesystem;
using Event = RankTrace::Event;
using EventKind = RecordedEvent::Kind;

/// The first bytes of every file, and of those of earlier versions.
constexpr std::string_view kHeader = "{\"displayTimeUnit\": \"ms\",\n\"weft\": {\"format\": 1, \"ranks\": [";
constexpr std::string_view kEarlierHeader = "[{\"name\": \"process_name\", \"ph\": \"M\"";

[[nodiscard]] std::string messages_text(const std::vector<RecordedMessage>& messages) {
  std::string text;
  for (const RecordedMessage& m : messages) text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", m.rank, m.bytes);
  return "[" + text + "]";
}

/// Returns the counts of the nodes of a graph that have one: number of the node, operations, bytes.
[[nodiscard]] std::string counts_text(const RankTrace::Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const OperationCount& count = graph[i].count;
    if (count == OperationCount{}) continue;
    text += fmt::format("{}[{}, {:.17g}, {:.17g}]", text.empty() ? "" : ", ", i, count.flops, count.bytes);
  }
  return "[" + text + "]";
}

/// Returns the numbers of the nodes of a graph that a device executes.
[[nodiscard]] std::string device_text(const RankTrace::Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].on_device) text += fmt::format("{}{}", text.empty() ? "" : ", ", i);
  }
  return "[" + text + "]";
}

[[nodiscard]] std::string rates_text(const MachineRates& rates) {
  return fmt::format("[{:.6g}, {:.6g}]", rates.flops_per_second, rates.bytes_per_second);
}

/// Returns what summaries need besides the events.
[[nodiscard]] std::string rank_text(const RankTrace& rank) {
  std::string graphs, counts, device, sent, exchanges;
  for (const RankTrace::Graph& graph : rank.graphs) {
    std::string nodes;
    for (const RankTrace::Node& node : graph) {
      nodes += fmt::format("{}[{}", nodes.empty() ? "" : ", ", static_cast<int>(node.kind));
      for (const int before : node.waits_for) nodes += fmt::format(", {}", before);
      nodes += "]";
    }
    counts += (graphs.empty() ? "" : ", ") + counts_text(graph);
    device += (graphs.empty() ? "" : ", ") + device_text(graph);
    graphs += fmt::format("{}[{}]", graphs.empty() ? "" : ", ", nodes);
  }
  for (const RankTrace::Sent& to : rank.sent) {
    sent += fmt::format("{}[{}, {}, {}]", sent.empty() ? "" : ", ", to.to, to.traffic.messages, to.traffic.bytes);
  }
  for (const RankTrace::Exchange& e : rank.exchanges) {
    exchanges += fmt::format("{}{{\"name\": {}, \"plan\": {}, \"index\": {}, \"starts\": {}, \"sent\": {}, \"received\": {}}}",
                             exchanges.empty() ? "" : ", ", json_text(e.name), e.plan, e.index, e.starts, messages_text(e.sent),
                             messages_text(e.received));
  }
  return fmt::format(
      "\n{{\"steps\": {}, \"dropped\": {}, \"graphs\": [{}], \"counts\": [{}], \"device\": [{}], "
      "\"rates\": {{\"host\": {}, \"device\": {}}}, \"sent\": [{}], \"exchanges\": [{}]}}",
      rank.steps, rank.dropped, graphs, counts, device, rates_text(rank.host), rates_text(rank.device), sent, exchanges);
}

/// Returns the arguments of an event: the numbers that it has, and for people what is exchanged.
[[nodiscard]] std::string arguments_text(const RankTrace& rank, const Event& event) {
  std::string text;
  const auto add = [&](const char* name, std::int64_t value) {
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", name, value);
  };
  if (event.step >= 0) add("step", event.step);
  if (event.peer >= 0) add("peer", event.peer);
  if (event.iteration >= 0) add("iteration", event.iteration);
  if (event.stage >= 0) add("stage", event.stage);
  if (event.node >= 0) add("node", event.node);
  if (event.exchange < 0) return text;
  add("exchange", event.exchange);
  add("round", event.round);
  const RankTrace::Exchange& exchange = rank.exchanges[event.exchange];
  text += ", \"arrays\": " + json_text(exchange.name);
  for (const RecordedMessage& m : exchange.sent) text += fmt::format(", \"bytes to rank {}\": {}", m.rank, m.bytes);
  return text;
}

/// Adds an event, and the ends of the arrows of its messages.
class EventWriter {
 public:
  explicit EventWriter(double zero) : zero_(zero) {}

  void add(const RankTrace& rank, int number, const Event& event) {
    constexpr double kUs = 1e3;  // ns
    const std::int64_t begin = ns(event.begin), end = ns(event.end);
    const double at = static_cast<double>(begin) / kUs, length = static_cast<double>(end - begin) / kUs;
    text += fmt::format(
        ",\n{{\"name\": {}, \"cat\": \"{}\", \"ph\": \"X\", \"pid\": {}, \"tid\": {}, \"ts\": {:.3f}, \"dur\": {:.3f}, "
        "\"args\": {{{}}}}}",
        json_text(event.name), to_string(event.kind), number, event.thread, at, length, arguments_text(rank, event));
    if (event.exchange < 0) return;
    const bool starts = event.kind == EventKind::start;
    const RankTrace::Exchange& exchange = rank.exchanges[event.exchange];
    for (const RecordedMessage& m : starts ? exchange.sent : exchange.received) {
      const int from = starts ? number : m.rank, to = starts ? m.rank : number;
      text += fmt::format(
          ",\n{{\"name\": \"message\", \"cat\": \"message\", \"ph\": \"{}\", \"id\": \"{}.{}.{}.{}.{}\", \"pid\": {}, \"tid\": "
          "{}, "
          "\"ts\": {:.3f}}}",
          starts ? "s" : "f\", \"bp\": \"e", exchange.plan, exchange.index, event.round, from, to, number, event.thread,
          at + length / 2);
    }
  }
  std::string text;

 private:
  [[nodiscard]] std::int64_t ns(double time) const { return std::llround(1e9 * (time - zero_)); }
  double zero_;
};

}  // namespace

std::string trace_text(std::span<const RankTrace> ranks) {
  std::string text(kHeader);
  double zero = std::numeric_limits<double>::infinity();
  for (const RankTrace& rank : ranks) {
    text += (&rank == ranks.data() ? "" : ",") + rank_text(rank);
    for (const Event& event : rank.events) zero = std::min(zero, event.begin);
  }
  text += "]},\n\"traceEvents\": [";
  EventWriter events(zero);
  int number = 0;
  for (const RankTrace& rank : ranks) {
    text += fmt::format("{}\n{{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": {}, \"args\": {{\"name\": \"rank {}\"}}}}",
                        number == 0 ? "" : ",", number, number);
    if (!rank.cores.empty()) {  // shown with the name of the rank
      text +=
          fmt::format(",\n{{\"name\": \"process_labels\", \"ph\": \"M\", \"pid\": {}, \"args\": {{\"labels\": \"cores {}\"}}}}",
                      number, rank.cores);
    }
    std::set<int> streams;
    for (const Event& event : rank.events) {
      events.add(rank, number, event);
      if (event.thread >= kFirstStream) streams.insert(event.thread);
    }
    for (const int stream : streams) {
      text +=
          fmt::format(",\n{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": \"{}\"}}}}",
                      number, stream, stream_name(stream));
    }
    ++number;
  }
  return text + events.text + "\n]}\n";
}

void write_trace(std::span<const RankTrace> ranks, const std::string& path) {
  const Where where{.file = path};
  std::error_code failed;
  if (fs::exists(path, failed)) {
    std::string beginning(kHeader.size(), ' ');
    std::ifstream(path, std::ios::binary).read(beginning.data(), std::ssize(beginning));
    if (!fs::is_regular_file(path, failed) || !(beginning == kHeader || beginning.starts_with(kEarlierHeader))) {
      throw IoError("this file is there already and is no trace, which would be replaced", "choose another name", where);
    }
  }
  const std::string part = path + ".part", text = trace_text(ranks);
  errno = 0;
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  const bool opened = file.is_open();
  file.write(text.data(), std::ssize(text));
  file.close();
  if (!file) {
    const std::string reason = std::strerror(errno);
    if (opened) fs::remove(part, failed);
    throw IoError(fmt::format("the trace cannot be written: {}", reason), "check the folder, its permissions and the disk",
                  where);
  }
  fs::rename(part, path, failed);
  if (failed) throw IoError(fmt::format("the trace cannot be written: {}", failed.message()), "choose another name", where);
}

}  // namespace weft::task

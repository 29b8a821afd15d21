#include "weft/task/rank_trace.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/task/device_streams.hpp"

namespace weft::task {
namespace {

/// Appends values one after the other, for a message between processes of one program.
class ByteWriter {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <class T>
  void operator()(const std::vector<T>& list);
  std::string bytes;
};

/// Reads what a ByteWriter has written.
class ByteReader {
 public:
  explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(T& value) {
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text.assign(bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class T>
  void operator()(std::vector<T>& list);

 private:
  std::span<const char> bytes_;
};

/// Applies a ByteWriter or a ByteReader to the members of a value, in one order for both.
template <class Archive, class T>
void each_member(Archive& archive, T& value) {
  using Plain = std::remove_const_t<T>;
  const auto all = [&](auto&... members) { (archive(members), ...); };
  if constexpr (std::is_arithmetic_v<Plain>) {
    all(value);
  } else if constexpr (std::is_same_v<Plain, RankTrace::Event>) {
    all(value.name, value.thread, value.iteration, value.stage, value.node, value.begin, value.end, value.kind, value.step,
        value.peer, value.exchange, value.round);
  } else if constexpr (std::is_same_v<Plain, RankTrace::Node>) {
    all(value.kind, value.waits_for, value.count.flops, value.count.bytes, value.on_device);
  } else if constexpr (std::is_same_v<Plain, RankTrace::Graph>) {
    archive(value);
  } else if constexpr (std::is_same_v<Plain, RankTrace::Sent>) {
    all(value.to, value.traffic.messages, value.traffic.bytes);
  } else if constexpr (std::is_same_v<Plain, RecordedMessage>) {
    all(value.rank, value.bytes);
  } else if constexpr (std::is_same_v<Plain, RecordedExchange>) {
    all(value.name, value.plan, value.index, value.sent, value.received, value.starts);
  } else {
    static_assert(std::is_same_v<Plain, RankTrace>);
    all(value.events, value.graphs, value.sent, value.exchanges, value.steps, value.dropped, value.cores,
        value.host.flops_per_second, value.host.bytes_per_second, value.device.flops_per_second, value.device.bytes_per_second);
  }
}

template <class T>
void ByteWriter::operator()(const std::vector<T>& list) {
  (*this)(list.size());
  for (const T& value : list) each_member(*this, value);
}

template <class T>
void ByteReader::operator()(std::vector<T>& list) {
  std::size_t size = 0;
  (*this)(size);
  list.resize(size);
  for (T& value : list) each_member(*this, value);
}

}  // namespace

const char* stream_name(int thread) { return kStreamNames.at(static_cast<std::size_t>(thread - kFirstStream)); }

RankTrace::Graph graph_of(const Stage& stage) {
  RankTrace::Graph graph(stage.nodes.size());
  for (int i = 0; i < std::ssize(graph); ++i) {
    graph[i].kind = stage.nodes[i].kind;
    graph[i].on_device = stage.nodes[i].side == Side::device && stage.nodes[i].kind != Kind::copy;
    for (const int successor : stage.successors_of(i)) graph[successor].waits_for.push_back(i);
  }
  return graph;
}

std::vector<RankTrace> gather(const Communicator& comm, RankTrace mine) {
  ByteWriter writer;
  each_member(writer, std::as_const(mine));
  mine = {};
  const std::vector<char> all = comm.gather(std::span<const char>(writer.bytes));
  if (!comm.is_root()) return {};
  ByteReader reader(all);
  std::vector<RankTrace> ranks(comm.size());
  for (RankTrace& rank : ranks) each_member(reader, rank);
  return ranks;
}

const char* to_string(RecordedEvent::Kind kind) {
  static constexpr std::array kNames{"region", "wait", "start", "finish", "task", "communication", "launch"};
  static_assert(kNames.size() == static_cast<std::size_t>(RecordedEvent::Kind::launch) + 1);
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace weft::task

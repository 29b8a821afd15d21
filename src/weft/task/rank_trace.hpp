#pragma once
/// RankTrace: what one rank did when, as files and summaries have it.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/recorder.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/task/operation_count.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Threads of events from this number on are the streams of a device (DeviceWork).
inline constexpr int kFirstStream = 1000;
/// Returns the name of such a row.
[[nodiscard]] const char* stream_name(int thread);

/// The trace of one rank: of plans, of a Recording, or of both.
struct RankTrace {
  struct Event {
    std::string name;
    int thread = 0;
    int iteration = 0;          ///< nodes: from 0, over all plans; otherwise -1
    int stage = -1, node = -1;  ///< nodes: number in the graph `stage`; in a stream of a device, in that before nodes are joined
    double begin = 0, end = 0;  ///< s since a time that is the same on all ranks
    RecordedEvent::Kind kind = RecordedEvent::Kind::task;
    std::int64_t step = -1;  ///< in a Recording: from 0
    int peer = -1;           ///< wait: the rank waited for, if it is for one
    int exchange = -1;       ///< start, finish: number of the exchange on this rank
    std::int64_t round = 0;  ///< start, finish: number of the start
  };
  /// A node of an iteration and the nodes that it waits for, which have smaller numbers.
  struct Node {
    Kind kind = Kind::task;
    std::vector<int> waits_for{};
    OperationCount count{};  ///< work of one execution; 0 where it is not known
    bool on_device = false;  ///< executed by a device
    friend bool operator==(const Node&, const Node&) = default;
  };
  using Graph = std::vector<Node>;
  struct Sent {
    int to = 0;
    Traffic traffic;
  };
  using Exchange = RecordedExchange;

  std::vector<Event> events{};
  std::vector<Graph> graphs{};
  std::vector<Sent> sent{};           ///< by plans, in the whole trace
  std::vector<Exchange> exchanges{};  ///< those of a Recording
  std::int64_t steps = 0;             ///< in a Recording, also those whose events are not kept
  std::int64_t dropped = 0;           ///< events that were not kept although those of their step were
  std::string cores{};                ///< ThreadBinding::text() of the rank
  MachineRates host{}, device{};      ///< measured where the trace was recorded; 0: not measured
};

/// Returns the dependencies of a stage.
[[nodiscard]] RankTrace::Graph graph_of(const Stage& stage);

/// Returns on rank 0 the traces of all ranks, by rank; nothing on the other ranks. @collective
[[nodiscard]] std::vector<RankTrace> gather(const Communicator& comm, RankTrace mine);

/// The names of the kinds of events in files.
[[nodiscard]] const char* to_string(RecordedEvent::Kind kind);

}  // namespace weft::task

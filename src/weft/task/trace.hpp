#pragma once
/// Trace: what a plan executed when.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/task/rank_trace.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Events of this rank.
class Trace {
 public:
  /// The rows of the streams of devices. shown: tasks, exchanges and copies of a device are on rows of their streams, with their
  /// times there; bodies are called in each iteration, because no times are taken within CUDA graphs. The same on all ranks.
  enum class Streams : std::uint8_t { hidden, shown };
  explicit Trace(Streams streams = Streams::hidden) : streams_(streams) {}
  [[nodiscard]] bool shows_streams() const { return streams_ == Streams::shown; }

  using Clock = std::chrono::steady_clock;
  /// One node, or a wait of the communicating thread with nothing else to do.
  struct Event {
    std::string name;
    RecordedEvent::Kind kind = RecordedEvent::Kind::task;
    int thread = 0;  ///< or a stream, see kFirstStream
    Clock::time_point begin{}, end{};
    int iteration = 0;  ///< from 0, over all runs that the trace contains
    int stage = -1;     ///< number of the Graph of the iteration; -1: unknown
    int node = -1;      ///< number in that graph; -1 for a wait
  };
  using Node = RankTrace::Node;
  using Graph = RankTrace::Graph;

  void add(Event event) { events_.push_back(std::move(event)); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  /// Adds the dependencies of iterations and returns their number for Event::stage.
  int add_graph(Graph graph);
  [[nodiscard]] const std::vector<Graph>& graphs() const { return graphs_; }
  /// Begins an iteration and returns its number.
  int begin_iteration() { return iterations_++; }
  [[nodiscard]] int iterations() const { return iterations_; }
  /// Counts a message of this rank.
  void count_message(Rank to, std::int64_t bytes) { sent_[to.value()] += {1, bytes}; }
  [[nodiscard]] const std::map<int, Traffic>& sent() const { return sent_; }

  /// Returns a table of the time of each node and of waiting on this rank.
  [[nodiscard]] std::string summary() const;
  /// Returns on rank 0 what summarize() and summarize_device_overlap() find in the traces of all ranks, as text; empty on the
  /// other ranks. @collective
  [[nodiscard]] std::string summary(const Communicator& comm) const;
  /// Writes the events of all ranks to a file, see trace_text(). @throws IoError on every rank: see write_trace(). @collective
  void write(const Communicator& comm, const std::string& path) const;

 private:
  [[nodiscard]] RankTrace of_rank(const Communicator& comm) const;

  Streams streams_;
  std::vector<Event> events_;
  std::vector<Graph> graphs_;
  std::map<int, Traffic> sent_;  ///< by rank
  int iterations_ = 0;
};

}  // namespace weft::task

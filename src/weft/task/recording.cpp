#include "weft/task/recording.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/recorder.hpp"
#include "weft/base/thread_binding.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/clock_offset.hpp"
#include "weft/task/trace_file.hpp"

namespace weft::task {
namespace {

/// Graphs of the plans of this recording, and the number of their iterations. Used by the threads that run plans, of which a
/// process has one at a time.
std::vector<RankTrace::Graph> g_graphs;
int g_iterations = 0;

}  // namespace

Recording::Recording(Communicator comm, std::string path, int steps)
    : comm_(std::move(comm)), path_(std::move(path)), steps_(steps) {
  offset_ = clock_offset(comm_);
  agreed(comm_, [&] {
    if (Recorder::on()) throw ContractError("a recording of this process has not ended", "end it before another one begins");
    if (steps < 1) throw ContractError("a recording keeps at least one step", "request 1 or more");
    if (comm_.is_root()) write_trace(std::vector<RankTrace>(static_cast<std::size_t>(comm_.size())), path_);
  });
  g_graphs.clear();
  g_iterations = 0;
  Recorder::start(steps);
}

Recording::~Recording() { Recorder::stop(); }

RankTrace Recording::of_rank(std::int64_t offset) const {
  constexpr double kSecond = 1e-9;
  RankTrace mine{.events = {},
                 .graphs = g_graphs,
                 .sent = {},
                 .exchanges = Recorder::exchanges(),
                 .steps = Recorder::steps(),
                 .dropped = Recorder::dropped(),
                 .cores = ThreadBinding::text(),
                 .host = host_,
                 .device = device_};
  for (const RecordedEvent& event : Recorder::events()) {
    mine.events.push_back({.name = event.name,
                           .thread = event.thread,
                           .iteration = event.iteration,
                           .stage = event.stage,
                           .node = event.node,
                           .begin = kSecond * static_cast<double>(event.begin - offset),
                           .end = kSecond * static_cast<double>(event.end - offset),
                           .kind = event.kind,
                           .step = event.step,
                           .peer = event.peer,
                           .exchange = event.exchange,
                           .round = event.round});
  }
  return mine;
}

void Recording::write() const {
  const std::vector<RankTrace> ranks = gather(comm_, of_rank(offset_));
  agreed(comm_, [&] {
    if (comm_.is_root()) write_trace(ranks, path_);
  });
}

void Recording::write_first_steps() {
  if (wrote_first_ || Recorder::steps() < steps_) return;
  wrote_first_ = true;
  write();
}

void Recording::write_alone() const {
  std::vector<RankTrace> ranks(comm_.size());
  ranks[comm_.rank().index()] = of_rank(offset_);
  write_trace(ranks, path_);
}

void Recording::set_rates(const MachineRates& host, const MachineRates& device) {
  host_ = host;
  device_ = device;
}

int Recording::add_graph(RankTrace::Graph graph) {
  const auto known = std::ranges::find(g_graphs, graph);
  const auto number = static_cast<int>(known - g_graphs.begin());
  if (known == g_graphs.end()) g_graphs.push_back(std::move(graph));
  return number;
}

int Recording::begin_iteration() { return g_iterations++; }

}  // namespace weft::task

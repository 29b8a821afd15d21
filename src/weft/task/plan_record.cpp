// Events of the nodes of a plan in the recording of the program.
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include "weft/base/recorder.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/recording.hpp"
#include "weft/task/trace.hpp"

namespace weft::task {

RecordedEvent::Kind event_kind(Kind kind) {
  switch (kind) {
    case Kind::start:
    case Kind::finish:
    case Kind::all_reduce:
      return RecordedEvent::Kind::communication;
    case Kind::copy:
    case Kind::segment:
      return RecordedEvent::Kind::launch;
    default:
      return RecordedEvent::Kind::task;
  }
}

OperationCount Plan::Body::count_of(const Node& node) const {
  if (node.kind != Kind::task) return {};
  const Task& task = tasks[node.index];
  if (node.rows == Part::owned) return task.count;
  const double inner = task.owned.empty() ? 0 : static_cast<double>(task.inner.size()) / static_cast<double>(task.owned.size());
  return (node.rows == Part::inner ? inner : 1 - inner) * task.count;
}

RankTrace::Graph Plan::Body::traced(const Stage& of) const {
  RankTrace::Graph graph = graph_of(of);
  for (std::size_t i = 0; i < graph.size(); ++i) graph[i].count = count_of(of.nodes[i]);
  return graph;
}

RankTrace::Graph Plan::Body::traced(const DeviceStage& of) const {
  RankTrace::Graph graph = traced(of.stage());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    of.for_each_member(of.stage().nodes[i], [&](const Node& member) { graph[i].count += count_of(member); });
  }
  return graph;
}

/// Graphs of the device have no times of their nodes, so that the nodes of a few iterations are launched one by one: of at most
/// one iteration within a step of the recording, and of at most one in 16. The first two, which load kernels and record graphs,
/// are left out.
bool Plan::Body::begin_times(const Trace* trace) {
  constexpr std::int64_t kBetween = 16, kUntypical = 2;
  if (!device || !Recorder::on() || (trace != nullptr && trace->shows_streams()) || device->has_times()) return false;
  if (recorded_.session != Recorder::session() || iterations_ <= kUntypical) return false;
  const bool is_new = recorded_.timed_step < 0;
  if (!is_new && (recorded_.timed_step == Recorder::steps() || iterations_ < recorded_.timed_iteration + kBetween)) return false;
  recorded_.timed_step = Recorder::steps();
  recorded_.timed_iteration = iterations_;
  recorded_.timed = recorded_.iteration;
  guarded("the times of the device", [&] { device->start_timing(); });
  return true;
}

void Plan::Body::record_times() {
  if (!device || !device->has_times()) return;
  if (!Recorder::on() || recorded_.session != Recorder::session()) return device->drop_timing();
  guarded("the times of the device", [&] {
    const auto ns = [](DeviceTimer::Clock::time_point time) {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    };
    for (const DeviceTimer::Span& span : device->stop_timing()) {
      const auto [graph, number] = traced_node(*span.node, recorded_.compiled);
      Recorder::add({.name = Recorder::name(span.node->name),
                     .begin = ns(span.begin),
                     .end = ns(span.end),
                     .kind = span.node->kind == Kind::copy ? RecordedEvent::Kind::task : event_kind(span.node->kind),
                     .thread = kFirstStream + span.stream,
                     .iteration = recorded_.timed,
                     .stage = graph,
                     .node = number});
    }
  });
}

std::pair<int, int> Plan::Body::traced_node(const Node& node, const std::array<int, 2>& compiled) const {
  const auto number_in = [&](const Stage& stage) {
    const Node* const begin = stage.nodes.data();
    const bool contains = !std::less<>()(&node, begin) && std::less<>()(&node, begin + stage.nodes.size());
    return contains ? static_cast<int>(&node - begin) : -1;
  };
  const std::array<std::pair<const Stage*, const DeviceStage*>, 2> stages{
      {{&schedule.first, &first}, {&schedule.repeated, &repeated}}};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& [stage, joined] = stages.at(s);
    if (const int number = number_in(*stage); number >= 0) return {compiled.at(s), number};
    if (const int number = number_in(joined->stage()); number >= 0) return {compiled.at(s), joined->original(number)};
  }
  return {-1, -1};
}

/// Begins an iteration in the recording. Names must outlive the plan.
void Plan::Body::begin_record() {
  if (!RecordedSpan::observed()) return;
  if (recorded_.session != Recorder::session() || recorded_.names[0].empty()) {
    recorded_ = {.session = Recorder::session()};
    const std::array stages{&first, &repeated};
    for (std::size_t s = 0; s < stages.size(); ++s) {
      recorded_.graphs.at(s) = Recording::add_graph(traced(*stages[s]));
      for (const Node& node : stages[s]->stage().nodes) recorded_.names.at(s).push_back(Recorder::name(node.name));
    }
    if (device) {
      recorded_.compiled = {Recording::add_graph(traced(schedule.first)), Recording::add_graph(traced(schedule.repeated))};
    }
  }
  recorded_.iteration = Recording::begin_iteration();
}

RecordedEvent Plan::Body::event_of(const Node& node) const {
  const std::size_t stage = now_ == &first ? 0 : 1;
  const int number = number_of(node);
  return {.name = recorded_.names.at(stage)[number],
          .kind = event_kind(node.kind),
          .iteration = recorded_.iteration,
          .stage = recorded_.graphs.at(stage),
          .node = number};
}

}  // namespace weft::task

// Events of the nodes of a plan in the recording of the program.
#include <array>
#include <cstddef>

#include "weft/base/recorder.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/recording.hpp"

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

/// Begins an iteration in the recording. Names must outlive the plan.
void Plan::Body::begin_record() {
  if (!RecordedSpan::observed()) return;
  if (recorded_.session != Recorder::session() || recorded_.names[0].empty()) {
    recorded_ = {.session = Recorder::session()};
    const std::array stages{&first.stage(), &repeated.stage()};
    for (std::size_t s = 0; s < stages.size(); ++s) {
      recorded_.graphs.at(s) = Recording::add_graph(*stages[s]);
      for (const Node& node : stages[s]->nodes) recorded_.names.at(s).push_back(Recorder::name(node.name));
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

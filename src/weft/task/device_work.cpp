#include "weft/task/device_work.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace weft::task {
namespace {

/// The streams: tasks; tasks that communication waits for, and exchanges, with high priority; copies in each direction.
constexpr std::uint8_t kMain = 0, kUrgent = 1, kToHost = 2, kToDevice = 3;

[[nodiscard]] std::uint8_t stream_of(const Node& node) {
  if (node.kind == Kind::copy) return node.side == Side::host ? kToHost : kToDevice;
  return node.urgent || node.rows == Part::border || node.kind == Kind::start || node.kind == Kind::finish ? kUrgent : kMain;
}

[[nodiscard]] bool in_streams(const Node& node) { return node.kind == Kind::copy || node.side == Side::device; }

[[nodiscard]] std::vector<std::vector<int>> predecessors_of(const Stage& stage) {
  std::vector<std::vector<int>> list(stage.nodes.size());
  for (int i = 0; i < std::ssize(stage.nodes); ++i) {
    for (const int successor : stage.successors_of(i)) list[successor].push_back(i);
  }
  return list;
}

}  // namespace

DeviceStage::DeviceStage(const Stage& stage, bool exchanges)
    : original_(&stage),
      exchanges_(exchanges && is_of_device(stage) && !stage.communication.empty()),
      joined_(join_segments(stage, exchanges_)),
      places_(joined_.stage.nodes.size()) {
  const auto before = predecessors_of(stage);
  for (const std::vector<int>& members : joined_.segments) {
    Segment segment{.members = &members, .places = std::vector<Place>(members.size())};
    for (std::size_t m = 0; m < members.size(); ++m) {
      segment.places[m].stream = stream_of(stage.nodes[members[m]]);
      segment.uses.at(segment.places[m].stream) = true;
      for (const int other : before[members[m]]) {
        const auto found = std::ranges::lower_bound(members, other);
        if (found == members.end() || *found != other) continue;
        Place& place = segment.places[found - members.begin()];
        if (place.stream == segment.places[m].stream) continue;
        place.needs_event = true;
        segment.places[m].before.push_back(static_cast<int>(found - members.begin()));
      }
    }
    segments_.push_back(std::move(segment));
  }
  const auto joined_before = predecessors_of(joined_.stage);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Node& node = joined_.stage.nodes[i];
    if (!in_streams(node)) continue;
    ++launched_;
    const bool urgent = node.kind == Kind::segment && !segments_[node.index].uses[kMain];
    places_[i].stream = node.kind == Kind::segment ? (urgent ? kUrgent : kMain) : stream_of(node);
    places_[i].needs_event = node.kind == Kind::copy;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!in_streams(joined_.stage.nodes[i])) continue;
    for (const int other : joined_before[i]) {
      Place& place = places_[other];
      if (!in_streams(joined_.stage.nodes[other]) || place.stream == places_[i].stream) continue;
      place.needs_event = true;
      places_[i].before.push_back(other);
    }
  }
  if (launched_ == 1) std::ranges::for_each(places_, [](Place& place) { place.stream = kMain; });
}

void DeviceStage::number_graphs(Stage& original) const {
  for (std::size_t s = 0; s < joined_.segments.size(); ++s) {
    for (const int member : joined_.segments[s]) original.nodes[member].graph = static_cast<int>(s);
  }
}

DeviceWork::DeviceWork(Backend backend, Launch launch)
    : streams_{Stream::for_backend(backend), Stream::for_backend(backend, Priority::high), Stream::for_backend(backend),
               Stream::for_backend(backend)},
      records_(launch == Launch::as_graphs) {}

void DeviceWork::begin(DeviceStage& stage) {
  stage_ = &stage;
  if (stage.launched_ <= 1 || is_host()) return;
  const After before = after(streams_[kMain]);
  for (std::size_t s = 1; s < streams_.size(); ++s) streams_[s].wait_for(before);
}

void DeviceWork::end() {
  if (stage_->launched_ <= 1 || is_host()) return;
  for (std::size_t s = 1; s < streams_.size(); ++s) streams_[kMain].wait_for(after(streams_[s]));
}

void DeviceWork::launch(int node, const Enqueue& enqueue) {
  DeviceStage::Place& place = stage_->places_[node];
  Stream& stream = streams_[place.stream];
  for (const int other : place.before) stream.wait_for(after(stage_->places_[other].event));
  enqueue(stage_->stage().nodes[node], stream);
  if (place.needs_event) place.event = stream.record();
}

std::exception_ptr DeviceWork::launch_segment(int node, const Enqueue& enqueue, const std::function<bool(bool)>& agree,
                                              const std::atomic<bool>& failed) {
  auto& segment = stage_->segments_[stage_->stage().nodes[node].index];
  const auto all_members = [&](const Node& /*node*/, Stream& stream) { enqueue_members(segment, stream, enqueue); };
  std::exception_ptr error;
  if (records_ && segment.executed && !segment.recorded) {
    bool recorded = false;
    try {
      if (!failed) {
        Stream& stream = streams_[stage_->places_[node].stream];
        segment.graph =
            weft::Graph::capture(stream, [this, &segment, enqueue](Stream& into) { enqueue_members(segment, into, enqueue); });
        recorded = !failed;  // no body has thrown meanwhile
      }
    } catch (...) {
      error = std::current_exception();
    }
    segment.recorded = stage_->exchanges_ ? agree(recorded) : recorded;
  }
  if (segment.recorded && !failed) {
    launch(node, [&](const Node& /*node*/, Stream& stream) { segment.graph.launch(stream); });
  } else if (!failed || stage_->exchanges_) {  // other ranks wait for the exchanges
    segment.executed = true;
    if (error == nullptr || stage_->exchanges_) launch(node, all_members);
  }
  return error;
}

void DeviceWork::decline_segment(DeviceStage& stage, int node, const std::function<bool(bool)>& agree) const {
  auto& segment = stage.segments_[stage.stage().nodes[node].index];
  if (records_ && segment.executed && !segment.recorded && stage.exchanges_) (void)agree(false);
  segment.executed = true;
}

/// Enqueues the nodes of a segment, in `stream` and, if they use both, in the stream of urgent tasks as well.
void DeviceWork::enqueue_members(DeviceStage::Segment& segment, Stream& stream, const Enqueue& enqueue) {
  const bool both = segment.uses[kMain] && segment.uses[kUrgent];
  Stream& urgent_one = streams_[kUrgent];
  if (both) urgent_one.wait_for(after(stream));
  const auto in = [&](std::size_t m) -> Stream& { return both && segment.places[m].stream == kUrgent ? urgent_one : stream; };
  for (std::size_t m = 0; m < segment.members->size(); ++m) {
    DeviceStage::Place& place = segment.places[m];
    for (const int other : place.before) in(m).wait_for(after(segment.places[other].event));
    enqueue(stage_->original_->nodes[(*segment.members)[m]], in(m));
    if (place.needs_event) place.event = in(m).record();
  }
  if (both) stream.wait_for(after(urgent_one));
}

bool DeviceWork::completed(int node) const { return stage_->places_[node].event.done(); }

}  // namespace weft::task

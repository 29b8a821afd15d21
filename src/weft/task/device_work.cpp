#include "weft/task/device_work.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "weft/task/device_streams.hpp"
#include "weft/task/levels.hpp"

namespace weft::task {
namespace {

[[nodiscard]] std::vector<std::vector<int>> predecessors_of(const Stage& stage) {
  std::vector<std::vector<int>> list(stage.nodes.size());
  for (int i = 0; i < std::ssize(stage.nodes); ++i) {
    for (const int successor : stage.successors_of(i)) list[successor].push_back(i);
  }
  return list;
}

}  // namespace

/// Finds for each node, in an order in which they are enqueued, those of other streams whose events its stream must wait for:
/// its predecessors, except those that precede it by the order of a stream and the waits of the nodes before. A redundant wait
/// would become an edge of a recorded graph.
void DeviceStage::find_waits(std::vector<Place>& places, const std::vector<std::vector<int>>& predecessors) {
  using Known = std::array<int, kStreams>;  // by stream: the last node that is known to precede
  Known nothing;
  nothing.fill(-1);
  std::array<Known, kStreams> by_stream;
  by_stream.fill(nothing);
  std::vector<Known> by_node(places.size(), nothing);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Known& known = by_stream.at(places[i].stream);
    std::vector<int> latest_first = predecessors[i];
    std::ranges::sort(latest_first, std::ranges::greater());
    for (const int other : latest_first) {
      const std::uint8_t stream = places[other].stream;
      if (stream == places[i].stream || known.at(stream) >= other) continue;
      places[other].needs_event = true;
      places[i].before.push_back(other);
      for (std::size_t s = 0; s < kStreams; ++s) known.at(s) = std::max(known.at(s), by_node[other].at(s));
    }
    known.at(places[i].stream) = static_cast<int>(i);
    by_node[i] = known;
  }
}

DeviceStage::Segment DeviceStage::make_segment(const Stage& stage, const std::vector<std::vector<int>>& predecessors,
                                               const std::vector<int>& members) {
  Segment segment{.members = &members, .places = std::vector<Place>(members.size())};
  std::vector<std::vector<int>> before(members.size());  // positions in members
  std::array<bool, kStreams> uses{};
  for (std::size_t m = 0; m < members.size(); ++m) {
    segment.places[m].stream = stream_of(stage.nodes[members[m]]);
    uses.at(segment.places[m].stream) = true;
    for (const int other : predecessors[members[m]]) {
      const auto found = std::ranges::lower_bound(members, other);
      if (found != members.end() && *found == other) before[m].push_back(static_cast<int>(found - members.begin()));
    }
  }
  find_waits(segment.places, before);
  segment.home = static_cast<std::uint8_t>(std::ranges::find(uses, true) - uses.begin());
  for (std::uint8_t s = segment.home + 1; s < kStreams; ++s) {
    if (uses.at(s)) segment.others.push_back(s);
  }
  return segment;
}

DeviceStage::DeviceStage(const Stage& stage, bool exchanges)
    : original_(&stage),
      exchanges_(exchanges && is_of_device(stage) && !stage.communication.empty()),
      joined_(join_segments(stage, exchanges_)),
      places_(joined_.stage.nodes.size()) {
  joined_.stage.levels = levels(joined_.stage);
  set_urgency(joined_.stage);
  const auto before = predecessors_of(stage);
  for (const std::vector<int>& members : joined_.segments) segments_.push_back(make_segment(stage, before, members));
  const auto joined_before = predecessors_of(joined_.stage);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Node& node = joined_.stage.nodes[i];
    if (!in_streams(node)) continue;
    ++launched_;
    places_[i].stream = node.kind == Kind::segment ? segments_[node.index].home : stream_of(node);
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

void DeviceStage::renew_recordings() {
  for (Segment& segment : segments_) {
    for (auto& [number, recording] : segment.recordings) recording.current = false;
  }
}

DeviceWork::DeviceWork(Backend backend, Launch launch)
    : streams_{Stream::for_backend(backend, priority_of(kMain)), Stream::for_backend(backend, priority_of(kUrgent)),
               Stream::for_backend(backend, priority_of(kToHost)), Stream::for_backend(backend, priority_of(kToDevice)),
               Stream::for_backend(backend, priority_of(kAside))},
      records_(launch == Launch::as_graphs) {}

Stream& DeviceWork::stream(std::uint8_t number) { return number == kMain ? *main_ : streams_.at(number); }

void DeviceWork::begin(DeviceStage& stage, Stream* main) {
  stage_ = &stage;
  if (times_) timer_->begin_iteration();
  main_ = main == nullptr ? &streams_[kMain] : main;
  if (main_->handle() != callers_) main_->wait_for(After(enqueued_));
  if (stage.launched_ <= 1 || is_host()) return;
  const After before = after(*main_);
  for (std::size_t s = 1; s < streams_.size(); ++s) streams_[s].wait_for(before);
}

void DeviceWork::end() {
  if (is_host()) return;
  if (stage_->launched_ > 1) {
    for (std::size_t s = 1; s < streams_.size(); ++s) main_->wait_for(after(streams_[s]));
  }
  if (main_ == &streams_[kMain]) return;
  enqueued_ = main_->record();
  callers_ = main_->handle();
}

void DeviceWork::wait_for_all() {
  main_->wait();
  for (Stream& stream : streams_) stream.wait();
}

void DeviceWork::wait_for_enqueued(Stream* stream) {
  if (stream == nullptr || stream->handle() != callers_) enqueued_.wait();  // the event precedes the work of that stream
  if (stream != nullptr) stream->wait();
  enqueued_ = Event();
  callers_ = nullptr;
}

void DeviceWork::launch(int node, const Enqueue& enqueue) {
  DeviceStage::Place& place = stage_->places_[node];
  Stream& in = stream(place.stream);
  for (const int other : place.before) in.wait_for(after(stage_->places_[other].event));
  enqueue_timed(stage_->stage().nodes[node], place.stream, in, enqueue);
  if (place.needs_event) place.event = in.record();
}

void DeviceWork::enqueue_timed(const Node& node, std::uint8_t number, Stream& in, const Enqueue& enqueue) {
  if (!times_ || node.kind == Kind::segment) return enqueue(node, in);
  timer_->time(node, number, in, [&] { enqueue(node, in); });
}

std::vector<DeviceTimer::Span> DeviceWork::stop_timing() {
  std::vector<DeviceTimer::Span> spans = timer_->spans();
  drop_timing();
  return spans;
}

std::exception_ptr DeviceWork::launch_segment(int node, const Enqueue& enqueue, const SegmentCalls& calls,
                                              const std::atomic<bool>& failed) {
  auto& segment = stage_->segments_[stage_->stage().nodes[node].index];
  const auto all_members = [&](const Node& /*node*/, Stream& into) { enqueue_members(segment, into, enqueue); };
  const bool records = records_ && recording_ && segment.executed;
  DeviceStage::Recording* const recording = records ? &segment.recordings[*recording_] : nullptr;
  std::exception_ptr error;
  if (recording != nullptr && !recording->current) {
    bool recorded = false;
    try {
      if (!failed) {
        recording->graph.update(stream(stage_->places_[node].stream),
                                [this, &segment, enqueue](Stream& into) { enqueue_members(segment, into, enqueue); });
        recorded = !failed;  // no body has thrown meanwhile
      }
    } catch (...) {
      error = std::current_exception();
      calls.discard();
    }
    recording->current = stage_->exchanges_ ? calls.agree(recorded) : recorded;
  }
  if (recording != nullptr && recording->current && !failed) {
    launch(node, [&](const Node& /*node*/, Stream& into) { recording->graph.launch(into); });
    calls.launched();
  } else if (!failed || stage_->exchanges_) {  // other ranks wait for the exchanges
    segment.executed = true;
    if (error == nullptr || stage_->exchanges_) launch(node, all_members);
  }
  return error;
}

void DeviceWork::decline_segment(DeviceStage& stage, int node, const std::function<bool(bool)>& agree) const {
  auto& segment = stage.segments_[stage.stage().nodes[node].index];
  const bool records = records_ && recording_ && segment.executed;
  if (records && !segment.recordings[*recording_].current && stage.exchanges_) (void)agree(false);
  segment.executed = true;
}

/// Enqueues the nodes of a segment: those of its first stream in `home`.
void DeviceWork::enqueue_members(DeviceStage::Segment& segment, Stream& home, const Enqueue& enqueue) {
  const auto in = [&](std::uint8_t number) -> Stream& { return number == segment.home ? home : stream(number); };
  for (const std::uint8_t other : segment.others) in(other).wait_for(after(home));
  for (std::size_t m = 0; m < segment.members->size(); ++m) {
    DeviceStage::Place& place = segment.places[m];
    for (const int other : place.before) in(place.stream).wait_for(after(segment.places[other].event));
    enqueue_timed(stage_->original_->nodes[(*segment.members)[m]], place.stream, in(place.stream), enqueue);
    if (place.needs_event) place.event = in(place.stream).record();
  }
  for (const std::uint8_t other : segment.others) home.wait_for(after(in(other)));
}

bool DeviceWork::completed(int node) const { return stage_->places_[node].event.done(); }

}  // namespace weft::task

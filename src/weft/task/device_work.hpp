#pragma once
/// Streams, events and graphs of a plan whose tasks execute on a device.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/device/stream.hpp"
#include "weft/task/access.hpp"
#include "weft/task/device_timer.hpp"
#include "weft/task/segments.hpp"

namespace weft::task {

/// Function that enqueues the work of one node. Called by the communicating thread only.
using Enqueue = std::function<void(const Node& node, Stream& stream)>;

/// Executes the nodes of one stage that belong to a device: each in one of five streams, after the events of those of its
/// predecessors that are in another one. A segment is enqueued node by node the first time, recorded as a graph the second time,
/// and from then on launched as that, for each number of a recording (Plan::enqueue()); with Launch::by_bodies it is always
/// enqueued node by node.
class DeviceStage {
 public:
  /// @param stage  outlives the object, at the same address.
  DeviceStage(const Stage& stage, bool exchanges);

  /// The nodes that an Executor sees.
  [[nodiscard]] const Stage& stage() const { return joined_.stage; }
  /// Calls f(member) for the nodes of the original stage that a node of stage() joins, if it is a segment.
  template <class F>
  void for_each_member(const Node& node, const F& f) const {
    if (node.kind != Kind::segment) return;
    for (const int member : joined_.segments[node.index]) f(original_->nodes[member]);
  }
  /// Returns the number in the original stage of a node of stage(); -1 for a segment.
  [[nodiscard]] int original(int node) const { return joined_.original[node]; }
  /// Sets Node::graph of the nodes of the original stage.
  void number_graphs(Stage& original) const;
  /// Destroys the recordings.
  void forget_graphs() { segments_.clear(); }
  /// As Plan::renew_recordings().
  void renew_recordings();

 private:
  friend class DeviceWork;
  struct Place {
    std::uint8_t stream = 0;
    bool needs_event = false;
    std::vector<int> before{};  ///< predecessors on the device in other streams
    Event event{};
  };
  struct Recording {
    weft::Graph graph{};
    bool current = false;  ///< the arguments have not changed since
  };
  struct Segment {
    const std::vector<int>* members;
    std::vector<Place> places;           ///< by member; predecessors are positions in members
    std::uint8_t home = 0;               ///< the first stream of its members, from which it forks into the others
    std::vector<std::uint8_t> others{};  ///< the other streams of its members
    bool executed = false;
    std::map<int, Recording> recordings{};  ///< by number
  };
  static void find_waits(std::vector<Place>& places, const std::vector<std::vector<int>>& predecessors);
  [[nodiscard]] static Segment make_segment(const Stage& stage, const std::vector<std::vector<int>>& predecessors,
                                            const std::vector<int>& members);

  const Stage* original_;
  bool exchanges_;
  SegmentedStage joined_;
  std::vector<Place> places_;  ///< by node
  std::vector<Segment> segments_;
  int launched_ = 0;  ///< nodes that are in streams: with one, streams need not be joined
};

/// Functions of the plan that DeviceWork::launch_segment() calls.
struct SegmentCalls {
  std::function<bool(bool)> agree;  ///< returns true if the argument is true on all ranks that execute the segment
  std::function<void()> discard;    ///< ends the exchanges of a recording that has failed
  std::function<void()> launched;   ///< called after a launch of the segment's graph
};

/// The streams of a plan.
class DeviceWork {
 public:
  /// @param backend  of the device side of the data. @param launch  equal on all ranks.
  DeviceWork(Backend backend, Launch launch);

  /// Sets the number of the recordings of the next iteration, as Plan::enqueue().
  void set_recording(std::optional<int> recording) { recording_ = recording; }
  /// Begins an iteration: all streams follow what the one before has enqueued.
  /// @param main  the stream of tasks that are neither urgent nor aside, of the caller of Plan::enqueue(); null: one of the plan.
  void begin(DeviceStage& stage, Stream* main);
  /// Ends an iteration: the main stream follows the others.
  void end();
  /// Enqueues a node after its predecessors: whatever `enqueue` enqueues in the stream.
  void launch(int node, const Enqueue& enqueue);
  /// Executes a segment.
  /// @param failed  a body has thrown, here or before: nothing is recorded, and only exchanges are enqueued.
  /// @return what `enqueue` has thrown while it was recorded.  @throws what it throws otherwise, CommError for example.
  std::exception_ptr launch_segment(int node, const Enqueue& enqueue, const SegmentCalls& calls, const std::atomic<bool>& failed);
  /// Takes part in the agreement of launch_segment(), SegmentCalls::agree, on a rank that takes no further part in exchanges.
  void decline_segment(DeviceStage& stage, int node, const std::function<bool(bool)>& agree) const;
  /// Starts taking the times of nodes, in iterations without recordings. Waits. @throws DeviceError
  void start_timing() {
    timer_.emplace(streams_[0]);
    times_ = true;
  }
  /// Takes no further times.
  void pause_timing() { times_ = false; }
  /// Returns whether times were taken that stop_timing() has not returned.
  [[nodiscard]] bool has_times() const { return timer_.has_value(); }
  /// Returns the times since start_timing(). @pre the work of the device is complete.
  [[nodiscard]] std::vector<DeviceTimer::Span> stop_timing();
  void drop_timing() {
    timer_.reset();
    times_ = false;
  }
  /// Returns true if what launch() enqueued for the node has completed.
  [[nodiscard]] bool completed(int node) const;
  /// Blocks the host until everything in the main stream of the plan has completed. @throws DeviceError
  void wait() { streams_[0].wait(); }
  /// Returns a dependency on the iterations in streams of callers.
  [[nodiscard]] After enqueued() const { return After(enqueued_); }
  /// Blocks the host until these iterations have completed, and all work of `stream` unless it is null. @throws DeviceError
  void wait_for_enqueued(Stream* stream = nullptr);
  /// Blocks the host until everything in all streams of the present iteration has completed. @throws DeviceError
  void wait_for_all();
  [[nodiscard]] bool is_host() const { return streams_[0].is_host(); }

 private:
  void enqueue_members(DeviceStage::Segment& segment, Stream& home, const Enqueue& enqueue);
  void enqueue_timed(const Node& node, std::uint8_t number, Stream& in, const Enqueue& enqueue);
  [[nodiscard]] Stream& stream(std::uint8_t number);

  std::array<Stream, 5> streams_;
  std::optional<DeviceTimer> timer_;
  bool times_ = false;             ///< nodes are timed
  bool records_;                   ///< segments are recorded as graphs
  Event enqueued_;                 ///< the end of the last iteration in the stream of a caller
  const void* callers_ = nullptr;  ///< that stream
  // The present iteration:
  DeviceStage* stage_ = nullptr;
  Stream* main_ = nullptr;
  std::optional<int> recording_;
};

}  // namespace weft::task

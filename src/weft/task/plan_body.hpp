#pragma once
/// Data and tasks that a Graph records, and the state of a Plan.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/pair_ref.hpp"
#include "weft/base/recorder.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/task/device_work.hpp"
#include "weft/task/executor.hpp"
#include "weft/task/failure_notice.hpp"
#include "weft/task/operation_count.hpp"
#include "weft/task/plan.hpp"
#include "weft/task/rank_trace.hpp"
#include "weft/task/schedule.hpp"
#include "weft/task/snapshot.hpp"
#include "weft/task/subset.hpp"
#include "weft/task/writer.hpp"

namespace weft::task {

/// An array or a number of a graph.
struct Datum {
  std::string name;
  std::optional<PairRef> array{};  ///< empty for a number
  std::int32_t inner_rows = 0;
  double* number = nullptr;                      ///< on the host
  double unused = 0;                             ///< takes the place of a number without memory there, on a rank that has left
  HostDeviceVector<double>* on_both = nullptr;   ///< a number with two sides; `number` is then set by run()
  bool is_memory = false;                        ///< memory of a device that is no array
  std::optional<std::span<std::byte>> memory{};  ///< its address, if it is known
  std::size_t memory_width = 0;                  ///< bytes of its floating-point numbers; 0 for other elements
  std::vector<Subset> subsets{};                 ///< subsets of an array
  DataShape shape{};                             ///< shape in a plan
  PartRows rows{};                               ///< rows of an array in a plan

  [[nodiscard]] Backend backend() const;
  [[nodiscard]] bool on_device() const { return backend() != Backend::host; }
};

/// A recorded task. One of the bodies is set.
struct Task {
  TaskShape shape;  ///< in a plan, with refined() accesses
  std::function<void()> whole{};
  std::function<void(IdRange<LocalRow>)> divided{};
  std::function<void(Stream&)> whole_on_device{};
  std::function<void(Stream&, IdRange<LocalRow>)> divided_on_device{};
  std::function<void(const Snapshot&)> writes{};  ///< body of an I/O task
  IdRange<LocalRow> inner{}, owned{};             ///< rows of a divisible task
  OperationCount count{};
};

/// Returns the kind of the events of a node.
[[nodiscard]] RecordedEvent::Kind event_kind(Kind kind);

/// Returns the exception in flight with what has thrown it in front of its message. An Error keeps its kind.
[[nodiscard]] std::exception_ptr in_context(const std::string& what);

class AccessGuard;

struct Plan::Body final : Work {
  Body(Communicator of, std::vector<Datum> with, std::vector<Task> and_tasks, Schedule compiled, int threads, Check check,
       Transport transport, Launch launch);

  ~Body() override;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void execute(const Node& node, int thread) noexcept override;
  void start(const Node& node) override;
  [[nodiscard]] bool arrived(const Node& node) override;
  void finish(const Node& node) override;
  void all_reduce(const Node& node) override;
  void launch(const Node& node) override;
  [[nodiscard]] bool completed(const Node& node) override;
  [[nodiscard]] std::string waits_for(const Node& node) override;
  void run(int iterations, Trace* trace, Errors errors);
  void enqueue_iteration(Stream& stream, std::optional<int> recording);
  /// @param stream  as Plan::finish(); null: waits for the iterations.
  void finish_sequence(Errors errors, Stream* stream = nullptr);
  [[nodiscard]] Repeated repeat_until(DataId number, const Condition& condition, int most, Trace* trace);
  void close();

  Communicator comm;
  std::vector<Datum> data;
  std::vector<Task> tasks;
  Schedule schedule;
  std::vector<Exchange> exchanges;
  DeviceStage first, repeated;  ///< the stages of the schedule with segments, as the executor sees them
  bool same_stages;             ///< the first iteration does not differ from the others
  std::unique_ptr<Executor> executor;
  std::unique_ptr<AccessGuard> guard{};  ///< with Check::accesses; then exchanges end where they start
  std::unique_ptr<DeviceWork> device;    ///< null without data on a device
  bool broken = false;                   ///< communication has failed in the middle of an iteration
  bool closed = false;
  std::atomic<bool> failed{false};
  std::mutex failing;
  std::exception_ptr error;

 private:
  class Untracked;
  void bring();
  void prepare_suspension();
  void record_error(std::exception_ptr caught);
  /// Calls an operation of the calling thread on exchanges or devices. If it throws, this rank and those with which it exchanges
  /// rows take no further part in exchanges.
  template <class Operation>
  void guarded(std::string_view name, const Operation& operation);
  void leave();
  void heed_stop();
  [[nodiscard]] bool has_arrived(const Node& node);
  [[nodiscard]] static IdRange<LocalRow> rows_of_node(const Task& task, const Node& node);
  /// Calls the body of a task for the rows of a node.
  template <class Whole, class Divided, class... Streams>
  void call_body(const Node& node, const Whole& whole, const Divided& divided, Streams&... stream);
  /// Calls the body of a divided task of the host for the rows of a node: for many inner rows in pieces, between which thread 0
  /// communicates, because MPI moves long messages only while it is called. The pieces are the same in each run, and so is the
  /// order of sums.
  void call_divided(const Node& node, int thread);
  /// Enqueues a node of the device. In a capture, errors of bodies are thrown.
  void enqueue(const Node& node, Stream& stream);
  [[nodiscard]] int number_of(const Node& node) const;
  void count_exchanges_of(const Node& segment);
  /// Calls a body, call(), and checks its accesses.
  template <class Call>
  void call_guarded(const Node& node, const Call& call);
  void set_up_device(Backend backend, Launch launch);
  void take_snapshot(const Node& node);
  void begin_device(Stream* stream, std::optional<int> recording);
  void end_device();
  void wait_for_device();
  void wait_for_sequence(Stream* stream);
  /// @param remedy  what to do if ranks request different numbers of iterations.
  void begin(int iterations, Trace* trace, Errors errors, const char* remedy);
  void check_before(int iterations);
  void expect_usable() const;
  /// @param stream  that of main tasks; null: one of the plan.  @param recording  as Plan::enqueue().
  void iterate(Trace* trace, Stream* stream = nullptr, std::optional<int> recording = 0);
  void throw_error();
  [[nodiscard]] std::optional<bool> agreed_condition(const Datum& number, const Condition& condition);
  void add_to(Trace& trace) const;
  void begin_streams(const Trace* trace);
  void add_streams(Trace* trace);
  void begin_record();
  [[nodiscard]] OperationCount count_of(const Node& node) const;
  /// Returns, for traces, the nodes of a stage as the executor has them (with segments), and those to which it was compiled.
  [[nodiscard]] RankTrace::Graph traced(const DeviceStage& of) const;
  [[nodiscard]] RankTrace::Graph traced(const Stage& of) const;
  /// Returns whether the times of the nodes of the device are taken in this iteration, for the recording of the program. Equal on
  /// all ranks.
  [[nodiscard]] bool begin_times(const Trace* trace);
  /// Returns the graph of a trace that has a node that was executed in a stream, and its number there; -1: none.
  /// @param compiled  numbers of the graphs of the stages of the schedule.
  [[nodiscard]] std::pair<int, int> traced_node(const Node& node, const std::array<int, 2>& compiled) const;
  /// Adds these times to that recording. @pre the work of the device is complete.
  void record_times();
  /// Returns the event of a node of this iteration. @pre begin_record() was called in this session of the Recorder, observed
  [[nodiscard]] RecordedEvent event_of(const Node& node) const;
  /// Records a node from its construction to its destruction, in the recording of the program, unless that has begun in this
  /// iteration.
  class Span {
   public:
    Span(const Body& body, const Node& node) {
      if (RecordedSpan::observed() && body.recorded_.session == Recorder::session()) [[unlikely]]
        span_.emplace(body.event_of(node));
    }

   private:
    std::optional<RecordedSpan> span_;
  };

  std::vector<std::size_t> arrays_, two_sided_;                         ///< data that are arrays; that have a device side
  std::vector<std::array<std::unique_ptr<DeviceStorage>, 4>> neutral_;  ///< by data and Reduce: neutral ghost rows on the device
  DeviceVector<double> neutral_numbers_;                                ///< by Reduce, on the device
  DeviceStage* now_ = nullptr;                                          ///< that of the present iteration
  bool is_first_ = true;                                                ///< the next iteration is the first of a run
  bool sequence_ = false;                                               ///< iterations were enqueued, and not finished
  std::vector<Executor::Event> events_;                                 ///< records the last iteration
  std::array<int, 2> graphs_{-1, -1};                                   ///< numbers of first and repeated in the trace
  std::array<int, 2> compiled_{-1, -1};                                 ///< and of the stages to which they were compiled
  int trace_begin_ = 0;                                                 ///< iterations in the trace before this run
  /// This plan in the recording of the program.
  struct Recorded {
    std::int64_t session = -1;
    std::array<std::vector<const char*>, 2> names{};  ///< names of the nodes of first and repeated
    std::array<int, 2> graphs{-1, -1};
    std::array<int, 2> compiled{-1, -1};  ///< graphs of the stages of the schedule, whose nodes have times on the device
    int iteration = -1, timed = -1;       ///< the present one; the one whose times of the device were taken last
    std::int64_t timed_step = -1, timed_iteration = -1;  ///< when they were taken
  };
  Recorded recorded_;
  std::optional<FailureNotice> notice_;  ///< empty without exchanges
  bool left_ = false;                    ///< this rank takes no part in exchanges any more
  bool begun_ = false;                   ///< the iteration has begun on the device, and not ended
  int waits_ = 0;                        ///< tests of exchanges that had not arrived
  std::int64_t iterations_ = 0;          ///< that were begun
  Writer writer_;                        ///< destroyed first: it uses the members above
};

template <class Operation>
void Plan::Body::guarded(std::string_view name, const Operation& operation) {
  if (left_) return;
  try {
    operation();
  } catch (...) {
    record_error(in_context("task '" + std::string(name) + "'"));
    leave();
  }
}

}  // namespace weft::task

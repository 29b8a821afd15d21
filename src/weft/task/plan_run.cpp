// The iterations of a plan: where data are before and after them, conditions, traces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/trace.hpp"

namespace weft::task {
namespace {

/// Returns the single parts that are fresh on exactly these sides.
[[nodiscard]] Part part_on(const Residence& residence, std::uint8_t sides) {
  Part part = Part::none;
  for (std::size_t p = 0; p < residence.sides.size(); ++p) {
    if (residence.sides[p] == sides) part = part | single_part(p);
  }
  return part;
}

}  // namespace

/// Ends the tracking of freshness of the data with two sides while the plan is executed.
class Plan::Body::Untracked {
 public:
  /// Suspends nothing yet. @param waits  for the device and the writer at the end.
  Untracked(Body& body, bool waits) : body_(body), waits_(waits) {}
  /// Suspends the tracking of all data. An error is one of the iteration. After begin() there is none: it makes the same calls
  /// where the ranks agree on errors.
  void suspend() {
    for_each([](Datum& datum) {
      if (!datum.array) datum.number = &datum.unused;  // a rank that has left takes part in reductions
    });
    body_.guarded("the sides of the data", [this] {
      for_each([](Datum& datum) {
        if (datum.array) return datum.array->suspend_tracking();
        datum.on_both->suspend_tracking();
        if (datum.on_both->allocated(Side::host)) datum.number = datum.on_both->write(Side::host, 0, 1).data();
      });
    });
  }
  ~Untracked() {
    if (waits_) body_.writer_.wait();
    try {
      if (waits_ && body_.device) body_.device->wait();
    } catch (const DeviceError&) {  // NOLINT(bugprone-empty-catch): an error of the device is reported before
    }
    if (waits_ && body_.device) body_.device->drop_timing();
    for_each([this](Datum& datum) { resume(datum); });
  }
  Untracked(const Untracked&) = delete;
  Untracked& operator=(const Untracked&) = delete;

 private:
  template <class F>
  void for_each(const F& f) {
    for (const std::size_t d : body_.two_sided_) {
      if (Datum& datum = body_.data[d]; !datum.array || !datum.array->destroyed()) f(datum);
    }
  }
  void resume(Datum& datum) {
    const Residence& end = body_.schedule.end[&datum - body_.data.data()];
    if (datum.array) datum.array->resume_tracking();
    if (datum.on_both != nullptr) datum.on_both->resume_tracking();
    for (const std::uint8_t sides : {bit(Side::host), bit(Side::device), kBothSides}) {
      const Part part = part_on(end, sides);
      if (part == Part::none) continue;
      const bool on_host = (sides & bit(Side::host)) != 0, on_device = (sides & bit(Side::device)) != 0;
      if (!datum.array) {
        if (datum.number != &datum.unused) datum.on_both->set_fresh(0, 1, on_host, on_device);
        continue;
      }
      for (const IdRange<LocalRow> rows : datum.rows.of(part)) datum.array->set_fresh(rows, on_host, on_device);
    }
  }
  Body& body_;
  bool waits_;
};

IdRange<LocalRow> Plan::Body::rows_of_node(const Task& task, const Node& node) {
  return node.rows == Part::owned   ? task.owned
         : node.rows == Part::inner ? task.inner
                                    : IdRange(task.inner.last(), task.owned.last());
}

void Plan::Body::call_divided(const Node& node, int thread) {
  constexpr std::int64_t kRowsOfPiece = 8192, kMostPieces = 32;
  const Task& task = tasks[node.index];
  const IdRange<LocalRow> rows = rows_of_node(task, node);
  const std::int64_t begin = rows.first().value(), count = rows.size();
  const bool in_pieces = node.rows == Part::inner && !schedule.exchanges.empty();
  const std::int64_t pieces = in_pieces ? std::clamp<std::int64_t>(count / kRowsOfPiece, 1, kMostPieces) : 1;
  for (std::int64_t i = 0; i < pieces && count > 0; ++i) {
    if (i > 0 && thread == 0 && guard == nullptr) executor->communicate_within_node();
    task.divided(IdRange(LocalRow(begin + count * i / pieces), LocalRow(begin + count * (i + 1) / pieces)));
  }
}

/// Counts the exchanges in a graph that was launched.
void Plan::Body::count_exchanges_of(const Node& segment) {
  now_->for_each_member(segment, [this](const Node& member) {
    if (member.kind == Kind::start) exchanges[member.index].count_launch();
  });
}

/// Adds the last iteration to a trace.
void Plan::Body::add_to(Trace& trace) const {
  const Stage& stage = now_->stage();
  const int iteration = trace.begin_iteration();
  const auto count = [&](const Node& node) {
    if (node.kind != Kind::start) return;
    for (const Exchange::Message& message : exchanges[node.index].messages()) trace.count_message(message.rank, message.bytes);
  };
  for (const Node& node : stage.nodes) {
    count(node);
    now_->for_each_member(node, count);
  }
  for (const Executor::Event& event : events_) {
    const Node* node = event.node < 0 ? nullptr : &stage.nodes[event.node];
    trace.add({.name = node == nullptr ? "wait" : node->name,
               .kind = node == nullptr ? RecordedEvent::Kind::wait : event_kind(node->kind),
               .thread = event.thread,
               .begin = event.begin,
               .end = event.end,
               .iteration = iteration,
               .stage = graphs_[now_ == &first ? 0 : 1],
               .node = event.node});
  }
}

void Plan::Body::begin_streams(const Trace* trace) {
  if (trace == nullptr || !trace->shows_streams() || !device) return;
  guarded("the times of the device", [&] { device->start_timing(); });
}

/// Adds what the streams of the device have executed since begin_streams().
void Plan::Body::add_streams(Trace* trace) {
  if (trace == nullptr || !trace->shows_streams() || !device) return;
  guarded("the times of the device", [&] {
    for (const DeviceTimer::Span& span : device->stop_timing()) {
      const auto [graph, number] = traced_node(*span.node, compiled_);
      trace->add({.name = span.node->name,
                  .kind = span.node->kind == Kind::copy ? RecordedEvent::Kind::task : event_kind(span.node->kind),
                  .thread = kFirstStream + span.stream,
                  .begin = span.begin,
                  .end = span.end,
                  .iteration = trace_begin_ + span.iteration,
                  .stage = graph,
                  .node = number});
    }
  });
}

void Plan::Body::check_before(int iterations) {
  expect_usable();
  if (iterations < 0) throw ContractError(fmt::format("{} iterations were requested", iterations), "request 0 or more");
  for (const std::size_t d : arrays_) data[d].array->expect_unchanged();
  if (iterations > 0) bring();
}

void Plan::Body::begin(int iterations, Trace* trace, Errors errors, const char* remedy) {
  std::exception_ptr problem;
  try {
    check_before(iterations);
    if (iterations > 0) prepare_suspension();
  } catch (...) {
    problem = std::current_exception();
  }
  if (errors == Errors::on_all_ranks) {
    const auto [least, largest] = agree(comm, problem, iterations);
    if (least != largest) {
      throw ContractError(fmt::format("the ranks request different numbers of iterations of a plan: {} to {}", least, largest),
                          remedy);
    }
  } else if (problem) {
    if (!closed && iterations >= 0) leave();  // other ranks would wait for this one
    std::rethrow_exception(problem);
  }
  failed = false;
  error = nullptr;
  is_first_ = true;
  if (trace == nullptr) return;
  graphs_ = {trace->add_graph(traced(first)), trace->add_graph(traced(repeated))};
  if (device) compiled_ = {trace->add_graph(traced(schedule.first)), trace->add_graph(traced(schedule.repeated))};
  trace_begin_ = trace->iterations();
}

void Plan::Body::iterate(Trace* trace, Stream* stream, std::optional<int> recording) {
  now_ = is_first_ && !same_stages ? &first : &repeated;
  events_.clear();
  ++iterations_;
  broken = true;
  begin_record();
  const bool takes_times = begin_times(trace);
  if (takes_times || (trace != nullptr && trace->shows_streams())) recording.reset();
  begin_device(stream, recording);
  executor->run(now_->stage(), *this, trace == nullptr ? nullptr : &events_);
  end_device();
  if (takes_times) device->pause_timing();
  broken = false;
  is_first_ = false;
  if (trace != nullptr) add_to(*trace);
}

void Plan::Body::run(int iterations, Trace* trace, Errors errors) {
  const TracedRegion region("run a plan");
  finish_sequence(Errors::on_all_ranks);
  begin(iterations, trace, errors, "pass the same number to run() on every rank");
  if (iterations == 0) return;
  {
    Untracked untracked(*this, true);
    untracked.suspend();
    begin_streams(trace);
    for (int i = 0; i < iterations; ++i) iterate(trace);
    wait_for_device();
    add_streams(trace);
    record_times();
  }
  if (errors == Errors::on_all_ranks) agree(comm, error);
  throw_error();
}

void Plan::Body::enqueue_iteration(Stream& stream, std::optional<int> recording) {
  if (!device || stream.is_host() != device->is_host()) {
    throw ContractError("an iteration is enqueued in a stream that is not of the device of the plan's data",
                        "call run(), or make the stream with Stream::for_backend()");
  }
  const TracedRegion region("run a plan");
  if (!sequence_ || broken) expect_usable();
  if (!sequence_) {
    failed = false;
    error = nullptr;
    sequence_ = true;
  }
  is_first_ = true;
  if (!failed) {
    try {
      check_before(1);
    } catch (...) {
      record_error(std::current_exception());
      leave();
    }
  }
  Untracked untracked(*this, false);
  untracked.suspend();
  iterate(nullptr, &stream, recording);
}

void Plan::Body::finish_sequence(Errors errors, Stream* stream) {
  if (!sequence_) {
    if (stream != nullptr) stream->wait();
    return;
  }
  sequence_ = false;
  writer_.wait();
  wait_for_sequence(stream);
  record_times();
  if (errors == Errors::on_this_rank) return throw_error();
  try {
    agree(comm, error);
  } catch (...) {
    left_ = comm.any(left_);  // equal on all ranks from now on
    throw;
  }
}

Plan::Repeated Plan::Body::repeat_until(DataId number, const Condition& condition, int most, Trace* trace) {
  std::exception_ptr problem;
  if (!number.valid() || number.index() >= data.size() || data[number.index()].array || data[number.index()].on_device()) {
    problem =
        std::make_exception_ptr(ContractError("the condition of a plan is on data that is no number of its graph on the host",
                                              "pass an id of add_number(name, double&)"));
  }
  if (const auto [least, largest] = agree(comm, problem, number.value()); least != largest) {
    throw ContractError(fmt::format("the condition of a plan is on '{}' on one rank and on '{}' on another", data[least].name,
                                    data[largest].name),
                        "pass the same number to repeat_until() on every rank");
  }
  const TracedRegion region("run a plan");
  finish_sequence(Errors::on_all_ranks);
  begin(most, trace, Errors::on_all_ranks, "pass the same largest number to repeat_until() on every rank");
  Repeated result{most, false};
  if (most == 0) return result;
  {
    Untracked untracked(*this, true);
    untracked.suspend();
    begin_streams(trace);
    for (int i = 1; i <= most && !result.fulfilled; ++i) {
      iterate(trace);
      const std::optional<bool> holds = agreed_condition(data[number.index()], condition);
      if (!holds) break;
      if (*holds) result = {i, true};
    }
    wait_for_device();
    add_streams(trace);
    record_times();
  }
  agree(comm, error);
  return result;
}

/// Returns whether the condition holds on all ranks; nothing if a body or the condition has thrown on any.  @collective
std::optional<bool> Plan::Body::agreed_condition(const Datum& number, const Condition& condition) {
  bool holds = false;
  if (!failed) {
    try {
      holds = condition(*number.number);
    } catch (...) {
      record_error(in_context(fmt::format("the condition on '{}'", number.name)));
    }
  }
  std::array<std::int32_t, 3> any{failed ? 1 : 0, holds && !failed ? 1 : 0, holds || failed ? 0 : 1};
  comm.max(std::span<std::int32_t>(any));
  if (any[0] != 0) return std::nullopt;
  if (any[1] != 0 && any[2] != 0) {
    const double least = comm.min(*number.number), largest = comm.max(*number.number);
    throw ContractError(
        fmt::format("the ranks do not agree whether '{}' fulfils the condition: it is {} to {}", number.name, least, largest),
        "let tasks reduce into the number, so that all ranks have the same");
  }
  return any[1] != 0;
}

/// Does what may fail in a suspension of the tracking: allocates device sides and waits for pending copies.
void Plan::Body::prepare_suspension() {
  const auto prepare = [](auto& sides) {
    sides.suspend_tracking();
    sides.resume_tracking();
  };
  for (const std::size_t d : two_sided_) data[d].array ? prepare(*data[d].array) : prepare(*data[d].on_both);
}

/// Copies what the first iteration needs to where it needs it, after the iterations in streams of callers.
void Plan::Body::bring() {
  const After before = device ? device->enqueued() : After();
  for (const std::size_t d : two_sided_) {
    if (data[d].on_both != nullptr && !data[d].on_both->allocated(Side::host)) data[d].on_both->to_host(before).wait();
    for (const Side side : {Side::host, Side::device}) {
      const Part part = part_on(schedule.begin[d], bit(side));
      if (part == Part::none) continue;
      if (data[d].array) {
        for (const IdRange<LocalRow> rows : data[d].rows.of(part)) data[d].array->bring(side, rows, before);
      } else if (!data[d].on_both->fresh(side)) {
        (side == Side::host ? data[d].on_both->to_host(before) : data[d].on_both->to_device(before)).wait();
      }
    }
  }
}

}  // namespace weft::task

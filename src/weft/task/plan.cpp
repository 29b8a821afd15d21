#include "weft/task/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "weft/array/pair_link.hpp"
#include "weft/base/back_off.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/task/access_guard.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/schedule_text.hpp"
#include "weft/task/stage_picture.hpp"

namespace weft::task {
namespace {

[[nodiscard]] Exchange make_exchange(const Communicator& comm, const std::vector<Datum>& data, const ExchangeShape& shape,
                                     Transport transport) {
  std::vector<PairRef> arrays;
  bool all_on_device = true;
  for (const DataId id : shape.arrays) {
    arrays.push_back(*data[id.index()].array);
    all_on_device = all_on_device && data[id.index()].on_device();
  }
  const GhostPlan plan = arrays.front().plan();
  const bool on_host = shape.side == Side::host;
  if (all_on_device && (transport == Transport::automatic || row_of(transport).of_host != on_host)) {
    transport = on_host ? Transport::host : Transport::automatic;  // automatic exchanges the device sides
  }
  const ArrayTransformer transformer(plan, std::move(arrays), transport);
  Exchange exchange = shape.push ? transformer.push(shape.op) : transformer.pull();
  agreed(comm, [&] {
    if (shape.side == Side::device && row_of(exchange.transport()).of_host) {
      throw ContractError(
          fmt::format("contributions to '{}' on a device cannot be combined there", data[shape.arrays.front().index()].name),
          "reduce float, double, int32 or int64, or execute the task on the host");
    }
  });
  return exchange;
}

/// Returns true if a graph can contain exchanges by this transport.
[[nodiscard]] bool can_be_captured(const Exchange& exchange) { return row_of(exchange.transport()).capturable; }

[[nodiscard]] bool same(const Stage& a, const Stage& b) {
  return a.successors == b.successors && a.first_successor == b.first_successor &&
         std::ranges::equal(a.nodes, b.nodes, [](const Node& x, const Node& y) {
           return x.kind == y.kind && x.index == y.index && x.rows == y.rows && x.op == y.op && x.side == y.side &&
                  x.every == y.every;
         });
}

[[nodiscard]] Backend device_backend(const std::vector<Datum>& data) {
  const auto found = std::ranges::find_if(data, &Datum::on_device);
  return found == data.end() ? Backend::host : found->backend();
}

}  // namespace

std::exception_ptr in_context(const std::string& what) {
  try {
    try {
      throw;
    } catch (const Error& error) {
      throw_error(error.kind(), fmt::format("{}: {}", what, error.problem()), error.suggestion(), error.where());
    } catch (const std::exception& error) {
      throw ContractError(fmt::format("{}: {}", what, error.what()), "an exception left it");
    }
  } catch (...) {
    return std::current_exception();
  }
}

Backend Datum::backend() const {
  const Backend backend = array ? array->backend() : (on_both != nullptr ? on_both->backend() : Backend::host);
  return is_cuda(backend) ? Backend::cuda : backend;  // memory of others as well
}

Plan::Body::Body(Communicator of, std::vector<Datum> with, std::vector<Task> and_tasks, Schedule compiled, int threads,
                 Check check, Transport transport, Launch launch)
    : comm(std::move(of)),
      data(std::move(with)),
      tasks(std::move(and_tasks)),
      schedule(std::move(compiled)),
      exchanges([this, transport] {
        std::vector<Exchange> list;
        for (const ExchangeShape& shape : schedule.exchanges) list.push_back(make_exchange(comm, data, shape, transport));
        return list;
      }()),
      first(schedule.first, check == Check::none && std::ranges::all_of(exchanges, can_be_captured)),
      repeated(schedule.repeated, check == Check::none && std::ranges::all_of(exchanges, can_be_captured)),
      same_stages(same(schedule.first, schedule.repeated)),
      executor([this, check, threads] {
        const bool own_cores = each_thread_has_core(comm, threads);
        const bool costs = std::ranges::any_of(tasks, [](const Task& task) { return task.shape.cost > 0; });
        const std::size_t nodes = std::max(first.stage().nodes.size(), repeated.stage().nodes.size());
        return agreed(comm, [&] {  // the threads of one rank may not start
          return std::make_unique<Executor>(check == Check::accesses ? 1 : threads, nodes, own_cores, costs);
        });
      }()),
      neutral_(data.size()) {
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (data[d].array) arrays_.push_back(d);
    if (data[d].on_device()) two_sided_.push_back(d);
  }
  std::set<Rank> neighbours;
  for (const ExchangeShape& shape : schedule.exchanges) {
    for (const GhostPlan::Neighbour& neighbour : data[shape.arrays.front().index()].array->plan().neighbours()) {
      if (neighbour.rank != comm.rank()) neighbours.insert(neighbour.rank);
    }
  }
  if (!schedule.exchanges.empty()) notice_.emplace(comm, neighbours);
  first.number_graphs(schedule.first);
  repeated.number_graphs(schedule.repeated);
  const Backend backend = device_backend(data);
  if (backend != Backend::host) set_up_device(backend, check == Check::accesses ? Launch::by_bodies : launch);
  agreed(comm, [&] {
    if (check == Check::accesses) guard = std::make_unique<AccessGuard>(data, backend);
  });
}

/// Allocates the device sides of the data and neutral values there. @collective
void Plan::Body::set_up_device(Backend backend, Launch launch) {
  agreed(comm, [&] {
    device = std::make_unique<DeviceWork>(backend, launch);
    prepare_suspension();  // the device sides are allocated here, where an error is agreed
    const std::array neutral{0.0, weft::detail::neutral_value<double>(Reduce::add),
                             weft::detail::neutral_value<double>(Reduce::min), weft::detail::neutral_value<double>(Reduce::max)};
    static_assert(static_cast<int>(Reduce::add) == 1 && static_cast<int>(Reduce::max) == 3);
    neutral_numbers_ = DeviceVector<double>(backend, std::span<const double>(neutral));
    for (const Stage* stage : {&schedule.first, &schedule.repeated}) {
      for (const Node& node : stage->nodes) {
        if (node.kind != Kind::neutralize || node.side != Side::device) continue;
        auto& storage = neutral_[node.index].at(static_cast<std::size_t>(node.op));
        if (storage == nullptr) storage = data[node.index].array->neutral_ghosts(node.op);
      }
    }
  });
}

template <class Whole, class Divided, class... Streams>
void Plan::Body::call_body(const Node& node, const Whole& whole, const Divided& divided, Streams&... stream) {
  const Task& task = tasks[node.index];
  if (task.writes) return take_snapshot(node);
  if (whole) {
    whole(stream...);
    return;
  }
  if (const IdRange<LocalRow> rows = rows_of_node(task, node); !rows.empty()) divided(stream..., rows);
}

void Plan::Body::record_error(std::exception_ptr caught) {
  const std::scoped_lock lock(failing);
  if (!error) error = std::move(caught);
  failed = true;
}

Plan::Body::~Body() = default;

void Plan::Body::execute(const Node& node, int thread) noexcept {
  const Span span(*this, node);
  const int at = node.index;
  const auto call = [&] { tasks[at].divided ? call_divided(node, thread) : call_body(node, tasks[at].whole, tasks[at].divided); };
  try {
    if (node.kind == Kind::neutralize) {
      data[at].array->neutralize_ghosts(node.op);
    } else if (node.kind == Kind::reset) {
      *data[at].number = weft::detail::neutral_value<double>(node.op);
    } else if (!failed.load(std::memory_order_relaxed)) {
      if (guard == nullptr) {
        call();
      } else {
        call_guarded(node, call);
      }
    }
  } catch (...) {
    record_error(in_context(fmt::format("task '{}'", node.name)));
  }
}

template <class Call>
void Plan::Body::call_guarded(const Node& node, const Call& call) {
  if (device) device->wait_for_all();
  guard->begin(tasks[node.index].shape, node.rows);
  try {
    call();
  } catch (...) {
    (void)guard->restore();
    throw;
  }
  guard->end();
}

void Plan::Body::enqueue(const Node& node, Stream& stream) {
  const int at = node.index;
  const auto op = static_cast<std::size_t>(node.op);
  switch (node.kind) {
    case Kind::start:
      exchanges[at].start(after(stream));
      return;
    case Kind::finish:
      exchanges[at].finish(stream);
      return;
    case Kind::copy:
      if (iterations_ % node.every != 0) return;
      if (data[at].array) {
        for (const IdRange<LocalRow> rows : data[at].rows.of(node.rows)) data[at].array->copy_untracked(node.side, rows, stream);
      } else {
        (void)data[at].on_both->copy_untracked(node.side, stream, 0, 1);
      }
      return;
    case Kind::neutralize:
      data[at].array->neutralize_ghosts(*neutral_[at].at(op), stream);
      return;
    case Kind::reset:
      copy_bytes(stream, data[at].on_both->write(Side::device, 0, 1).data(), neutral_numbers_.data() + op, sizeof(double));
      return;
    case Kind::task:
      break;
    case Kind::all_reduce:
    case Kind::segment:
      return;  // never enqueued
  }
  if (failed.load(std::memory_order_relaxed)) return;
  const auto call = [&] { call_body(node, tasks[at].whole_on_device, tasks[at].divided_on_device, stream); };
  try {
    if (guard == nullptr) {
      call();
    } else {
      call_guarded(node, [&] {
        call();
        stream.wait();
      });
    }
  } catch (...) {
    record_error(in_context(fmt::format("task '{}'", node.name)));
  }
}

int Plan::Body::number_of(const Node& node) const { return static_cast<int>(&node - now_->stage().nodes.data()); }

void Plan::Body::begin_device(Stream* stream, std::optional<int> recording) {
  if (!device) return;
  device->set_recording(recording);  // on a rank that has left, too: see decline_segment()
  heed_stop();
  begun_ = false;
  guarded("the work of the device", [&] {
    device->begin(*now_, stream);
    begun_ = true;
  });
}

/// Lets the main stream wait for the others, on a rank that has left meanwhile, too: a wait for the main stream then includes all
/// that this iteration has enqueued.
void Plan::Body::end_device() {
  if (!begun_) return;
  begun_ = false;
  try {
    device->end();
  } catch (...) {
    record_error(in_context("task 'the work of the device'"));
    if (!left_) leave();
  }
}

void Plan::Body::launch(const Node& node) {
  const Span span(*this, node);
  const std::function<bool(bool)> agree = [this](bool here) { return comm.all(here); };
  if (left_ && node.kind == Kind::segment) device->decline_segment(*now_, number_of(node), agree);
  guarded(node.name, [&] {
    const Enqueue into = [this](const Node& which, Stream& stream) { enqueue(which, stream); };
    if (node.kind != Kind::segment) {
      device->launch(number_of(node), into);
      return;
    }
    const SegmentCalls calls{.agree = agree,
                             .discard = [this] { std::ranges::for_each(exchanges, &Exchange::discard_capture); },
                             .launched = [this, &node] { count_exchanges_of(node); }};
    const std::exception_ptr of_recording = device->launch_segment(number_of(node), into, calls, failed);
    try {
      if (of_recording) std::rethrow_exception(of_recording);
    } catch (...) {
      record_error(in_context(fmt::format("task '{}'", node.name)));
    }
  });
}

void Plan::Body::start(const Node& node) {
  if (node.side == Side::device) {
    launch(node);
  } else {
    const Span span(*this, node);
    guarded(node.name, [&] { exchanges[node.index].start(After()); });
  }
  if (guard == nullptr) return;
  const Waiting waiting("ghost rows of a task");  // the guard must not change rows that an exchange accesses
  const WaitDetail detail([&] { return waits_for(node); });
  BackOff back_off;
  while (!has_arrived(node)) back_off.leave_core();
  if (node.side == Side::host) guarded(node.name, [&] { exchanges[node.index].wait(); });
}

bool Plan::Body::arrived(const Node& node) { return guard != nullptr || has_arrived(node); }

void Plan::Body::finish(const Node& node) {
  if (node.side == Side::device) {
    launch(node);
  } else if (guard == nullptr) {
    const Span span(*this, node);
    guarded(node.name, [&] { exchanges[node.index].wait(); });
  }
}

std::string Plan::Body::waits_for(const Node& node) {
  if (node.kind != Kind::start && node.kind != Kind::finish) return fmt::format("  '{}' waits for all ranks", node.name);
  const int at = node.index;
  const ExchangeShape& shape = schedule.exchanges[at];
  std::string arrays, ranks;
  for (const DataId id : shape.arrays) arrays += fmt::format("{}'{}'", arrays.empty() ? "" : ", ", data[id.index()].name);
  for (const Exchange::Message& message : exchanges[at].missing()) {
    ranks += fmt::format("{}rank {} ({} bytes)", ranks.empty() ? "" : ", ", message.rank.value(), message.bytes);
  }
  return fmt::format("  '{}' waits for {}; the {} rows of {} are stale", node.name, ranks.empty() ? "its end" : ranks,
                     shape.push ? "owned" : "ghost", arrays);
}

void Plan::Body::all_reduce(const Node& node) {
  const Span span(*this, node);
  double& number = *data[node.index].number;
  number = node.op == Reduce::min ? comm.min(number) : (node.op == Reduce::max ? comm.max(number) : comm.sum(number));
}

Plan::Plan(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::run(int iterations, Trace* trace, Errors errors) { body_->run(iterations, trace, errors); }
void Plan::enqueue(Stream& stream, std::optional<int> recording) { body_->enqueue_iteration(stream, recording); }
void Plan::finish(Errors errors) { body_->finish_sequence(errors); }
void Plan::finish(Stream& stream, Errors errors) { body_->finish_sequence(errors, &stream); }
void Plan::renew_recordings() {
  body_->first.renew_recordings();
  body_->repeated.renew_recordings();
}
void Plan::close() { body_->close(); }
Plan::Repeated Plan::repeat_until(DataId number, const Condition& condition, int most, Trace* trace) {
  return body_->repeat_until(number, condition, most, trace);
}
std::string Plan::text() const { return schedule_text(schedule()); }
std::string Plan::dot() const { return stage_dot(schedule().repeated); }
std::string Plan::svg() const { return stage_svg(schedule().repeated, "each iteration but the first"); }
std::string Plan::json() const { return schedule_json(schedule()); }
const Schedule& Plan::schedule() const { return body_->schedule; }
std::span<const Exchange> Plan::exchanges() const {
  if (body_->closed) throw ContractError("the exchanges of a closed plan are asked for", "ask before close()");
  return body_->exchanges;
}
const Communicator& Plan::comm() const { return body_->comm; }

}  // namespace weft::task

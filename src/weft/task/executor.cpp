#include "weft/task/executor.hpp"

#include <algorithm>
#include <optional>
#include <thread>

#include "weft/base/waiting.hpp"
#include "weft/task/executor_thread.hpp"
#include "weft/task/levels.hpp"

namespace weft::task {
namespace {

constexpr int kNone = -1;
/// The communicating thread tests exchanges in flight not more often while it executes nodes.
constexpr std::chrono::microseconds kTestInterval{2};
/// Largest number of ready nodes that a thread takes at once.
constexpr int kMostTaken = 16;

[[nodiscard]] bool is_launched(const Node& node) { return node.kind == Kind::copy || node.kind == Kind::segment; }
/// Returns true for nodes that wait for nodes of the device in streams, not on the host.
[[nodiscard]] bool on_device(const Node& node) { return is_launched(node) || node.side == Side::device; }

}  // namespace

Executor::Executor(int threads, std::size_t nodes, bool own_cores, bool costs)
    : team_(threads, own_cores),
      threads_(new Thread[threads]),
      waits_for_(new std::atomic<int>[nodes]),
      most_nodes_(nodes),
      normal_(nodes),
      launches_(nodes),
      events_(threads),
      shared_(threads > 1),
      has_levels_(costs),
      polls_in_flight_(own_cores ? kPollsInFlight : kPollsOnSharedCores) {
  for (int level = 0; has_levels_ && level < kLevels; ++level) by_level_.emplace_back(nodes);
}

Executor::~Executor() = default;

void Executor::run(const Stage& stage, Work& work, std::vector<Event>* events) {
  if (stage_ != &stage) prepare(stage);
  work_ = &work;
  tracing_ = events != nullptr;
  const std::size_t nodes = stage.nodes.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    waits_for_[i].store(stage.predecessors[i], std::memory_order_relaxed);
  }
  for (const auto& list : urgent_) list->clear();
  normal_.clear();
  for (ReadyList& list : by_level_) list.clear();
  launches_.clear();
  remaining_.store(static_cast<int>(nodes), std::memory_order_relaxed);
  for (const int node : first_) make_ready(node, false);
  team_.run([this](int thread) noexcept { loop(thread); });
  if (events != nullptr) {
    for (std::vector<Event>& mine : events_) {
      events->insert(events->end(), mine.begin(), mine.end());
      mine.clear();
    }
  }
  if (error_) std::rethrow_exception(error_);
}

/// Determines what the scheduling of the stage's nodes needs to know of them.
void Executor::prepare(const Stage& stage) {
  stage_ = &stage;
  roles_.clear();
  first_.clear();
  has_launches_ = false;
  communicates_ = !stage.communication.empty();
  urgencies_ = urgencies(stage);
  while (std::ssize(urgent_) < urgencies_) urgent_.push_back(std::make_unique<ReadyList>(most_nodes_));
  const auto is_urgent = [&](std::size_t i) { return urgencies_ > 0 && stage.urgency[i] < urgencies_; };
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
    const Node& node = stage.nodes[i];
    const bool begins = node.kind == Kind::start || node.kind == Kind::all_reduce;
    roles_.push_back(begins                      ? Role::begins_communication
                     : node.kind == Kind::finish ? Role::ends_exchange
                     : is_launched(node)         ? Role::launched
                     : is_urgent(i)              ? Role::urgent
                                                 : Role::normal);
    has_launches_ |= is_launched(node);
    communicates_ |= is_launched(node);
    if (stage.predecessors[i] == 0 && !begins) first_.push_back(static_cast<int>(i));
  }
}

void Executor::loop(int number) noexcept {
  Thread& thread = threads_[number];
  thread.begin(number);
  int node = kNone;
  try {
    while (!broken_.load(std::memory_order_relaxed)) {
      if (number == 0 && communicates_ && has_to_communicate(thread)) communicate(thread);
      if (node == kNone) {
        node = take(thread);
      } else if (urgencies_ > 0) {
        node = most_urgent(node);
      }
      if (node == kNone) {
        if (thread.done > 0) {
          if (remaining_.fetch_sub(thread.done) == thread.done) wake();
          thread.done = 0;
        }
        if (remaining_.load() == 0) break;
        rest(thread);
        continue;
      }
      if (thread.polls > 0) {
        thread.detail.reset();
        thread.waiting.reset();
        if (tracing_) record(thread, kNone, thread.idle_since);
        thread.polls = 0;
      }
      node = execute(thread, node);
    }
  } catch (...) {
    keep_error();
  }
  thread.detail.reset();
  thread.waiting.reset();
}

/// Ends the stage with the exception in flight.
void Executor::keep_error() noexcept {
  if (!broken_.exchange(true)) error_ = std::current_exception();
  wake();
}

void Executor::communicate_within_node() noexcept {
  try {
    communicate(threads_[0]);
  } catch (...) {
    keep_error();
  }
}

int Executor::execute(Thread& thread, int node) {
  const auto begin = tracing_ ? Clock::now() : Clock::time_point{};
  work_->execute(stage_->nodes[node], thread.number);
  if (tracing_) record(thread, node, begin);
  return release(thread, node);
}

void Executor::record(Thread& thread, int node, Clock::time_point begin) {
  events_[thread.number].push_back({node, thread.number, begin, Clock::now()});
}

/// Counts a node as executed. Returns a successor that is ready and does not communicate, or kNone.
int Executor::release(Thread& thread, int node) {
  ++thread.done;
  return count_down(thread, node, [](int /*successor*/) { return true; });
}

/// Counts a node as executed, and leaves its successors to any thread.
void Executor::release_to_list(Thread& thread, int node) {
  if (const int next = release(thread, node); next != kNone) append(next);
}

/// Counts down those successors of a node for which wanted(number) holds. Returns one that this thread can execute next, or
/// kNone.
template <class Wanted>
int Executor::count_down(Thread& thread, int node, const Wanted& wanted) {
  int next = kNone;
  for (const int successor : stage_->successors_of(node)) {
    if (!wanted(successor) || add_to(waits_for_[successor], -1, shared_) != 1) continue;
    const Role role = roles_[successor];
    if (role == Role::ends_exchange) {
      thread.in_flight.push_back(successor);  // released by the start node, which the communicating thread has executed
    } else if (role == Role::begins_communication) {
      if (sleeping_.load() > 0) wake();
    } else if (next == kNone && role != Role::launched && !has_levels_) {
      next = successor;
    } else {
      append(successor);
    }
  }
  return next;
}

void Executor::append(int node) {
  make_ready(node, shared_);
  if (sleeping_.load() > 0) wake();
}

void Executor::make_ready(int node, bool shared) {
  const Role role = roles_[node];
  ReadyList& normal = has_levels_ ? by_level_[stage_->levels[node]] : normal_;
  (role == Role::launched ? launches_ : (role == Role::urgent ? *urgent_[stage_->urgency[node]] : normal)).push(node, shared);
}

/// Takes a node that is more urgent than `below`; returns kNone if none is ready.
int Executor::take_urgent(int below) {
  for (int urgency = 0; urgency < below; ++urgency) {
    ReadyList& list = *urgent_[urgency];
    if (list.empty()) continue;
    if (const IdRange<ReadyList::Position> one = list.take(1, 1, shared_); !one.empty()) return list.at(one.first());
  }
  return kNone;
}

/// Returns the node that a thread executes in place of a ready one: itself, or one that is more urgent.
/// @pre urgencies_ > 0; release() returned the node, which has not been in a list.
int Executor::most_urgent(int node) {
  const int other = take_urgent(stage_->urgency[node]);
  if (other == kNone) return node;
  append(node);
  return other;
}

int Executor::take_by_level() {
  for (ReadyList& list : by_level_) {
    if (const IdRange<ReadyList::Position> one = list.take(1, 1, shared_); !one.empty()) return list.at(one.first());
  }
  return kNone;
}

bool Executor::any_ready() const {
  const auto has_node = [](const ReadyList& list) { return !list.empty(); };
  return has_node(normal_) || std::ranges::any_of(urgent_, has_node, &std::unique_ptr<ReadyList>::operator*) ||
         std::ranges::any_of(by_level_, has_node);
}

int Executor::take(Thread& thread) {
  if (urgencies_ > 0) {
    if (const int urgent = take_urgent(urgencies_); urgent != kNone) return urgent;
  }
  if (has_levels_) return take_by_level();
  if (thread.taken.empty()) thread.taken = normal_.take(kMostTaken, 2 * team_.size(), shared_);
  if (thread.taken.empty()) return kNone;
  const ReadyList::Position next = thread.taken.first();
  thread.taken = {ReadyList::Position(next.value() + 1), thread.taken.last()};
  return normal_.at(next);
}

/// Enqueues work of the device whose predecessors on the host have been executed.
void Executor::launch(Thread& thread) {
  while (true) {
    const IdRange<ReadyList::Position> taken = launches_.take(1, 1, shared_);
    if (taken.empty()) return;
    thread.back_off.restart();
    const int number = launches_.at(taken.first());
    const Node& node = stage_->nodes[number];
    const auto begin = tracing_ ? Clock::now() : Clock::time_point{};
    work_->launch(node);
    if (tracing_) record(thread, number, begin);
    if (node.kind == Kind::segment) {
      (void)release(thread, number);  // all successors are of the device: none is executed by a thread
    } else {
      (void)count_down(thread, number, [this](int of) { return on_device(stage_->nodes[of]); });
      thread.copying.push_back(number);
    }
  }
}

void Executor::end_copies(Thread& thread) {
  for (std::size_t i = 0; i < thread.copying.size();) {
    const int number = thread.copying[i];
    if (!work_->completed(stage_->nodes[number])) {
      ++i;
      continue;
    }
    thread.back_off.restart();
    thread.copying.erase(thread.copying.begin() + static_cast<std::ptrdiff_t>(i));
    ++thread.done;
    const int next = count_down(thread, number, [this](int of) { return !on_device(stage_->nodes[of]); });
    if (next != kNone) append(next);
  }
}

/// Begins what is ready, in the order of all ranks, and ends exchanges that have arrived.
void Executor::communicate(Thread& thread) {
  if (has_launches_) {
    launch(thread);
    end_copies(thread);
  }
  while (communication_is_ready(thread)) {
    thread.back_off.restart();
    const int number = stage_->communication[thread.next++];
    const Node& node = stage_->nodes[number];
    const auto begin = tracing_ ? Clock::now() : Clock::time_point{};
    if (node.kind == Kind::start) {
      work_->start(node);
    } else {
      const WaitDetail detail([&] { return report({number}); });
      work_->all_reduce(node);
    }
    if (tracing_) record(thread, number, begin);
    release_to_list(thread, number);
    if (has_launches_) launch(thread);
  }
  if (thread.in_flight.empty()) return;
  if (thread.polls == 0) {
    const Clock::time_point now = Clock::now();
    if (now - thread.tested < kTestInterval) return;
    thread.tested = now;
  }
  for (std::size_t i = 0; i < thread.in_flight.size();) {
    if (work_->arrived(stage_->nodes[thread.in_flight[i]])) {
      end_exchange(thread, i);
    } else {
      ++i;
    }
  }
}

void Executor::end_exchange(Thread& thread, std::size_t i) {
  thread.back_off.restart();
  const int number = thread.in_flight[i];
  thread.in_flight.erase(thread.in_flight.begin() + static_cast<std::ptrdiff_t>(i));
  const auto begin = tracing_ ? Clock::now() : Clock::time_point{};
  work_->finish(stage_->nodes[number]);
  if (tracing_) record(thread, number, begin);
  release_to_list(thread, number);
}

}  // namespace weft::task

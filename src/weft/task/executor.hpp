#pragma once
/// Executes the nodes of a stage on a team of threads; the calling thread alone communicates.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/task/ready_list.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// The operations of the nodes.
class Work {
 public:
  virtual ~Work() = default;
  /// Executes a node that does not communicate. Called by any thread; the communicating one is thread 0.
  virtual void execute(const Node& node, int thread) noexcept = 0;
  // Called by the communicating thread only:
  virtual void start(const Node& node) = 0;
  [[nodiscard]] virtual bool arrived(const Node& node) = 0;
  virtual void finish(const Node& node) = 0;  ///< waits if it has not arrived
  virtual void all_reduce(const Node& node) = 0;
  /// Enqueues a copy or a segment, after the nodes of the device that it waits for.
  virtual void launch(const Node& node) = 0;
  /// Returns true if a copy has ended. Never blocks.
  [[nodiscard]] virtual bool completed(const Node& node) = 0;
  /// Returns a line for the watchdog: what an exchange in flight or a reduction waits for.
  [[nodiscard]] virtual std::string waits_for(const Node& node) = 0;
};

/// Every node counts the nodes it waits for. The one that counts down to zero makes it ready: the first successor that becomes
/// ready is executed next by the same thread, others are appended to a list, from which threads without work take in order. Nodes
/// that precede communication are urgent: those of each urgency (levels.hpp) have a list of their own, which is taken from first.
/// A thread takes from these also before it executes a successor that is less urgent, which it then appends to the list of that.
/// Successors are sorted by their urgency. In a stage without urgent nodes this costs nothing. A node becomes ready once in an
/// iteration, so that the lists are arrays of the number of nodes with two counters, without locks. Where many nodes are ready a
/// thread takes several. If tasks have costs, there is a list for each level of the remaining time (levels.hpp), the nodes of the
/// first one that is not empty are taken first, one at a time, and a successor that becomes ready is appended as well.
///
/// The calling thread begins exchanges and reductions over ranks in the order of Stage::communication, which is that of all
/// ranks, as soon as their nodes are ready, and tests exchanges in flight between two nodes. In a reduction it waits for other
/// ranks. They reach it: what a reduction depends on is the same on all ranks, so that an exchange it depends on has ended on
/// this rank. A thread without work polls, and then sleeps until a node becomes ready; while exchanges are in flight the calling
/// thread polls and leaves its core as BackOff does.
class Executor {
 public:
  using Clock = std::chrono::steady_clock;
  /// Execution of a node, or a wait (node -1).
  struct Event {
    int node, thread;
    Clock::time_point begin, end;
  };

  /// @param nodes  the largest number of nodes of a stage.
  /// @param own_cores  each thread of the ranks on this machine has a core: a waiting thread polls for longer.
  /// @param costs  the stages have levels.
  Executor(int threads, std::size_t nodes, bool own_cores, bool costs);
  ~Executor();

  /// Executes all nodes. @param events  receives what was executed when; null: nothing is recorded.
  /// @throws exceptions of communication, after all threads have left the stage.
  /// @pre no run before has thrown; a stage is not changed between runs.
  void run(const Stage& stage, Work& work, std::vector<Event>* events);
  /// Does within a node what thread 0 does between two nodes: begins communication that is ready and tests exchanges in flight.
  /// @pre called by thread 0, in Work::execute().
  void communicate_within_node() noexcept;

 private:
  struct Thread;
  /// Determines what becomes of a ready node. A separate array of these costs less cache than the nodes, which are large.
  enum class Role : std::uint8_t { normal, urgent, launched, begins_communication, ends_exchange };

  void prepare(const Stage& stage);
  void loop(int number) noexcept;
  void keep_error() noexcept;
  void communicate(Thread& thread);
  void launch(Thread& thread);
  void end_copies(Thread& thread);
  void end_exchange(Thread& thread, std::size_t i);
  int execute(Thread& thread, int node);
  int release(Thread& thread, int node);
  template <class Wanted>
  int count_down(Thread& thread, int node, const Wanted& wanted);
  void release_to_list(Thread& thread, int node);
  void append(int node);
  void make_ready(int node, bool shared);
  [[nodiscard]] int take(Thread& thread);
  [[nodiscard]] int take_urgent(int below);
  [[nodiscard]] int most_urgent(int node);
  [[nodiscard]] int take_by_level();
  [[nodiscard]] bool any_ready() const;
  [[nodiscard]] bool communication_is_ready(const Thread& thread) const;
  [[nodiscard]] bool has_to_communicate(const Thread& thread) const;
  void record(Thread& thread, int node, Clock::time_point begin);
  void rest(Thread& thread);
  void wake();
  [[nodiscard]] std::string report(const std::vector<int>& waits) const;

  Team team_;
  std::unique_ptr<Thread[]> threads_;
  std::unique_ptr<std::atomic<int>[]> waits_for_;
  std::size_t most_nodes_;
  std::vector<std::unique_ptr<ReadyList>> urgent_;  ///< by urgency; of a former stage may be more
  int urgencies_ = 0;                               ///< lists of urgent_ that the stage uses
  ReadyList normal_;
  ReadyList launches_;              ///< taken from by the calling thread only
  std::deque<ReadyList> by_level_;  ///< takes the place of normal_ if has_levels_; otherwise empty
  const Stage* stage_ = nullptr;
  std::vector<Role> roles_;  ///< by node of the stage
  std::vector<int> first_;   ///< lists the nodes of the stage without predecessors
  Work* work_ = nullptr;
  std::vector<std::vector<Event>> events_;  ///< by thread
  bool tracing_ = false;
  bool has_launches_ = false;  ///< the stage has nodes that are launched
  bool communicates_ = false;  ///< the stage has such nodes, or communication
  bool shared_;                ///< several threads: counters need atomic increments
  bool has_levels_;            ///< tasks have costs
  int polls_in_flight_;        ///< attempts to end an exchange before the calling thread yields its core
  alignas(64) std::atomic<int> remaining_{0};
  std::atomic<int> sleeping_{0}, signal_{0};
  std::atomic<bool> broken_{false};
  std::exception_ptr error_;
};

}  // namespace weft::task

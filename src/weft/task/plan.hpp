#pragma once
/// Plan: a compiled task graph.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "weft/array/array_transformer.hpp"
#include "weft/device/stream.hpp"
#include "weft/task/access.hpp"
#include "weft/task/trace.hpp"

namespace weft::task {

struct Schedule;

/// The ranks on which Plan::run() throws the error of a body: all, for which it reduces over the ranks at its beginning and at
/// its end, or the one of the body alone.
enum class Errors : std::uint8_t { on_all_ranks, on_this_rank };

/// A compiled graph, which Graph::compile() creates. It holds exchanges of the arrays of the graph and a team of threads.
class Plan {
 public:
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Executes `iterations` iterations; ghost rows are taken to be stale at the beginning of each call. At the end the owned rows
  /// are complete; ghost rows that no task read after the last change of their owners are stale. Iterations that were enqueued
  /// before are executed before: run() and repeat_until() call finish() first.
  ///
  /// If a body throws, the bodies that remain are not executed on that rank, which takes part in the communication up to the last
  /// iteration; then every rank throws the error of the lowest rank. The arrays have undefined values.
  /// @param trace  receives what was executed when, appended; null: nothing is recorded.
  /// @param errors  on_this_rank: all that is said above of every rank is that of this rank alone. For programs that call run()
  ///   often and reduce something over the ranks after it, by which they can agree. If a rank cannot take part in the exchanges,
  ///   ranks that wait for its rows throw a CommError.
  /// @throws ContractError on every rank if an array was destroyed or resized, or, with Errors::on_all_ranks, if the ranks
  ///   request different numbers of iterations; errors of bodies; CommError. @collective
  /// @cost about 20 ns for each node, and two reductions over the ranks with Errors::on_all_ranks; nothing is allocated without a
  ///   trace, except in reductions.
  void run(int iterations = 1, Trace* trace = nullptr, Errors errors = Errors::on_all_ranks);

  /// Enqueues an iteration in the order of `stream`, and returns without waiting for the device: for steps that follow each other
  /// without the host. Otherwise as run(1); tasks of the host and exchanges that need it have been executed on return. Data may
  /// be accessed on the device in the order of `stream`. An iteration in another stream follows those that were enqueued before.
  ///
  /// The iterations up to finish(), run() or repeat_until() are a sequence. If a body throws, or this rank cannot take part in
  /// the exchanges, the error is kept: here and in the calls that follow, no bodies are called on this rank, which takes part in
  /// the communication, until the end of the sequence throws the error on every rank.
  /// @param stream  of the device of the data.
  /// @param recording  number of the recording that is launched: bodies enqueue the same work in all iterations with this number,
  ///   and may enqueue other work in those with others, for example on buffers that take turns. Empty: the bodies are called.
  ///   In a graph with exchanges, the same on all ranks.
  /// @throws ContractError without data on a device, for a stream of another kind, or for a plan that cannot be used any more.
  /// @collective
  void enqueue(Stream& stream, std::optional<int> recording = 0);
  /// Ends the sequence of enqueued iterations: blocks the host until the device has executed them. Without effect if there is
  /// none.
  /// @param errors  on_this_rank: as for run(), without a reduction.
  /// @throws on every rank the first error of the lowest rank with one.  @collective  @cost a reduction over the ranks
  void finish(Errors errors = Errors::on_all_ranks);
  /// As above, but blocks the host until all work of `stream` has completed, also what the caller has enqueued there after the
  /// last iteration; without a sequence, too. One wait of the host instead of two.
  /// @param stream  that in which the last iteration of the sequence was enqueued.
  void finish(Stream& stream, Errors errors = Errors::on_all_ranks);
  /// Makes the next iteration with each number record its work again, because bodies enqueue it with other arguments. CUDA graphs
  /// are updated in place where they can be (weft::Graph::update()).  @collective
  void renew_recordings();

  /// A predicate of the number that a repetition computes: true ends the repetition.
  using Condition = std::function<bool(double)>;
  struct Repeated {
    int iterations;
    bool fulfilled;  ///< false: `most` iterations were executed
  };
  /// Executes iterations until a number of the graph fulfils a condition after one of them, `most` at most. The ranks agree on
  /// it after each iteration, and when a body has thrown, no further one is executed.
  /// @throws ContractError on every rank if the condition holds on some ranks only, or if `most` is not the same on all; what it
  ///   throws; as run(). @collective
  /// @cost as run(), and a reduction of three numbers over the ranks for each iteration.
  Repeated repeat_until(DataId number, const Condition& condition, int most, Trace* trace = nullptr);
  /// Ends the exchanges of the plan, which cannot be run afterwards: required before an array of a GPU is freed while the program
  /// continues, if exchanges write to the memory of other GPUs (Exchange::close()). Waits for enqueued iterations, whose error is
  /// not thrown. Exchanges that have failed in flight are destroyed without waiting for other ranks.
  /// @throws DeviceError on every rank, after all exchanges have been closed, if a wait for the device of one fails.  @collective
  void close();

  /// Returns the nodes of an iteration with what each waits for, the reason for each inserted node, and which subsets are sent.
  [[nodiscard]] std::string text() const;
  /// Returns the graph of a repeated iteration in the language of Graphviz: dot -Tsvg.
  [[nodiscard]] std::string dot() const;
  /// Returns a picture of a repeated iteration as SVG (stage_picture.hpp): columns by dependencies, rows by the place of
  /// execution, with the reason for each inserted node as its title.  @cost O(nodes * dependencies)
  [[nodiscard]] std::string svg() const;
  /// Returns both stages as JSON: {"first": {"nodes": [{"name", "kind", "side", "graph", "reason", "waits_for"}]}, "repeated":
  /// ...}; "side" is that where a node is executed or that receives a copy, "graph" the CUDA graph with the node, or -1. A task
  /// that accesses subsets has a member "subsets", and a graph with subsets has "subsets", the lines of text() about them.
  [[nodiscard]] std::string json() const;
  /// Returns the nodes, exchanges and dependencies.
  [[nodiscard]] const Schedule& schedule() const;
  /// Returns the exchanges of schedule(), in that order: their transports, messages and traffic. @throws ContractError after
  /// close().
  [[nodiscard]] std::span<const Exchange> exchanges() const;
  [[nodiscard]] const Communicator& comm() const;

 private:
  friend class Graph;
  struct Body;
  explicit Plan(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace weft::task

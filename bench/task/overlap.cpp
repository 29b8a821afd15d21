// Overlap of an exchange with computation on the host: communication takes 30 % of an iteration where nothing overlaps. Prints
// which share of it a task graph hides, and the summary of a trace.
//
//   mpirun -n 2 bench_task_overlap [--rows n] [--tasks n] [--threads n] [--repetitions k]       --tasks 0: one divided task
//   tools/two-nodes --ranks 2 --rate 100 bench_task_overlap --rows 20000
//
// Each rank has copies of all rows of the next one. The other tasks compute for a fixed number of operations, so that they take
// longer where the kernel or another program needs their core, and do not depend on the exchange. Between ranks of one machine
// an exchange is mostly copies of rows by the threads themselves, which one thread cannot hide.
#include "task/overlap.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

#include "arguments.hpp"

namespace {

using namespace weft;

/// Computes n dependent operations.
[[nodiscard]] double compute(std::int64_t n, double x) {
  for (std::int64_t i = 0; i < n; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

/// Returns the seconds of an operation of compute(): the fastest of some trials.
[[nodiscard]] double seconds_of_operation() {
  constexpr std::int64_t kOperations = 1000000;
  double least = std::numeric_limits<double>::infinity(), x = 0.5;
  for (int i = 0; i < 20; ++i) {
    const Stopwatch watch;
    x = compute(kOperations, x);
    least = std::min(least, watch.seconds());
  }
  return x < 0 ? 0 : least / kOperations;
}

struct Options {
  int rows = 200000, tasks = 40, threads = 1, repetitions = 7;
};

enum class Order { computation_only, exchange_first, as_graph };

/// Records a task of inner rows that computes for `operations` operations, and an exchange of u, which its border half reads.
/// Where the exchange comes first the task is not divided.
[[nodiscard]] task::Plan compile_divided(const Communicator& comm, ArrayPair<double, 8>& u, ArrayPair<double>& v,
                                         std::int64_t operations, const Options& options, Order order) {
  const std::int32_t rows = v.plan().owned_rows();
  const auto body = [operations, rows, &v](task::Rows of) {
    for (const LocalRow row : of) v(row, 0) = compute(operations / rows, v(row, 0));
  };
  task::Graph g(comm);
  const task::DataId id = g.add_array("u", u), result = g.add_array("v", v, rows);
  g.add_task("change", {task::reads_writes(id)}, [] {});
  if (order == Order::computation_only) g.add_task("compute", {task::reads_writes(result)}, body);
  if (order == Order::as_graph) g.add_task("compute", {task::reads(id), task::reads_writes(result)}, body);
  if (order == Order::exchange_first) {
    g.add_task("compute", {task::reads(id), task::reads_writes(result)},
               [body, rows] { body(task::Rows(LocalRow(0), LocalRow(rows))); });
  }
  return g.compile(options.threads);
}

/// Records tasks that compute for `operations` operations each, and an exchange of u.
[[nodiscard]] task::Plan compile(const Communicator& comm, ArrayPair<double, 8>& u, std::int64_t operations,
                                 const Options& options, Order order) {
  static std::deque<double> numbers;
  task::Graph g(comm);
  const task::DataId id = g.add_array("u", u);
  g.add_task("change", {task::reads_writes(id)}, [] {});
  for (int k = 0; k < options.tasks; ++k) {
    double& number = numbers.emplace_back(0.5);
    std::vector<task::Access> accesses{task::reads_writes(g.add_number("n" + std::to_string(k), number))};
    if (order == Order::exchange_first) accesses.push_back(task::reads(id, task::Part::ghost));
    g.add_task("compute", std::move(accesses), [operations, &number] { number = compute(operations, number); });
  }
  if (order == Order::as_graph) g.add_task("use", {task::reads(id, task::Part::ghost)}, [] {});
  return g.compile(options.threads);
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  Options options;
  bench::Arguments arguments("bench_task_overlap", "Measures the overlap of an exchange with computation on the host.");
  arguments.add("--rows", options.rows, "Rows of a rank");
  arguments.add("--tasks", options.tasks, "Tasks that compute; 0: one divided task", 0);
  arguments.add("--threads", options.threads, "Threads of a rank");
  arguments.add("--repetitions", options.repetitions, "Measurements of each graph");
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  std::vector<GlobalRow> wanted;
  const std::int64_t next = (comm.rank().value() + 1) % comm.size();
  for (int i = 0; i < options.rows; ++i) wanted.emplace_back(next * options.rows + i);
  const GhostPlan ghosts = GhostPlan::build(comm, options.rows, wanted);
  ArrayPair<double, 8> u(ghosts);

  Exchange pull = ArrayTransformer(ghosts, {u}).pull();
  std::vector<double> times;
  for (int i = 0; i < options.repetitions; ++i) {
    comm.barrier();
    const Stopwatch watch;
    pull.run();
    times.push_back(comm.max(watch.seconds()));
  }
  const double exchange = bench::median_of(times);
  const double computation = exchange * (1 - bench::kShareOfExchange) / bench::kShareOfExchange;
  const double operation = comm.max(seconds_of_operation());
  const int tasks = std::max(1, options.tasks), sharing = options.tasks > 0 ? options.threads : 1;
  const auto operations = static_cast<std::int64_t>(computation * sharing / tasks / operation);
  if (comm.is_root()) {
    std::printf("%d ranks, %d threads, %.2f MB per rank by \"%s\": the exchange alone takes %.3f ms; %d tasks of %.1f us\n",
                comm.size(), options.threads, 64e-6 * options.rows, to_string(pull.transport()), 1e3 * exchange, tasks,
                1e6 * operation * static_cast<double>(operations));
  }
  ArrayPair<double> v(GhostPlan::build(comm, 262144, std::span<const GlobalRow>()));
  const auto plan_of = [&](Order order) {
    return options.tasks > 0 ? compile(comm, u, operations, options, order)
                             : compile_divided(comm, u, v, operations, options, order);
  };
  task::Plan computed = plan_of(Order::computation_only), unhidden = plan_of(Order::exchange_first),
             graph = plan_of(Order::as_graph);
  bench::print_overlap(comm, "overlap", bench::measure_overlap(comm, {computed, unhidden, graph}, 0, options.repetitions, 1));
  task::Trace trace;
  graph.run(options.repetitions, &trace);
  const std::string text = trace.summary(comm);
  if (comm.is_root()) std::printf("%s", text.c_str());
  return 0;
}

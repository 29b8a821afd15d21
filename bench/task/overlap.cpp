// Overlap of an exchange with computation of known cost: communication takes 30 % of an iteration where nothing overlaps. Prints
// which share of what can be hidden a task graph hides, for 1 and 2 threads per rank, and the summary of a trace.
//
//   mpirun -n 2 bench_task_overlap [--rows n] [--repetitions k]
//
// Each rank has copies of all rows of the next one. Tasks of equal length spin on the clock, and do not depend on the exchange.
// Hidden is the time by which an iteration is shorter than computation and exchange one after the other. The copies of rows in
// and out of messages are work for a thread, of which one thread can hide nothing and two hide half.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

namespace {

using namespace weft;
constexpr int kTasks = 40;
constexpr double kShare = 0.3;  ///< time of the exchange in an iteration without overlap

void spin(double seconds) {
  const Stopwatch clock;
  while (clock.seconds() < seconds) {
  }
}

/// Returns the slowest rank's time of the fastest repetition: other programs on the machine only add to it.
template <class F>
[[nodiscard]] double time_of(const Communicator& comm, int repetitions, const F& f) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    comm.barrier();
    const Stopwatch watch;
    f();
    least = std::min(least, comm.max(watch.seconds()));
  }
  return least;
}

/// Records tasks that compute for `computation` seconds, and an exchange of u.
[[nodiscard]] task::Plan compile(const Communicator& comm, ArrayPair<double, 8>& u, double computation, int threads) {
  static std::deque<double> numbers(kTasks);
  task::Graph g(comm);
  const task::DataId id = g.add_array("u", u);
  g.add_task("change", {task::reads_writes(id)}, [] {});
  for (int k = 0; k < kTasks && computation > 0; ++k) {
    const task::DataId number = g.add_number("n" + std::to_string(k), numbers[static_cast<std::size_t>(k)]);
    g.add_task("compute", {task::reads_writes(number)}, [=] { spin(computation * threads / kTasks); });
  }
  g.add_task("use", {task::reads(id, task::Part::ghost)}, [] {});
  return g.compile(threads);
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  int rows = 200000, repetitions = 25;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rows") == 0) rows = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--repetitions") == 0) repetitions = std::atoi(argv[i + 1]);
  }
  std::vector<GlobalRow> wanted;
  const std::int64_t next = (comm.rank().value() + 1) % comm.size();
  for (int i = 0; i < rows; ++i) wanted.emplace_back(next * rows + i);
  const GhostPlan plan = GhostPlan::build(comm, rows, wanted);
  ArrayPair<double, 8> u(plan);

  // The exchange alone, and how long the calling thread copies rows in it.
  Exchange pull = ArrayTransformer(plan, {u}).pull();
  pull.run();
  double copies = std::numeric_limits<double>::infinity();
  const double exchange = time_of(comm, repetitions, [&] {
    const Stopwatch watch;
    pull.start(After());
    double seconds = watch.seconds();
    while (!pull.arrived()) {
    }
    const Stopwatch end;
    pull.wait();
    seconds += end.seconds();
    copies = std::min(copies, seconds);
  });
  const double copying = comm.max(copies);
  const double computation = exchange * (1 - kShare) / kShare;
  if (comm.is_root()) {
    std::printf(
        "%d ranks, %.1f MB per rank: the exchange alone takes %.3f ms, %.3f ms of them copies of rows; computation %.3f ms\n",
        comm.size(), 64e-6 * rows, 1e3 * exchange, 1e3 * copying, 1e3 * computation);
  }
  for (const int threads : {1, 2}) {
    task::Plan both = compile(comm, u, computation, threads);
    both.run();
    const double together = time_of(comm, repetitions, [&] { both.run(); });
    const double computing = time_of(comm, repetitions, [&] {
      for (int k = 0; k < kTasks / threads; ++k) spin(computation * threads / kTasks);
    });
    const double hidden = computing + exchange - together;
    const double most = exchange - copying / threads;  // threads can share the copies and the tasks
    task::Trace trace;
    both.run(5, &trace);
    const std::string text = trace.summary(comm);
    if (comm.is_root()) {
      std::printf("%d threads: computation alone %.3f ms, one after the other %.3f ms, as a graph %.3f ms: ", threads,
                  1e3 * computing, 1e3 * (computing + exchange), 1e3 * together);
      std::printf("%.3f of %.3f ms that can be hidden are hidden (%.1f %%)\n%s", 1e3 * hidden, 1e3 * most, 100 * hidden / most,
                  text.c_str());
    }
  }
  return 0;
}

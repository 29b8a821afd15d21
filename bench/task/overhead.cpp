// Cost of a task: a compiled graph of empty tasks is run again and again, and one of tasks of 10 us. Three shapes: tasks that do
// not depend on each other, a chain, and random predecessors. Compared with the flow graph of oneTBB and with StarPU if the build
// has them, in the same run; the fastest iteration of each. The loss of tasks of 10 us is relative to a loop over the same bodies
// without any graph, on the same number of threads, times the number of bodies that the busiest thread must execute.
//
//   bench_task_overhead [--tasks n] [--seconds s]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/base/team.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

#include "arguments.hpp"
#include "starpu_graph.hpp"
#include "tbb_flow_graph.hpp"

namespace {

using namespace weft;
using Predecessors = std::vector<std::vector<int>>;
constexpr double kNever = std::numeric_limits<double>::infinity();

[[nodiscard]] Predecessors shape(const std::string& name, int tasks) {
  Predecessors list(static_cast<std::size_t>(tasks));
  std::mt19937 random(1);
  for (int i = 1; i < tasks; ++i) {
    auto& mine = list[static_cast<std::size_t>(i)];
    if (name == "chain") mine.push_back(i - 1);
    if (name == "random") {
      for (int k = 0; k < 2; ++k) mine.push_back(static_cast<int>(random() % static_cast<unsigned>(i)));
    }
  }
  return list;
}

/// Returns the graph in which each task writes a number of its own and reads those of its predecessors.
[[nodiscard]] task::Plan compile(const Predecessors& predecessors, int threads, const std::function<void()>& body) {
  task::Graph graph(Communicator::self());
  static std::deque<double> numbers;
  numbers.assign(predecessors.size(), 0.0);
  std::vector<task::DataId> ids;
  for (std::size_t i = 0; i < predecessors.size(); ++i) ids.push_back(graph.add_number("n" + std::to_string(i), numbers[i]));
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    std::vector<task::Access> accesses{task::writes(ids[i])};
    std::vector<int> of = predecessors[i];
    std::ranges::sort(of);
    of.erase(std::ranges::unique(of).begin(), of.end());
    for (const int p : of) accesses.push_back(task::reads(ids[static_cast<std::size_t>(p)]));
    graph.add_task("t" + std::to_string(i), accesses, body);
  }
  return graph.compile(threads);
}

void spin(double seconds) {
  const Stopwatch clock;
  while (clock.seconds() < seconds) {
  }
}

/// Returns the bodies that the busiest thread executes, one after the other, where every thread always takes a ready task: the
/// ideal in units of a body.
[[nodiscard]] int ideal_steps(const Predecessors& predecessors, int threads) {
  std::vector<int> waits_for;
  std::vector<std::vector<int>> successors(predecessors.size());
  std::deque<int> ready;
  for (int i = 0; i < std::ssize(predecessors); ++i) {
    const auto& mine = predecessors[static_cast<std::size_t>(i)];
    waits_for.push_back(static_cast<int>(mine.size()));
    for (const int p : mine) successors[static_cast<std::size_t>(p)].push_back(i);
    if (mine.empty()) ready.push_back(i);
  }
  int steps = 0;
  for (; !ready.empty(); ++steps) {
    const auto taken = std::min(ready.size(), static_cast<std::size_t>(threads));
    const std::vector<int> now(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(taken));
    ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const int task : now) {
      for (const int s : successors[static_cast<std::size_t>(task)]) {
        if (--waits_for[static_cast<std::size_t>(s)] == 0) ready.push_back(s);
      }
    }
  }
  return steps;
}

/// Seconds of an iteration, and of one body without any graph: the least of all repetitions, because other programs on the
/// machine only add to them.
struct Times {
  double body = kNever, weft = kNever, tbb = kNever, starpu = kNever;
};

/// Measures alternately in one process, so that other load affects all of them: ten iterations in a row of each, so that an
/// iteration finds in the caches what the one before has left there, and not what another runtime has.
[[nodiscard]] Times times(const Predecessors& predecessors, int threads, const std::function<void()>& body, double seconds) {
  task::Plan plan = compile(predecessors, threads, body);
  bench::TbbFlowGraph tbb(predecessors, threads, body);
  bench::StarPuGraph starpu(predecessors, threads, body);
  Team team(threads, true);
  const int tasks = static_cast<int>(predecessors.size());
  const auto least = [](double& of, const auto& f) {
    for (int i = 0; i < 10; ++i) {
      const Stopwatch watch;
      f();
      of = std::min(of, watch.seconds());
    }
  };
  Times time;
  int repetitions = 0;
  for (const Stopwatch clock; clock.seconds() < seconds || repetitions < 4; ++repetitions) {
    least(time.body, [&] {
      team.split(0, tasks, [&](std::int32_t begin, std::int32_t end) noexcept {
        for (std::int32_t i = begin; i < end; ++i) body();
      });
    });
    least(time.weft, [&] { plan.run(); });
    if (bench::kHasTbb) least(time.tbb, [&] { tbb.run(); });
    if (bench::kHasStarPu) least(time.starpu, [&] { starpu.run(); });
  }
  time.body *= static_cast<double>(threads) / tasks;
  return time;
}

void measure(const std::string& name, int tasks, int threads, double work, double seconds) {
  const std::function<void()> body = work > 0 ? std::function<void()>([work] { spin(work); }) : [] {};
  const Predecessors predecessors = shape(name, tasks);
  const Times time = times(predecessors, threads, body, seconds);
  std::printf("%-12s %6d tasks of %2.0f us, %d threads: ", name.c_str(), tasks, 1e6 * work, threads);
  if (work > 0) {  // the loss relative to the bodies alone, which spin a little longer than `work`
    const int steps = ideal_steps(predecessors, threads);
    const double ideal = time.body * steps;
    const auto print = [&](const char* what, double of) {
      std::printf("%s %+8.1f ns per task (%+.2f %%)", what, 1e9 * (of - ideal) / tasks, 100 * (of / ideal - 1));
    };
    std::printf("body alone %.1f ns, %d in a row; beyond it", 1e9 * time.body, steps);
    print(" weft", time.weft);
    if (bench::kHasTbb) print(", oneTBB", time.tbb);
    if (bench::kHasStarPu) print(", StarPU", time.starpu);
  } else {
    std::printf("weft %8.1f ns per task", 1e9 * time.weft / tasks);
    if (bench::kHasTbb) std::printf(", oneTBB flow graph %8.1f", 1e9 * time.tbb / tasks);
    if (bench::kHasStarPu) std::printf(", StarPU %8.1f", 1e9 * time.starpu / tasks);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  int tasks = 10000;
  double seconds = 1;
  bench::Arguments arguments("bench_task_overhead", "Measures the cost of tasks on the host.");
  arguments.add("--tasks", tasks, "Tasks of a graph");
  arguments.add("--seconds", seconds, "Duration of a measurement");
  if (const auto ends = arguments.parse(argc, argv, Communicator::world().is_root())) return *ends;
  for (const int threads : {1, 2}) {
    for (const char* name : {"independent", "chain", "random"}) measure(name, tasks, threads, 0, seconds);
    for (const char* name : {"independent", "random"}) measure(name, std::min(tasks, 1000), threads, 1e-5, seconds);
  }
  return 0;
}

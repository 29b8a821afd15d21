// Gain of costs: iterations of graphs with unequal tasks on several threads, with and without Graph::set_cost(). Bodies sleep, so
// that other programs on the machine hardly change the times. Printed with the least possible time: the longest path, or the sum
// of all costs divided by the threads.
//
//   bench_task_costs [--threads n] [--unit ms]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

#include "arguments.hpp"

namespace {

using namespace weft;

/// A task: its cost in units, and the tasks that it waits for.
struct Node {
  int cost;
  std::vector<int> after;
};
using Shape = std::vector<Node>;

/// Returns short tasks and a long one, which is recorded last.
[[nodiscard]] Shape long_one_last() {
  Shape shape(12, Node{1, {}});
  shape.push_back({12, {}});
  return shape;
}

/// Returns the tasks of the Cholesky factorisation of a matrix of n x n tiles: costs in thirds of b^3 operations.
[[nodiscard]] Shape cholesky(int n) {
  Shape shape;
  std::map<std::pair<int, int>, int> last;  // by tile: the task that wrote it
  const auto add = [&](int cost, std::pair<int, int> tile, const std::vector<std::pair<int, int>>& read) {
    Node node{cost, {}};
    for (const auto& of : read) {
      if (last.contains(of)) node.after.push_back(last[of]);
    }
    if (last.contains(tile)) node.after.push_back(last[tile]);
    last[tile] = static_cast<int>(shape.size());
    shape.push_back(node);
  };
  for (int k = 0; k < n; ++k) {
    add(1, {k, k}, {});
    for (int i = k + 1; i < n; ++i) add(3, {i, k}, {{k, k}});
    for (int i = k + 1; i < n; ++i) {
      for (int j = k + 1; j < i; ++j) add(6, {i, j}, {{i, k}, {j, k}});
      add(3, {i, i}, {{i, k}});
    }
  }
  return shape;
}

/// Returns tasks of 1 to 10 units, each after up to two of the eight tasks before it.
[[nodiscard]] Shape random_tasks(int tasks, unsigned seed) {
  std::mt19937 random(seed);
  Shape shape;
  for (int i = 0; i < tasks; ++i) {
    Node node{1 + static_cast<int>(random() % 10), {}};
    for (int k = static_cast<int>(random() % 3); k > 0 && i > 0; --k) {
      node.after.push_back(i - 1 - static_cast<int>(random() % static_cast<unsigned>(std::min(i, 8))));
    }
    shape.push_back(node);
  }
  return shape;
}

/// Returns the units that an iteration takes at least.
[[nodiscard]] double least_units(const Shape& shape, int threads) {
  std::vector<int> end;
  int sum = 0;
  for (const Node& node : shape) {
    int begin = 0;
    for (const int before : node.after) begin = std::max(begin, end[static_cast<std::size_t>(before)]);
    end.push_back(begin + node.cost);
    sum += node.cost;
  }
  return std::max(static_cast<double>(std::ranges::max(end)), static_cast<double>(sum) / threads);
}

/// Returns the shortest of five iterations, s.
[[nodiscard]] double seconds_of(const Shape& shape, int threads, double unit, bool with_costs) {
  task::Graph graph(Communicator::self());
  std::deque<double> numbers(shape.size());
  std::vector<task::DataId> ids;
  for (std::size_t i = 0; i < shape.size(); ++i) ids.push_back(graph.add_number("n" + std::to_string(i), numbers[i]));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::vector<task::Access> accesses{task::writes(ids[i])};
    std::vector<int> after = shape[i].after;
    std::ranges::sort(after);
    after.erase(std::ranges::unique(after).begin(), after.end());
    for (const int before : after) accesses.push_back(task::reads(ids[static_cast<std::size_t>(before)]));
    const std::string name = "t" + std::to_string(i);
    const double cost = unit * shape[i].cost;
    graph.add_task(name, accesses, [cost] { std::this_thread::sleep_for(std::chrono::duration<double>(cost)); });
    if (with_costs) graph.set_cost(name, cost);
  }
  task::Plan plan = graph.compile(threads);
  double least = 1e300;
  for (int i = 0; i < 5; ++i) {
    const Stopwatch watch;
    plan.run();
    least = std::min(least, watch.seconds());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  int threads = 2;
  double milliseconds = 1;
  bench::Arguments arguments("bench_task_costs", "Measures the gain of costs of tasks.");
  arguments.add("--threads", threads, "Threads");
  arguments.add("--unit", milliseconds, "Duration of a unit of cost in milliseconds");
  if (const auto ends = arguments.parse(argc, argv, Communicator::world().is_root())) return *ends;
  const double unit = 1e-3 * milliseconds;
  const std::vector<std::pair<std::string, Shape>> shapes{{"long one last", long_one_last()},
                                                          {"Cholesky, 6 x 6 tiles", cholesky(6)},
                                                          {"60 random tasks, 1", random_tasks(60, 1)},
                                                          {"60 random tasks, 2", random_tasks(60, 2)},
                                                          {"60 random tasks, 3", random_tasks(60, 3)}};
  std::printf("ms on %d threads:            least possible   without costs   with costs   gain\n", threads);
  for (const auto& [name, shape] : shapes) {
    const double without = seconds_of(shape, threads, unit, false), with = seconds_of(shape, threads, unit, true);
    std::printf("%-28s %10.1f %15.1f %12.1f %7.1f %%\n", name.c_str(), 1e3 * unit * least_units(shape, threads), 1e3 * without,
                1e3 * with, 100 * (without / with - 1));
    std::fflush(stdout);
  }
  return 0;
}

// Cost of tasks on a GPU. First: a chain of tasks and independent tasks of one empty kernel each, as a plan, as the same kernels
// in a stream and as a graph that is recorded by hand. Second: an iteration of a heat equation as a plan, as hand-written stream
// code and as a graph by hand; on several ranks the hand-written code starts the pull before the inner cells. Medians.
//
//   bench_task_device [--cells n]     n x n cells
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_params.hpp"
#include "weft/task/graph.hpp"

#include "arguments.hpp"
#include "gpu_timing.hpp"

namespace {

using namespace weft;
using Field = ArrayPair<double>;

struct Nothing {
  WEFT_HD void operator()(std::int32_t /*i*/) const {}
};

struct Rate {
  mesh::MeshView mesh;
  const double* t;
  double* rate;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const mesh::LocalCellId cell(first + i);
    double sum = 0;
    for (const mesh::LocalCellId neighbour : mesh.neighbours(cell)) sum += t[neighbour.index()] - t[cell.index()];
    rate[cell.index()] = sum;
  }
};
struct Advance {
  const double *rate, *dt;
  double* t;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const { t[first + i] += *dt * rate[first + i]; }
};

/// Returns the median of the seconds per iteration of plans.
[[nodiscard]] double seconds_of(task::Plan& plan, int iterations) {
  plan.run(3);
  std::vector<double> seconds;
  for (int run = 0; run < bench::kRuns; ++run) {
    const Stopwatch watch;
    plan.run(iterations);
    seconds.push_back(watch.seconds() / iterations);
  }
  return bench::times_of(std::move(seconds)).median;
}

void measure_empty(bool chain, int tasks) {
  const Communicator self = Communicator::self();
  std::vector<std::unique_ptr<HostDeviceVector<double>>> numbers;
  task::Graph g(self);
  std::vector<task::DataId> ids;
  for (int i = 0; i < tasks; ++i) {
    if (i == 0 || !chain) {
      numbers.push_back(std::make_unique<HostDeviceVector<double>>(1, Backend::cuda, "number"));
      ids.push_back(g.add_number("n" + std::to_string(i), *numbers.back()));
    }
    g.add_task("t" + std::to_string(i), {task::reads_writes(ids.back())}, task::on(task::device),
               [](Stream& stream) { parallel_for(space::cuda{}, stream, 1, Nothing{}); });
  }
  const Stopwatch watch;
  task::Plan plan = g.compile();
  const double compile = watch.seconds();
  Stream stream;
  const auto by_hand = [tasks](Stream& s) {
    for (int i = 0; i < tasks; ++i) parallel_for(space::cuda{}, s, 1, Nothing{});
  };
  weft::Graph graph = weft::Graph::capture(stream, by_hand);
  constexpr int kIterations = 50;
  const double planned = seconds_of(plan, kIterations);
  const double streamed = bench::median_host_seconds(stream, kIterations, [&] { by_hand(stream); });
  const double recorded = bench::median_host_seconds(stream, kIterations, [&] { graph.launch(stream); });
  std::printf(
      "%-12s %5d tasks: plan %7.1f ns per task, kernels in a stream %7.1f, graph by hand %7.1f; compiled in %.1f us per task\n",
      chain ? "chain" : "independent", tasks, 1e9 * planned / tasks, 1e9 * streamed / tasks, 1e9 * recorded / tasks,
      1e6 * compile / tasks);
}

void measure_heat(const Communicator& comm, int n) {
  const mesh::Mesh box = mesh::build(comm, mesh::generate(comm, mesh::BoxSpec{.nx = n, .ny = n}));
  const mesh::MeshParams params(box, Backend::cuda);
  Field t(box.plan, Layout::aos, Backend::cuda), rate(box.plan, Layout::aos, Backend::cuda);
  HostDeviceVector<double> dt(1, Backend::cuda, "dt");
  dt[0] = 0.1;
  for (const auto cell : box.owned()) t(cell, 0) = static_cast<double>(box.cell_global[cell].value() % 17);
  t.to_device(After()).wait();
  rate.to_device(After()).wait();
  dt.to_device(After()).wait();
  double* const ts = t.view<Aos, space::cuda>().data();
  double* const rates = rate.view<Aos, space::cuda>().data();
  const double* const dts = std::as_const(dt).read(Side::device).data();
  const auto compute = [&](Stream& s, std::int32_t first, std::int32_t count) {
    parallel_for(space::cuda{}, s, count, Rate{params.view(), ts, rates, first});
  };
  const auto advance = [&](Stream& s, std::int32_t first, std::int32_t count) {
    parallel_for(space::cuda{}, s, count, Advance{rates, dts, ts, first});
  };
  constexpr int kIterations = 200;
  Stream stream;
  double by_hand = 0, recorded = 0;
  {
    Exchange pull = ArrayTransformer{box.plan, {t}}.pull();
    const auto step = [&](Stream& s) {
      if (comm.size() > 1) pull.start(after(s));
      compute(s, 0, box.inner_cells);
      if (comm.size() > 1) pull.finish(s);
      compute(s, box.inner_cells, box.border().size());
      advance(s, 0, box.owned_cells);
    };
    by_hand = bench::median_host_seconds(stream, kIterations, [&] { step(stream); });
    const bool captured = comm.size() == 1 || row_of(pull.transport()).capturable;
    if (captured) {
      weft::Graph graph = weft::Graph::capture(stream, step);
      recorded = bench::median_host_seconds(stream, kIterations, [&] { graph.launch(stream); });
    }
    pull.close();
  }
  task::Graph g(comm);
  const task::DataId td = g.add_array("t", t, box.inner_cells), rd = g.add_array("rate", rate, box.inner_cells);
  const task::DataId dd = g.add_number("dt", dt);
  g.add_task("rate", {task::reads(td), task::writes(rd)}, task::on(task::device),
             [&](Stream& s, task::Rows rows) { compute(s, rows.first().value(), rows.size()); });
  g.add_task("advance", {task::reads(dd), task::reads(rd, task::Part::owned), task::reads_writes(td)}, task::on(task::device),
             [&](Stream& s, task::Rows rows) { advance(s, rows.first().value(), rows.size()); });
  task::Plan plan = g.compile();
  const double planned = seconds_of(plan, kIterations);
  plan.close();
  if (!comm.is_root()) return;
  std::printf("heat equation, %d x %d cells, %d ranks: plan %.2f us, streams by hand %.2f us (%+.2f %%)", n, n, comm.size(),
              1e6 * planned, 1e6 * by_hand, 100 * (planned / by_hand - 1));
  if (recorded > 0) std::printf(", graph by hand %.2f us (%+.2f %%)", 1e6 * recorded, 100 * (planned / recorded - 1));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  int cells = 0;
  bench::Arguments arguments("bench_task_device", "Measures the cost of tasks on a GPU.");
  arguments.add("--cells", cells, "Cells per edge of a square; 0: several", 0);
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  if (device_count() == 0) {
    std::printf("%s\n", cuda_unavailable_reason().c_str());
    return 1;
  }
  set_device(device_of(comm.split_shared_memory().rank().value()));
  std::vector<int> sizes{64, 256, 1024, 2048};
  if (cells > 0) sizes = {cells};
  if (comm.size() == 1) {
    for (const bool chain : {true, false}) {
      for (const int tasks : {10, 1000}) measure_empty(chain, tasks);
    }
  }
  for (const int n : sizes) measure_heat(comm, n);
  return 0;
}

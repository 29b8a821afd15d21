// A kernel that makes the GPU of one rank unusable ends a plan on all ranks, with the error of CUDA. A program of its own,
// because nothing can be done on the GPU afterwards. The other ranks wait for rows of that rank meanwhile: their hosts if ranks
// share a GPU; their GPUs, in CUDA graphs that contain the exchanges, if each has one and `peer` can be used.
//
//   mpirun -n 2 task_device_fault run|enqueue
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"

#include "task/ring.hpp"

namespace {

using namespace weft::task;

/// Counts the iterations, and stops the GPU in number `last`.
struct Count {
  double* count;
  double last;
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    *count += 1;
#ifdef __CUDA_ARCH__
    if (*count == last) __trap();
#endif
  }
};

/// Returns false if the exchanges of a plan could be part of a CUDA graph, but are not.
[[nodiscard]] bool exchanges_in_graph(const Plan& plan) {
  const bool can = std::ranges::all_of(plan.exchanges(), [](const weft::Exchange& exchange) {
    return exchange.transport() == weft::Transport::peer || exchange.transport() == weft::Transport::nccl;
  });
  const bool are = std::ranges::all_of(plan.schedule().repeated.nodes, [](const Node& node) { return node.graph == 0; });
  return are || !can;
}

/// Executes a thousand iterations, most of them as CUDA graphs.
void execute(Plan& plan, bool enqueues) {
  if (!enqueues) return plan.run(1000);
  weft::Stream stream;
  for (int i = 0; i < 1000; ++i) plan.enqueue(stream);
  plan.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!comm.all(weft::device_count() > 0)) {
    if (comm.is_root()) std::printf("skipped: %s\n", weft::cuda_unavailable_reason().c_str());
    return 77;
  }
  weft::set_device(weft::device_of(comm.split_shared_memory().rank().value()));
  bool right = false;
  test::Ring ring(weft::Backend::cuda);
  weft::HostDeviceVector<double> count(1, weft::Backend::cuda, "count");
  Graph g(comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v), n = g.add_number("count", count);
  const double last = comm.rank().value() == comm.size() - 1 ? 20 : -1;
  g.add_task("count", {reads_writes(n), writes(u)}, on(device), [&](weft::Stream& stream) {
    parallel_for(weft::space::cuda{}, stream, 1, Count{count.write(weft::Side::device).data(), last});
  });
  g.add_task("use", {reads(u), writes(v)}, on(device), [](weft::Stream&) {});
  Plan plan = g.compile();
  if (comm.is_root() && !plan.exchanges().empty()) std::printf("transport %s\n", to_string(plan.exchanges().front().transport()));
  if (!exchanges_in_graph(plan)) {
    if (comm.is_root()) std::printf("the exchanges are not in the graph\n");
    return 1;
  }
  try {
    execute(plan, argc > 1 && std::string_view(argv[1]) == "enqueue");
  } catch (const weft::DeviceError& error) {
    right = true;
    std::printf("rank %d: %s\n", comm.rank().value(), error.what());
  }
  bool closed = true;
  try {
    plan.close();
  } catch (const weft::DeviceError&) {
    closed = false;
  }
  if (comm.all(closed) != comm.any(closed)) {
    right = false;
    std::printf("rank %d: close() of the plan %s, but not on all ranks\n", comm.rank().value(), closed ? "returns" : "throws");
  }
  return comm.all(right) ? 0 : 1;
}

// A kernel that makes the GPU of one rank unusable ends a plan on all ranks, with the error of CUDA. A program of its own,
// because nothing can be done on the GPU afterwards. With two ranks on one GPU, rank 0 waits for rows of rank 1 meanwhile.
//
//   mpirun -n 2 task_device_fault
#include <cstdio>

#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"

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

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!comm.all(weft::device_count() > 0)) {
    if (comm.is_root()) std::printf("skipped: %s\n", weft::cuda_unavailable_reason().c_str());
    return 77;
  }
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
  try {
    plan.run(1000);
  } catch (const weft::DeviceError& error) {
    right = true;
    std::printf("rank %d: %s\n", comm.rank().value(), error.what());
  }
  right = comm.all(right);
  return right ? 0 : 1;
}

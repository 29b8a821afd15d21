// Runs a graph in a region, for a tool that reads NVTX ranges.
#include "weft/base/traced_region.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

int main(int argc, char** argv) {
  using namespace weft;
  using namespace weft::task;
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  double a = 0, b = 0;
  Graph g(comm);
  const DataId to_a = g.add_number("a", a), to_b = g.add_number("b", b);
  g.add_task("set a", {writes(to_a)}, [&] { a = 1; });
  g.add_task("set b from a", {reads(to_a), writes(to_b)}, [&] { b = a; });
  Plan plan = g.compile();
  {
    TracedRegion region("time step");
    plan.run(2);
    region.next("output");
  }
  const TracedRegion region("end");
  return b == 1 ? 0 : 1;
}

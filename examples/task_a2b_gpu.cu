// Two coupled arrays on GPUs: ComputeA writes a, ComputeA2BMain computes b in inner cells from owned rows of a, ComputeA2BGhost
// in border cells from ghost rows of a as well, and a task of the host sums b. The tasks state what they access. The printed plan
// contains what the graph inserts: the pull of a, concurrent with ComputeA2BMain, and the copy of b to the host, in the parts
// that the two tasks write, each with its reason. overlap_gpu.cu shows such an overlap by hand; task_a2b.cpp has these tasks on
// the host.
//
//   mpirun -n 2 task_a2b_gpu
#include <cstdio>

#include "weft/comm/environment.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"

#include "gpu.hpp"
#include "task_a2b.hpp"

namespace {

using namespace weft::task;
constexpr int kSweeps = 20;

/// Returns the sums of b over the ranks after each sweep, added up. @tparam Space  where the kernels are executed.
template <class Space>
double sweep(const weft::Communicator& comm, const weft::mesh::Mesh& mesh, weft::Backend backend, bool print) {
  Coupled<Space> fields(mesh, backend);
  Graph g(comm);
  const DataId a = g.add_array("a", fields.a, mesh.inner_cells), b = g.add_array("b", fields.b, mesh.inner_cells);
  const DataId sum = g.add_number("sum", fields.sum), all = g.add_number("all", fields.all);
  g.add_task("ComputeA", {reads(b, Part::owned), writes(a)}, on(device),
             [&](weft::Stream& stream, Rows rows) { fields.compute_a(stream, rows.first().value(), rows.size()); });
  g.add_task("ComputeA2BMain", {reads(a, Part::owned), writes(b, Part::inner)}, on(device),
             [&](weft::Stream& stream) { fields.compute_inner_b(stream); });
  g.add_task("ComputeA2BGhost", {reads(a), writes(b, Part::border)}, on(device),
             [&](weft::Stream& stream) { fields.compute_border_b(stream); });
  g.add_task("Sum", {reads(b, Part::owned), reduces(sum, weft::Reduce::add)}, [&] { fields.add_b(); });
  g.add_task("Add", {reads(sum), reads_writes(all)}, [&] { fields.all += fields.sum; });
  Plan plan = g.compile();
  plan.run(kSweeps);
  plan.close();
  if (print) std::printf("%s", plan.text().c_str());
  return fields.all;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  const weft::mesh::Mesh mesh = mesh_of_ranks(comm);
  const double on_host = sweep<weft::space::mirror>(comm, mesh, weft::Backend::mirror, false);
  const double on_gpu = sweep<weft::space::cuda>(comm, mesh, weft::Backend::cuda, comm.is_root());
  if (comm.is_root()) std::printf("sums %.17g and %.17g: %s\n", on_host, on_gpu, on_host == on_gpu ? "the same" : "DIFFERENT");
  return on_host == on_gpu ? 0 : 1;
}

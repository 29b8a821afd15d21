// Two coupled arrays: ComputeA writes a, ComputeA2BMain computes b in inner cells from owned rows of a, ComputeA2BGhost in border
// cells from ghost rows of a as well. The tasks state what they access. The printed plan contains what the graph inserts, with
// reasons: the pull of a, concurrent with ComputeA2BMain, and the reduction of the sum of b over the ranks. The results are
// bitwise those of a loop with an exchange that is written by hand. task_a2b_gpu.cu has these tasks on GPUs.
//
//   mpirun -n 2 task_a2b
#include "task_a2b.hpp"

#include <cstdio>

#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

namespace {

using namespace weft::task;
using Fields = Coupled<weft::space::host>;
constexpr int kSweeps = 20;

/// Sweeps over the mesh with exchanges and reductions in the body of the loop.
void sweep_by_hand(const weft::Communicator& comm, Fields& fields) {
  const weft::mesh::Mesh& mesh = fields.mesh;
  weft::Stream& stream = weft::host_stream();
  weft::Exchange pull = weft::ArrayTransformer{mesh.plan, {fields.a}}.pull();
  for (int i = 0; i < kSweeps; ++i) {
    fields.compute_a(stream, 0, mesh.owned_cells);
    pull.run();
    fields.compute_b(stream, 0, mesh.owned_cells);
    fields.sum = 0;
    fields.add_b();
    fields.all += comm.sum(fields.sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const weft::mesh::Mesh mesh = mesh_of_ranks(comm);
  Fields by_hand(mesh, weft::Backend::host), fields(mesh, weft::Backend::host);
  sweep_by_hand(comm, by_hand);

  weft::Stream& stream = weft::host_stream();
  Graph g(comm);
  const DataId a = g.add_array("a", fields.a, mesh.inner_cells), b = g.add_array("b", fields.b, mesh.inner_cells);
  const DataId sum = g.add_number("sum", fields.sum), all = g.add_number("all", fields.all);
  g.add_task("ComputeA", {reads(b, Part::owned), writes(a)},
             [&](Rows rows) { fields.compute_a(stream, rows.first().value(), rows.size()); });
  g.add_task("ComputeA2BMain", {reads(a, Part::owned), writes(b, Part::inner)}, [&] { fields.compute_inner_b(stream); });
  g.add_task("ComputeA2BGhost", {reads(a), writes(b, Part::border)}, [&] { fields.compute_border_b(stream); });
  g.add_task("Sum", {reads(b, Part::owned), reduces(sum, weft::Reduce::add)}, [&] { fields.add_b(); });
  g.add_task("Add", {reads(sum), reads_writes(all)}, [&] { fields.all += fields.sum; });
  Plan plan = g.compile(2);
  plan.run(kSweeps);

  bool same = fields.all == by_hand.all;
  for (const auto cell : mesh.owned()) same = same && fields.b(cell, 0) == by_hand.b(cell, 0);
  same = comm.all(same);
  if (comm.is_root()) std::printf("%sthe results are %s\n", plan.text().c_str(), same ? "the same to the last bit" : "DIFFERENT");
  return same ? 0 : 1;
}

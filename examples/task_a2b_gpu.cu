// Two coupled arrays on GPUs: ComputeA writes a, ComputeA2BMain computes b in inner cells from owned rows of a, ComputeA2BGhost
// in border cells from ghost rows of a as well, and a task of the host sums b. The tasks state what they access. The printed plan
// contains what the graph inserts: the pull of a, concurrent with ComputeA2BMain, and the copy of b to the host, in the parts
// that the two tasks write, each with its reason. overlap_gpu.cu does the same by hand.
//
//   mpirun -n 2 task_a2b_gpu
#include <cstdio>

#include "weft/array/array_pair.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_params.hpp"
#include "weft/task/graph.hpp"

#include "gpu.hpp"

namespace {

using namespace weft::task;
using namespace weft::mesh;
using Field = weft::ArrayPair<double>;
constexpr int kSweeps = 20;

struct ComputeA {
  const double* b;
  double* a;
  WEFT_HD void operator()(std::int32_t i) const { a[i] = 1 + b[i] / 2; }
};
/// Computes b = mean of a over a cell and its neighbours, for the cells from `first` on.
struct ComputeA2B {
  MeshView mesh;
  const double* a;
  double* b;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const LocalCellId cell(first + i);
    double sum = a[cell.index()];
    for (const LocalCellId neighbour : mesh.neighbours(cell)) sum += a[neighbour.index()];
    b[cell.index()] = sum / static_cast<double>(1 + mesh.neighbours(cell).size());
  }
};

/// Returns the sums of b over the ranks after each sweep, added up. @tparam Space  where the kernels are executed.
template <class Space>
double sweep(const weft::Communicator& comm, const Mesh& mesh, weft::Backend backend, bool print) {
  Field a(mesh.plan, weft::Layout::aos, backend), b(mesh.plan, weft::Layout::aos, backend);
  const MeshParams params(mesh, backend);
  for (const auto cell : mesh.owned()) b(cell, 0) = static_cast<double>((mesh.cell_global[cell].value() * 3) % 17);
  const auto data_of = [](auto& field) { return field.template view<weft::Aos, Space>().data(); };
  double sum = 0, all = 0;

  Graph g(comm);
  const DataId to_a = g.add_array("a", a, mesh.inner_cells), to_b = g.add_array("b", b, mesh.inner_cells);
  const DataId to_sum = g.add_number("sum", sum), to_all = g.add_number("all", all);
  g.add_task("ComputeA", {reads(to_b, Part::owned), writes(to_a)}, on(device), [&](weft::Stream& stream, Rows rows) {
    const std::int32_t first = rows.first().value();
    parallel_for(Space{}, stream, rows.size(), ComputeA{data_of(b) + first, data_of(a) + first});
  });
  g.add_task("ComputeA2BMain", {reads(to_a, Part::owned), writes(to_b, Part::inner)}, on(device), [&](weft::Stream& stream) {
    parallel_for(Space{}, stream, mesh.inner_cells, ComputeA2B{params.view(), data_of(a), data_of(b), 0});
  });
  g.add_task("ComputeA2BGhost", {reads(to_a), writes(to_b, Part::border)}, on(device), [&](weft::Stream& stream) {
    const std::int32_t border = mesh.border().size();
    parallel_for(Space{}, stream, border, ComputeA2B{params.view(), data_of(a), data_of(b), mesh.inner_cells});
  });
  g.add_task("Sum", {reads(to_b, Part::owned), reduces(to_sum, weft::Reduce::add)}, [&] {
    for (const auto cell : mesh.owned()) sum += std::as_const(b)(cell, 0);
  });
  g.add_task("Add", {reads(to_sum), reads_writes(to_all)}, [&] { all += sum; });
  Plan plan = g.compile();
  plan.run(kSweeps);
  plan.close();
  if (print) std::printf("%s", plan.text().c_str());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  const Mesh mesh = build(comm, generate(comm, BoxSpec{.nx = 96, .ny = 96, .elements = CellMix::mixed}));
  const double on_host = sweep<weft::space::mirror>(comm, mesh, weft::Backend::mirror, false);
  const double on_gpu = sweep<weft::space::cuda>(comm, mesh, weft::Backend::cuda, comm.is_root());
  if (comm.is_root()) std::printf("sums %.17g and %.17g: %s\n", on_host, on_gpu, on_host == on_gpu ? "the same" : "DIFFERENT");
  return on_host == on_gpu ? 0 : 1;
}

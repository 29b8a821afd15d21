// Task graph on GPUs: an explicit heat equation whose time step depends on the largest temperature of all cells. The tasks
// only state what they read and write; the limit is a number with a side on the GPU, so that kernels read its current value. On
// one rank an iteration is the launch of one CUDA graph. On several ones the graph inserts the exchange of the temperature,
// during which inner cells are computed, and copies of the limit for the reduction over the ranks. The result is bitwise that of
// the host.
//
//   mpirun -n 2 task_heat_gpu
#include <cstdio>
#include <limits>

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
constexpr int kSteps = 200;

struct Rate {
  MeshView mesh;
  const double* t;
  double* rate;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const LocalCellId cell(first + i);
    double sum = 0;
    for (const LocalCellId neighbour : mesh.neighbours(cell)) sum += t[neighbour.index()] - t[cell.index()];
    rate[cell.index()] = sum;
  }
};
struct Advance {
  const double *rate, *limit;
  double* t;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const { t[first + i] += 0.2 * *limit * rate[first + i]; }
};
struct Limit {
  const double* t;
  WEFT_HD double operator()(std::int32_t i) const { return 1 / (1 + t[i]); }
};
struct Smaller {
  WEFT_HD double operator()(double a, double b) const { return a < b ? a : b; }
};

/// Returns the temperature after kSteps steps, computed where Space is, and prints the plan.
template <class Space>
Field solve(const weft::Communicator& comm, const Mesh& mesh, weft::Backend backend, bool print) {
  Field temperature(mesh.plan, weft::Layout::aos, backend), rate(mesh.plan, weft::Layout::aos, backend);
  weft::HostDeviceVector<double> limit(1, backend, "limit");
  const MeshParams params(mesh, backend);
  for (const auto cell : mesh.owned()) temperature(cell, 0) = static_cast<double>((mesh.cell_global[cell].value() * 7) % 17);
  const auto data_of = [](auto& field) { return field.template view<weft::Aos, Space>().data(); };

  Graph g(comm);
  const DataId t = g.add_array("temperature", temperature, mesh.inner_cells), r = g.add_array("rate", rate, mesh.inner_cells);
  const DataId dt = g.add_number("limit", limit);
  g.add_task("measure", {reads(t, Part::owned), reduces(dt, weft::Reduce::min)}, on(device), [&](weft::Stream& stream) {
    reduce_into(Space{}, stream, mesh.owned_cells, std::numeric_limits<double>::infinity(), Limit{data_of(temperature)},
                Smaller{}, limit.write(weft::Side::device).data());
  });
  g.add_task("rate", {reads(t), writes(r)}, on(device), [&](weft::Stream& stream, Rows rows) {
    const Rate body{params.view(), data_of(temperature), data_of(rate), rows.first().value()};
    parallel_for(Space{}, stream, rows.size(), body);
  });
  g.add_task("advance", {reads(dt), reads(r, Part::owned), reads_writes(t)}, on(device), [&](weft::Stream& stream, Rows rows) {
    const double* const number = limit.read(weft::Side::device).data();
    parallel_for(Space{}, stream, rows.size(), Advance{data_of(rate), number, data_of(temperature), rows.first().value()});
  });
  Plan plan = g.compile();
  plan.run(kSteps);
  plan.close();
  temperature.to_host(weft::After(), temperature.space().owned()).wait();
  if (print) std::printf("%s", plan.text().c_str());
  return temperature;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  const Mesh mesh = build(comm, generate(comm, BoxSpec{.nx = 64, .ny = 64, .elements = CellMix::mixed}));
  const Field on_host = solve<weft::space::mirror>(comm, mesh, weft::Backend::mirror, false);
  const Field on_gpu = solve<weft::space::cuda>(comm, mesh, weft::Backend::cuda, comm.is_root());
  bool same = true;
  for (const auto cell : mesh.owned()) same = same && on_host(cell, 0) == on_gpu(cell, 0);
  same = comm.all(same);
  if (comm.is_root()) std::printf("host and GPU results are %s\n", same ? "the same to the last bit" : "DIFFERENT");
  return same ? 0 : 1;
}

// Task graph: an explicit heat equation whose time step depends on the largest temperature of all ranks. The tasks only state
// what they read and write. The graph inserts the exchange of the temperature, computes inner cells while it is in transit, and
// reduces the limit over the ranks. The result is bitwise that of the loop that does the same by hand, without overlap.
//
//   mpirun -n 2 task_graph
#include <algorithm>
#include <cstdio>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/task/graph.hpp"

namespace {

using namespace weft::task;
using Field = weft::ArrayPair<double>;
constexpr int kSteps = 20;

/// Temperature, its rate of change and the conductivity of a step, which depends on the temperature.
struct Heat {
  const weft::mesh::Mesh& mesh;
  Field temperature{mesh.plan}, rate{mesh.plan};
  double limit = 0;

  explicit Heat(const weft::mesh::Mesh& of) : mesh(of) {
    for (const auto cell : mesh.owned()) temperature(cell, 0) = static_cast<double>((mesh.cell_global[cell].value() * 7) % 17);
  }
  void measure() {
    for (const auto cell : mesh.owned()) limit = std::min(limit, 1 / (1 + std::as_const(temperature)(cell, 0)));
  }
  void compute_rate(weft::mesh::CellRange cells) {
    const Field& t = temperature;
    for (const auto cell : cells) {
      double sum = 0;
      for (const auto neighbour : mesh.cell_cells.row(cell)) sum += t(neighbour, 0) - t(cell, 0);
      rate(cell, 0) = sum;
    }
  }
  void advance(weft::mesh::CellRange cells) {
    for (const auto cell : cells) temperature(cell, 0) += 0.2 * limit * std::as_const(rate)(cell, 0);
  }
};

[[nodiscard]] weft::mesh::CellRange cells(Rows rows) {
  return {weft::mesh::LocalCellId(rows.first().value()), weft::mesh::LocalCellId(rows.last().value())};
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const weft::mesh::BoxSpec box{.nx = 64, .ny = 64, .elements = weft::mesh::CellMix::mixed};
  const weft::mesh::Mesh mesh = weft::mesh::build(comm, weft::mesh::generate(comm, box));

  Heat by_hand(mesh);
  weft::Exchange pull = weft::ArrayTransformer{mesh.plan, {by_hand.temperature}}.pull();
  for (int i = 0; i < kSteps; ++i) {
    by_hand.limit = 1;
    by_hand.measure();
    by_hand.limit = comm.min(by_hand.limit);
    pull.run();
    by_hand.compute_rate(mesh.owned());
    by_hand.advance(mesh.owned());
  }

  Heat heat(mesh);
  Graph g(comm);
  const DataId t = g.add_array("temperature", heat.temperature, mesh.inner_cells);
  const DataId r = g.add_array("rate", heat.rate, mesh.inner_cells);
  const DataId dt = g.add_number("limit", heat.limit);
  g.add_task("measure", {reads(t, Part::owned), reduces(dt, weft::Reduce::min)}, [&] { heat.measure(); });
  g.add_task("rate", {reads(t), writes(r)}, [&](Rows rows) { heat.compute_rate(cells(rows)); });
  g.add_task("advance", {reads(dt), reads(r, Part::owned), reads_writes(t)}, [&](Rows rows) { heat.advance(cells(rows)); });
  Plan plan = g.compile();
  plan.run(kSteps);

  bool same = heat.limit == by_hand.limit;
  for (const auto cell : mesh.owned()) same = same && heat.temperature(cell, 0) == by_hand.temperature(cell, 0);
  same = comm.all(same);
  if (comm.is_root()) std::printf("%sthe results are %s\n", plan.text().c_str(), same ? "the same to the last bit" : "DIFFERENT");
  return same ? 0 : 1;
}

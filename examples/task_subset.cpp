// Named subset: a plate whose cells at one side are held at a temperature that swings in time. One task sets these cells, another
// advances all others; they have no rows in common, so that the graph may execute both at the same time.
//
//   mpirun -n 2 task_subset
#include <cmath>
#include <cstdio>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/task/graph.hpp"

namespace {

using namespace weft::task;
using weft::mesh::LocalCellId;
constexpr int kSteps = 40;
constexpr double kTimeStep = 0.2;

/// Temperature of a plate, whose cells at xmin are heated.
struct Plate {
  const weft::mesh::Mesh& mesh;
  std::vector<weft::LocalRow> heated;  ///< ascending
  std::vector<bool> is_heated;
  weft::ArrayPair<double> temperature{mesh.plan}, rate{mesh.plan};
  double time = 0;

  explicit Plate(const weft::mesh::Mesh& of) : mesh(of), is_heated(mesh.owned_cells, false) {
    for (const auto& zone : mesh.boundary) {
      if (zone.name != "xmin") continue;
      for (const auto face : zone.faces) is_heated[mesh.face_left[face].index()] = true;
    }
    for (const auto cell : mesh.owned()) {
      temperature(cell, 0) = 1;
      if (is_heated[cell.index()]) heated.emplace_back(cell.value());
    }
  }
  void heat() {
    for (const weft::LocalRow row : heated) temperature(row, 0) = 1 + std::sin(time);
  }
  void compute_rate(Rows rows) {
    for (const weft::LocalRow row : rows) {
      double sum = 0;
      for (const auto neighbour : mesh.cell_cells.row(LocalCellId(row.value())))
        sum += std::as_const(temperature)(neighbour, 0) - std::as_const(temperature)(row, 0);
      rate(row, 0) = sum;
    }
  }
  void advance() {
    for (const auto cell : mesh.owned()) {
      if (!is_heated[cell.index()]) temperature(cell, 0) += kTimeStep * std::as_const(rate)(cell, 0);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const weft::mesh::BoxSpec box{.nx = 64, .ny = 64};
  const weft::mesh::Mesh mesh = weft::mesh::build(comm, weft::mesh::generate(comm, box));

  Plate by_hand(mesh);
  weft::Exchange pull = weft::ArrayTransformer{mesh.plan, {by_hand.temperature}}.pull();
  for (int step = 0; step < kSteps; ++step) {
    pull.run();
    by_hand.compute_rate({weft::LocalRow(0), weft::LocalRow(mesh.owned_cells)});
    by_hand.time += kTimeStep;
    by_hand.heat();
    by_hand.advance();
  }

  Plate plate(mesh);
  Graph g(comm);
  const DataId t = g.add_array("temperature", plate.temperature, mesh.inner_cells);
  const DataId r = g.add_array("rate", plate.rate, mesh.inner_cells), time = g.add_number("time", plate.time);
  const SubsetId heated = g.add_subset(t, "heated", plate.heated);
  g.add_task("rate", {reads(t), writes(r)}, [&](Rows rows) { plate.compute_rate(rows); });
  g.add_task("clock", {reads_writes(time)}, [&] { plate.time += kTimeStep; });
  g.add_task("heat", {reads(time), writes(t, heated)}, [&] { plate.heat(); });
  g.add_task("advance", {reads(r, Part::owned), reads_writes(t, without(Part::owned, heated))}, [&] { plate.advance(); });
  Plan plan = g.compile(2);
  plan.run(kSteps);

  bool same = true;
  for (const auto cell : mesh.owned()) same = same && plate.temperature(cell, 0) == by_hand.temperature(cell, 0);
  same = comm.all(same);
  if (comm.is_root()) std::printf("%sthe results are %s\n", plan.text().c_str(), same ? "the same to the last bit" : "DIFFERENT");
  return same ? 0 : 1;
}

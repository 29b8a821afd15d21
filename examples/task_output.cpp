// Asynchronous output: an explicit heat equation whose temperature is written in every tenth step. The task that writes states
// what it reads; the graph copies these rows, and a thread of its own writes the copy while the steps go on. Each rank writes its
// rows at their place in one file per output.
//
//   mpirun -n 2 task_output [FOLDER]
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "weft/array/array_pair.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/task/graph.hpp"

using namespace weft::task;

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const std::string ranks = std::to_string(comm.size());
  const std::string folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / ("weft_output_" + ranks);
  const weft::mesh::BoxSpec box{.nx = 64, .ny = 64, .elements = weft::mesh::CellMix::mixed};
  const weft::mesh::Mesh mesh = weft::mesh::build(comm, weft::mesh::generate(comm, box));
  weft::ArrayPair<double> temperature(mesh.plan), rate(mesh.plan);
  for (const auto cell : mesh.owned()) temperature(cell, 0) = static_cast<double>((mesh.cell_global[cell].value() * 7) % 17);
  const std::int64_t first_row = comm.exclusive_sum(std::int64_t{mesh.owned_cells});

  constexpr int kSteps = 50, kEvery = 10;
  const auto name = [&](std::int64_t step) { return folder + "/temperature_" + std::to_string(step) + ".bin"; };
  if (comm.is_root()) {  // the ranks write into files that exist
    std::filesystem::create_directories(folder);
    for (int step = kEvery; step <= kSteps; step += kEvery) std::ofstream(name(step), std::ios::binary);
  }
  comm.barrier();

  Graph g(comm);
  const DataId t = g.add_array("temperature", temperature, mesh.inner_cells), r = g.add_array("rate", rate, mesh.inner_cells);
  g.add_task("write", {reads(t, Part::owned)}, io_every(kEvery), [&](const Snapshot& snapshot) {
    std::fstream file(name(snapshot.iteration()), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(first_row * std::int64_t{sizeof(double)});
    const std::span<const double> entries = snapshot.entries<double>(t);
    file.write(reinterpret_cast<const char*>(entries.data()), static_cast<std::streamsize>(entries.size_bytes()));
    if (!file) throw weft::IoError("an output cannot be written", "check the folder and the disk", {.file = folder});
  });
  g.add_task("rate", {reads(t), writes(r)}, [&](Rows rows) {
    for (const weft::LocalRow row : rows) {
      double sum = 0;
      for (const auto neighbour : mesh.cell_cells.row(weft::mesh::LocalCellId(row.value()))) {
        sum += std::as_const(temperature)(neighbour, 0) - std::as_const(temperature)(row, 0);
      }
      rate(row, 0) = sum;
    }
  });
  g.add_task("step", {reads(r, Part::owned), reads_writes(t)}, [&](Rows rows) {
    for (const weft::LocalRow row : rows) temperature(row, 0) += 0.1 * std::as_const(rate)(row, 0);
  });
  Plan plan = g.compile();
  if (comm.is_root()) std::printf("%s", plan.text().c_str());
  plan.run(kSteps);
  comm.barrier();

  bool right = true;
  if (comm.is_root()) {
    for (int step = kEvery; step <= kSteps; step += kEvery) {
      right = right && std::filesystem::file_size(name(step)) == mesh.global_cells * sizeof(double);
      std::filesystem::remove(name(step));
    }
    std::printf("%d outputs of %lld cells: %s\n", kSteps / kEvery, static_cast<long long>(mesh.global_cells),
                right ? "complete" : "incomplete");
  }
  return comm.all(right) ? 0 : 1;
}

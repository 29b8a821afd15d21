// Start-up: generate a box and build its mesh (face pairing, METIS, redistribution, order, ghosts, geometry). Prints seconds of
// the slowest rank, microseconds per cell and rank, and the peak memory over all ranks per cell.
//
//   mpirun -n 2 bench_mesh_build [--n cells per side] [--elements hexahedra|tetrahedra|prisms|pyramids] [--ghosts face|node]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate.hpp"
#include "weft/mesh/mesh.hpp"

namespace {

using namespace weft;

/// Highest resident memory of this process so far, from Linux.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024.0 * std::atof(line.c_str() + 6);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  mesh::BoxSpec box{.nx = 100, .ny = 100, .nz = 100, .elements = mesh::CellMix::hexahedra};
  mesh::BuildOptions options;
  std::string elements = "hexahedra";
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--n") == 0) box.nx = box.ny = box.nz = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--elements") == 0) elements = argv[i + 1];
    if (std::strcmp(argv[i], "--ghosts") == 0 && std::strcmp(argv[i + 1], "node") == 0) options.ghosts = mesh::Neighbours::node;
  }
  if (elements == "tetrahedra") box.elements = mesh::CellMix::tetrahedra;
  if (elements == "prisms") box.elements = mesh::CellMix::prisms;
  if (elements == "pyramids") box.elements = mesh::CellMix::pyramids;

  const double before = comm.sum(peak_bytes());
  const Stopwatch generating;
  mesh::MeshBlock block = mesh::generate(comm, box);
  const double generated = comm.max(generating.seconds());
  const Stopwatch building;
  const mesh::Mesh built = mesh::build(comm, std::move(block), options);
  const double seconds = comm.max(building.seconds());
  const auto cells = static_cast<double>(built.global_cells);
  const double memory = comm.sum(peak_bytes()) - before;
  const auto ghosts = comm.sum(static_cast<std::int64_t>(built.ghost_cells));
  if (comm.is_root()) {
    std::printf(
        "%s %lld cells, %d ranks: generate %.2f s, build %.2f s (%.2f us per cell and rank), peak %.0f B per cell, %lld ghosts\n",
        elements.c_str(), static_cast<long long>(built.global_cells), comm.size(), generated, seconds,
        1e6 * seconds * comm.size() / cells, memory / cells, static_cast<long long>(ghosts));
  }
  return 0;
}

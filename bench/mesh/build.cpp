// Start-up: generate a box and build its mesh (face pairing, METIS, redistribution, order, ghosts, geometry). Prints seconds of
// the slowest rank, microseconds per cell and rank, and the peak memory over all ranks per cell.
//
//   mpirun -n 2 bench_mesh_build [--n cells per side] [--elements hexahedra|tetrahedra|prisms|pyramids] [--ghosts face|node]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate.hpp"
#include "weft/mesh/mesh.hpp"

namespace {

using namespace weft;

/// Processor time of this process so far.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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
  std::string elements = "hexahedra", json;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--n") == 0) box.nx = box.ny = box.nz = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--elements") == 0) elements = argv[i + 1];
    if (std::strcmp(argv[i], "--json") == 0) json = argv[i + 1];
    if (std::strcmp(argv[i], "--ghosts") == 0 && std::strcmp(argv[i + 1], "node") == 0) options.ghosts = mesh::Neighbours::node;
  }
  if (elements == "tetrahedra") box.elements = mesh::CellMix::tetrahedra;
  if (elements == "prisms") box.elements = mesh::CellMix::prisms;
  if (elements == "pyramids") box.elements = mesh::CellMix::pyramids;

  const double before = comm.sum(peak_bytes());
  const Stopwatch generating;
  mesh::MeshBlock block = mesh::generate(comm, box);
  const double generated = comm.max(generating.seconds());
  const double used_before = processor_seconds();
  const Stopwatch building;
  const mesh::Mesh built = mesh::build(comm, std::move(block), options);
  const double seconds = comm.max(building.seconds()), used = comm.sum(processor_seconds() - used_before);
  const auto cells = static_cast<double>(built.global_cells);
  const double bytes = (comm.sum(peak_bytes()) - before) / cells;
  const std::int64_t ghosts = comm.sum(std::int64_t{built.ghost_cells});
  if (!comm.is_root()) return 0;
  std::printf("%s, %.0f cells, %d ranks, %lld ghosts\n", elements.c_str(), cells, comm.size(), static_cast<long long>(ghosts));
  std::printf("generate %.2f s, build %.2f s; processor %.2f s, %.2f us per cell; peak %.0f B per cell\n", generated, seconds,
              used, 1e6 * used / cells, bytes);
  if (json.empty()) return 0;
  std::FILE* const file = std::fopen(json.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", json.c_str());
    return 1;
  }
  std::fprintf(file,
               "{\"benchmark\": \"mesh/build\", \"ranks\": %d, \"elements\": \"%s\", \"cells\": %.0f, \"ghosts\": %lld, "
               "\"generate_s\": %.4f, \"build_s\": %.4f, \"processor_s\": %.4f, \"peak_bytes_per_cell\": %.1f}\n",
               comm.size(), elements.c_str(), cells, static_cast<long long>(ghosts), generated, seconds, used, bytes);
  std::fclose(file);
  return 0;
}

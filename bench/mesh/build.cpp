// Start-up: read a box from Weft's own mesh file, which is made first where it is missing (or generate it, without a file), and
// build its mesh. For each step it prints the seconds of the slowest rank, the processor time of all ranks and the memory that
// they hold at most together, per cell.
//
//   mpirun -n 2 bench_mesh_build [--file box.h5] [--n cells per side] [--elements hexahedra|tetrahedra|prisms|pyramids]
//                                [--ghosts face|node] [--partitioner metis|scotch|hilbert] [--json FILE]
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/read_mesh.hpp"
#include "weft/mesh/write_mesh.hpp"

namespace {

using namespace weft;

/// Processor time of this process so far.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Highest resident memory of this process since it was last asked, from Linux, which takes 5 for forgetting it.
double peak_bytes() {
  double peak = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak = 1024.0 * std::atof(line.c_str() + 6);
  }
  std::ofstream("/proc/self/clear_refs") << 5;
  return peak;
}

struct Step {
  std::string name;
  double seconds = 0, processor = 0, bytes = 0;
};

/// Cuts time into steps: each ends where the next one begins.
class Steps {
 public:
  void begin(std::string_view name) {
    end();
    now_.name = name;
    open_ = true;
  }
  std::vector<Step> finish(const Communicator& comm) {
    end();
    for (Step& step : all_) {
      step.seconds = comm.max(step.seconds);
      step.processor = comm.sum(step.processor);
      step.bytes = comm.sum(step.bytes);
    }
    return all_;
  }

 private:
  void end() {
    const double processor = processor_seconds(), bytes = peak_bytes();
    if (open_) all_.push_back({now_.name, watch_.seconds(), processor - processor_, bytes});
    processor_ = processor;
    watch_ = Stopwatch();
    open_ = false;
  }
  std::vector<Step> all_;
  Step now_;
  Stopwatch watch_;
  double processor_ = 0;
  bool open_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  mesh::BoxSpec box{.nx = 100, .ny = 100, .nz = 100, .elements = mesh::CellMix::hexahedra};
  mesh::BuildOptions options;
  std::string elements = "hexahedra", json, file;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--n") == 0) box.nx = box.ny = box.nz = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--elements") == 0) elements = argv[i + 1];
    if (std::strcmp(argv[i], "--json") == 0) json = argv[i + 1];
    if (std::strcmp(argv[i], "--file") == 0) file = argv[i + 1];
    if (std::strcmp(argv[i], "--partitioner") == 0) options.partition.partitioner = mesh::partitioner_named(argv[i + 1]);
    if (std::strcmp(argv[i], "--ghosts") == 0 && std::strcmp(argv[i + 1], "node") == 0) options.ghosts = mesh::Neighbours::node;
  }
  if (elements == "tetrahedra") box.elements = mesh::CellMix::tetrahedra;
  if (elements == "prisms") box.elements = mesh::CellMix::prisms;
  if (elements == "pyramids") box.elements = mesh::CellMix::pyramids;

  if (!file.empty() && !std::filesystem::exists(file)) {
    mesh::write_mesh(comm, mesh::generate(comm, box), file, mesh::MeshFormat::weft);
    malloc_trim(0);
  }
  comm.barrier();

  static_cast<void>(peak_bytes());
  const double before = comm.sum(peak_bytes());
  Steps steps;
  const Stopwatch whole;
  steps.begin(file.empty() ? "generate" : "read");
  mesh::MeshBlock block = file.empty() ? mesh::generate(comm, box) : mesh::read_mesh(comm, file);
  options.step = [&](std::string_view name) { steps.begin(name); };
  const mesh::Mesh built = mesh::build(comm, std::move(block), options);
  const std::vector<Step> parts = steps.finish(comm);
  const double seconds = comm.max(whole.seconds());
  const auto cells = static_cast<double>(built.global_cells);
  const std::int64_t ghosts = comm.sum(std::int64_t{built.ghost_cells});
  const std::int64_t most = comm.max(std::int64_t{built.owned_cells});
  if (!comm.is_root()) return 0;

  std::printf("%s, %.0f cells, %d ranks, %lld ghosts, imbalance %.2f %%\n", elements.c_str(), cells, comm.size(),
              static_cast<long long>(ghosts), 100 * (static_cast<double>(most) * comm.size() / cells - 1));
  std::printf("%-34s %10s %12s %16s\n", "step", "seconds", "processor s", "peak B per cell");
  double processor = 0, peak = 0;
  for (const Step& step : parts) {
    std::printf("%-34s %10.2f %12.2f %16.0f\n", step.name.c_str(), step.seconds, step.processor, (step.bytes - before) / cells);
    processor += step.processor;
    peak = std::max(peak, (step.bytes - before) / cells);
  }
  std::printf("%-34s %10.2f %12.2f %16.0f\n", "all", seconds, processor, peak);
  if (json.empty()) return 0;
  std::FILE* const out = std::fopen(json.c_str(), "w");
  if (out == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", json.c_str());
    return 1;
  }
  std::fprintf(out,
               "{\"benchmark\": \"mesh/build\", \"ranks\": %d, \"elements\": \"%s\", \"cells\": %.0f, \"ghosts\": %lld, "
               "\"seconds\": %.4f, \"processor_s\": %.4f, \"peak_bytes_per_cell\": %.1f, \"steps\": [",
               comm.size(), elements.c_str(), cells, static_cast<long long>(ghosts), seconds, processor, peak);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::fprintf(out, "%s{\"step\": \"%s\", \"seconds\": %.4f, \"processor_s\": %.4f, \"peak_bytes_per_cell\": %.1f}",
                 i == 0 ? "" : ", ", parts[i].name.c_str(), parts[i].seconds, parts[i].processor,
                 (parts[i].bytes - before) / cells);
  }
  std::fprintf(out, "]}\n");
  std::fclose(out);
  return 0;
}

// Start-up: reads a box from a mesh file, which is created if it is missing (or generates it without a file), builds its mesh and
// optionally the data that a solver needs before its first step. Prints for each step the time of the slowest rank, the processor
// time of all ranks, the part of it that only the first thread of a rank has (its time beyond the mean of the other threads; most
// of all ranks), the maximum memory of all ranks together per cell, and the maximum memory of one rank.
//
//   mpirun -n 2 bench_mesh_build [--file box.h5 (Weft's own) or box.msh (binary Gmsh 4.1)] [--n cells per side] [--elements
//   hexahedra|tetrahedra|prisms|pyramids]
//                                [--ghosts face|node] [--partitioner metis|scotch|hilbert] [--solver none|host|tiles|cuda]
//                                [--threads of each rank] [--json FILE]
//
// --solver host and cuda create a Solver there, with its initial state; tiles creates the host data of a GPU solver without a
// GPU: discretization and tiles as for an H200 in double precision.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/base/malloc_retention.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/flow/app/initial.hpp"
#include "weft/flow/cuda/tiles.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"
#include "weft/mesh/mesh.hpp"

#include "arguments.hpp"

namespace {

using namespace weft;

/// Processor time, s.
struct Processor {
  double process = 0, thread = 0;  ///< that of all threads of this process, and that of the calling thread
  static Processor now() {
    timespec thread{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &thread);
    return {static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
            static_cast<double>(thread.tv_sec) + 1e-9 * static_cast<double>(thread.tv_nsec)};
  }
};

/// Returns the peak resident memory of this process since the last call, from Linux, which resets it on request.
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
  double seconds = 0, processor = 0, one_thread = 0, bytes = 0, most_bytes = 0;
};

/// Divides time into steps; each ends when the next one starts.
class Steps {
 public:
  explicit Steps(int threads) : threads_(threads) {}
  void begin(std::string_view name) {
    end();
    now_.name = name;
    open_ = true;
  }
  /// Pauses the measurement until the next step starts.
  void end() {
    const Processor processor = Processor::now();
    const double bytes = peak_bytes(), process = processor.process - processor_.process,
                 first = processor.thread - processor_.thread,
                 one_thread = threads_ == 1 ? first : std::max(0.0, first - (process - first) / (threads_ - 1));
    if (open_) all_.push_back({now_.name, watch_.seconds(), process, one_thread, bytes});
    processor_ = processor;
    seconds_ = whole_.seconds();
    watch_ = Stopwatch();
    open_ = false;
  }
  /// Returns the time from the start to the end of the last step.
  [[nodiscard]] double seconds() const { return seconds_; }
  std::vector<Step> finish(const Communicator& comm) {
    for (Step& step : all_) {
      step.seconds = comm.max(step.seconds);
      step.processor = comm.sum(step.processor);
      step.one_thread = comm.max(step.one_thread);
      step.most_bytes = comm.max(step.bytes);
      step.bytes = comm.sum(step.bytes);
    }
    return all_;
  }

 private:
  std::vector<Step> all_;
  Step now_;
  Stopwatch whole_, watch_;
  int threads_;
  Processor processor_;
  double seconds_ = 0;
  bool open_ = false;
};

/// Shared memory of an H200's multiprocessor, its limit per block, and the shared memory of a block with the double-precision
/// tile kernels for least-squares gradients, the larger of the two kinds.
constexpr int kPerMultiprocessor = 233'472, kPerBlock = 232'448;
int bytes_of_block(const flow::detail::TileSize& most) {
  const int sides = 10 * flow::detail::kFaceBlock * flow::detail::face_blocks(most.faces);
  return 1024 + 8 * (5 * most.rows + sides + 6 * most.cells) + 4 * flow::detail::round_up_to_unit(most.cells + 1 + most.entries);
}

void make_solver(const mesh::Mesh& mesh, const std::string& kind, int threads, Steps& steps) {
  const flow::IdealGas gas;
  flow::BoundaryConditions walls(mesh.boundary.size());
  if (kind == "tiles") {
    steps.begin("discretization");
    const flow::Scheme scheme(mesh, {.gas = gas, .boundary = walls, .threads = threads});
    steps.begin("tiles");
    Team team(threads);
    const flow::detail::Tiles tiles =
        flow::detail::fit_tiles(mesh, scheme.discretization(), bytes_of_block, kPerMultiprocessor, kPerBlock, team);
    steps.end();
  } else if (kind == "host" || kind == "cuda") {
    steps.begin(kind == "cuda" ? "solver on the GPU" : "solver");
    if (kind == "cuda") set_device(device_of(mesh.comm.split_shared_memory().rank().value()));
    flow::Solver solver(
        mesh, {.gas = gas, .boundary = walls, .backend = kind == "cuda" ? Backend::cuda : Backend::host, .threads = threads});
    steps.begin("initial state");
    const flow::InitialState start({.kind = flow::InitialKind::uniform, .gas = gas, .state = {1, {1, 0, 0}, 1}});
    solver.initialise_by_threads([&] { return start.independent(); });
    steps.end();
  }
}

/// Writes the table as one line of JSON. Returns the exit code.
int write_json(const std::string& json, int ranks, const std::string& elements, double cells, std::int64_t ghosts, double seconds,
               const Step& all, const std::vector<Step>& parts) {
  std::FILE* const out = std::fopen(json.c_str(), "w");
  if (out == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", json.c_str());
    return 1;
  }
  std::fprintf(out,
               "{\"benchmark\": \"mesh/build\", \"ranks\": %d, \"elements\": \"%s\", \"cells\": %.0f, \"ghosts\": %lld, "
               "\"seconds\": %.4f, \"processor_s\": %.4f, \"one_thread_s\": %.4f, \"peak_bytes_per_cell\": %.1f, "
               "\"most_bytes_of_a_rank\": %.0f, \"steps\": [",
               ranks, elements.c_str(), cells, static_cast<long long>(ghosts), seconds, all.processor, all.one_thread, all.bytes,
               all.most_bytes);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::fprintf(out,
                 "%s{\"step\": \"%s\", \"seconds\": %.4f, \"processor_s\": %.4f, \"one_thread_s\": %.4f, "
                 "\"peak_bytes_per_cell\": %.1f, \"most_bytes_of_a_rank\": %.0f}",
                 i == 0 ? "" : ", ", parts[i].name.c_str(), parts[i].seconds, parts[i].processor, parts[i].one_thread,
                 parts[i].bytes, parts[i].most_bytes);
  }
  std::fprintf(out, "]}\n");
  std::fclose(out);
  return 0;
}

/// The arguments of the program.
struct Options {
  std::int64_t n = 100;  ///< cells per side
  int threads = 1;
  std::string elements = "hexahedra", json, file, solver = "none", partitioner, ghosts = "face";
};

void declare(bench::Arguments& arguments, Options& options) {
  options.partitioner = name_of(mesh::BuildOptions().partition.partitioner);
  const auto partitioners = names<mesh::Partitioner>();
  arguments.add("--file", options.file, "Mesh file, which is created if it is missing");
  arguments.add("--n", options.n, "Cells per side of the box");
  arguments.add("--elements", options.elements, "Cells of the box", {"hexahedra", "tetrahedra", "prisms", "pyramids"});
  arguments.add("--ghosts", options.ghosts, "Neighbours that are ghosts", {"face", "node"});
  arguments.add("--partitioner", options.partitioner, "Partitioner", {partitioners.begin(), partitioners.end()});
  arguments.add("--solver", options.solver, "Data of a solver to create", {"none", "host", "tiles", "cuda"});
  arguments.add("--threads", options.threads, "Threads of a rank");
  arguments.add("--json", options.json, "Also write the results to this file");
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  mesh::BoxSpec box{.nx = 100, .ny = 100, .nz = 100, .elements = mesh::CellMix::hexahedra};
  mesh::BuildOptions options;
  Options chosen;
  bench::Arguments arguments("bench_mesh_build", "Measures reading or generating a box, and building its mesh.");
  declare(arguments, chosen);
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  const auto& [n, threads, elements, json, file, solver, partitioner, ghost_cells] = chosen;
  box.nx = box.ny = box.nz = n;
  options.threads = threads;
  options.partition.partitioner = kind_named<mesh::Partitioner>(partitioner);
  if (ghost_cells == "node") options.stencil = mesh::Neighbours::node;
  if (elements == "tetrahedra") box.elements = mesh::CellMix::tetrahedra;
  if (elements == "prisms") box.elements = mesh::CellMix::prisms;
  if (elements == "pyramids") box.elements = mesh::CellMix::pyramids;
  if (!file.empty() && !std::filesystem::exists(file)) {
    Team team(options.threads);
    mesh::write_mesh(comm, mesh::generate(comm, box, team), file,
                     file.ends_with(".msh") ? mesh::MeshFormat::gmsh41_binary : mesh::MeshFormat::weft);
    malloc_trim(0);
  }
  comm.barrier();

  static_cast<void>(peak_bytes());
  const RetainFreedMemory kept;
  const double at_rest = peak_bytes(), before = comm.sum(at_rest), most_before = comm.max(at_rest);
  Steps steps(options.threads);
  steps.begin(file.empty() ? "generate" : "read");
  Team team(options.threads);
  mesh::MeshBlock block = file.empty() ? mesh::generate(comm, box, team) : mesh::read_mesh(comm, file, team);
  options.step = [&](std::string_view name) { steps.begin(name); };
  const mesh::Mesh built = mesh::build(comm, std::move(block), options);
  steps.end();
  make_solver(built, solver, options.threads, steps);
  const double seconds = comm.max(steps.seconds());
  std::vector<Step> parts = steps.finish(comm);
  const auto cells = static_cast<double>(built.global_cells);
  const std::int64_t ghosts = comm.sum(std::int64_t{built.ghost_cells});
  const std::int64_t most_cells = comm.max(std::int64_t{built.owned_cells});
  if (!comm.is_root()) return 0;

  std::printf("%s, %.0f cells, %d ranks, %lld ghosts, imbalance %.2f %%\n", elements.c_str(), cells, comm.size(),
              static_cast<long long>(ghosts), 100 * (static_cast<double>(most_cells) * comm.size() / cells - 1));
  std::printf("%-34s %10s %12s %13s %16s %16s\n", "step", "seconds", "processor s", "one thread s", "peak B per cell",
              "one rank, GB");
  Step all{.name = "all", .seconds = seconds};
  const auto line = [](const Step& step) {
    std::printf("%-34s %10.2f %12.2f %13.2f %16.0f %16.2f\n", step.name.c_str(), step.seconds, step.processor, step.one_thread,
                step.bytes, step.most_bytes / 1e9);
  };
  for (Step& step : parts) {
    step.bytes = (step.bytes - before) / cells;
    step.most_bytes -= most_before;
    line(step);
    all.processor += step.processor;
    all.one_thread += step.one_thread;
    all.bytes = std::max(all.bytes, step.bytes);
    all.most_bytes = std::max(all.most_bytes, step.most_bytes);
  }
  line(all);
  return json.empty() ? 0 : write_json(json, comm.size(), elements, cells, ghosts, seconds, all, parts);
}

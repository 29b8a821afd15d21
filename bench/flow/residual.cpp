// Cell-residuals per second of the Euler residual, compared with the machine's copy bandwidth.
//
//   mpirun -n 2 bench_flow_residual
//       [cells [host|cuda [elements|all|FILE [fp64|mixed|fp32 [threads of a rank
//           [both|least_squares|green_gauss [hilbert|rcm|as_read [FLUX [stabilized|plain]]]]]]]]]
//
// Runs in a periodic box of about this number of cells; or on the mesh of a file whose name is not that of an element type, with
// slip walls as boundaries, independent of `cells`. One line per element type and gradient: a full residual (ghost exchange,
// gradients, limiter, fluxes) and a full Runge-Kutta step divided by its three residuals; the seconds that the slowest rank took
// to generate or read and to build the mesh, and to create the solver. Bytes per cell and residual are the compulsory traffic of
// two passes (each input once), as in docs/performance.md. Prints a table, and the same as JSON on the last line. The exit code
// is 1 if there is an error, 2 if arguments are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/host/host_stepper.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/mesh.hpp"

#include "arguments.hpp"
#include "periodic_box.hpp"

namespace {

using namespace weft;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the bytes per second that all ranks together read and write in a[i] = b[i], with arrays of 64 MB per rank.
double copy_bandwidth(const Communicator& comm) {
  constexpr std::size_t kSize = std::size_t{8} << 20;
  std::vector<double> from(kSize, 1.0), to(kSize, 0.0), seconds;
  for (int i = 0; i < 9; ++i) {
    comm.barrier();
    const Stopwatch watch;
    std::copy(from.begin(), from.end(), to.begin());
    seconds.push_back(comm.max(watch.seconds()));
    from[static_cast<std::size_t>(i)] += to[kSize / 2];
  }
  return 2.0 * sizeof(double) * static_cast<double>(kSize) * comm.size() / median(seconds);
}

constexpr int kStepsAhead = 10;

struct Row {
  std::string elements, gradient;
  std::int64_t cells = 0;
  double residual_rate = 0, step_rate = 0, bytes = 0;
  double solver_seconds = 0;
};

/// Returns the bytes per cell: values, gradients and residuals once per pass, geometry and topology once; see
/// docs/performance.md.
double compulsory_bytes(const mesh::Mesh& m, flow::Precision precision) {
  const double faces = static_cast<double>(m.faces()) / m.owned_cells;
  const double per_cell_faces = static_cast<double>(m.cell_faces.entries().size()) / m.owned_cells;
  const double real = precision == flow::Precision::fp64 ? 8 : 4, state = precision == flow::Precision::fp32 ? 4 : 8;
  const double values = 5 * real, gradients = 5.0 * m.dim * real, centroid = 3 * real, volume = 8;
  const double matrix = m.dim * (m.dim + 1) / 2.0 * real;
  const double gradient_pass = values + centroid + volume + matrix + gradients + per_cell_faces * (3 * 4) + faces * 3 * real;
  const double flux_pass = values + gradients + centroid + faces * (2 * 4 + 7 * real) + 2 * values;
  const double update = 3 * 5 * state + volume;
  return gradient_pass + flux_pass + update;
}

struct BoxElements {
  const char* name;
  int dim;
};
constexpr std::array<BoxElements, 4> kBoxes{{{"quads", 2}, {"triangles", 2}, {"hexahedra", 3}, {"tetrahedra", 3}}};

/// Returns the longest side of the box around a mesh; 1 for the generated ones.
double extent(const mesh::Mesh& m) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<double, 6> reach{kNone, kNone, kNone, kNone, kNone, kNone};
  for (const Vec3& x : m.node_coord) {
    const std::array<double, 6> here{x.x, x.y, x.z, -x.x, -x.y, -x.z};
    for (std::size_t k = 0; k < 6; ++k) reach[k] = std::max(reach[k], here[k]);
  }
  m.comm.max(std::span<double>(reach));
  return std::max({reach[0] + reach[3], reach[1] + reach[4], reach[2] + reach[5]});
}

Row measure(const mesh::Mesh& m, const std::string& elements, const flow::Numerics& numerics, Backend backend, int threads) {
  const Communicator& comm = m.comm;
  // Walls may have any shape: the flow is slower, so that it stays physical from the start.
  const double length = m.boundary.empty() ? 1 : extent(m), speed = m.boundary.empty() ? 1 : 0.2;
  const Stopwatch making;
  const flow::BoundaryConditions walls(m.boundary.size());
  flow::Solver solver(m, {.boundary = walls, .numerics = numerics, .backend = backend, .threads = threads});
  solver.initialise([length, speed](Vec3 x) {
    const double wave = std::sin(6.28318530717958648 * ((x.x + x.y + x.z) / length));
    return flow::Primitive{1 + 0.2 * speed * wave, speed * Vec3{1, 0.5, 0}, 1};
  });
  const double solver_seconds = comm.max(making.seconds());
  solver.step(1.0);
  std::vector<double> residual, step;
  const int repeats = std::max(backend == Backend::host ? 3 : 7, static_cast<int>(4'000'000 / m.global_cells));
  for (int i = 0; i < repeats; ++i) {
    if (backend == Backend::host) {
      comm.barrier();
      const Stopwatch evaluation;
      auto& stepper = static_cast<flow::HostStepper&>(solver.stepper());
      stepper.evaluate(solver.time());
      residual.push_back(comm.max(evaluation.seconds()));
      std::ranges::fill(stepper.residual().residual().storage(), 0.0);
    }
    // As in a run: several steps at a time if that costs less than single ones.
    const int steps = solver.works_ahead() ? kStepsAhead : 1;
    comm.barrier();
    const Stopwatch stepping;
    solver.start_steps({.count = steps, .until = 1e9});
    (void)solver.finish_steps();
    step.push_back(comm.max(stepping.seconds()) / steps);
  }
  const auto all = static_cast<double>(m.global_cells);
  return {elements,
          numerics.gradient == flow::GradientKind::green_gauss ? "green_gauss" : "least_squares",
          m.global_cells,
          residual.empty() ? 0 : all / median(residual),
          3 * all / median(step),
          comm.max(compulsory_bytes(m, numerics.precision)),
          solver_seconds};
}

/// The arguments of the program.
struct Options {
  std::int64_t cells = 300'000;
  int threads = 1;
  std::string where = "host", elements = "all", numbers = "fp64", gradient = "both", order = "hilbert", flux = "hllc_hlle",
              simplices = "stabilized";
};

void declare(bench::Arguments& arguments, Options& options) {
  const auto fluxes = names<flow::FluxKind>();
  arguments.add("cells", options.cells, "Cells of generated meshes, about", 0);
  arguments.add("where", options.where, "Where to compute", {"host", "cuda"});
  arguments.add("elements", options.elements, "Element type of generated meshes, all, or a mesh file");
  arguments.add("precision", options.numbers, "Precision", {"fp64", "mixed", "fp32"});
  arguments.add("threads", options.threads, "Threads of a rank");
  arguments.add("gradient", options.gradient, "Gradients", {"both", "least_squares", "green_gauss"});
  arguments.add("order", options.order, "Order of the cells", {"hilbert", "rcm", "as_read"});
  arguments.add("flux", options.flux, "Flux", {fluxes.begin(), fluxes.end()});
  arguments.add("simplices", options.simplices, "Triangles and tetrahedra", {"stabilized", "plain"});
}

int tabulate(const Communicator& comm, int argc, char** argv) {
  Options options;
  bench::Arguments arguments("bench_flow_residual", "Measures cell-residuals per second of the Euler residual.");
  declare(arguments, options);
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  const auto& [cells, threads, where, elements_or_file, numbers, wanted, order_name, flux_name, simplices] = options;
  const Backend backend = where == "cuda" ? Backend::cuda : Backend::host;
  const std::string only = elements_or_file == "all" ? "" : elements_or_file;
  const flow::Precision precision = numbers == "mixed"  ? flow::Precision::mixed
                                    : numbers == "fp32" ? flow::Precision::fp32
                                                        : flow::Precision::fp64;
  const auto order = bench::cell_ordering(order_name);
  const flow::FluxKind flux = kind_named<flow::FluxKind>(flux_name, {});
  if (backend == Backend::cuda) set_device(device_of(comm.split_shared_memory().rank().value()));
  const double bandwidth =
      backend == Backend::cuda ? comm.size() * measure_bandwidth(current_device()).copy : copy_bandwidth(comm);
  if (comm.is_root()) {
    fmt::print("{} rank(s), {} thread(s) each, {}, copy {:.1f} GB/s, {}, AoS, {} + Barth-Jespersen, {}\n", comm.size(), threads,
               __VERSION__, bandwidth * 1e-9, numbers, name_of(flux), simplices);
    fmt::print("{:14}{:>15}{:>10}{:>22}{:>22}{:>12}{:>16}{:>10}{:>12}\n", "elements", "gradient", "cells", "residual only [M/s]",
               "in RK3 step [M/s]", "bytes/cell", "of copy rate", "mesh [s]", "solver [s]");
  }
  std::string json;
  const auto run = [&](const std::string& elements, const auto& make_mesh) {
    const Stopwatch building;
    const mesh::Mesh m = make_mesh();
    const double mesh_seconds = comm.max(building.seconds());
    for (const auto gradient : {flow::GradientKind::least_squares, flow::GradientKind::green_gauss}) {
      if (wanted == (gradient == flow::GradientKind::green_gauss ? "least_squares" : "green_gauss")) continue;
      flow::Numerics numerics{.flux = flux, .gradient = gradient, .precision = precision};
      numerics.stabilize_simplices = simplices == "stabilized";
      const Row r = measure(m, elements, numerics, backend, threads);
      if (!comm.is_root()) continue;
      fmt::print("{:14}{:>15}{:>10}{:>22.2f}{:>22.2f}{:>12.0f}{:>15.0f}%{:>10.2f}{:>12.2f}\n", r.elements, r.gradient, r.cells,
                 r.residual_rate * 1e-6, r.step_rate * 1e-6, r.bytes, 100 * r.step_rate * r.bytes / bandwidth, mesh_seconds,
                 r.solver_seconds);
      json += fmt::format(
          R"({}{{"elements":{:?},"gradient":"{}","cells":{},"residuals_per_s":{:.4g},"in_step_per_s":{:.4g},"bytes":{:.0f},"mesh_s":{:.4g},"solver_s":{:.4g}}})",
          json.empty() ? "" : ",", r.elements, r.gradient, r.cells, r.residual_rate, r.step_rate, r.bytes, mesh_seconds,
          r.solver_seconds);
    }
  };
  bool generated = false;
  for (const BoxElements& box : kBoxes) {
    if (!only.empty() && only != box.name) continue;
    generated = true;
    run(box.name, [&] { return bench::periodic_box(comm, box.name, box.dim, cells, *order); });
  }
  if (!generated) {
    flow::MeshChoice choice;
    choice.file = only;
    choice.build.order = *order;
    run(choice.file.filename().string(), [&] { return flow::load_mesh(comm, choice); });
  }
  if (comm.is_root()) {
    fmt::print(R"({{"bench":"flow/residual","ranks":{},"threads":{},"precision":"{}","copy_bytes_per_s":{:.4g},"rows":[{}]}})",
               comm.size(), threads, numbers, bandwidth, json);
    fmt::print("\n");
  }
  return 0;
}

/// Prints an error. If every rank fails they agree on one error, which rank 0 prints; a rank that fails alone prints its error
/// and ends the others.
int fail(const Communicator& comm, const std::exception& error) {
  const bool together = MpiEnvironment::all_ranks_arrive(3);
  if (!together || comm.is_root()) fmt::print(stderr, "bench_flow_residual: error: {}\n", error.what());
  if (!together) MpiEnvironment::abort_job(1);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  try {
    return tabulate(comm, argc, argv);
  } catch (const std::exception& error) {
    return fail(comm, error);
  }
}

// Overlap of an exchange with computation on GPUs: ranks with a GPU each, rows in two parts (inner and border), and an exchange
// that takes about 30 % of a step where nothing overlaps. Prints the times of a step and the share of communication that the task
// graph hides, for each transport.
//
//   mpirun -n 2 bench_task_overlap_device [--rows n] [--border n] [--repetitions k] [--trace overlap.json] [--json FILE]
//   weft trace summary overlap.peer.json
//
// --trace writes, for each transport, iterations of the graph whose nodes are launched one by one, with the rows of the streams:
// by these, the summary has the share that is hidden. It says what is under way at the same time; the share by the clock contains
// also what computation and exchange delay each other. --json writes the figures of all transports.
//
// A step changes the border rows and sends them to the next rank (border rows of 64 bytes: the size of the messages), computes
// the inner rows, which need no ghost rows, and then the border rows. The operations per inner row are chosen by measurement, so
// that communication has its share.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"

#include "arguments.hpp"
#include "task/overlap.hpp"

namespace {

using namespace weft;
constexpr int kWidth = 8;
using Field = ArrayPair<double, kWidth>;

/// Computes a row of v from one of u and one of its neighbours, by a number of dependent operations.
struct Compute {
  const double* u;
  double* v;
  std::int32_t first, other, operations;
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int64_t row = first + i / kWidth, k = i % kWidth;
    double x = u[row * kWidth + k] + 1e-3 * u[(other + i / kWidth) * kWidth + k];
    for (int n = 0; n < operations; ++n) x = x * 0.999999 + 1e-6;
    v[row * kWidth + k] = x;
  }
};
struct Change {
  double* u;
  const double* v;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int64_t at = std::int64_t{first} * kWidth + i;
    u[at] = 0.5 * (u[at] + v[at]);
  }
};

struct Options {
  int rows = 1000000, border = 100000, repetitions = 7, iterations = 20;
  std::string trace, json;
};

enum class Order { computation_only, exchange_first, as_graph };

/// The arrays of a rank: inner rows, border rows, and ghost rows that are copies of the next rank's border rows.
class Program {
 public:
  Program(const Communicator& comm, const Options& options)
      : comm_(comm),
        options_(options),
        ghosts_(plan_of(comm, options)),
        u_(ghosts_, Layout::aos, Backend::cuda),
        v_(GhostPlan::build(comm, options.rows, std::span<const GlobalRow>()), Layout::aos, Backend::cuda) {
    u_.to_device(After()).wait();
    v_.to_device(After()).wait();
    us_ = u_.template view<Aos, space::cuda>().data();
    vs_ = v_.template view<Aos, space::cuda>().data();
  }

  /// @param operations  per value of an inner row.
  [[nodiscard]] task::Plan compile(Order order, int operations, Transport transport) {
    const std::int32_t inner = options_.rows - options_.border, border = options_.border;
    task::Graph g(comm_);
    const task::DataId u = g.add_array("u", u_, inner), v = g.add_array("v", v_, inner);
    g.add_task("change", {task::reads(v, task::Part::border), task::reads_writes(u, task::Part::border)}, task::on(task::device),
               [=, this](Stream& s) {
                 parallel_for(space::cuda{}, s, border * kWidth, Change{us_, vs_, inner});
               });
    const task::Part ghosts = order == Order::exchange_first ? task::Part::inner | task::Part::ghost : task::Part::inner;
    const std::vector<task::Access> of_inner{task::reads(u, ghosts), task::writes(v, task::Part::inner)};
    g.add_task("inner", of_inner, task::on(task::device), [=, this](Stream& s) {
      parallel_for(space::cuda{}, s, inner * kWidth, Compute{us_, vs_, 0, 0, operations});
    });
    const task::Part rows = order == Order::computation_only ? task::Part::border : task::Part::border | task::Part::ghost;
    const std::vector<task::Access> of_border{task::reads(u, rows), task::writes(v, task::Part::border)};
    const std::int32_t other = order == Order::computation_only ? inner : options_.rows;  // border or ghost rows
    g.add_task("border", of_border, task::on(task::device), [=, this](Stream& s) {
      parallel_for(space::cuda{}, s, border * kWidth, Compute{us_, vs_, inner, other, 1});
    });
    return g.compile(1, task::Check::none, transport);
  }

  /// Returns the seconds of a step of a plan, on the slowest rank: the median of some runs.
  [[nodiscard]] double seconds_of(task::Plan plan) {
    std::vector<double> times;
    for (int i = 0; i < options_.repetitions; ++i) {
      plan.run(3);
      comm_.barrier();
      const Stopwatch watch;
      plan.run(options_.iterations);
      times.push_back(comm_.max(watch.seconds()) / options_.iterations);
    }
    plan.close();
    return bench::median_of(times);
  }

  /// Measures a transport and returns the figures as JSON.
  [[nodiscard]] std::string measure(Transport transport) {
    const double idle = seconds_of(compile(Order::computation_only, 1, transport));
    const double exchange = seconds_of(compile(Order::exchange_first, 1, transport)) - idle;
    const double wanted = exchange * (1 - bench::kShareOfExchange) / bench::kShareOfExchange;
    int operations = 64;
    for (int i = 0; i < 4; ++i) {  // the time is not quite proportional to the operations
      const double seconds = seconds_of(compile(Order::computation_only, operations, transport));
      operations = std::clamp(static_cast<int>(operations * wanted / seconds), 1, 1 << 20);
    }
    const double computed = seconds_of(compile(Order::computation_only, operations, transport));
    task::Plan of_computation = compile(Order::computation_only, operations, transport),
               unhidden = compile(Order::exchange_first, operations, transport),
               graph = compile(Order::as_graph, operations, transport);
    const double inner = computed * (options_.rows - options_.border) / options_.rows;  // the step reads and writes all rows
    const bench::Overlap overlap =
        bench::measure_overlap(comm_, {of_computation, unhidden, graph}, inner, options_.repetitions, options_.iterations);
    const std::string name = std::string(to_string(transport)) + " (" + std::to_string(operations) + " operations per value)";
    bench::print_overlap(comm_, name.c_str(), overlap);
    if (!options_.trace.empty()) write_trace(graph, to_string(transport));
    for (task::Plan* const plan : {&of_computation, &unhidden, &graph}) plan->close();
    return bench::overlap_json(to_string(transport), options_.rows, options_.border, operations, overlap);
  }

 private:
  /// Writes a trace of a plan to a file with the name of the transport before the ending, and prints its summary.
  void write_trace(task::Plan& plan, const std::string& transport) const {
    task::Trace trace(task::Trace::Streams::shown);
    plan.run(options_.iterations, &trace);
    const std::filesystem::path given(options_.trace);
    const std::string path =
        std::filesystem::path(given).replace_extension("." + transport + given.extension().string()).string();
    trace.write(comm_, path);
    const std::string text = trace.summary(comm_);
    if (comm_.is_root())
      std::printf("%s: trace in %s, in which nodes are launched one by one:\n%s", transport.c_str(), path.c_str(), text.c_str());
  }

  [[nodiscard]] static GhostPlan plan_of(const Communicator& comm, const Options& options) {
    std::vector<GlobalRow> wanted;
    const std::int64_t next = (comm.rank().value() + 1) % comm.size();
    for (int i = 0; i < options.border; ++i) wanted.emplace_back((next + 1) * options.rows - options.border + i);
    return GhostPlan::build(comm, options.rows, wanted);
  }

  const Communicator& comm_;
  Options options_;
  GhostPlan ghosts_;
  Field u_, v_;
  double *us_ = nullptr, *vs_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  Options options;
  bench::Arguments arguments("bench_task_overlap_device", "Measures the overlap of an exchange with computation on GPUs.");
  arguments.add("--rows", options.rows, "Rows of a rank", 2);
  arguments.add("--border", options.border, "Rows that are sent, at most half of them");
  arguments.add("--repetitions", options.repetitions, "Measurements of each graph");
  arguments.add("--trace", options.trace, "File for a trace of the graph, with the name of the transport before its ending");
  arguments.add("--json", options.json, "File for the figures");
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  options.border = std::min(options.border, options.rows / 2);
  if (comm.max(device_count() == 0 ? 1 : 0) > 0) {
    if (comm.is_root()) std::printf("nothing to measure: %s\n", cuda_unavailable_reason().c_str());
    return 0;
  }
  set_device(device_of(comm.split_shared_memory().rank().value()));
  if (comm.is_root()) {
    std::printf("%s, %d ranks, %d rows of %zu bytes, %d of them sent\n", cuda_info().devices.front().name.c_str(), comm.size(),
                options.rows, kWidth * sizeof(double), options.border);
  }
  std::string figures;
  for (const Transport transport : {Transport::peer, Transport::staged}) {
    try {
      figures += (figures.empty() ? "" : ",\n ") + Program(comm, options).measure(transport);
    } catch (const Error& error) {  // on every rank: this transport cannot be used here
      if (comm.is_root()) std::printf("%s: %s\n", to_string(transport), error.what());
    }
  }
  if (!options.json.empty() && comm.is_root()) {
    std::ofstream file(options.json);
    file << "[" << figures << "]\n";
    if (!file.flush()) {
      std::fprintf(stderr, "bench_task_overlap_device: error: cannot write %s\n", options.json.c_str());
      return 1;
    }
  }
  return 0;
}

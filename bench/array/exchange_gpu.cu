// Ghost exchange between the GPUs of a ring of ranks: time of one pull of indexed rows of 5 doubles, for one or several
// arrays and every usable transport, launched from the host and replayed by a graph.
//
//   mpirun -n 2 bench_array_exchange_gpu [--arrays n] [--transport name] [--json file] [--seconds s]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/graph.hpp"

#include "arguments.hpp"
#include "ring.hpp"

namespace {

using namespace weft;
using bench::kWidth;

struct Result {
  Transport transport;
  bool graph;
  int rows;
  double median_us, best_us;
};

/// Returns the median over samples of the time per exchange, on the slowest rank.
template <class Exchanges>
Result measure(const Communicator& comm, Stream& stream, double seconds, int each, const Exchanges& exchanges) {
  std::vector<double> times;
  const Stopwatch total;
  bool more = true;
  while (more) {
    for (int i = 0; i < 5; ++i) {
      stream.wait();
      comm.barrier();
      const Event begin = stream.record_timed();
      exchanges();
      const Event end = stream.record_timed();
      end.wait();
      times.push_back(end.seconds_since(begin) / each);
    }
    more = comm.broadcast(total.seconds() < seconds || times.size() < 20);
  }
  comm.max(std::span<double>(times));
  std::sort(times.begin(), times.end());
  return {.transport = {}, .graph = false, .rows = 0, .median_us = 1e6 * times[times.size() / 2], .best_us = 1e6 * times.front()};
}

struct Options {
  std::string json;
  std::string only;  ///< name of a transport; empty: all
  double seconds = 0.3;
  int arrays = 1;
};

/// Declares the options.
void declare(bench::Arguments& arguments, Options& options) {
  arguments.add("--arrays", options.arrays, "Arrays of an exchange");
  arguments.add("--transport", options.only, "Measure this transport only", {"peer", "nccl", "staged"});
  arguments.add("--json", options.json, "Also write the results to this file");
  arguments.add("--seconds", options.seconds, "Duration of a measurement");
}

/// Measures one transport without and with a graph, prints the results on the root and appends them.
void measure_transport(const Communicator& comm, const Options& options, int rows, Exchange& pull, Transport transport,
                       std::vector<Result>& results) {
  constexpr int kEach = 50;
  Stream stream;
  const auto exchange = [&](Stream& s) {
    for (int i = 0; i < kEach; ++i) {
      pull.start(after(s));
      pull.finish(s);
    }
  };
  exchange(stream);
  stream.wait();
  for (const bool in_graph : {false, true}) {
    if (in_graph && !row_of(transport).capturable) continue;
    Graph graph;
    if (in_graph) graph = Graph::capture(stream, exchange);
    Result r = measure(comm, stream, options.seconds, kEach, [&] { in_graph ? graph.launch(stream) : exchange(stream); });
    r.transport = transport;
    r.graph = in_graph;
    r.rows = rows;
    results.push_back(r);
    const double bytes = 8.0 * kWidth * options.arrays * rows * (comm.size() == 1 ? 0 : comm.size() == 2 ? 1 : 2);
    if (comm.is_root()) {
      std::printf("%5d  %-10s  %-10s  %6d  %14d  %10.2f  %9.2f  %14.2f\n", comm.size(), to_string(transport),
                  in_graph ? "yes" : "no", options.arrays, rows, r.median_us, r.best_us, bytes / r.median_us * 1e-3);
    }
  }
}

/// Writes the results as JSON; returns whether the file could be opened.
[[nodiscard]] bool write_json(const Communicator& comm, const Options& options, const std::vector<Result>& results) {
  std::FILE* const file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", options.json.c_str());
    return false;
  }
  std::fprintf(file,
               "{\"benchmark\": \"array/exchange_gpu\", \"ranks\": %d, \"arrays\": %d, \"doubles_per_row\": %d, \"results\": [\n",
               comm.size(), options.arrays, kWidth);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& r = results[i];
    std::fprintf(file, "  {\"transport\": \"%s\", \"graph\": %s, \"rows\": %d, \"median_us\": %.3f, \"best_us\": %.3f}%s\n",
                 to_string(r.transport), r.graph ? "true" : "false", r.rows, r.median_us, r.best_us,
                 i + 1 < results.size() ? "," : "");
  }
  std::fprintf(file, "]}\n");
  std::fclose(file);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  Options options;
  bench::Arguments arguments("bench_array_exchange_gpu", "Measures ghost exchange between the GPUs of a ring of ranks.");
  declare(arguments, options);
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  if (comm.min(device_count()) == 0) {
    if (comm.is_root()) std::printf("skipped: %s\n", cuda_unavailable_reason().c_str());
    return 0;
  }
  set_device(device_of(comm.rank().value()));
  std::vector<Result> results;
  if (comm.is_root()) {
    std::printf("ranks  transport   in a graph  arrays  rows/neighbour   median us    best us   GB/s received\n");
  }
  for (const int rows : {200, 2000, 20000, 200000, 1048576}) {
    const GhostPlan plan = bench::ring_plan(comm, "random", rows);
    std::vector<ArrayPair<double, kWidth>> pairs;
    for (int i = 0; i < options.arrays; ++i) {
      ArrayPair<double, kWidth>& q = pairs.emplace_back(plan, Layout::aos, Backend::cuda);
      q.to_device(After()).wait();
      (void)q.view<Aos, space::cuda>();  // makes the host side stale, so that exchanges run on the device only
    }
    for (const Transport transport : {Transport::peer, Transport::nccl, Transport::staged}) {
      if (!options.only.empty() && options.only != to_string(transport)) continue;
      std::unique_ptr<Exchange> pull;
      try {
        pull = std::make_unique<Exchange>(ArrayTransformer(plan, {pairs.begin(), pairs.end()}, transport).pull());
      } catch (const InputError&) {
        continue;
      }
      measure_transport(comm, options, rows, *pull, transport, results);
    }
  }
  return comm.is_root() && !options.json.empty() && !write_json(comm, options, results) ? 1 : 0;
}

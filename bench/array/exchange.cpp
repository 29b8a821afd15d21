// Ghost exchange between neighbouring ranks on a ring: median time of one pull, begin and end together, over row counts, access
// patterns and numbers of arrays. 5 doubles per row.
//
//   mpirun -n 2 bench_array_exchange [--json file] [--seconds s]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

#include "ring.hpp"

namespace {

using namespace weft;
using bench::kWidth;

struct Result {
  std::string pattern;
  int rows = 0, arrays = 0, repetitions = 0;
  double median_us = 0, best_us = 0;
};

Result measure(const Communicator& comm, const std::string& pattern, int rows, int arrays, double seconds) {
  const GhostPlan plan = bench::ring_plan(comm, pattern, rows);
  std::vector<std::unique_ptr<ArrayPair<double, kWidth>>> pairs;
  std::vector<PairRef> attached;
  for (int a = 0; a < arrays; ++a) {
    pairs.push_back(std::make_unique<ArrayPair<double, kWidth>>(plan));
    for (double& x : pairs.back()->storage()) x = a;
    attached.emplace_back(*pairs.back());
  }
  Exchange pull = ArrayTransformer(plan, attached).pull();
  pull.run();
  std::vector<double> times;
  const Stopwatch total;
  bool more = true;
  while (more) {
    // Few collectives between the samples, so that ranks stay in step without being measured waiting.
    for (int i = 0; i < 10; ++i) {
      comm.barrier();
      const Stopwatch one;
      pull.start(after(host_stream()));
      pull.finish(host_stream());
      times.push_back(one.seconds());
    }
    more = comm.broadcast(total.seconds() < seconds || times.size() < 50);
  }
  comm.max(std::span<double>(times));
  std::sort(times.begin(), times.end());
  return {.pattern = pattern,
          .rows = rows,
          .arrays = arrays,
          .repetitions = static_cast<int>(times.size()),
          .median_us = 1e6 * times[times.size() / 2],
          .best_us = 1e6 * times.front()};
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const Communicator comm = Communicator::world();
  std::string json;
  double seconds = 0.5;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--json") == 0) json = argv[i + 1];
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::stod(argv[i + 1]);
  }
  std::vector<Result> results;
  if (comm.is_root()) std::printf("ranks  arrays  pattern     rows/neighbour   median us   best us   GB/s received\n");
  for (const int arrays : {1, 4}) {
    for (const char* pattern : {"contiguous", "strided", "random"}) {
      for (const int rows : {100, 10000, 100000}) {
        results.push_back(measure(comm, pattern, rows, arrays, seconds));
        const Result& r = results.back();
        const int neighbours = comm.size() == 1 ? 0 : (comm.size() == 2 ? 1 : 2);
        const double bytes = 8.0 * kWidth * r.rows * r.arrays * neighbours;
        if (comm.is_root()) {
          std::printf("%5d  %6d  %-10s  %14d  %10.2f  %8.2f  %14.2f\n", comm.size(), r.arrays, pattern, r.rows, r.median_us,
                      r.best_us, bytes / r.median_us * 1e-3);
        }
      }
    }
  }
  if (comm.is_root() && !json.empty()) {
    std::FILE* const file = std::fopen(json.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "cannot write %s\n", json.c_str());
      return 1;
    }
    std::fprintf(file, "{\"benchmark\": \"array/exchange\", \"ranks\": %d, \"doubles_per_row\": %d, \"results\": [\n",
                 comm.size(), kWidth);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Result& r = results[i];
      std::fprintf(file,
                   "  {\"pattern\": \"%s\", \"rows\": %d, \"arrays\": %d, \"repetitions\": %d, \"median_us\": %.3f, \"best_us\": "
                   "%.3f}%s\n",
                   r.pattern.c_str(), r.rows, r.arrays, r.repetitions, r.median_us, r.best_us, i + 1 < results.size() ? "," : "");
    }
    std::fprintf(file, "]}\n");
    std::fclose(file);
  }
  return 0;
}

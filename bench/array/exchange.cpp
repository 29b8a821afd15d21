// Ghost exchange between neighbouring ranks on a ring: median time of one pull, start and finish, for different numbers of
// rows, access patterns and numbers of arrays, with 5 doubles per row. Compares Weft's default, Weft with MPI only, and
// PetscSF of PETSc if the build has it; interleaved, so that all run under the same conditions.
//
//   mpirun -n 2 bench_array_exchange [--json file] [--seconds s]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

#include "arguments.hpp"
#include "petsc_sf.hpp"
#include "ring.hpp"

namespace {

using namespace weft;
using bench::kWidth;

constexpr int kWays = bench::kHasPetsc ? 3 : 2;
constexpr const char* kWayNames[] = {"weft", "weft_host", "petsc_sf"};

struct Result {
  std::string pattern;
  int rows = 0, arrays = 0, repetitions = 0;
  double median_us[3] = {};
};

Result measure(const Communicator& comm, const std::string& pattern, int rows, int arrays, double seconds) {
  const GhostPlan plan = bench::ring_plan(comm, pattern, rows);
  std::vector<std::unique_ptr<ArrayPair<double, kWidth>>> pairs;
  std::vector<PairRef> attached;
  std::vector<double*> memory;
  for (int a = 0; a < arrays; ++a) {
    pairs.push_back(std::make_unique<ArrayPair<double, kWidth>>(plan));
    attached.emplace_back(*pairs.back());
    memory.push_back(pairs.back()->storage().data());
  }
  Exchange automatic = ArrayTransformer(plan, attached).pull();
  Exchange by_mpi = ArrayTransformer(plan, attached, Transport::host).pull();
  bench::PetscPull petsc(plan, memory, kWidth);
  const auto run = [&](int way) {
    if (way == 2) {
      petsc.run();
    } else {
      Exchange& pull = way == 0 ? automatic : by_mpi;
      pull.start(after(host_stream()));
      pull.finish(host_stream());
    }
  };
  // Each exchange yields correct rows.
  for (int way = 0; way < kWays; ++way) {
    for (int a = 0; a < arrays; ++a) {
      for (std::int32_t i = 0; i < plan.rows(); ++i) {
        const auto g = static_cast<double>(plan.global(LocalRow(i)).value());
        for (int k = 0; k < kWidth; ++k) (*pairs[static_cast<std::size_t>(a)])(i, k) = i < plan.owned_rows() ? g + a + way : -1;
      }
    }
    run(way);
    for (int a = 0; a < arrays; ++a) {
      for (std::int32_t i = 0; i < plan.rows(); ++i) {
        const auto g = static_cast<double>(plan.global(LocalRow(i)).value());
        for (int k = 0; k < kWidth; ++k) {
          if ((*pairs[static_cast<std::size_t>(a)])(i, k) != g + a + way) {
            std::fprintf(stderr, "%s brought a wrong row\n", kWayNames[way]);
            MpiEnvironment::abort_job(1);
          }
        }
      }
    }
  }

  std::vector<double> times[3];
  const Stopwatch total;
  bool more = true;
  while (more) {
    // Few collectives between the samples, so that ranks remain synchronised and waiting is not measured.
    for (int way = 0; way < kWays; ++way) {
      for (int i = 0; i < 10; ++i) {
        comm.barrier();
        const Stopwatch one;
        run(way);
        times[way].push_back(one.seconds());
      }
    }
    more = comm.broadcast(total.seconds() < seconds || times[0].size() < 50);
  }
  Result result{.pattern = pattern, .rows = rows, .arrays = arrays, .repetitions = static_cast<int>(times[0].size())};
  for (int way = 0; way < kWays; ++way) {
    comm.max(std::span<double>(times[way]));
    std::sort(times[way].begin(), times[way].end());
    result.median_us[way] = 1e6 * times[way][times[way].size() / 2];
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  const bench::PetscSession session;
  const Communicator comm = Communicator::world();
  std::string json;
  double seconds = 0.5;
  bench::Arguments arguments("bench_array_exchange", "Measures ghost exchange between the ranks of a ring.");
  arguments.add("--json", json, "Also write the results to this file");
  arguments.add("--seconds", seconds, "Duration of a measurement");
  if (const auto ends = arguments.parse(argc, argv, comm.is_root())) return *ends;
  std::vector<Result> results;
  if (comm.is_root()) {
    if (!bench::kHasPetsc) std::printf("This build has no PETSc (Debian: petsc-dev); Weft alone is measured.\n");
    std::printf("%d ranks; median microseconds\n", comm.size());
    std::printf("arrays  pattern     rows/neighbour       weft   weft, MPI   PetscSF   weft/PetscSF   GB/s received\n");
  }
  for (const int arrays : {1, 4}) {
    for (const char* pattern : {"contiguous", "strided", "random"}) {
      for (const int rows : {100, 10000, 100000}) {
        results.push_back(measure(comm, pattern, rows, arrays, seconds));
        const Result& r = results.back();
        const int neighbours = comm.size() == 1 ? 0 : (comm.size() == 2 ? 1 : 2);
        const double bytes = 8.0 * kWidth * r.rows * r.arrays * neighbours;
        if (!comm.is_root()) continue;
        std::printf("%6d  %-10s  %14d  %9.2f   %9.2f  ", r.arrays, pattern, r.rows, r.median_us[0], r.median_us[1]);
        if (bench::kHasPetsc) {
          std::printf("%8.2f   %12.2f", r.median_us[2], r.median_us[0] / r.median_us[2]);
        } else {
          std::printf("%8s   %12s", "-", "-");
        }
        std::printf("   %13.2f\n", bytes / r.median_us[0] * 1e-3);
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
      std::fprintf(file, "  {\"pattern\": \"%s\", \"rows\": %d, \"arrays\": %d, \"repetitions\": %d", r.pattern.c_str(), r.rows,
                   r.arrays, r.repetitions);
      for (int way = 0; way < kWays; ++way) std::fprintf(file, ", \"%s_us\": %.3f", kWayNames[way], r.median_us[way]);
      std::fprintf(file, "}%s\n", i + 1 < results.size() ? "," : "");
    }
    std::fprintf(file, "]}\n");
    std::fclose(file);
  }
  return 0;
}

// Measures the primitives of the kernels module on one GPU by both providers, compared with a copy on the device. It is run by
// `weft bench kernels`, which prints the table:
//
//   bench_kernels_primitives [--only NAME,...] [--quick] [--tiles]     measures; --tiles: other tile sizes of the sort, too
//   bench_kernels_primitives --machine                                 describes the GPU and measures nothing
//
// Prints one line of JSON for the GPU and one for each row; times in seconds, by GPU events.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"

#include "kernel_space.hpp"
#include "measure.hpp"

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

void print_line(const Json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

Json to_json(const Times& times) { return {{"median", times.median}, {"least", times.least}, {"largest", times.largest}}; }

Json describe(const weft::CudaInfo& cuda, const weft::DeviceInfo& gpu) {
  return {{"gpu", gpu.name},
          {"compute", std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
          {"cuda", cuda.runtime},
          {"driver", cuda.driver},
          {"l2_bytes", gpu.l2_bytes}};
}

/// Returns the words of "a,b".
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

int run(int argc, char** argv) {
  Settings settings;
  bool quick = false, only_machine = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      quick = true;
    } else if (word == "--tiles") {
      settings.tiles = true;
    } else if (word == "--machine") {
      only_machine = true;
    } else if (word == "--only" && i + 1 < argc) {
      settings.only = words_of(argv[++i]);
    } else {
      std::fprintf(stderr, "weft: error: %s: unknown option; run weft bench kernels, which runs this program\n", argv[i]);
      return 2;
    }
  }
  if (quick) settings.runs = weft::app::kQuickRuns;
  const weft::CudaInfo cuda = weft::cuda_info();
  if (cuda.devices.empty()) {
    std::fprintf(stderr, "weft: error: %s (%s); %s\n", std::string(weft::app::kNoGpuToMeasure).c_str(), cuda.missing.c_str(),
                 cuda.remedy.c_str());
    return 1;
  }
  const weft::DeviceInfo& gpu = cuda.devices[static_cast<std::size_t>(weft::current_device())];
  Json machine = describe(cuda, gpu);
  if (only_machine) {
    print_line(machine);
    return 0;
  }
  weft::Stream stream;
  const Bench bench(stream, gpu.l2_bytes, settings);
  const std::int64_t bytes = std::min(std::int64_t{1} << 30U, gpu.memory_free_bytes / 8 / 256 * 256);
  machine["runs"] = bench.runs();
  machine["copy"] = to_json(measure_copy(bench, bytes));
  machine["copy"]["bytes"] = 2 * bytes;
  print_line(machine);
  const auto measure = [&](std::int64_t n) {
    measure_sums(bench, n);
    measure_scans(bench, n);
    measure_sorts(bench, n);
    measure_segmented_sorts(bench, n);
    measure_selections(bench, n);
    measure_moves(bench, n);
    measure_stencils(bench, n);
  };
  if (quick) {
    measure(weft::app::kQuickEntries);
  } else {
    for (const std::int64_t n : weft::app::kMeasuredEntries) measure(n);
  }
  return 0;
}

}  // namespace

void Bench::report(const KernelRow& row) const {
  Json times = Json::object();
  for (const auto& [candidate, of_candidate] : row.times) times[candidate] = to_json(of_candidate);
  print_line({{"kernel", row.kernel},
              {"type", row.type},
              {"input", row.input},
              {"entries", row.entries},
              {"bytes", row.bytes},
              {"operations", row.operations},
              {"times", times}});
}

}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft: error: %s\n", error.what());
    return 1;
  }
}

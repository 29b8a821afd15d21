// Measures the kernels of the kernels module on one thread of the host, compared with the functions of the C++ standard library
// where there are such, and with a copy of memory. It is run by `weft bench kernels --device host`, which prints the table.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "host_inputs.hpp"
#include "kernel_space.hpp"
#include "program.hpp"

namespace bench {
namespace {

/// Returns the name of the processor, as Linux knows it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor of unknown name";
}

/// Returns the size of the largest cache; 32 MiB where the system does not know it.
std::int64_t cache_bytes() {
  std::int64_t bytes = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE}) bytes = std::max<std::int64_t>(bytes, sysconf(level));
  return bytes > 0 ? bytes : std::int64_t{32} << 20U;
}

int run(const ProgramOptions& options) {
  const std::int64_t cache = cache_bytes();
#ifdef __clang__
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = std::string("GCC ") + __VERSION__;
#endif
  return measure_all(options, weft::host_stream(),
                     {.description = {{"cpu", processor()}, {"compiler", compiler}, {"threads", 1}, {"cache_bytes", cache}},
                      .cache_bytes = cache,
                      .copy_bytes = std::int64_t{1} << 28U,
                      .entries = weft::app::kHostEntries,
                      .quick_entries = weft::app::kQuickHostEntries});
}

}  // namespace

Times measure_copy(const Bench& bench, std::int64_t bytes) {
  const auto from = random<std::uint64_t>(bench.stream(), 1, bytes / 8);
  const Copies<std::uint64_t> to(bench.stream(), 1, bytes / 8);
  return bench.time(1, [&](int) {
    std::memcpy(to[0].data(), from[0].data(), static_cast<std::size_t>(bytes));
    keep(to);
  });
}

}  // namespace bench

int main(int argc, char** argv) { return bench::run_program(argc, argv, bench::run); }

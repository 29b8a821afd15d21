// Measures the primitives and the kernels for linear algebra of the kernels module on one GPU by both providers, compared with
// a copy on the device. It is run by `weft bench kernels`, which prints the table. Times are those of GPU events.
#include <algorithm>
#include <cstdio>
#include <string>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"

#include "kernel_space.hpp"
#include "program.hpp"

namespace bench {
namespace {

Json describe(const weft::CudaInfo& cuda, const weft::DeviceInfo& gpu) {
  return {{"gpu", gpu.name},
          {"compute", std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
          {"cuda", cuda.runtime},
          {"driver", cuda.driver},
          {"l2_bytes", gpu.l2_bytes}};
}

int run(const ProgramOptions& options) {
  const weft::CudaInfo cuda = weft::cuda_info();
  if (cuda.devices.empty()) {
    std::fprintf(stderr, "weft: error: %s (%s); %s\n", std::string(weft::app::kNoGpuToMeasure).c_str(), cuda.missing.c_str(),
                 cuda.remedy.c_str());
    return 1;
  }
  const weft::DeviceInfo& gpu = cuda.devices[static_cast<std::size_t>(weft::current_device())];
  weft::Stream stream;
  return measure_all(options, stream,
                     {.description = describe(cuda, gpu),
                      .cache_bytes = gpu.l2_bytes,
                      .copy_bytes = std::min(std::int64_t{1} << 30U, gpu.memory_free_bytes / 8 / 256 * 256),
                      .entries = weft::app::kMeasuredEntries,
                      .quick_entries = weft::app::kQuickEntries});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::run_program(argc, argv, bench::run); }

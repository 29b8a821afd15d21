// Measures loops, reductions, graphs and memory pools of the device module on one GPU, compared with its copy bandwidth and the
// reduction of CUB.
//
//   bench_device_loops
//
// Reports medians of 20 runs, timed by GPU events where the host is not involved, as a table and then as JSON.
#include <cub/device/device_reduce.cuh>

#include <cstdio>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/device/device.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/storage.hpp"

#include "arguments.hpp"
#include "gpu_timing.hpp"

namespace {

using namespace weft;

struct Line {
  std::string what;
  double size, microseconds, bytes;  ///< bytes moved; 0 where no bandwidth is reported
};
std::vector<Line> lines;

void report(const std::string& what, double size, double seconds, double bytes) {
  lines.push_back({what, size, 1e6 * seconds, bytes});
  std::printf("%-44s %12.0f %12.2f us", what.c_str(), size, 1e6 * seconds);
  if (bytes > 0) std::printf(" %9.1f GB/s", 1e-9 * bytes / seconds);
  std::printf("\n");
}

struct Fill {
  double* x;
  WEFT_HD void operator()(std::int64_t i) const { x[i] = 1.0 / static_cast<double>(1 + i % 1009); }
};
struct Axpy {
  const double* x;
  double* y;
  WEFT_HD void operator()(std::int64_t i) const { y[i] += 0.5 * x[i]; }
};
struct Load {
  const double* x;
  WEFT_HD double operator()(std::int64_t i) const { return x[i]; }
};
struct Sum {
  WEFT_HD double operator()(double a, double b) const { return a + b; }
};

}  // namespace

int main(int argc, char** argv) {
  bench::Arguments arguments("bench_device_loops", "Measures loops, reductions and copies on a GPU.");
  if (const auto ends = arguments.parse(argc, argv)) return *ends;
  if (!bench::describe_gpu()) return 0;
  std::printf("\n");
  const Bandwidth rates = measure_bandwidth(0);
  report("copy on the device, bytes read + written", 1 << 30, 2.0 * (1 << 30) / rates.copy, 2.0 * (1 << 30));
  report("copy to the device, pinned", 1 << 28, (1 << 28) / rates.to_device, 1 << 28);
  report("copy to the host, pinned", 1 << 28, (1 << 28) / rates.to_host, 1 << 28);

  Stream stream;
  constexpr std::int64_t kMost = 200'000'000;
  const auto memory_x = DeviceStorage::make(Backend::cuda, kMost * 8), memory_y = DeviceStorage::make(Backend::cuda, kMost * 8);
  auto* const x = reinterpret_cast<double*>(memory_x->data());
  auto* const y = reinterpret_cast<double*>(memory_y->data());
  parallel_for(space::cuda{}, stream, kMost, Fill{x});
  parallel_for(space::cuda{}, stream, kMost, Fill{y});
  const DeviceVector<double> result(stream, 1);
  std::size_t cub_bytes = 0;
  check_cuda(cub::DeviceReduce::Sum(nullptr, cub_bytes, x, result.data(), kMost, native(stream)), "cub::DeviceReduce::Sum");
  const DeviceVector<char> cub_memory(stream, cub_bytes);

  for (const std::int64_t n : {10'000LL, 1'000'000LL, 10'000'000LL, 200'000'000LL}) {
    const auto size = static_cast<double>(n);
    report("parallel_for: y += a x", size,
           bench::median_seconds(stream,
                                 [&] {
                                   parallel_for(space::cuda{}, stream, n, Axpy{x, y});
                                 }),
           24 * size);
    report("reduce_into: sum, in the order of the host", size,
           bench::median_seconds(stream, [&] { reduce_into(space::cuda{}, stream, n, 0.0, Load{x}, Sum{}, result.data()); }),
           8 * size);
    report("cub::DeviceReduce: sum", size,
           bench::median_seconds(
               stream,
               [&] {
                 check_cuda(cub::DeviceReduce::Sum(cub_memory.data(), cub_bytes, x, result.data(), n, native(stream)), "cub");
               }),
           8 * size);
    report(
        "reduce: sum, with a wait of the host", size,
        bench::median_host_seconds(stream, 1, [&] { static_cast<void>(reduce(space::cuda{}, stream, n, 0.0, Load{x}, Sum{})); }),
        0);
  }

  constexpr int kKernels = 20;
  const auto kernels = [&](Stream& s) {
    for (int k = 0; k < kKernels; ++k) parallel_for(space::cuda{}, s, 10'000, Axpy{x, y});
  };
  Graph graph = Graph::capture(stream, kernels);
  report("20 loops of 10,000, launched one by one", 10'000, bench::median_host_seconds(stream, 20, [&] { kernels(stream); }), 0);
  report("20 loops of 10,000, as a graph", 10'000, bench::median_host_seconds(stream, 20, [&] { graph.launch(stream); }), 0);
  report("Event: record", 0, bench::median_host_seconds(stream, 1000, [&] { static_cast<void>(stream.record()); }), 0);
  Stream other;
  report("other.wait_for(after(stream))", 0, bench::median_host_seconds(stream, 1000, [&] { other.wait_for(after(stream)); }), 0);
  report("DeviceVector of 1 MB: allocate and release", 1e6,
         bench::median_host_seconds(stream, 1000, [&] { DeviceVector<char>(stream, 1'000'000); }), 0);
  report("DeviceStorage of 1 MB: allocate and release", 1e6,
         bench::median_host_seconds(stream, 10, [&] { static_cast<void>(DeviceStorage::make(Backend::cuda, 1'000'000)); }), 0);
  const Stopwatch watch;
  const PinnedBuffer<char> pinned(std::size_t{1} << 30);
  report("PinnedBuffer of 1 GiB: allocate", 1 << 30, watch.seconds(), 1 << 30);

  std::printf("\n{\"benchmark\": \"device/loops\", \"gpu\": \"%s\", \"results\": [", cuda_info().devices[0].name.c_str());
  for (const Line& line : lines) {
    std::printf("%s{\"what\": \"%s\", \"size\": %.0f, \"microseconds\": %.3f, \"bytes\": %.0f}",
                &line == lines.data() ? "" : ", ", line.what.c_str(), line.size, line.microseconds, line.bytes);
  }
  std::printf("]}\n");
  return 0;
}

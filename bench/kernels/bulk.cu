// What one GPU does with the bulk operations of the kernels room, beside its copy bandwidth.
//
//   bench_kernels_bulk
//
// Medians of 20 runs on the GPU's clock. Bytes are those that must move: what an operation reads and writes once each. Prints a
// table, and the same as JSON last.
#include <cstdio>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/storage.hpp"
#include "weft/kernels/stencil.cuh"
#include "weft/kernels/transpose.cuh"

#include "gpu_timing.hpp"

namespace {

using namespace weft;

struct Line {
  std::string what;
  double entries, microseconds, bytes, of_copy;
};

/// The lines so far, printed as they come.
struct Table {
  double copy;  ///< bytes per second
  std::vector<Line> lines;

  void add(const std::string& what, double entries, double seconds, double bytes) {
    lines.push_back({what, entries, 1e6 * seconds, bytes, bytes / seconds / copy});
    std::printf("%-36s %12.0f %12.2f us %9.1f GB/s %7.3f of copy\n", what.c_str(), entries, 1e6 * seconds, 1e-9 * bytes / seconds,
                lines.back().of_copy);
  }
};

template <class T>
struct Fill {
  T* x;
  WEFT_HD void operator()(std::int64_t i) const { x[i] = static_cast<T>(1.0 / static_cast<double>(1 + i % 1009)); }
};

/// Memory of the GPU for `in`, which gets numbers, and `out`, of the same size.
template <class T>
class Arrays {
 public:
  Arrays(Stream& stream, std::int64_t entries)
      : entries_(static_cast<std::size_t>(entries)),
        in_(DeviceStorage::make(Backend::cuda, entries_ * sizeof(T))),
        out_(DeviceStorage::make(Backend::cuda, entries_ * sizeof(T))) {
    parallel_for(space::cuda{}, stream, entries, Fill<T>{reinterpret_cast<T*>(in_->data())});
    parallel_for(space::cuda{}, stream, entries, Fill<T>{reinterpret_cast<T*>(out_->data())});
  }
  [[nodiscard]] std::span<const T> in() const { return {reinterpret_cast<const T*>(in_->data()), entries_}; }
  [[nodiscard]] std::span<T> out() const { return {reinterpret_cast<T*>(out_->data()), entries_}; }

 private:
  std::size_t entries_;
  std::unique_ptr<DeviceStorage> in_, out_;
};

template <class T>
void add_transpose(Table& table, Stream& stream, const char* type, std::int64_t rows, std::int64_t columns) {
  const Arrays<T> arrays(stream, rows * columns);
  const double seconds =
      bench::median_seconds(stream, [&] { kernels::transpose(space::cuda{}, stream, arrays.in(), rows, columns, arrays.out()); });
  const auto entries = static_cast<double>(rows * columns);
  table.add("transpose, " + std::to_string(rows) + " x " + std::to_string(columns) + " " + type, entries, seconds,
            2 * sizeof(T) * entries);
}

template <class T>
void add_stencil(Table& table, Stream& stream, const char* type, std::int32_t n) {
  const kernels::Box box{n, n, n};
  const kernels::StencilWeights<T> weights{T(0.4), T(0.11), T(0.09), T(0.12), T(0.08), T(0.13), T(0.07)};
  const Arrays<T> arrays(stream, box.entries());
  const double seconds = bench::median_seconds(
      stream, [&] { kernels::apply_stencil(space::cuda{}, stream, weights, box, arrays.in(), arrays.out()); });
  const double points = static_cast<double>(n) * n * n;
  table.add("7-point stencil, " + std::to_string(n) + "^3 " + type, points, seconds, 2 * sizeof(T) * points);
}

}  // namespace

int main() {
  if (device_count() == 0) {
    std::printf("nothing to measure: %s\n", why_no_cuda().c_str());
    return 0;
  }
  const CudaInfo info = cuda_info();
  std::printf("%s, CUDA %s, driver for CUDA %s\n\n", info.devices[0].name.c_str(), info.runtime.c_str(), info.driver.c_str());
  Table table{.copy = measure_bandwidth(current_device()).copy, .lines = {}};
  constexpr double kCopied = 2.0 * (1 << 30);
  table.add("copy on the device, read + written", kCopied / 16, kCopied / table.copy, kCopied);

  Stream stream;
  add_transpose<float>(table, stream, "float", 16384, 16384);
  add_transpose<double>(table, stream, "double", 8192, 8192);
  add_transpose<float>(table, stream, "float", 16383, 16381);
  add_stencil<double>(table, stream, "double", 512);
  add_stencil<float>(table, stream, "float", 768);

  std::printf("\n{\"benchmark\": \"kernels/bulk\", \"gpu\": \"%s\", \"results\": [", info.devices[0].name.c_str());
  for (const Line& line : table.lines) {
    std::printf("%s{\"what\": \"%s\", \"entries\": %.0f, \"microseconds\": %.3f, \"bytes\": %.0f, \"of_copy\": %.4f}",
                &line == table.lines.data() ? "" : ", ", line.what.c_str(), line.entries, line.microseconds, line.bytes,
                line.of_copy);
  }
  std::printf("]}\n");
  return 0;
}

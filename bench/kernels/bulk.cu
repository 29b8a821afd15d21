// Measures the bulk operations of the kernels module on one GPU, compared with its copy bandwidth, and scans and sorts compared
// with those of CUB.
//
//   bench_kernels_bulk
//
// Reports medians of 20 runs, timed by GPU events, as a table and then as JSON. Bytes are the minimum traffic: one read and one
// write of each entry; in a sort one of each for every byte of the keys, and one more read of the keys.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <cstdio>
#include <string>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/storage.hpp"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/stencil.cuh"
#include "weft/kernels/primitives/transpose.cuh"

#include "arguments.hpp"
#include "gpu_timing.hpp"

namespace {

using namespace weft;

struct Line {
  std::string what;
  double entries, microseconds, bytes, of_copy;
  double of_cub;  ///< time of CUB divided by ours; 0: not measured
};

/// The lines of the result table, printed as they are added.
struct Table {
  double copy;  ///< bytes per second
  std::vector<Line> lines;

  void add(const std::string& what, double entries, double seconds, double bytes, double seconds_of_cub = 0) {
    lines.push_back({what, entries, 1e6 * seconds, bytes, bytes / seconds / copy, seconds_of_cub / seconds});
    std::printf("%-40s %12.0f %12.2f us %7.2f G/s %9.1f GB/s %7.3f of copy", what.c_str(), entries, 1e6 * seconds,
                1e-9 * entries / seconds, 1e-9 * bytes / seconds, lines.back().of_copy);
    if (seconds_of_cub > 0) std::printf(" %7.3f of CUB's rate", lines.back().of_cub);
    std::printf("\n");
  }
};

template <class T>
struct Fill {
  T* x;
  WEFT_HD void operator()(std::int64_t i) const { x[i] = static_cast<T>(1.0 / static_cast<double>(1 + i % 1009)); }
};

/// Two device arrays of the same size, both initialised with numbers.
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

/// Measures the stencil. @param padded  the first point of every row is aligned to 128 bytes.
template <class T>
void add_stencil(Table& table, Stream& stream, const char* type, std::int32_t n, bool padded) {
  constexpr std::int64_t kLine = 128 / sizeof(T);
  kernels::Box box{n, n, n};
  if (padded) box.row = (box.row + kLine - 1) / kLine * kLine;
  const std::int64_t begin = padded ? kLine - 1 : 0;
  const kernels::StencilWeights<T> weights{T(0.4), T(0.11), T(0.09), T(0.12), T(0.08), T(0.13), T(0.07)};
  const Arrays<T> arrays(stream, begin + box.entries());
  const auto first = static_cast<std::size_t>(begin);
  const double seconds = bench::median_seconds(stream, [&] {
    kernels::apply_stencil(space::cuda{}, stream, weights, box, arrays.in().subspan(first), arrays.out().subspan(first));
  });
  const double points = static_cast<double>(n) * n * n;
  table.add("7-point stencil, " + std::to_string(n) + "^3 " + type + (padded ? " padded" : ""), points, seconds,
            2 * sizeof(T) * points);
}

template <class T>
struct FillWithBits {
  T* x;
  WEFT_HD void operator()(std::int64_t i) const {
    x[i] = static_cast<T>(mix_bits(static_cast<std::uint64_t>(i + 1) * kGoldenRatioBits));  // SplitMix64
  }
};

/// Returns the seconds of a call of CUB with temporary memory of the size that CUB reports.
template <class F, class Prepare>
double seconds_of_cub(Stream& stream, const F& call, const Prepare& prepare) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes), "CUB");
  const DeviceVector<unsigned char> memory(stream, bytes);
  return bench::median_seconds(
      stream, [&] { check_cuda(call(memory.data(), bytes), "CUB"); }, prepare);
}

template <class In, class Out>
void add_scan(Table& table, Stream& stream, const char* types, std::int64_t n) {
  const Arrays<In> in(stream, n);
  const Arrays<Out> out(stream, n);
  const double seconds =
      bench::median_seconds(stream, [&] { kernels::exclusive_scan(space::cuda{}, stream, in.in(), out.out()); });
  const double of_cub = seconds_of_cub(
      stream,
      [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(memory, bytes, in.in().data(), out.out().data(), cuda::std::plus<>{}, Out{}, n,
                                              native(stream));
      },
      [] {});
  table.add(std::string("exclusive scan, ") + types, static_cast<double>(n), seconds,
            static_cast<double>(n) * (sizeof(In) + sizeof(Out)), of_cub);
}

/// Measures sorts of random keys, without or with values of 4 bytes. CUB uses double buffers, as our sort does.
template <class Key>
void add_sort(Table& table, Stream& stream, const char* type, std::int64_t n, bool with_values) {
  const Arrays<Key> keys(stream, n), others(stream, n);
  const Arrays<std::uint32_t> values(stream, with_values ? n : 1);
  const auto refill = [&] { parallel_for(space::cuda{}, stream, n, FillWithBits<Key>{keys.out().data()}); };
  const double seconds = bench::median_seconds(
      stream,
      [&] {
        if (with_values) {
          kernels::stable_sort_by_key(space::cuda{}, stream, keys.out(), values.out());
        } else {
          kernels::sort(space::cuda{}, stream, keys.out());
        }
      },
      refill);
  const Arrays<std::uint32_t> other_values(stream, with_values ? n : 1);
  cub::DoubleBuffer<Key> of_keys(keys.out().data(), others.out().data());
  cub::DoubleBuffer<std::uint32_t> of_values(values.out().data(), other_values.out().data());
  const auto count = static_cast<std::uint32_t>(n);
  const double of_cub = seconds_of_cub(
      stream,
      [&](void* memory, std::size_t& bytes) {
        of_keys.selector = of_values.selector = 0;
        return with_values
                   ? cub::DeviceRadixSort::SortPairs(memory, bytes, of_keys, of_values, count, 0, sizeof(Key) * 8, native(stream))
                   : cub::DeviceRadixSort::SortKeys(memory, bytes, of_keys, count, 0, sizeof(Key) * 8, native(stream));
      },
      refill);
  const double entry = static_cast<double>(sizeof(Key)) + (with_values ? 4 : 0);
  table.add(std::string("sort, ") + type + (with_values ? " with values of 4 bytes" : ""), static_cast<double>(n), seconds,
            static_cast<double>(n) * (sizeof(Key) + 2 * sizeof(Key) * entry), of_cub);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Arguments arguments("bench_kernels_bulk", "Measures the bulk operations of the kernels module on a GPU.");
  if (const auto ends = arguments.parse(argc, argv)) return *ends;
  if (!bench::describe_gpu()) return 0;
  std::printf("\n");
  Table table{.copy = measure_bandwidth(current_device()).copy, .lines = {}};
  constexpr double kCopied = 2.0 * (1 << 30);
  table.add("copy on the device, read + written", kCopied / 16, kCopied / table.copy, kCopied);

  Stream stream;
  add_scan<std::uint32_t, std::uint32_t>(table, stream, "uint32", 1 << 28);
  add_scan<std::int64_t, std::int64_t>(table, stream, "int64", 1 << 27);
  add_scan<std::int32_t, std::int64_t>(table, stream, "int32 to int64", 1 << 27);
  add_scan<std::uint32_t, std::uint32_t>(table, stream, "uint32", 1'000'000);
  for (const bool with_values : {false, true}) {
    add_sort<std::uint32_t>(table, stream, "uint32", 1 << 28, with_values);
    add_sort<std::uint64_t>(table, stream, "uint64", 1 << 27, with_values);
  }
  add_sort<std::uint32_t>(table, stream, "uint32", 1'000'000, true);
  add_transpose<float>(table, stream, "float", 16384, 16384);
  add_transpose<double>(table, stream, "double", 8192, 8192);
  add_transpose<float>(table, stream, "float", 16383, 16381);
  for (const bool padded : {false, true}) add_stencil<double>(table, stream, "double", 512, padded);
  for (const bool padded : {false, true}) add_stencil<float>(table, stream, "float", 768, padded);

  std::printf("\n{\"benchmark\": \"kernels/bulk\", \"gpu\": \"%s\", \"results\": [", cuda_info().devices[0].name.c_str());
  for (const Line& line : table.lines) {
    std::printf(
        "%s{\"what\": \"%s\", \"entries\": %.0f, \"microseconds\": %.3f, \"bytes\": %.0f, \"of_copy\": %.4f, \"of_cub\": %.4f}",
        &line == table.lines.data() ? "" : ", ", line.what.c_str(), line.entries, line.microseconds, line.bytes, line.of_copy,
        line.of_cub);
  }
  std::printf("]}\n");
  return 0;
}

// Measures the primitives of the kernels module on one GPU by both providers, compared with a copy of the same bytes: the
// evidence for the table of defaults (kernels/primitives/providers.hpp).
//
//   bench_kernels_primitives
//
// Reports medians of 20 runs, timed by GPU events, as a table and then as JSON. Entries are random numbers. Bytes are the minimum
// traffic: one read of every input and one write of every output; for sorts as in bench_kernels_bulk. "own" and "library" are
// billion entries per second, "of copy" is the rate in bytes of the faster one relative to a copy on the device, and
// "own/library" above 1 means that the own kernels are faster.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <cstdio>
#include <string>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"
#include "weft/kernels/primitives/select.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"
#include "weft/kernels/primitives/transpose.cuh"

#include "gpu_timing.hpp"

namespace {

using namespace weft;
using kernels::Provider;

struct Line {
  std::string what;
  double entries, bytes, own, library;  ///< seconds; 0: there is no such provider
};

/// The lines of the result table, printed as they are added.
struct Table {
  double copy;  ///< bytes per second
  std::vector<Line> lines;

  [[nodiscard]] double of_copy(const Line& line, double seconds) const { return seconds > 0 ? line.bytes / seconds / copy : 0; }
  void add(const Line& line) {
    lines.push_back(line);
    const auto rate = [&](double seconds) { return seconds > 0 ? 1e-9 * line.entries / seconds : 0; };
    std::printf("%-44s %11.0f %9.2f %8.2f %9.3f %9.3f %9.3f\n", line.what.c_str(), line.entries, rate(line.own),
                rate(line.library), of_copy(line, line.own), of_copy(line, line.library),
                line.own > 0 && line.library > 0 ? line.library / line.own : 0);
  }
};

template <class T>
struct FillRandom {
  T* x;
  std::uint64_t most;
  WEFT_HD void operator()(std::int64_t i) const {
    x[i] = static_cast<T>(mix_bits(static_cast<std::uint64_t>(i + 1) * kGoldenRatioBits) % most);
  }
};

template <class T>
DeviceVector<T> random(Stream& stream, std::int64_t n, std::uint64_t most = std::uint64_t{1} << 62) {
  DeviceVector<T> x(stream, static_cast<std::size_t>(n));
  parallel_for(space::cuda{}, stream, n, FillRandom<T>{x.data(), most});
  return x;
}

template <class T>
std::span<const T> in(const DeviceVector<T>& x) {
  return x.span();
}

template <class F>
double seconds(Stream& stream, const F& work) {
  return bench::median_seconds(stream, work);
}

constexpr space::cuda kGpu;

template <class T, class Result>
void add_reductions(Table& table, Stream& stream, const std::string& type, std::int64_t n) {
  const auto x = random<T>(stream, n, 1000);
  auto y = random<T>(stream, n, 1000);
  const DeviceVector<Result> result(stream, 1);
  const DeviceVector<T> alpha(stream, 1);
  set_bytes(stream, alpha.data(), 0, sizeof(T));
  const auto entries = static_cast<double>(n), bytes = entries * sizeof(T);
  table.add({"sum, " + type, entries, bytes,
             seconds(stream, [&] { kernels::sum<Provider::own>(kGpu, stream, in(x), result.data()); }),
             seconds(stream, [&] { kernels::sum<Provider::library>(kGpu, stream, in(x), result.data()); })});
  table.add(
      {"dot, " + type, entries, 2 * bytes, seconds(stream, [&] { kernels::dot(kGpu, stream, in(x), in(y), result.data()); }), 0});
  table.add({"axpy_dot, z = y, " + type, entries, 3 * bytes,
             seconds(stream, [&] { kernels::axpy_dot(kGpu, stream, alpha.data(), in(x), y.span(), in(y), result.data()); }), 0});
}

struct StoreOffset {
  std::int64_t* offsets;
  std::int64_t length, n;
  WEFT_HD void operator()(std::int64_t s) const { offsets[s] = s * length < n ? s * length : n; }
};

void add_segments(Table& table, Stream& stream, std::int64_t n, std::int64_t length) {
  const auto x = random<double>(stream, n, 1000);
  const std::int64_t segments = n / length;
  const DeviceVector<std::int64_t> offsets(stream, static_cast<std::size_t>(segments + 1));
  const DeviceVector<double> sums(stream, static_cast<std::size_t>(segments));
  parallel_for(kGpu, stream, segments + 1, StoreOffset{offsets.data(), length, n});
  table.add({"segmented_sum, double, segments of " + std::to_string(length), static_cast<double>(n),
             8.0 * static_cast<double>(n + 2 * segments),
             seconds(stream, [&] { kernels::segmented_sum<Provider::own>(kGpu, stream, in(x), in(offsets), sums.span()); }),
             seconds(stream, [&] { kernels::segmented_sum<Provider::library>(kGpu, stream, in(x), in(offsets), sums.span()); })});
}

template <class In, class Out>
void add_scan(Table& table, Stream& stream, const std::string& types, std::int64_t n) {
  const auto x = random<In>(stream, n, 1000);
  const DeviceVector<Out> out(stream, static_cast<std::size_t>(n));
  double library = 0;
  if constexpr (std::is_integral_v<Out>) {
    library = seconds(stream, [&] { kernels::exclusive_scan<Provider::library>(kGpu, stream, in(x), out.span()); });
  } else {
    using Cub = kernels::detail::Implementation<kernels::Primitive::scan, Provider::library>;
    library = seconds(stream, [&] { Cub::run<false>(stream, in(x), out.span()); });
  }
  const double own = seconds(stream, [&] { kernels::exclusive_scan(kGpu, stream, in(x), out.span()); });
  table.add(
      {"exclusive_scan, " + types, static_cast<double>(n), static_cast<double>(n) * (sizeof(In) + sizeof(Out)), own, library});
}

void add_segmented_scan(Table& table, Stream& stream, std::int64_t n) {
  const auto x = random<double>(stream, n, 1000);
  const auto heads = random<std::uint8_t>(stream, n, 2);
  const DeviceVector<double> out(stream, static_cast<std::size_t>(n));
  table.add(
      {"segmented_inclusive_scan, double", static_cast<double>(n), 17.0 * static_cast<double>(n),
       seconds(stream,
               [&] { kernels::segmented_inclusive_scan(kGpu, stream, in(x), in(heads), out.span(), 0.0, kernels::Plus{}); }),
       0});
}

/// The number of the segment of an entry, for CUB's scan by keys.
struct StoreSegment {
  std::uint32_t* segment;
  std::int64_t length;
  WEFT_HD void operator()(std::int64_t i) const { segment[i] = static_cast<std::uint32_t>(i / length); }
};

/// Returns offsets of segments of `length` entries, up to n.
DeviceVector<std::int64_t> offsets_of(Stream& stream, std::int64_t n, std::int64_t length) {
  const std::int64_t segments = (n + length - 1) / length;
  DeviceVector<std::int64_t> offsets(stream, static_cast<std::size_t>(segments + 1));
  parallel_for(kGpu, stream, segments + 1, StoreOffset{offsets.data(), length, n});
  return offsets;
}

/// Compares a scan by offsets with CUB's scan by keys, which has other digits and reads a number for each entry instead.
void add_scan_by_offsets(Table& table, Stream& stream, std::int64_t n, std::int64_t length) {
  const auto x = random<double>(stream, n, 1000);
  const DeviceVector<double> out(stream, static_cast<std::size_t>(n));
  const auto offsets = offsets_of(stream, n, length);
  const DeviceVector<std::uint32_t> segment(stream, static_cast<std::size_t>(n));
  parallel_for(kGpu, stream, n, StoreSegment{segment.data(), length});
  const auto by_keys = [&] {
    kernels::detail::with_memory(stream, "cub::DeviceScan::InclusiveScanByKey", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScanByKey(memory, bytes, segment.data(), x.data(), out.data(), kernels::Plus{},
                                                 static_cast<std::int64_t>(n), cuda::std::equal_to<>{}, native(stream));
    });
  };
  const auto by_offsets = [&] {
    kernels::segmented_inclusive_scan(kGpu, stream, in(x), in(offsets), out.span(), 0.0, kernels::Plus{});
  };
  table.add({"scan by offsets, double, segments of " + std::to_string(length), static_cast<double>(n),
             16.0 * static_cast<double>(n) + 8.0 * static_cast<double>(offsets.size()), seconds(stream, by_offsets),
             seconds(stream, by_keys)});
}

/// Compares with CUB's stable sort from one array to another. Bytes: one read and one write of all keys.
template <class Key>
void add_segmented_sort(Table& table, Stream& stream, const std::string& type, std::int64_t n, std::int64_t length) {
  const auto original = random<Key>(stream, n);
  const DeviceVector<Key> keys(stream, static_cast<std::size_t>(n));
  const auto offsets = offsets_of(stream, n, length);
  const auto refill = [&] { copy_bytes(stream, keys.data(), original.data(), keys.bytes()); };
  const auto own = [&] { kernels::segmented_sort(kGpu, stream, keys.span(), in(offsets)); };
  const auto library = [&] {
    kernels::detail::with_memory(stream, "cub::DeviceSegmentedSort::StableSortKeys", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, original.data(), keys.data(), n,
                                                      static_cast<std::int64_t>(offsets.size()) - 1, offsets.data(),
                                                      offsets.data() + 1, native(stream));
    });
  };
  table.add({"segmented_sort, " + type + ", segments of " + std::to_string(length), static_cast<double>(n),
             2.0 * static_cast<double>(keys.bytes()), bench::median_seconds(stream, own, refill),
             bench::median_seconds(stream, library, refill)});
}

template <class Key>
void add_sort(Table& table, Stream& stream, const std::string& type, std::int64_t n) {
  const auto original = random<Key>(stream, n);
  const DeviceVector<Key> keys(stream, static_cast<std::size_t>(n));
  const auto refill = [&] { copy_bytes(stream, keys.data(), original.data(), keys.bytes()); };
  const auto entry = static_cast<double>(sizeof(Key));
  table.add({"sort, " + type, static_cast<double>(n), static_cast<double>(n) * (entry + 2 * entry * entry),
             bench::median_seconds(
                 stream, [&] { kernels::sort<Provider::own>(kGpu, stream, keys.span()); }, refill),
             bench::median_seconds(
                 stream, [&] { kernels::sort<Provider::library>(kGpu, stream, keys.span()); }, refill)});
}

struct IsSelected {
  std::uint32_t most;
  WEFT_HD bool operator()(std::uint32_t value) const { return value < most; }
};

void add_selection(Table& table, Stream& stream, std::int64_t n, std::uint32_t percent) {
  const auto x = random<std::uint32_t>(stream, n, 100);
  const DeviceVector<std::uint32_t> out(stream, static_cast<std::size_t>(n));
  const DeviceVector<std::int64_t> count(stream, 1);
  const IsSelected selected{percent};
  const auto entries = static_cast<double>(n);
  const std::string of = ", uint32, " + std::to_string(percent) + " % selected";
  table.add(
      {"copy_if" + of, entries, 4 * entries * (1 + percent / 100.0),
       seconds(stream, [&] { kernels::copy_if<Provider::own>(kGpu, stream, in(x), selected, out.span(), count.data()); }),
       seconds(stream, [&] { kernels::copy_if<Provider::library>(kGpu, stream, in(x), selected, out.span(), count.data()); })});
  table.add({"partition" + of, entries, 8 * entries,
             seconds(stream, [&] { kernels::partition(kGpu, stream, in(x), selected, out.span(), count.data()); }), 0});
}

void add_runs(Table& table, Stream& stream, std::int64_t n) {
  const auto x = random<std::uint32_t>(stream, n, 2);  // runs of two on average
  const DeviceVector<std::uint32_t> out(stream, static_cast<std::size_t>(n));
  const DeviceVector<std::int64_t> offsets(stream, static_cast<std::size_t>(n + 1)), count(stream, 1);
  const auto entries = static_cast<double>(n);
  table.add({"unique, uint32", entries, 6 * entries,
             seconds(stream, [&] { kernels::unique<Provider::own>(kGpu, stream, in(x), out.span(), count.data()); }),
             seconds(stream, [&] { kernels::unique<Provider::library>(kGpu, stream, in(x), out.span(), count.data()); })});
  table.add({"run_length_encode, uint32", entries, 10 * entries,
             seconds(stream, [&] { kernels::run_length_encode(kGpu, stream, in(x), out.span(), offsets.span(), count.data()); }),
             0});
}

struct BinOf {
  const std::uint32_t* x;
  WEFT_HD std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(x[i]); }
};

void add_histogram(Table& table, Stream& stream, std::int64_t n, std::int64_t bins) {
  const auto x = random<std::uint32_t>(stream, n, static_cast<std::uint64_t>(bins));
  const DeviceVector<std::int64_t> counts(stream, static_cast<std::size_t>(bins));
  table.add({"histogram, uint32, " + std::to_string(bins) + " bins", static_cast<double>(n), 4.0 * static_cast<double>(n),
             seconds(stream, [&] { kernels::histogram<Provider::own>(kGpu, stream, n, BinOf{x.data()}, counts.span()); }),
             seconds(stream, [&] { kernels::histogram<Provider::library>(kGpu, stream, n, BinOf{x.data()}, counts.span()); })});
}

void add_rows(Table& table, Stream& stream, std::int64_t rows, std::int64_t width) {
  const std::int64_t n = rows * width;
  const auto x = random<double>(stream, n, 1000);
  const auto index = random<std::uint32_t>(stream, rows, static_cast<std::uint64_t>(rows));
  const DeviceVector<double> out(stream, static_cast<std::size_t>(n));
  const auto entries = static_cast<double>(n), bytes = 16 * entries;
  const std::string of = ", double, rows of " + std::to_string(width);
  table.add(
      {"gather, random rows" + of, entries, bytes + 4 * static_cast<double>(rows),
       seconds(stream, [&] { kernels::gather(kGpu, stream, in(x), in(index), out.span(), static_cast<std::size_t>(width)); }),
       0});
  table.add({"aos_to_soa" + of, entries, bytes,
             seconds(stream, [&] { kernels::aos_to_soa(kGpu, stream, in(x), rows, width, rows, out.span()); }), 0});
  table.add({"soa_to_aos" + of, entries, bytes,
             seconds(stream, [&] { kernels::soa_to_aos(kGpu, stream, in(x), rows, width, rows, out.span()); }), 0});
}

/// Stencils of a cube and of a line with n entries.
template <class T>
void add_stencils(Table& table, Stream& stream, const std::string& type, std::int64_t n, std::int32_t edge) {
  const kernels::StarBox box{edge, edge, edge};
  const std::int64_t points = std::int64_t{edge} * edge * edge;
  const auto on_box = random<T>(stream, box.entries(), 1000), on_line = random<T>(stream, n + 8, 1000);
  const DeviceVector<T> to_box(stream, on_box.size()), to_line(stream, static_cast<std::size_t>(n));
  table.add(
      {"star stencil, 25 points, " + type, static_cast<double>(points), 2.0 * sizeof(T) * static_cast<double>(points),
       seconds(stream,
               [&] { kernels::apply_star_stencil(kGpu, stream, kernels::StarWeights<T>{}, box, in(on_box), to_box.span()); }),
       0});
  table.add(
      {"line stencil, 9 points, " + type, static_cast<double>(n), 2.0 * sizeof(T) * static_cast<double>(n),
       seconds(stream,
               [&] { kernels::apply_line_stencil(kGpu, stream, kernels::LineStencil<T, 4>{}, in(on_line), to_line.span()); }),
       0});
}

/// Batches of square matrices with n entries.
void add_transposes(Table& table, Stream& stream, std::int64_t n, std::int64_t edge) {
  const std::int64_t matrices = n / (edge * edge), entries = matrices * edge * edge;
  const auto x = random<double>(stream, entries, 1000);
  const DeviceVector<double> out(stream, static_cast<std::size_t>(entries));
  table.add({"transpose_batch, double, " + std::to_string(edge) + " x " + std::to_string(edge), static_cast<double>(entries),
             16.0 * static_cast<double>(entries),
             seconds(stream, [&] { kernels::transpose_batch(kGpu, stream, in(x), matrices, edge, edge, out.span()); }), 0});
}

}  // namespace

int main() {
  if (!bench::describe_gpu()) return 0;
  Table table{.copy = measure_bandwidth(current_device()).copy, .lines = {}};
  std::printf("copy on the device, read + written: %.1f GB/s\n\n", 1e-9 * table.copy);
  std::printf("%-44s %11s %9s %8s %9s %9s %9s\n", "", "entries", "own", "library", "own", "library", "own /");
  std::printf("%-44s %11s %9s %8s %9s %9s %9s\n", "", "", "G/s", "G/s", "of copy", "of copy", "library");

  Stream stream;
  for (const std::int64_t n : {std::int64_t{1} << 27, std::int64_t{1'000'000}}) {
    add_reductions<double, double>(table, stream, "double", n);
    add_reductions<float, double>(table, stream, "float in double", n);
    for (const std::int64_t length : {std::int64_t{7}, std::int64_t{30}, std::int64_t{1000}, std::int64_t{100'000}, n}) {
      add_segments(table, stream, n, length);
    }
    add_scan<std::uint32_t, std::uint32_t>(table, stream, "uint32", n);
    add_scan<std::int64_t, std::int64_t>(table, stream, "int64", n);
    add_scan<std::int32_t, std::int64_t>(table, stream, "int32 to int64", n);
    add_scan<float, float>(table, stream, "float (library: other digits)", n);
    add_scan<double, double>(table, stream, "double (library: other digits)", n);
    add_segmented_scan(table, stream, n);
    for (const std::int64_t length : {std::int64_t{7}, std::int64_t{1000}, n}) add_scan_by_offsets(table, stream, n, length);
    add_sort<std::uint32_t>(table, stream, "uint32", n);
    add_sort<std::uint64_t>(table, stream, "uint64", n);
    add_sort<double>(table, stream, "double", n);
    for (const std::int64_t length : {std::int64_t{7}, std::int64_t{30}, std::int64_t{1000}, std::int64_t{100'000}, n}) {
      add_segmented_sort<std::uint32_t>(table, stream, "uint32", n, length);
      add_segmented_sort<double>(table, stream, "double", n, length);
    }
    for (const std::uint32_t percent : {1U, 50U, 99U}) add_selection(table, stream, n, percent);
    add_runs(table, stream, n);
    for (const std::int64_t bins : {std::int64_t{256}, std::int64_t{8192}, std::int64_t{1} << 20}) {
      add_histogram(table, stream, n, bins);
    }
    add_rows(table, stream, n / 8, 5);
    add_stencils<float>(table, stream, "float", n, n > 10'000'000 ? 512 : 100);
    add_stencils<double>(table, stream, "double", n, n > 10'000'000 ? 512 : 100);
    for (const std::int64_t edge : {std::int64_t{5}, std::int64_t{32}, std::int64_t{64}, std::int64_t{256}}) {
      add_transposes(table, stream, n, edge);
    }
  }

  std::printf("\n{\"benchmark\": \"kernels/primitives\", \"gpu\": \"%s\", \"copy\": %.4e, \"results\": [",
              cuda_info().devices[0].name.c_str(), table.copy);
  for (const Line& line : table.lines) {
    std::printf(
        "%s{\"what\": \"%s\", \"entries\": %.0f, \"bytes\": %.0f, \"own_microseconds\": %.3f, "
        "\"library_microseconds\": %.3f, \"own_of_copy\": %.4f, \"library_of_copy\": %.4f}",
        &line == table.lines.data() ? "" : ", ", line.what.c_str(), line.entries, line.bytes, 1e6 * line.own, 1e6 * line.library,
        table.of_copy(line, line.own), table.of_copy(line, line.library));
  }
  std::printf("]}\n");
  return 0;
}

// Reductions and scans.
#include <functional>
#include <numeric>

#include "weft/kernels/primitives/reduce.hpp"
#include "weft/kernels/primitives/scan.hpp"

#include "host_inputs.hpp"

namespace bench {
namespace {

using namespace weft;

template <class T>
void measure_sum(const Bench& bench, const std::string& type, const std::string& note, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(T)));
  const auto x = random<T>(stream, copies, n, 1000);
  const auto entries = static_cast<double>(n);
  const auto own = [&](int k) { keep(kernels::sum(x.in(k))); };
  const auto library = [&](int k) { keep(std::reduce(x.in(k).begin(), x.in(k).end())); };
  bench.report_both({"sum", type, note, entries, entries * sizeof(T), entries}, copies, own, library);
}

void measure_vectors(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(16 * n);
  const auto x = random<double>(stream, copies, n, 1000), y = random<double>(stream, copies, n, 1000);
  const auto entries = static_cast<double>(n), bytes = 8 * entries;
  if (bench.wants("transform_reduce")) {
    const auto own = [&](int k) {
      const double* const of = x.in(k).data();
      keep(kernels::transform_reduce(
          n, 0.0, [of](std::int64_t i) { return of[i] * of[i]; }, kernels::Maximum{}));
    };
    const auto library = [&](int k) {
      keep(std::transform_reduce(x.in(k).begin(), x.in(k).end(), 0.0, kernels::Maximum{}, [](double e) { return e * e; }));
    };
    bench.report_both({"transform_reduce", "double", "maximum of squares", entries, bytes, 2 * entries}, copies, own, library);
  }
  if (bench.wants("dot")) {
    const auto own = [&](int k) { keep(kernels::dot(x.in(k), y.in(k))); };
    const auto library = [&](int k) { keep(std::transform_reduce(x.in(k).begin(), x.in(k).end(), y.in(k).begin(), 0.0)); };
    bench.report_both({"dot", "double", "library: other digits", entries, 2 * bytes, 2 * entries}, copies, own, library);
  }
  if (bench.wants("axpy_dot")) {
    const auto own = [&](int k) { keep(kernels::axpy_dot(0.0, x.in(k), y[k], y.in(k))); };
    bench.report_own({"axpy_dot", "double", "z = y", entries, 3 * bytes, 4 * entries}, copies, own);
  }
}

void measure_segments(const Bench& bench, std::int64_t n, std::int64_t length) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const auto offsets = offsets_of(stream, copies, n, length);
  const Copies<double> sums(stream, 1, static_cast<std::int64_t>(offsets[0].size()) - 1);
  const auto entries = static_cast<double>(n), bytes = 8 * entries + 16.0 * static_cast<double>(sums[0].size());
  const std::string input = segments_of(n, length);
  if (bench.wants("segmented_sum")) {
    const auto own = [&](int k) { kernels::segmented_sum(x.in(k), offsets.in(k), sums[0]); };
    bench.report_own({"segmented_sum", "double", input, entries, bytes, entries}, copies, own);
  }
  if (bench.wants("segmented_reduce")) {
    const auto own = [&](int k) { kernels::segmented_reduce(x.in(k), offsets.in(k), sums[0], 0.0, kernels::Maximum{}); };
    bench.report_own({"segmented_reduce", "double", "maxima, " + input, entries, bytes, entries}, copies, own);
  }
}

template <class T>
void measure_scan(const Bench& bench, const std::string& type, const std::string& note, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(2 * n * static_cast<std::int64_t>(sizeof(T)));
  const auto x = random<T>(stream, copies, n, 1000);
  const Copies<T> out(stream, copies, n);
  const auto entries = static_cast<double>(n), bytes = 2 * entries * sizeof(T);
  if (bench.wants("exclusive_scan")) {
    const auto own = [&](int k) { kernels::exclusive_scan(x.in(k), out[k]); };
    const auto library = [&](int k) { std::exclusive_scan(x.in(k).begin(), x.in(k).end(), out[k].begin(), T{}); };
    bench.report_both({"exclusive_scan", type, note, entries, bytes, entries}, copies, own, library);
  }
  if (bench.wants("inclusive_scan")) {
    const auto own = [&](int k) { kernels::inclusive_scan(x.in(k), out[k]); };
    const auto library = [&](int k) { std::inclusive_scan(x.in(k).begin(), x.in(k).end(), out[k].begin()); };
    bench.report_both({"inclusive_scan", type, note, entries, bytes, entries}, copies, own, library);
  }
}

void measure_segmented_scans(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(17 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const auto heads = random<std::uint8_t>(stream, copies, n, 2);
  const Copies<double> out(stream, copies, n);
  const auto entries = static_cast<double>(n);
  if (bench.wants("segmented_exclusive_scan")) {
    const auto own = [&](int k) { kernels::segmented_exclusive_scan(x.in(k), heads.in(k), out[k], 0.0, kernels::Plus{}); };
    bench.report_own({"segmented_exclusive_scan", "double", "", entries, 17 * entries, entries}, copies, own);
  }
  if (bench.wants("segmented_inclusive_scan")) {
    const auto own = [&](int k) { kernels::segmented_inclusive_scan(x.in(k), heads.in(k), out[k], 0.0, kernels::Plus{}); };
    bench.report_own({"segmented_inclusive_scan", "double", "", entries, 17 * entries, entries}, copies, own);
  }
  if (!bench.wants("scan_by_offsets")) return;
  for (const std::int64_t length : {std::int64_t{7}, std::int64_t{1000}}) {
    const auto offsets = offsets_of(stream, copies, n, length);
    const auto own = [&](int k) { kernels::segmented_inclusive_scan(x.in(k), offsets.in(k), out[k], 0.0, kernels::Plus{}); };
    bench.report_own({"scan_by_offsets", "double", segments_of(n, length), entries,
                      16 * entries + 8.0 * static_cast<double>(offsets[0].size()), entries},
                     copies, own);
  }
}

}  // namespace

void measure_sums(const Bench& bench, std::int64_t n) {
  if (bench.wants("sum")) {
    measure_sum<double>(bench, "double", "library: other digits", n);
    measure_sum<std::int64_t>(bench, "int64", "", n);
    measure_sum<std::uint32_t>(bench, "uint32", "", n);
  }
  if (bench.wants("transform_reduce") || bench.wants("dot") || bench.wants("axpy_dot")) measure_vectors(bench, n);
  if (!bench.wants("segmented_sum") && !bench.wants("segmented_reduce")) return;
  for (const std::int64_t length : {std::int64_t{30}, std::int64_t{1000}, n}) measure_segments(bench, n, length);
}

void measure_scans(const Bench& bench, std::int64_t n) {
  if (bench.wants("exclusive_scan") || bench.wants("inclusive_scan")) {
    measure_scan<std::int64_t>(bench, "int64", "", n);
    measure_scan<double>(bench, "double", "library: other digits", n);
  }
  if (bench.wants("segmented_exclusive_scan") || bench.wants("segmented_inclusive_scan") || bench.wants("scan_by_offsets")) {
    measure_segmented_scans(bench, n);
  }
}

}  // namespace bench

// Reductions, scalar products and reductions of segments.
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/reduce.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

struct SquareOf {
  const double* x;
  WEFT_HD double operator()(std::int64_t i) const { return x[i] * x[i]; }
};

void measure_maximum(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const DeviceVector<double> result(stream, 1);
  const auto own = [&](int k) { reduce_into(kGpu, stream, n, 0.0, SquareOf{x.in(k).data()}, kernels::Maximum{}, result.data()); };
  const auto entries = static_cast<double>(n);
  bench.report_own({"transform_reduce", "double", "maximum of squares", entries, 8 * entries, 2 * entries}, copies, own);
}

/// Measures the sum of entries of T in the arithmetic of Result.
template <class T, class Result>
void measure_sum(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(T)));
  const auto x = random<T>(stream, copies, n, 1000);
  const DeviceVector<Result> result(stream, 1);
  const auto own = [&](int k) { kernels::sum<Provider::own>(kGpu, stream, x.in(k), result.data()); };
  const auto library = [&](int k) { kernels::sum<Provider::library>(kGpu, stream, x.in(k), result.data()); };
  const auto entries = static_cast<double>(n);
  bench.report_both({"sum", type, "", entries, entries * sizeof(T), entries}, copies, own, library);
}

template <class T>
void measure_scalar_products(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(2 * n * static_cast<std::int64_t>(sizeof(T)));
  const auto x = random<T>(stream, copies, n, 1000), y = random<T>(stream, copies, n, 1000);
  const DeviceVector<T> alpha(stream, 1);
  const DeviceVector<double> result(stream, 1);
  const auto entries = static_cast<double>(n), bytes = entries * sizeof(T);
  set_bytes(stream, alpha.data(), 0, sizeof(T));
  if (bench.wants("dot")) {
    const auto own = [&](int k) { kernels::dot(kGpu, stream, x.in(k), y.in(k), result.data()); };
    bench.report_own({"dot", type, "", entries, 2 * bytes, 2 * entries}, copies, own);
  }
  if (bench.wants("axpy_dot")) {
    const auto own = [&](int k) { kernels::axpy_dot(kGpu, stream, alpha.data(), x.in(k), y[k], y.in(k), result.data()); };
    bench.report_own({"axpy_dot", type, "z = y", entries, 3 * bytes, 4 * entries}, copies, own);
  }
}

void measure_segments(const Bench& bench, std::int64_t n, std::int64_t length) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const auto offsets = offsets_of(stream, copies, n, length);
  const DeviceVector<double> sums(stream, offsets[0].size() - 1);
  const auto own = [&](int k) { kernels::segmented_sum<Provider::own>(kGpu, stream, x.in(k), offsets.in(k), sums.span()); };
  const auto library = [&](int k) {
    kernels::segmented_sum<Provider::library>(kGpu, stream, x.in(k), offsets.in(k), sums.span());
  };
  const auto entries = static_cast<double>(n), bytes = 8 * entries + 16.0 * static_cast<double>(sums.size());
  if (bench.wants("segmented_sum")) {
    bench.report_both({"segmented_sum", "double", segments_of(n, length), entries, bytes, entries}, copies, own, library);
  }
  if (!bench.wants("segmented_reduce") || length != 30) return;
  const auto reduce = [&](int k) {
    kernels::segmented_reduce(kGpu, stream, x.in(k), offsets.in(k), sums.span(), 0.0, kernels::Maximum{});
  };
  bench.report_own({"segmented_reduce", "double", "maxima, " + segments_of(n, length), entries, bytes, entries}, copies, reduce);
}

}  // namespace

void measure_sums(const Bench& bench, std::int64_t n) {
  if (bench.wants("transform_reduce")) measure_maximum(bench, n);
  if (bench.wants("sum")) {
    measure_sum<double, double>(bench, "double", n);
    measure_sum<float, double>(bench, "float in double", n);
    measure_sum<std::int64_t, std::int64_t>(bench, "int64", n);
    measure_sum<std::uint32_t, std::uint32_t>(bench, "uint32", n);
  }
  if (bench.wants("dot") || bench.wants("axpy_dot")) {
    measure_scalar_products<double>(bench, "double", n);
    measure_scalar_products<float>(bench, "float in double", n);
  }
  if (!bench.wants("segmented_sum") && !bench.wants("segmented_reduce")) return;
  for (const std::int64_t length : {std::int64_t{7}, std::int64_t{30}, std::int64_t{1000}, std::int64_t{100'000}, n}) {
    measure_segments(bench, n, length);
  }
}

}  // namespace bench

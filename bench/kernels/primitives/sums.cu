// Sums, scalar products and segmented sums.
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/reduce.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

template <class T>
void measure_reductions(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const auto size = static_cast<std::int64_t>(sizeof(T));
  const auto entries = static_cast<double>(n), bytes = entries * sizeof(T);
  const DeviceVector<double> result(stream, 1);
  if (bench.wants("sum")) {
    const int copies = bench.copies(n * size);
    const auto x = random<T>(stream, copies, n, 1000);
    const auto own = [&](int k) { kernels::sum<Provider::own>(kGpu, stream, x.in(k), result.data()); };
    const auto library = [&](int k) { kernels::sum<Provider::library>(kGpu, stream, x.in(k), result.data()); };
    bench.report(
        {"sum", type, "", entries, bytes, entries, {{"own", bench.time(copies, own)}, {"library", bench.time(copies, library)}}});
  }
  if (!bench.wants("dot") && !bench.wants("axpy_dot")) return;
  const int copies = bench.copies(2 * n * size);
  const auto x = random<T>(stream, copies, n, 1000), y = random<T>(stream, copies, n, 1000);
  const DeviceVector<T> alpha(stream, 1);
  set_bytes(stream, alpha.data(), 0, sizeof(T));
  if (bench.wants("dot")) {
    const auto own = [&](int k) { kernels::dot(kGpu, stream, x.in(k), y.in(k), result.data()); };
    bench.report({"dot", type, "", entries, 2 * bytes, 2 * entries, {{"own", bench.time(copies, own)}}});
  }
  if (bench.wants("axpy_dot")) {
    const auto own = [&](int k) { kernels::axpy_dot(kGpu, stream, alpha.data(), x.in(k), y[k], y.in(k), result.data()); };
    bench.report({"axpy_dot", type, "z = y", entries, 3 * bytes, 4 * entries, {{"own", bench.time(copies, own)}}});
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
  bench.report({"segmented_sum",
                "double",
                segments_of(n, length),
                static_cast<double>(n),
                8.0 * static_cast<double>(n) + 16.0 * static_cast<double>(sums.size()),
                static_cast<double>(n),
                {{"own", bench.time(copies, own)}, {"library", bench.time(copies, library)}}});
}

}  // namespace

void measure_sums(const Bench& bench, std::int64_t n) {
  measure_reductions<double>(bench, "double", n);
  measure_reductions<float>(bench, "float in double", n);
  if (!bench.wants("segmented_sum")) return;
  for (const std::int64_t length : {std::int64_t{7}, std::int64_t{30}, std::int64_t{1000}, std::int64_t{100'000}, n}) {
    measure_segments(bench, n, length);
  }
}

}  // namespace bench

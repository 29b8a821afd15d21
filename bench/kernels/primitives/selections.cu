// Selections, runs and histograms.
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/select.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

struct IsSelected {
  std::uint32_t most;
  WEFT_HD bool operator()(std::uint32_t value) const { return value < most; }
};

void measure_selection(const Bench& bench, std::int64_t n, std::uint32_t percent) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, 100);
  const Copies<std::uint32_t> out(stream, copies, n);
  const DeviceVector<std::int64_t> count(stream, 1);
  const IsSelected selected{percent};
  const auto entries = static_cast<double>(n);
  const std::string input = std::to_string(percent) + " % selected";
  if (bench.wants("copy_if")) {
    const auto own = [&](int k) { kernels::copy_if<Provider::own>(kGpu, stream, x.in(k), selected, out[k], count.data()); };
    const auto library = [&](int k) {
      kernels::copy_if<Provider::library>(kGpu, stream, x.in(k), selected, out[k], count.data());
    };
    bench.report_both({"copy_if", "uint32", input, entries, 4 * entries * (1 + percent / 100.0), entries}, copies, own, library);
  }
  if (bench.wants("partition")) {
    const auto own = [&](int k) { kernels::partition(kGpu, stream, x.in(k), selected, out[k], count.data()); };
    bench.report_own({"partition", "uint32", input, entries, 8 * entries, entries}, copies, own);
  }
}

struct IsSelectedAt {
  const std::uint32_t* x;
  WEFT_HD bool operator()(std::int64_t i) const { return x[i] < 50; }
};

/// The indices of entries.
void measure_select(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, 100);
  const Copies<std::int32_t> out(stream, copies, n);
  const DeviceVector<std::int64_t> count(stream, 1);
  const auto own = [&](int k) { kernels::select(kGpu, stream, IsSelectedAt{x.in(k).data()}, out[k], count.data()); };
  const auto entries = static_cast<double>(n);
  bench.report_own({"select", "int32", "50 % selected", entries, 6 * entries, entries}, copies, own);
}

void measure_runs(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, 2);  // runs of two on average
  const Copies<std::uint32_t> out(stream, copies, n);
  const DeviceVector<std::int64_t> count(stream, 1);
  const auto entries = static_cast<double>(n);
  if (bench.wants("unique")) {
    const auto own = [&](int k) { kernels::unique<Provider::own>(kGpu, stream, x.in(k), out[k], count.data()); };
    const auto library = [&](int k) { kernels::unique<Provider::library>(kGpu, stream, x.in(k), out[k], count.data()); };
    bench.report_both({"unique", "uint32", "", entries, 6 * entries, entries}, copies, own, library);
  }
  if (bench.wants("run_length_encode")) {
    const DeviceVector<std::int64_t> offsets(stream, static_cast<std::size_t>(n + 1));
    const auto own = [&](int k) { kernels::run_length_encode(kGpu, stream, x.in(k), out[k], offsets.span(), count.data()); };
    bench.report_own({"run_length_encode", "uint32", "", entries, 10 * entries, entries}, copies, own);
  }
}

struct BinOf {
  const std::uint32_t* x;
  WEFT_HD std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(x[i]); }
};

void measure_histogram(const Bench& bench, std::int64_t n, std::int64_t bins) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(4 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, static_cast<std::uint64_t>(bins));
  const DeviceVector<std::int64_t> counts(stream, static_cast<std::size_t>(bins));
  const auto own = [&](int k) { kernels::histogram<Provider::own>(kGpu, stream, n, BinOf{x.in(k).data()}, counts.span()); };
  const auto library = [&](int k) {
    kernels::histogram<Provider::library>(kGpu, stream, n, BinOf{x.in(k).data()}, counts.span());
  };
  const auto entries = static_cast<double>(n);
  bench.report_both({"histogram", "uint32", std::to_string(bins) + " bins", entries, 4 * entries, entries}, copies, own, library);
}

}  // namespace

void measure_selections(const Bench& bench, std::int64_t n) {
  if (bench.wants("copy_if") || bench.wants("partition")) {
    for (const std::uint32_t percent : {1U, 50U, 99U}) measure_selection(bench, n, percent);
  }
  if (bench.wants("select")) measure_select(bench, n);
  if (bench.wants("unique") || bench.wants("run_length_encode")) measure_runs(bench, n);
  if (!bench.wants("histogram")) return;
  for (const std::int64_t bins : {std::int64_t{256}, std::int64_t{8192}, std::int64_t{1} << 20})
    measure_histogram(bench, n, bins);
}

}  // namespace bench

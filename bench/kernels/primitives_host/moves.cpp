// Selections, runs, histograms, and kernels that move data.
#include <algorithm>
#include <vector>

#include "weft/kernels/primitives/aos_soa.hpp"
#include "weft/kernels/primitives/gather.hpp"
#include "weft/kernels/primitives/histogram.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/transpose.hpp"

#include "host_inputs.hpp"

namespace bench {
namespace {

using namespace weft;

void measure_selection(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, 100);
  const Copies<std::uint32_t> out(stream, copies, n);
  const auto selected = [](std::uint32_t value) { return value < 50; };
  const auto entries = static_cast<double>(n);
  const std::string input = "50 % selected";
  if (bench.wants("select")) {
    const auto own = [&](int k) {
      const std::uint32_t* const of = x.in(k).data();
      keep(kernels::select(static_cast<std::int32_t>(n), [of](std::int32_t i) { return of[i] < 50; }));
    };
    bench.report_own({"select", "int32", input, entries, 6 * entries, entries}, copies, own);
  }
  if (bench.wants("copy_if")) {
    const auto own = [&](int k) { keep(kernels::copy_if(x.in(k), selected, out[k])); };
    const auto library = [&](int k) { keep(std::copy_if(x.in(k).begin(), x.in(k).end(), out[k].begin(), selected)); };
    bench.report_both({"copy_if", "uint32", input, entries, 6 * entries, entries}, copies, own, library);
  }
  if (bench.wants("partition")) {
    const auto own = [&](int k) { keep(kernels::partition(x.in(k), selected, out[k])); };
    const auto library = [&](int k) {
      std::copy(x.in(k).begin(), x.in(k).end(), out[k].begin());
      keep(std::stable_partition(out[k].begin(), out[k].end(), selected));
    };
    bench.report_both({"partition", "uint32", input, entries, 8 * entries, entries}, copies, own, library);
  }
}

void measure_runs(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(8 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, 2);  // runs of two on average
  const Copies<std::uint32_t> out(stream, copies, n);
  const auto entries = static_cast<double>(n);
  if (bench.wants("unique")) {
    const auto own = [&](int k) { keep(kernels::unique(x.in(k), out[k])); };
    const auto library = [&](int k) { keep(std::unique_copy(x.in(k).begin(), x.in(k).end(), out[k].begin())); };
    bench.report_both({"unique", "uint32", "", entries, 6 * entries, entries}, copies, own, library);
  }
  if (bench.wants("run_length_encode")) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(n + 1));
    const auto own = [&](int k) { keep(kernels::run_length_encode(x.in(k), out[k], std::span(offsets))); };
    bench.report_own({"run_length_encode", "uint32", "", entries, 10 * entries, entries}, copies, own);
  }
  if (bench.wants("run_offsets")) {
    const auto own = [&](int k) { keep(kernels::run_offsets(x.in(k))); };
    bench.report_own({"run_offsets", "uint32", "", entries, 8 * entries, entries}, copies, own);
  }
}

void measure_histogram(const Bench& bench, std::int64_t n, std::int64_t bins) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(4 * n);
  const auto x = random<std::uint32_t>(stream, copies, n, static_cast<std::uint64_t>(bins));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  const auto own = [&](int k) {
    const std::uint32_t* const of = x.in(k).data();
    kernels::histogram(
        n, [of](std::int64_t i) { return static_cast<std::int32_t>(of[i]); }, std::span(counts));
  };
  const auto entries = static_cast<double>(n);
  bench.report_own({"histogram", "uint32", std::to_string(bins) + " bins", entries, 4 * entries, entries}, copies, own);
}

void measure_rows(const Bench& bench, std::int64_t rows, std::int64_t width) {
  Stream& stream = bench.stream();
  const std::int64_t n = rows * width;
  const int copies = bench.copies(16 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const Copies<double> out(stream, copies, n);
  const auto entries = static_cast<double>(n), bytes = 16 * entries, with_index = bytes + 4 * static_cast<double>(rows);
  const auto wide = static_cast<std::size_t>(width);
  const std::string input = "rows of " + std::to_string(width);
  if (bench.wants("gather")) {
    const auto index = random<std::uint32_t>(stream, copies, rows, static_cast<std::uint64_t>(rows));
    const auto own = [&](int k) { kernels::gather(x.in(k), index.in(k), out[k], wide); };
    bench.report_own({"gather", "double", "random " + input, entries, with_index, 0}, copies, own);
  }
  if (bench.wants("scatter") || bench.wants("inverse_permutation")) {
    const auto to = permutations<std::int32_t>(stream, copies, rows);
    const auto own = [&](int k) { kernels::scatter(x.in(k), to.in(k), out[k], wide); };
    const auto inverse = [&](int k) { keep(kernels::inverse_permutation(to.in(k))); };
    const auto of_rows = static_cast<double>(rows);
    if (bench.wants("scatter")) {
      bench.report_own({"scatter", "double", "permuted " + input, entries, with_index, 0}, copies, own);
    }
    if (bench.wants("inverse_permutation")) {
      bench.report_own({"inverse_permutation", "int32", "", of_rows, 8 * of_rows, 0}, copies, inverse);
    }
  }
  if (bench.wants("aos_to_soa")) {
    const auto own = [&](int k) { kernels::aos_to_soa(x.in(k), rows, width, rows, out[k]); };
    bench.report_own({"aos_to_soa", "double", input, entries, bytes, 0}, copies, own);
  }
  if (bench.wants("soa_to_aos")) {
    const auto own = [&](int k) { kernels::soa_to_aos(x.in(k), rows, width, rows, out[k]); };
    bench.report_own({"soa_to_aos", "double", input, entries, bytes, 0}, copies, own);
  }
}

/// @param matrices  0: one matrix of n entries, by transpose().
void measure_transposes(const Bench& bench, std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  Stream& stream = bench.stream();
  const std::int64_t all = std::max<std::int64_t>(1, matrices) * rows * columns;
  const int copies = bench.copies(16 * all);
  const auto x = random<double>(stream, copies, all, 1000);
  const Copies<double> out(stream, copies, all);
  const auto one = [&](int k) { kernels::transpose(x.in(k), rows, columns, out[k]); };
  const auto batch = [&](int k) { kernels::transpose_batch(x.in(k), matrices, rows, columns, out[k]); };
  const auto entries = static_cast<double>(all);
  bench.report({matrices == 0 ? "transpose" : "transpose_batch",
                "double",
                std::to_string(rows) + " x " + std::to_string(columns),
                entries,
                16 * entries,
                0,
                {{"own", matrices == 0 ? bench.time(copies, one) : bench.time(copies, batch)}}});
}

}  // namespace

void measure_selections(const Bench& bench, std::int64_t n) {
  if (bench.wants("select") || bench.wants("copy_if") || bench.wants("partition")) measure_selection(bench, n);
  if (bench.wants("unique") || bench.wants("run_length_encode") || bench.wants("run_offsets")) measure_runs(bench, n);
  if (!bench.wants("histogram")) return;
  for (const std::int64_t bins : {std::int64_t{256}, std::int64_t{1} << 20}) measure_histogram(bench, n, bins);
}

void measure_moves(const Bench& bench, std::int64_t n) {
  for (const char* const name : {"gather", "scatter", "inverse_permutation", "aos_to_soa", "soa_to_aos"}) {
    if (!bench.wants(name)) continue;
    measure_rows(bench, std::max<std::int64_t>(1, n / 8), 5);
    break;
  }
  if (bench.wants("transpose")) {
    const std::int64_t edge = square_edge(n);
    measure_transposes(bench, 0, edge, edge);
    measure_transposes(bench, 0, edge - 1, edge - 3);
  }
  if (!bench.wants("transpose_batch")) return;
  for (const std::int64_t edge : {std::int64_t{5}, std::int64_t{64}}) {
    measure_transposes(bench, std::max<std::int64_t>(1, n / (edge * edge)), edge, edge);
  }
}

}  // namespace bench

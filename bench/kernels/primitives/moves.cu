// Kernels that move data: copies, gathers and scatters, changes of layout and transposes.
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/transpose.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

void measure_rows(const Bench& bench, std::int64_t rows, std::int64_t width) {
  Stream& stream = bench.stream();
  const std::int64_t n = rows * width;
  const int copies = bench.copies(16 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const auto index = random<std::uint32_t>(stream, copies, rows, static_cast<std::uint64_t>(rows));
  const Copies<double> out(stream, copies, n);
  const auto entries = static_cast<double>(n), bytes = 16 * entries;
  const std::string input = "rows of " + std::to_string(width);
  if (bench.wants("gather")) {
    const auto own = [&](int k) { kernels::gather(kGpu, stream, x.in(k), index.in(k), out[k], static_cast<std::size_t>(width)); };
    bench.report_own({"gather", "double", "random " + input, entries, bytes + 4 * static_cast<double>(rows), 0}, copies, own);
  }
  if (bench.wants("scatter")) {
    const auto to = permutations<std::uint32_t>(stream, copies, rows);
    const auto own = [&](int k) { kernels::scatter(kGpu, stream, x.in(k), to.in(k), out[k], static_cast<std::size_t>(width)); };
    bench.report_own({"scatter", "double", "permuted " + input, entries, bytes + 4 * static_cast<double>(rows), 0}, copies, own);
  }
  if (bench.wants("aos_to_soa")) {
    const auto own = [&](int k) { kernels::aos_to_soa(kGpu, stream, x.in(k), rows, width, rows, out[k]); };
    bench.report_own({"aos_to_soa", "double", input, entries, bytes, 0}, copies, own);
  }
  if (bench.wants("soa_to_aos")) {
    const auto own = [&](int k) { kernels::soa_to_aos(kGpu, stream, x.in(k), rows, width, rows, out[k]); };
    bench.report_own({"soa_to_aos", "double", input, entries, bytes, 0}, copies, own);
  }
}

/// One matrix.
template <class T>
void measure_transpose(const Bench& bench, const std::string& type, std::int64_t rows, std::int64_t columns) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(2 * static_cast<std::int64_t>(sizeof(T)) * rows * columns);
  const auto x = random<T>(stream, copies, rows * columns, 1000);
  const Copies<T> out(stream, copies, rows * columns);
  const auto own = [&](int k) { kernels::transpose(kGpu, stream, x.in(k), rows, columns, out[k]); };
  const auto entries = static_cast<double>(rows * columns);
  const std::string input = std::to_string(rows) + " x " + std::to_string(columns);
  bench.report_own({"transpose", type, input, entries, 2 * sizeof(T) * entries, 0}, copies, own);
}

/// Batches of square matrices with n entries.
void measure_batch_of_transposes(const Bench& bench, std::int64_t n, std::int64_t edge) {
  Stream& stream = bench.stream();
  const std::int64_t matrices = n / (edge * edge), all = matrices * edge * edge;
  const int copies = bench.copies(16 * all);
  const auto x = random<double>(stream, copies, all, 1000);
  const Copies<double> out(stream, copies, all);
  const auto own = [&](int k) { kernels::transpose_batch(kGpu, stream, x.in(k), matrices, edge, edge, out[k]); };
  const auto entries = static_cast<double>(all);
  const std::string input = std::to_string(edge) + " x " + std::to_string(edge);
  bench.report_own({"transpose_batch", "double", input, entries, 16 * entries, 0}, copies, own);
}

}  // namespace

Times measure_copy(const Bench& bench, std::int64_t bytes) {
  const auto from = random<std::uint64_t>(bench.stream(), 1, bytes / 8);
  const Copies<std::uint64_t> to(bench.stream(), 1, bytes / 8);
  return bench.time(1, [&](int) { copy_bytes(bench.stream(), to[0].data(), from[0].data(), static_cast<std::size_t>(bytes)); });
}

void measure_moves(const Bench& bench, std::int64_t n) {
  if (bench.wants("gather") || bench.wants("scatter") || bench.wants("aos_to_soa") || bench.wants("soa_to_aos")) {
    measure_rows(bench, n / 8, 5);
  }
  if (bench.wants("transpose")) {
    const std::int64_t edge = square_edge(n);
    measure_transpose<float>(bench, "float", edge, edge);
    measure_transpose<double>(bench, "double", edge, edge);
    measure_transpose<float>(bench, "float", edge - 1, edge - 3);
    measure_transpose<float>(bench, "float", edge - 2, edge - 6);
    measure_transpose<double>(bench, "double", edge - 1, edge - 3);
    for (const std::int64_t thin : {5, 50}) {
      measure_transpose<float>(bench, "float", thin, n / thin);
      measure_transpose<float>(bench, "float", n / thin, thin);
      measure_transpose<double>(bench, "double", thin, n / thin);
      measure_transpose<double>(bench, "double", n / thin, thin);
    }
  }
  if (!bench.wants("transpose_batch")) return;
  for (const std::int64_t edge : {5, 32, 33, 64, 65, 256}) {
    measure_batch_of_transposes(bench, n, edge);
  }
}

}  // namespace bench

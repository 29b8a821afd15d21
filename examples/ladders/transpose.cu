// The transpose of a matrix of floats, from one thread per entry to the library's kernel. Each step is a file in transpose/,
// which states what changes and the predicted rate; docs/guide/kernel_ladders.md has the measured ones.
//
//   ladder_transpose_gpu [--quick]
#include "weft/kernels/primitives/transpose.cuh"

#include "transpose/1_naive.cuh"
#include "transpose/2_tile.cuh"
#include "transpose/3_padded_tile.cuh"
#include "transpose/4_swizzled_tile.cuh"

namespace {

using namespace ladder;

void library_transpose(weft::Stream& stream, const float* in, std::int64_t rows, std::int64_t columns, float* out) {
  const auto n = static_cast<std::size_t>(rows * columns);
  weft::kernels::transpose(weft::space::cuda{}, stream, std::span(in, n), rows, columns, std::span(out, n));
}
constexpr TransposeStep kSteps[] = {kNaiveTranspose,
                                    kTileTranspose,
                                    kPaddedTranspose,
                                    kSwizzledTranspose,
                                    {"5 weft::kernels::transpose", 0.97, library_transpose}};

constexpr std::int64_t kLarge = 8192;  ///< rows and columns to which the predictions apply

/// A float represents these integers exactly.
constexpr Random<float> kRandom{1, 1 << 24, 0};

std::string text(std::int64_t rows, std::int64_t columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

/// Compares all steps with the host, including entries behind the result, which no step may write.
bool are_right(weft::Stream& stream, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kBehind = 64;
  const std::int64_t n = rows * columns;
  const auto in = on_gpu(stream, kRandom, n);
  const weft::DeviceVector<float> out(stream, static_cast<std::size_t>(n + kBehind));
  poison(stream, out);
  std::vector<float> expected = to_host(stream, out);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) expected[static_cast<std::size_t>(j * rows + i)] = kRandom(i * columns + j);
  }
  bool right = true;
  for (const TransposeStep& step : kSteps) {
    poison(stream, out);
    step.run(stream, in.data(), rows, columns, out.data());
    right = is_same(step.name, text(rows, columns), to_host(stream, out), expected) && right;
  }
  return right;
}

void measure_all(weft::Stream& stream, std::int64_t rows, std::int64_t columns) {
  const std::int64_t n = rows * columns;
  const Inputs<float> inputs(stream, kRandom, n);
  const weft::DeviceVector<float> out(stream, static_cast<std::size_t>(n));
  const double bytes = 8 * static_cast<double>(n);
  const Timing copy = measure_copy(stream, inputs, out.data());
  const Table table{"GB/s", 1e-9, rows == kLarge && columns == kLarge, bytes / copy.median};
  table.header("Transpose of " + text(rows, columns) + " floats; bytes read and written, share of the rate of a copy");
  table.line("copy", copy, bytes, 0);
  for (const TransposeStep& step : kSteps) {
    const Timing time = measure(stream, [&](int run) { step.run(stream, inputs[run].data(), rows, columns, out.data()); });
    table.line(step.name, time, bytes, step.predicted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = start(argc, argv);
  if (options.exit_code >= 0) return options.exit_code;
  const std::int64_t large = options.quick ? 1024 : kLarge;
  weft::Stream stream;
  bool right = true;
  constexpr std::int64_t kRagged[][2] = {{1, 1}, {1, 100}, {100, 1}, {33, 31}, {63, 65}, {64, 128}, {100, 257}, {260, 196}};
  for (const auto& size : kRagged) right = are_right(stream, size[0], size[1]) && right;
  for (const std::int64_t odd : {0, 1}) {
    right = are_right(stream, large - odd, large + odd) && right;
    measure_all(stream, large - odd, large + odd);  // odd: no row but the first is aligned to 16 bytes
  }
  std::printf("%s\n", right ? "all steps have the matrices of the host" : "WRONG matrices");
  return right ? 0 : 1;
}

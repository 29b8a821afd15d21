// A stencil of seven points in double, from one thread per point to the library's kernel with asynchronous copies. Each step is
// a file in stencil/, which states what changes and the predicted rate; docs/guide/kernel_ladders.md has the measured ones.
//
//   ladder_stencil_gpu [--quick]
#include "weft/kernels/primitives/stencil.cuh"

#include "stencil/1_naive.cuh"
#include "stencil/2_tile.cuh"
#include "stencil/3_march.cuh"

namespace {

using namespace ladder;

void library_stencil(weft::Stream& stream, const Weights& weights, const Box& box, const double* in, double* out) {
  const auto n = static_cast<std::size_t>(box.entries());
  weft::kernels::apply_stencil(weft::space::cuda{}, stream, weights, box, std::span(in, n), std::span(out, n));
}
constexpr StencilStep kSteps[] = {
    kNaiveStencil, kTileStencil, kMarchStencil, {"4 weft::kernels::apply_stencil, asynchronous copies", 0.83, library_stencil}};

constexpr std::int32_t kLarge = 384;  ///< points along each axis to which the predictions apply

/// Integers and integral weights, all different so that exchanged neighbours are found.
constexpr Random<double> kRandom{1, 1 << 20, 0};
constexpr Weights kWeights{-28, 1, 2, 3, 5, 7, 11};

std::string text(const Box& box) {
  return std::to_string(box.nx) + " x " + std::to_string(box.ny) + " x " + std::to_string(box.nz);
}

/// Compares all steps with the host, including ghost points, which no step may write.
bool are_right(weft::Stream& stream, const Box& box) {
  const auto in = on_gpu(stream, kRandom, box.entries());
  const weft::DeviceVector<double> out(stream, static_cast<std::size_t>(box.entries()));
  poison(stream, out);
  std::vector<double> expected = to_host(stream, out);
  weft::kernels::apply_stencil(kWeights, box, std::span<const double>(on_host(kRandom, box.entries())), std::span(expected));
  bool right = true;
  for (const StencilStep& step : kSteps) {
    poison(stream, out);
    step.run(stream, kWeights, box, in.data(), out.data());
    right = is_same(step.name, text(box), to_host(stream, out), expected) && right;
  }
  return right;
}

void measure_all(weft::Stream& stream, const Box& box) {
  const Inputs<double> inputs(stream, kRandom, box.entries());
  const weft::DeviceVector<double> out(stream, static_cast<std::size_t>(box.entries()));
  const double points = static_cast<double>(box.nx) * box.ny * box.nz, bytes = 16 * points;
  const Timing copy = measure_copy(stream, inputs, out.data());
  const double copied = 16 * static_cast<double>(box.entries());
  const Table table{"GB/s", 1e-9, box.nx == kLarge, copied / copy.median};
  table.header("Stencil of 7 points in double, " + text(box) + "; one read and one write per point, share of the rate of a copy");
  table.line("copy", copy, copied, 0);
  for (const StencilStep& step : kSteps) {
    const Timing time = measure(stream, [&](int run) { step.run(stream, kWeights, box, inputs[run].data(), out.data()); });
    table.line(step.name, time, bytes, step.predicted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = start(argc, argv);
  if (options.exit_code >= 0) return options.exit_code;
  const std::int32_t edge = options.quick ? 96 : kLarge;
  weft::Stream stream;
  bool right = true;
  for (const Box& box : {Box{1, 1, 1}, Box{5, 3, 2}, Box{33, 9, 35}, Box{129, 17, 9}, Box{31, 7, 64}, Box{edge, edge, edge}}) {
    right = are_right(stream, box) && right;
  }
  measure_all(stream, {edge, edge, edge});
  std::printf("%s\n", right ? "all steps have the bits of the host" : "WRONG values");
  return right ? 0 : 1;
}

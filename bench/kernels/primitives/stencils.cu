// Stencils of 7 and 25 points of a cube, and of a line.
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"
#include "weft/kernels/primitives/stencil.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

/// @param padded  the first point of every row is aligned to 128 bytes.
template <class T>
void measure_stencil(const Bench& bench, const std::string& type, std::int32_t edge, bool padded) {
  Stream& stream = bench.stream();
  constexpr std::int64_t kLine = 128 / sizeof(T);
  kernels::Box box{edge, edge, edge};
  if (padded) box.row = (box.row + kLine - 1) / kLine * kLine;
  const std::int64_t begin = padded ? kLine - 1 : 0, all = begin + box.entries();
  const int copies = bench.copies(2 * static_cast<std::int64_t>(sizeof(T)) * all);
  const auto x = random<T>(stream, copies, all, 1000);
  const Copies<T> out(stream, copies, all);
  const kernels::StencilWeights<T> weights{T(0.4), T(0.11), T(0.09), T(0.12), T(0.08), T(0.13), T(0.07)};
  const auto first = static_cast<std::size_t>(begin);
  const auto own = [&](int k) {
    kernels::apply_stencil(kGpu, stream, weights, box, x.in(k).subspan(first), out[k].subspan(first));
  };
  const auto points = static_cast<double>(std::int64_t{edge} * edge * edge);
  constexpr double kOperations = 13;  // 7 products and 6 sums for a point
  bench.report_own(
      {"stencil", type, padded ? "7 points, padded rows" : "7 points", points, 2.0 * sizeof(T) * points, kOperations * points},
      copies, own);
}

template <class T>
void measure_star(const Bench& bench, const std::string& type, std::int32_t edge) {
  Stream& stream = bench.stream();
  const kernels::StarBox box{edge, edge, edge};
  const int copies = bench.copies(2 * static_cast<std::int64_t>(sizeof(T)) * box.entries());
  const auto x = random<T>(stream, copies, box.entries(), 1000);
  const Copies<T> out(stream, copies, box.entries());
  const auto own = [&](int k) { kernels::apply_star_stencil(kGpu, stream, kernels::StarWeights<T>{}, box, x.in(k), out[k]); };
  const auto points = static_cast<double>(std::int64_t{edge} * edge * edge);
  constexpr double kOperations = 37;  // 13 products and 24 sums for a point
  bench.report_own({"star_stencil", type, "25 points", points, 2.0 * sizeof(T) * points, kOperations * points}, copies, own);
}

template <class T>
void measure_line(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(2 * static_cast<std::int64_t>(sizeof(T)) * n);
  const auto x = random<T>(stream, copies, n + 8, 1000);
  const Copies<T> out(stream, copies, n);
  const auto own = [&](int k) { kernels::apply_line_stencil(kGpu, stream, kernels::LineStencil<T, 4>{}, x.in(k), out[k]); };
  const auto points = static_cast<double>(n);
  constexpr double kOperations = 17;  // 9 products and 8 sums for a point
  bench.report_own({"line_stencil", type, "9 points", points, 2.0 * sizeof(T) * points, kOperations * points}, copies, own);
}

}  // namespace

void measure_stencils(const Bench& bench, std::int64_t n) {
  const std::int32_t edge = cube_edge(n);
  if (bench.wants("stencil")) {
    for (const bool padded : {false, true}) {
      measure_stencil<float>(bench, "float", edge, padded);
      measure_stencil<double>(bench, "double", edge, padded);
    }
  }
  if (bench.wants("star_stencil")) {
    measure_star<float>(bench, "float", edge);
    measure_star<double>(bench, "double", edge);
  }
  if (bench.wants("line_stencil")) {
    measure_line<float>(bench, "float", n);
    measure_line<double>(bench, "double", n);
  }
}

}  // namespace bench

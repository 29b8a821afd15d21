// Stencils of a cube and of a line.
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

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
  bench.report({"star_stencil",
                type,
                "25 points",
                points,
                2.0 * sizeof(T) * points,
                kOperations * points,
                {{"own", bench.time(copies, own)}}});
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
  bench.report({"line_stencil",
                type,
                "9 points",
                points,
                2.0 * sizeof(T) * points,
                kOperations * points,
                {{"own", bench.time(copies, own)}}});
}

}  // namespace

void measure_stencils(const Bench& bench, std::int64_t n) {
  std::int32_t edge = 1;  // the largest cube with at most n points whose edge is a multiple of 4
  while ((edge + 1LL) * (edge + 1) * (edge + 1) <= n) ++edge;
  edge -= edge % 4;
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

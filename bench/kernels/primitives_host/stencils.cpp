// Stencils of a cube and of a line.
#include "weft/kernels/primitives/line_stencil.hpp"
#include "weft/kernels/primitives/star_stencil.hpp"
#include "weft/kernels/primitives/stencil.hpp"

#include "host_inputs.hpp"

namespace bench {
namespace {

using namespace weft;

/// Measures work(in, out) on copies of arrays of `all` doubles and reports it for `points` points.
template <class F>
void measure_stencil(const Bench& bench, const char* kernel, const char* input, std::int64_t from, std::int64_t to, double points,
                     double operations, const F& work) {
  const int copies = bench.copies(8 * (from + to));
  const auto x = random<double>(bench.stream(), copies, from, 1000);
  const Copies<double> out(bench.stream(), copies, to);
  const auto own = [&](int k) { work(x.in(k), out[k]); };
  bench.report_own({kernel, "double", input, points, 16 * points, operations * points}, copies, own);
}

}  // namespace

void measure_stencils(const Bench& bench, std::int64_t n) {
  using In = std::span<const double>;
  using Out = std::span<double>;
  const std::int32_t edge = cube_edge(n);
  const auto points = static_cast<double>(std::int64_t{edge} * edge * edge);
  if (bench.wants("stencil")) {  // 7 products and 6 sums for a point
    const kernels::Box box{edge, edge, edge};
    const kernels::StencilWeights<double> weights{0.4, 0.11, 0.09, 0.12, 0.08, 0.13, 0.07};
    measure_stencil(bench, "stencil", "7 points", box.entries(), box.entries(), points, 13,
                    [&](In in, Out out) { kernels::apply_stencil(weights, box, in, out); });
  }
  if (bench.wants("star_stencil")) {  // 13 products and 24 sums for a point
    const kernels::StarBox box{edge, edge, edge};
    const kernels::StarWeights<double> weights{0.4, {0.1, 0.2, 0.3, 0.4}, {0.1, 0.2, 0.3, 0.4}, {0.1, 0.2, 0.3, 0.4}};
    measure_stencil(bench, "star_stencil", "25 points", box.entries(), box.entries(), points, 37,
                    [&](In in, Out out) { kernels::apply_star_stencil(weights, box, in, out); });
  }
  if (bench.wants("line_stencil")) {  // 9 products and 8 sums for a point
    const kernels::LineStencil<double, 4> line{{0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1}};
    measure_stencil(bench, "line_stencil", "9 points", n + 8, n, static_cast<double>(n), 17,
                    [&](In in, Out out) { kernels::apply_line_stencil(line, in, out); });
  }
}

}  // namespace bench

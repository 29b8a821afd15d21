// Kernels for linear algebra.
#include <algorithm>
#include <memory>
#include <vector>

#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"

#include "host_inputs.hpp"
#include "linear_rows.hpp"

namespace bench {
namespace {

using namespace weft;

constexpr int kB = 5;

}  // namespace

void measure_products(const Bench& bench, std::int64_t n) {
  if (!wants_products(bench)) return;
  Stream& stream = bench.stream();
  const bench::Box box(box_edge(n, kB));
  const ProductTraffic traffic(box, kB);
  const auto pattern =
      std::make_shared<const kernels::BsrPattern>(box.offsets, box.columns, static_cast<std::int32_t>(box.offsets.size() - 1));
  const int copies = bench.copies(static_cast<std::int64_t>(traffic.product));
  std::vector<kernels::BsrMatrix<double, kB>> matrices;
  for (int k = 0; k < copies; ++k) {
    matrices.emplace_back(pattern);
    parallel_for(space::host{}, pattern->slots() * kB * kB, FillRandom<double>{matrices.back().values().values, 1000});
  }
  const auto a = [&](int k) { return matrices[static_cast<std::size_t>(k)].view(); };
  const std::int64_t rows = std::int64_t{pattern->rows()} * kB;
  const auto x = random<double>(stream, copies, rows, 1000), z = random<double>(stream, copies, rows, 1000);
  const Copies<double> y(stream, copies, rows);
  const auto report = [&](const char* kernel, double bytes, const auto& own) {
    if (!bench.wants(kernel)) return;
    bench.report_own({kernel, "double", "blocks of 5 x 5", traffic.entries, bytes, 2 * traffic.entries}, copies, own);
  };
  report("multiply", traffic.product, [&](int k) { kernels::multiply(a(k), x.in(k), y[k]); });
  report("multiply_add", traffic.product + traffic.vector,
         [&](int k) { kernels::multiply_add(-1, a(k), x.in(k), 1, z.in(k), y[k]); });
  report("multiply_and_dot", traffic.product + traffic.vector,
         [&](int k) { keep(kernels::multiply_and_dot(a(k), x.in(k), y[k], z.in(k))); });
  const kernels::BsrTransposeView transpose = pattern->transpose();
  report("multiply_transposed", traffic.transposed, [&](int k) { kernels::multiply_transposed(a(k), transpose, x.in(k), y[k]); });
  if (!bench.wants("block_jacobi")) return;
  std::vector<std::unique_ptr<kernels::BlockJacobi<double, kB>>> jacobi;
  for (int k = 0; k < copies; ++k) {
    jacobi.push_back(std::make_unique<kernels::BlockJacobi<double, kB>>(pattern->rows(), Backend::host));
    jacobi.back()->factor(a(k));
  }
  const auto apply = [&](int k) { jacobi[static_cast<std::size_t>(k)]->apply(x.in(k), y[k]); };
  bench.report_own({"block_jacobi", "double", "blocks of 5 x 5, applied", traffic.diagonal,
                    8 * traffic.diagonal + 2 * traffic.vector, 2 * traffic.diagonal},
                   copies, apply);
}

void measure_batches(const Bench& bench, std::int64_t entries) {
  Stream& stream = bench.stream();
  for (const int n : {5, 16}) {
    const std::int64_t matrices = std::max<std::int64_t>(1, entries / (std::int64_t{n} * n)), all = matrices * n * n;
    const int copies = bench.copies(8 * all);
    if (bench.wants("lu_factor") || bench.wants("lu_solve")) {
      const auto original = random_matrices<double>(stream, copies, matrices, n);
      const auto b = random<double>(stream, copies, matrices * n, 1000);
      const Copies<double> factors(stream, copies, all), x(stream, copies, matrices * n);
      const Copies<std::uint8_t> pivots(stream, copies, matrices * n), status(stream, copies, matrices);
      const auto batch = [&](int k) { return kernels::LuBatch<double>{n, factors[k], pivots[k], status[k]}; };
      const auto refill = [&] { std::copy(original.all().begin(), original.all().end(), factors.all().begin()); };
      const auto factor = [&](int k) { kernels::lu_factor(batch(k)); };
      const Times of_factors = bench.time(copies, factor, refill);
      refill();
      for (int k = 0; k < copies; ++k) factor(k);
      const Times of_solutions = bench.time(copies, [&](int k) { kernels::lu_solve(batch(k), b.in(k), x[k]); });
      report_lu(bench, matrices, n, {{"own", of_factors}}, {{"own", of_solutions}});
    }
    if (bench.wants("multiply_batch") || bench.wants("multiply_add_batch")) {
      const auto a = random<double>(stream, copies, all, 1000), b = random<double>(stream, copies, all, 1000);
      const Copies<double> c(stream, copies, all);
      std::fill(c.all().begin(), c.all().end(), 0.0);
      const auto batch = [&](int k) { return kernels::ProductBatch<double>{n, a.in(k), b.in(k), c[k]}; };
      const Times of_products = bench.time(copies, [&](int k) { kernels::multiply_batch(batch(k)); });
      const Times of_sums = bench.time(copies, [&](int k) { kernels::multiply_add_batch(batch(k)); });
      report_products(bench, matrices, n, {{"own", of_products}}, {{"own", of_sums}});
    }
  }
}

}  // namespace bench

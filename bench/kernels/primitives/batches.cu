// Batches of small dense matrices: LU factors, solutions and products.
#include <algorithm>

#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/batched_product.hpp"

#include "inputs.cuh"
#include "linear_rows.hpp"
#ifdef WEFT_HAS_CUDA_LIBRARIES
#include "kernels/cuda_libraries.hpp"
#endif

namespace bench {
namespace {

using namespace weft;

using AllTimes = std::vector<std::pair<std::string, Times>>;

void measure_lu(const Bench& bench, std::int64_t matrices, int n) {
  Stream& stream = bench.stream();
  const std::int64_t square = std::int64_t{n} * n, entries = matrices * square;
  const int copies = bench.copies(8 * entries);
  const auto original = random_matrices<double>(stream, copies, matrices, n),
             b = random<double>(stream, copies, matrices * n, 1000);
  const Copies<double> factors(stream, copies, entries), x(stream, copies, matrices * n);
  const Copies<std::uint8_t> pivots(stream, copies, matrices * n), status(stream, copies, matrices);
  const auto batch = [&](int k) { return kernels::LuBatch<double>{n, factors[k], pivots[k], status[k]}; };
  const auto refill = [&] { copy_bytes(stream, factors.all().data(), original.all().data(), factors.bytes()); };
  AllTimes factor, solve;
#ifdef WEFT_HAS_CUDA_LIBRARIES
  {
    const CudaLibraries libraries(stream);
    const auto refill_x = [&] { copy_bytes(stream, x.all().data(), b.all().data(), x.bytes()); };
    const Copies<double*> at(stream, copies, matrices), vectors(stream, copies, matrices);
    const Copies<int> rows(stream, copies, matrices * n), info(stream, copies, matrices);
    for (int k = 0; k < copies; ++k) {
      parallel_for(kGpu, stream, matrices, StoreAddress<double>{factors[k].data(), square, at[k].data()});
      parallel_for(kGpu, stream, matrices, StoreAddress<double>{x[k].data(), n, vectors[k].data()});
    }
    const auto library_factors = [&](int k) {
      library_factor(libraries, n, at[k].data(), rows[k].data(), info[k].data(), matrices);
    };
    factor.emplace_back("library", bench.time(copies, library_factors, refill));
    refill();
    for (int k = 0; k < copies; ++k) library_factors(k);
    const auto library_solves = [&](int k) {
      library_solve(libraries, n, at[k].data(), rows[k].data(), vectors[k].data(), matrices);
    };
    solve.emplace_back("library", bench.time(copies, library_solves, refill_x));
  }
#endif
  const auto own_factors = [&](int k) { kernels::lu_factor(kGpu, stream, batch(k)); };
  factor.emplace_back("own", bench.time(copies, own_factors, refill));
  refill();
  for (int k = 0; k < copies; ++k) own_factors(k);
  const auto own_solves = [&](int k) { kernels::lu_solve(kGpu, stream, batch(k), b.in(k), x[k]); };
  solve.emplace_back("own", bench.time(copies, own_solves));
  report_lu(bench, matrices, n, std::move(factor), std::move(solve));
}

void measure_batched_products(const Bench& bench, std::int64_t matrices, int n) {
  Stream& stream = bench.stream();
  const std::int64_t all = matrices * n * n;
  const int copies = bench.copies(24 * all);
  const auto a = random<double>(stream, copies, all, 1000), b = random<double>(stream, copies, all, 1000);
  const Copies<double> c(stream, copies, all);
  const auto batch = [&](int k) { return kernels::ProductBatch<double>{n, a.in(k), b.in(k), c[k]}; };
  set_bytes(stream, c.all().data(), 0, c.bytes());
  AllTimes product, sum;
#ifdef WEFT_HAS_CUDA_LIBRARIES
  {
    const CudaLibraries libraries(stream);
    for (AllTimes* const times : {&product, &sum}) {
      const double beta = times == &sum ? 1 : 0;
      times->emplace_back("library", bench.time(copies, [&](int k) {
        library_products(libraries, n, a[k].data(), b[k].data(), c[k].data(), matrices, beta);
      }));
    }
  }
#endif
  product.emplace_back("own", bench.time(copies, [&](int k) { kernels::multiply_batch(kGpu, stream, batch(k)); }));
  sum.emplace_back("own", bench.time(copies, [&](int k) { kernels::multiply_add_batch(kGpu, stream, batch(k)); }));
  report_products(bench, matrices, n, std::move(product), std::move(sum));
}

}  // namespace

void measure_batches(const Bench& bench, std::int64_t n) {
  for (const int rows : {5, 16, 32}) {
    const std::int64_t matrices = std::max<std::int64_t>(1, n / (std::int64_t{rows} * rows));
    if (bench.wants("lu_factor") || bench.wants("lu_solve")) measure_lu(bench, matrices, rows);
    if (bench.wants("multiply_batch") || bench.wants("multiply_add_batch")) measure_batched_products(bench, matrices, rows);
  }
}

}  // namespace bench

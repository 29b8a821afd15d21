// Each operation of linear algebra on a GPU has the bits of the host, in every run while another kernel competes, and in a graph.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/colored_factors.hpp"

#include "kernels/batches.hpp"
#include "kernels/block_sparse.hpp"
#include "kernels/coupled_rows.hpp"
#include "kernels/on_gpu.hpp"
#include "kernels/ways.cuh"
#include "support/gpu.hpp"

namespace weft::kernels::linear_operations_test {
namespace {

using test::check;
using test::numbers;
using test::OnGpu;
using test::Result;
using test::Way;

constexpr space::cuda kGpu{};
constexpr int kB = 5;

void block_sparse_products(Way way) {
  Stream stream;
  const auto list = test::random_matrix<double, kB>(3000, 3000);
  BsrMatrix<double, kB> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> x = numbers<double>(3000 * kB, 2), b = numbers<double>(x.size(), 5);
  std::vector<double> y(x.size()), added(x.size()), transposed(x.size());
  const std::vector<ProductDots> dots{multiply_and_dot(a.view(), x, y, x)};
  multiply_add(1.3, a.view(), x, -0.7, b, added);
  multiply_transposed(a.view(), a.pattern().transpose(), x, transposed);
  a.to_device(stream);
  const auto of_a = a.view<space::cuda>();
  const auto transpose = a.pattern().transpose<space::cuda>();
  const OnGpu in(stream, x), addend(stream, b), product(stream, y), sum(stream, added), of_transposed(stream, transposed);
  const OnGpu result(stream, dots);
  const auto run = [&](Stream& s) {
    multiply_and_dot(kGpu, s, of_a, in.input(), product.span(), in.input(), result.data());
    multiply_add(kGpu, s, 1.3, of_a, in.input(), -0.7, addend.input(), sum.span());
    multiply_transposed(kGpu, s, of_a, transpose, in.input(), of_transposed.span());
  };
  check(way, stream, 1, run, Result<double>{product, y}, Result<ProductDots>{result, dots}, Result<double>{sum, added},
        Result<double>{of_transposed, transposed});
}

/// LU factors of a batch and solutions with them, and products.
template <int N>
void batches(Way way) {
  Stream stream;
  constexpr std::size_t kSize = 1003;
  test::Batch<double> batch(N, kSize);
  const std::vector<double> matrices = batch.factors, b = numbers<double>(kSize * N, 8);
  std::vector<double> x(b.size()), products(matrices.size());
  lu_factor(batch.view());
  lu_solve(batch.view(), b, x);
  multiply_batch(ProductBatch<double>{N, matrices, matrices, products});
  const OnGpu in(stream, matrices), factors(stream, matrices), right(stream, b), solution(stream, x), product(stream, products);
  const OnGpu pivots(stream, batch.pivots), status(stream, batch.status);
  const auto run = [&](Stream& s) {
    copy_bytes(s, factors.data(), in.data(), in.span().size_bytes());
    const LuBatch<double> on_gpu{N, factors.span(), pivots.span(), status.span()};
    lu_factor(kGpu, s, on_gpu);
    lu_solve(kGpu, s, on_gpu, right.input(), solution.span());
    multiply_batch(kGpu, s, ProductBatch<double>{N, in.input(), in.input(), product.span()});
  };
  check(way, stream, 1, run, Result<double>{factors, batch.factors}, Result<std::uint8_t>{pivots, batch.pivots},
        Result<std::uint8_t>{status, batch.status}, Result<double>{solution, x}, Result<double>{product, products});
}

/// Factors of a preconditioner, and one application. @param make  (pattern, space and stream, or nothing) returns it.
template <class Make>
void preconditioner(Way way, const Make& make) {
  Stream stream;
  const auto list = test::coupled_rows<double, kB>(700);
  const auto of_host = list.pattern(), of_gpu = list.pattern(Backend::cuda);
  const BsrMatrix<double, kB> a(of_host, list.blocks);
  BsrMatrix<double, kB> b(of_gpu, list.blocks);
  const std::vector<double> r = numbers<double>(700 * kB, 4);
  std::vector<double> z(r.size());
  auto on_host = make(*of_host, Backend::host);
  on_host.factor(a.view());
  on_host.apply(r, z);
  b.to_device(stream);
  const auto of_b = b.view<space::cuda>();
  auto on_gpu = make(*of_gpu, Backend::cuda);
  const OnGpu in(stream, r), out(stream, z);
  const auto run = [&](Stream& s) {
    on_gpu.factor(kGpu, s, of_b);
    on_gpu.apply(kGpu, s, in.input(), out.span());
  };
  check(way, stream, 1, run, Result<double>{out, z});
}
void block_jacobi(Way way) {
  preconditioner(way, [](const BsrPattern& p, Backend where) { return BlockJacobi<double, kB>(p.rows(), where); });
}
template <Factors kKind>
void colored_factors(Way way) {
  preconditioner(way, [](const BsrPattern& p, Backend) { return ColoredFactors<double, kB>(p, RowColors(p), kKind); });
}

struct Operation {
  const char* name;
  void (*check)(Way);
  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) { return out << operation.name; }
};
const Operation kLinear[] = {{"block_sparse_products", block_sparse_products},
                             {"batches_of_5_rows", batches<5>},
                             {"batches_of_8_rows", batches<8>},
                             {"batches_of_12_rows", batches<12>},
                             {"batches_of_20_rows", batches<20>},
                             {"block_jacobi", block_jacobi},
                             {"lu_sgs", colored_factors<Factors::lu_sgs>},
                             {"ilu0", colored_factors<Factors::ilu0>}};
std::string name_of(const ::testing::TestParamInfo<Operation>& info) { return info.param.name; }

class CudaRepeatedLinear : public ::testing::TestWithParam<Operation> {};
TEST_P(CudaRepeatedLinear, has_the_bits_of_the_host_while_a_kernel_competes) {
  WEFT_NEEDS_GPU();
  GetParam().check(Way::repeated);
}
INSTANTIATE_TEST_SUITE_P(Linear, CudaRepeatedLinear, ::testing::ValuesIn(kLinear), name_of);

class CudaCapturedLinear : public ::testing::TestWithParam<Operation> {};
TEST_P(CudaCapturedLinear, has_the_bits_of_the_host_in_a_graph) {
  WEFT_NEEDS_GPU();
  GetParam().check(Way::captured);
}
INSTANTIATE_TEST_SUITE_P(Linear, CudaCapturedLinear, ::testing::ValuesIn(kLinear), name_of);

}  // namespace
}  // namespace weft::kernels::linear_operations_test

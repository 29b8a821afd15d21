// ILU(0) and LU-SGS by colours on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "kernels/coupled_rows.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/history.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::colored_factors_test {
namespace {

using test::OnGpu;

template <class T, int B>
void expect_bits_of_the_host(const test::BlockList<T>& list, Factors kind) {
  SCOPED_TRACE(::testing::Message() << list.rows << " rows of " << B << (kind == Factors::ilu0 ? ", ILU(0)" : ", LU-SGS"));
  const auto of_host = list.pattern(), of_gpu = list.pattern(Backend::cuda);
  const BsrMatrix<T, B> a(of_host, list.blocks);
  BsrMatrix<T, B> b(of_gpu, list.blocks);
  Stream stream;
  b.to_device(stream);
  ColoredFactors<T, B> on_host(*of_host, RowColors(*of_host), kind),
      on_gpu(*of_gpu, RowColors(space::cuda{}, stream, *of_gpu), kind);
  on_host.factor(a.view());
  on_gpu.factor(space::cuda{}, stream, b.template view<space::cuda>());
  const std::vector<T> values = test::numbers<T>(static_cast<std::size_t>(list.rows) * B, 4);
  std::vector<T> expected(values.size());
  on_host.apply(values, expected);
  const OnGpu r(stream, values, 1), z(stream, std::vector<T>(values.size()), 1);
  on_gpu.apply(space::cuda{}, stream, r.input(), z.span());
  EXPECT_EQ(z.values(stream), expected);
  EXPECT_EQ(on_gpu.singular_rows(after(stream)), on_host.singular_rows());
}

TEST(CudaColoredFactors, have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const Factors kind : {Factors::ilu0, Factors::lu_sgs}) {
    expect_bits_of_the_host<double, 4>(test::coupled_rows<double, 4>(300), kind);
    expect_bits_of_the_host<double, 5>(test::diffusion<double, 5>(17), kind);
    expect_bits_of_the_host<double, 7>(test::coupled_rows<double, 7>(70), kind);
    expect_bits_of_the_host<float, 6>(test::coupled_rows<float, 6>(33), kind);
    expect_bits_of_the_host<double, 5>(test::coupled_rows<double, 5>(1), kind);
    expect_bits_of_the_host<double, 5>(test::random_matrix<double, 5>(90, 120), kind);
    expect_bits_of_the_host<double, 5>(test::BlockList<double>{}, kind);
  }
}

TEST(CudaColoredFactors, precondition_gmres_with_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  const auto list = test::diffusion<double, 5>(12);
  const auto of_host = list.pattern(), of_gpu = list.pattern(Backend::cuda);
  const BsrMatrix<double, 5> a(of_host, list.blocks);
  BsrMatrix<double, 5> b(of_gpu, list.blocks);
  Stream stream;
  b.to_device(stream);
  ColoredFactors<double, 5> on_host(*of_host, RowColors(*of_host), Factors::ilu0),
      on_gpu(*of_gpu, RowColors(space::cuda{}, stream, *of_gpu), Factors::ilu0);
  on_host.factor(a.view());
  on_gpu.factor(space::cuda{}, stream, b.view<space::cuda>());
  const std::vector<double> right = test::numbers<double>(static_cast<std::size_t>(list.rows) * 5, 3);
  std::vector<double> x(right.size());
  Gmres<double, 5> expected(list.rows, 10, Backend::host), actual(list.rows, 10, Backend::cuda);
  expected.start(a.view(), &on_host, right, x, 1e-10);
  expected.cycle(8);
  ASSERT_EQ(expected.status().state, KrylovState::converged) << test::text_of(expected.status());
  const OnGpu of_right(stream, right, 1), solution(stream, std::vector<double>(right.size()), 1);
  actual.start(space::cuda{}, stream, b.view<space::cuda>(), &on_gpu, of_right.input(), solution.span(), 1e-10);
  Graph graph = Graph::capture(stream, [&](Stream& s) { actual.cycle(space::cuda{}, s, 1); });
  for (int launch = 0; launch < 8; ++launch) graph.launch(stream);
  EXPECT_EQ(actual.status(after(stream)), expected.status()) << test::text_of(actual.status());
  EXPECT_EQ(solution.values(stream), x);
}

TEST(CudaColoredFactors, host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  const auto list = test::coupled_rows<double, 5>(40);
  const auto pattern = list.pattern(Backend::cuda);
  BsrMatrix<double, 5> a(pattern);
  Stream stream;
  ColoredFactors<double, 5> factors(*pattern, RowColors(*pattern), Factors::ilu0);
  const OnGpu r(stream, std::vector<double>(200)), z(stream, std::vector<double>(200));
  EXPECT_BREACH(factors.factor(space::cuda{}, host_stream(), a.view<space::cuda>()));
  EXPECT_BREACH(factors.apply(space::cuda{}, host_stream(), r.input(), z.span()));
  EXPECT_BREACH(factors.apply(space::cuda{}, stream, r.input().first(100), z.span()));
  EXPECT_BREACH(RowColors(space::cuda{}, host_stream(), *pattern));
}

}  // namespace
}  // namespace weft::kernels::colored_factors_test

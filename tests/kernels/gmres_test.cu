// GMRES on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "kernels/diffusion.hpp"
#include "kernels/history.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::gmres_test {
namespace {

using test::OnGpu;

template <class T, int B>
void expect_bits_of_the_host(std::int32_t edge, int restart, int cycles, double tolerance, bool preconditioned) {
  SCOPED_TRACE(::testing::Message() << edge << "^3 blocks of " << B << (preconditioned ? ", block Jacobi" : "") << ", restart "
                                    << restart);
  const auto list = test::diffusion<T, B>(edge);
  BsrMatrix<T, B> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<T> b = test::numbers<T>(static_cast<std::size_t>(list.rows) * B, 3);
  std::vector<T> x(b.size());
  BlockJacobi<T, B> of_host(list.rows, Backend::host), of_gpu(list.rows, Backend::cuda);
  of_host.factor(a.view());
  Gmres<T, B> on_host(list.rows, restart, Backend::host), on_gpu(list.rows, restart, Backend::cuda);
  on_host.start(a.view(), preconditioned ? &of_host : nullptr, b, x, tolerance);
  test::History expected;
  for (int i = 0; i < cycles; ++i) {
    on_host.cycle(1);
    expected.add(on_host.status());
  }
  ASSERT_EQ(on_host.status().state, KrylovState::converged) << expected.text();

  Stream stream;
  a.to_device(stream);
  const BsrView<const T, B> of_a = a.template view<space::cuda>();
  const OnGpu right(stream, b, 1), solution(stream, std::vector<T>(b.size()), 1);
  of_gpu.factor(space::cuda{}, stream, of_a);
  const auto start = [&] {
    on_gpu.start(space::cuda{}, stream, of_a, preconditioned ? &of_gpu : nullptr, right.input(), solution.span(), tolerance);
  };
  start();
  EXPECT_EQ(on_gpu.status(after(stream)).state, KrylovState::running);
  on_gpu.cycle(space::cuda{}, stream, 1);
  Graph graph = Graph::capture(stream, [&](Stream& s) { on_gpu.cycle(space::cuda{}, s, 1); });
  for (int launch = 1; launch < cycles; ++launch) graph.launch(stream);
  EXPECT_EQ(on_gpu.status(after(stream)), on_host.status());
  const std::vector<T> result = solution.values(stream);
  EXPECT_EQ(std::memcmp(result.data(), x.data(), x.size() * sizeof(T)), 0);
  if (!::testing::Test::HasFailure()) return;
  test::History actual;
  set_bytes(stream, solution.data(), 0, b.size() * sizeof(T));
  start();
  for (int i = 0; i < cycles; ++i) {
    on_gpu.cycle(space::cuda{}, stream, 1);
    actual.add(on_gpu.status(after(stream)));
  }
  ADD_FAILURE() << "on the host:\n" << expected.text() << "on the GPU, one cycle at a time:\n" << actual.text();
}

TEST(CudaGmres, has_the_bits_of_the_host_for_64_block_rows) {  // small enough for racecheck
  WEFT_NEEDS_GPU();
  expect_bits_of_the_host<double, 5>(4, 40, 3, 1e-4, true);
}

TEST(CudaGmres, has_the_bits_of_the_host_and_stops_on_the_gpu) {
  WEFT_NEEDS_GPU();
  expect_bits_of_the_host<double, 4>(12, 20, 20, 1e-8, true);
  expect_bits_of_the_host<double, 5>(12, 30, 60, 1e-4, false);
  expect_bits_of_the_host<double, 5>(full_or_checked(40, 24), kGmresRestart, 3, 1e-8, true);
  expect_bits_of_the_host<float, 6>(12, 7, 60, 1e-4, true);
  expect_bits_of_the_host<float, 7>(12, 30, 20, 1e-4, true);
}

TEST(CudaGmres, reports_a_breakdown_as_the_host) {
  WEFT_NEEDS_GPU();
  BsrMatrix<double, 5> zero(test::diffusion<double, 5>(3).pattern(Backend::cuda));
  Gmres<double, 5> solver(27, 10, Backend::cuda);
  Stream stream;
  const OnGpu b(stream, std::vector<double>(135, 1)), x(stream, std::vector<double>(135, 0.25));
  solver.start(space::cuda{}, stream, zero.view<space::cuda>(), nullptr, b.input(), x.span(), 1e-8);
  solver.cycle(space::cuda{}, stream, 3);
  EXPECT_EQ(solver.status(after(stream)).state, KrylovState::broken);
  EXPECT_EQ(x.values(stream), std::vector<double>(135, 0.25));
}

TEST(CudaGmres, solvers_of_the_host_and_host_streams_are_refused) {
  WEFT_NEEDS_GPU();
  BsrMatrix<double, 5> a(test::diffusion<double, 5>(3).pattern(Backend::cuda));
  Gmres<double, 5> on_host(27, 10, Backend::host), on_gpu(27, 10, Backend::cuda);
  Stream stream;
  const OnGpu b(stream, std::vector<double>(135)), x(stream, std::vector<double>(135));
  const BsrView<const double, 5> view = a.view<space::cuda>();
  EXPECT_BREACH(on_host.start(space::cuda{}, stream, view, nullptr, b.input(), x.span(), 0.1));
  EXPECT_BREACH(on_gpu.start(space::cuda{}, host_stream(), view, nullptr, b.input(), x.span(), 0.1));
  EXPECT_BREACH(on_gpu.cycle(space::cuda{}, stream, 1));
}

}  // namespace
}  // namespace weft::kernels::gmres_test

// BiCGStab on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"

#include "kernels/diffusion.hpp"
#include "kernels/history.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::bicgstab_test {
namespace {

using test::OnGpu;

/// Enough iterations for the systems of this test: with 12^3 rows, blocks of 5 and without preconditioner the host needs 78.
constexpr int kIterations = 120;

template <class T, int B>
void expect_bits_of_the_host(bool preconditioned) {
  SCOPED_TRACE(::testing::Message() << "blocks of " << B << (preconditioned ? ", block Jacobi" : ""));
  const auto list = test::diffusion<T, B>(full_or_checked(12, 6));
  BsrMatrix<T, B> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<T> b = test::numbers<T>(static_cast<std::size_t>(list.rows) * B, 3);
  std::vector<T> x(b.size());
  BlockJacobi<T, B> of_host(list.rows, Backend::host), of_gpu(list.rows, Backend::cuda);
  of_host.factor(a.view());
  BiCgStab<T, B> on_host(list.rows, Backend::host), on_gpu(list.rows, Backend::cuda);
  on_host.start(a.view(), preconditioned ? &of_host : nullptr, b, x, 1e-4);
  test::History expected;
  for (int i = 0; i < kIterations; ++i) {
    on_host.iterate(1);
    expected.add(on_host.status());
  }
  ASSERT_EQ(on_host.status().state, KrylovState::converged) << expected.text();

  Stream stream;
  a.to_device(stream);
  const BsrView<const T, B> view = a.template view<space::cuda>();
  const OnGpu right(stream, b, 1), solution(stream, std::vector<T>(b.size()), 1);
  of_gpu.factor(space::cuda{}, stream, view);
  const auto start = [&] {
    on_gpu.start(space::cuda{}, stream, view, preconditioned ? &of_gpu : nullptr, right.input(), solution.span(), 1e-4);
  };
  start();
  EXPECT_EQ(on_gpu.status(after(stream)).state, KrylovState::running);
  on_gpu.iterate(space::cuda{}, stream, 2);
  Graph graph = Graph::capture(stream, [&](Stream& s) { on_gpu.iterate(space::cuda{}, s, 2); });
  for (int launch = 0; launch < kIterations / 2 - 1; ++launch) graph.launch(stream);
  EXPECT_EQ(on_gpu.status(after(stream)), on_host.status());
  const std::vector<T> result = solution.values(stream);
  EXPECT_EQ(std::memcmp(result.data(), x.data(), x.size() * sizeof(T)), 0);
  if (!::testing::Test::HasFailure()) return;
  test::History actual;
  set_bytes(stream, solution.data(), 0, b.size() * sizeof(T));
  start();
  for (int i = 0; i < kIterations; ++i) {
    on_gpu.iterate(space::cuda{}, stream, 1);
    actual.add(on_gpu.status(after(stream)));
  }
  ADD_FAILURE() << "on the host:\n" << expected.text() << "on the GPU, one iteration at a time:\n" << actual.text();
}

TEST(CudaBiCgStab, has_the_bits_of_the_host_and_stops_on_the_gpu) {
  WEFT_NEEDS_GPU();
  expect_bits_of_the_host<double, 4>(true);
  expect_bits_of_the_host<double, 5>(false);
  expect_bits_of_the_host<double, 5>(true);
  expect_bits_of_the_host<float, 6>(true);
  expect_bits_of_the_host<float, 7>(true);
}

TEST(CudaBiCgStab, solvers_of_the_host_and_host_streams_are_refused) {
  WEFT_NEEDS_GPU();
  BsrMatrix<double, 5> a(test::diffusion<double, 5>(3).pattern(Backend::cuda));
  BiCgStab<double, 5> on_host(27, Backend::host), on_gpu(27, Backend::cuda);
  Stream stream;
  const OnGpu b(stream, std::vector<double>(135)), x(stream, std::vector<double>(135));
  const BsrView<const double, 5> view = a.view<space::cuda>();
  EXPECT_BREACH(on_host.start(space::cuda{}, stream, view, nullptr, b.input(), x.span(), 0.1));
  EXPECT_BREACH(on_gpu.start(space::cuda{}, host_stream(), view, nullptr, b.input(), x.span(), 0.1));
  EXPECT_BREACH(on_gpu.iterate(space::cuda{}, stream, 1));
}

}  // namespace
}  // namespace weft::kernels::bicgstab_test

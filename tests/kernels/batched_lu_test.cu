// Batched LU factorisation and block Jacobi on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"

#include "kernels/batches.hpp"
#include "kernels/block_sparse.hpp"
#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::batched_lu_test {
namespace {

using test::Batch;
using test::OnGpu;

constexpr space::cuda kGpu;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// A batch in GPU memory.
template <class T>
struct BatchOnGpu {
  int n;
  OnGpu<T> factors;
  OnGpu<std::uint8_t> pivots, status;

  BatchOnGpu(Stream& stream, const Batch<T>& batch, std::size_t shift)
      : n(batch.n),
        factors(stream, batch.factors, shift),
        pivots(stream, batch.pivots, shift),
        status(stream, batch.status, shift) {}
  [[nodiscard]] LuBatch<T> view() const { return {n, factors.span(), pivots.span(), status.span()}; }
};

template <class T>
void expect_bits_of_the_host(Batch<T> batch, std::size_t shift) {
  SCOPED_TRACE(::testing::Message() << batch.status.size() << " matrices, n = " << batch.n << ", shift " << shift);
  Stream stream;
  const BatchOnGpu<T> on_gpu(stream, batch, shift);
  const std::vector<T> b = test::numbers<T>(batch.pivots.size(), 8);
  std::vector<T> x(b.size());
  lu_factor(batch.view());
  lu_solve(batch.view(), b, x);
  const OnGpu right(stream, b, shift), solution(stream, std::vector<T>(b.size()), shift);
  lu_factor(kGpu, stream, on_gpu.view());
  EXPECT_EQ(on_gpu.status.values(stream), batch.status);
  EXPECT_EQ(on_gpu.pivots.values(stream), batch.pivots);
  const std::vector<T> factors = on_gpu.factors.values(stream);
  const auto entries = static_cast<std::size_t>(batch.n * batch.n);
  for (std::size_t m = 0; m < batch.status.size(); ++m) {  // not a number has other bits on a GPU
    if (batch.status[m] == 0) {
      ASSERT_EQ(std::memcmp(factors.data() + m * entries, batch.factors.data() + m * entries, entries * sizeof(T)), 0) << m;
    }
  }
  lu_solve(kGpu, stream, on_gpu.view(), right.input(), solution.span());
  EXPECT_TRUE(same_bits(solution.values(stream), x));
  lu_solve(kGpu, stream, on_gpu.view(), right.input(), right.span());
  EXPECT_TRUE(same_bits(right.values(stream), x));
}

TEST(CudaBatchedLu, factors_and_solutions_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (int n = 1; n <= 32; ++n) {
    for (const std::size_t size : {0, 1, 3, 63, 129, full_or_checked(1000, 260)}) {
      expect_bits_of_the_host(Batch<double>(n, size), size % 2);
      expect_bits_of_the_host(Batch<float>(n, size), size % 2);
    }
  }
}

TEST(CudaBatchedLu, kernels_read_the_writes_of_the_preceding_one) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const int n : {5, 8, 12, 20}) {  // a thread for each matrix; 8, 16 and 32 lanes
    Batch<double> batch(n, 200);
    const OnGpu source(stream, batch.factors);
    const std::vector<double> b = test::numbers<double>(batch.pivots.size(), 8);
    std::vector<double> x(b.size());
    Batch<double> ones = batch;
    std::fill(ones.factors.begin(), ones.factors.end(), 1.0);
    const BatchOnGpu<double> on_gpu(stream, ones, 0);
    lu_factor(batch.view());
    lu_solve(batch.view(), b, x);
    const OnGpu of_right(stream, b), right(stream, std::vector<double>(b.size())),
        solution(stream, std::vector<double>(b.size()));
    test::write_late(stream, source, on_gpu.factors);
    lu_factor(kGpu, stream, on_gpu.view());
    EXPECT_TRUE(same_bits(on_gpu.factors.values(stream), batch.factors)) << n;
    test::write_late(stream, of_right, right);
    lu_solve(kGpu, stream, on_gpu.view(), right.input(), solution.span());
    EXPECT_TRUE(same_bits(solution.values(stream), x)) << n;
  }
}

TEST(CudaBatchedLu, singular_matrices_are_reported) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (int n = 1; n <= 32; ++n) {
    Batch<double> batch(n, 9);
    (void)test::make_singular(batch);
    expect_bits_of_the_host(batch, 0);
    const BatchOnGpu<double> on_gpu(stream, batch, 0);
    const OnGpu first(stream, std::vector<std::int64_t>{-1});
    lu_factor(kGpu, stream, on_gpu.view());
    first_singular(kGpu, stream, on_gpu.view().status, first.data());
    EXPECT_EQ(first.values(stream)[0], 1);
    first_singular(kGpu, stream, on_gpu.view().status.subspan(7), first.data());
    EXPECT_EQ(first.values(stream)[0], 2) << "the number of matrices, for none of them is singular";
    first_singular(kGpu, stream, {}, first.data());
    EXPECT_EQ(first.values(stream)[0], 0);
  }
}

template <class T, int B>
void expect_jacobi_of_the_host() {
  const auto list = test::random_matrix<T, B>(1000, 1000);
  BsrMatrix<T, B> a(list.pattern(Backend::cuda), list.blocks);
  BlockJacobi<T, B> on_host(1000, Backend::host), jacobi(1000, Backend::cuda);
  const std::vector<T> r = test::numbers<T>(1000 * B, 5);
  std::vector<T> z(r.size());
  on_host.factor(a.view());
  on_host.apply(r, z);
  Stream stream;
  a.to_device(stream);
  const OnGpu right(stream, r, 1), result(stream, std::vector<T>(r.size()), 1);
  const OnGpu first(stream, std::vector<std::int64_t>(1));
  const BsrView<const T, B> on_device = a.template view<space::cuda>();
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    jacobi.factor(kGpu, s, on_device);
    jacobi.apply(kGpu, s, right.input(), result.span());
    jacobi.first_singular(kGpu, s, first.data());
  });
  for (int run = 0; run < 3; ++run) {
    graph.launch(stream);
    EXPECT_TRUE(same_bits(result.values(stream), z));
    EXPECT_EQ(first.values(stream)[0], 8);
    EXPECT_EQ(jacobi.singular_rows(), on_host.singular_rows());
  }
}

TEST(CudaBlockJacobi, has_the_bits_of_the_host_and_can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  expect_jacobi_of_the_host<double, 4>();
  expect_jacobi_of_the_host<double, 5>();
  expect_jacobi_of_the_host<float, 6>();
  expect_jacobi_of_the_host<float, 7>();
}

TEST(CudaBatchedLu, sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const BatchOnGpu<double> on_gpu(stream, Batch<double>(5, 4), 0);
  const OnGpu x(stream, std::vector<double>(40));
  const LuBatch<double> good = on_gpu.view();
  LuBatch<double> bad = good;
  bad.n = 4;
  EXPECT_BREACH(lu_factor(kGpu, host_stream(), good));
  EXPECT_BREACH(lu_factor(kGpu, stream, bad));
  EXPECT_BREACH(lu_solve(kGpu, stream, good, x.input().first(20), x.span().subspan(1, 20)));
}

}  // namespace
}  // namespace weft::kernels::batched_lu_test

// Reductions on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/reduce.cuh"

#include "kernels/associative.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::reduce_test {
namespace {

using test::OnGpu;

constexpr std::size_t kSizes[] = {0, 1, 31, 33, 1023, 1024, 1025, 8193, 600'003};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST(CudaReduce, sums_and_products_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : kSizes) {
    const std::vector<double> x = test::cancelling_numbers<double>(n);
    const std::vector<float> y = test::cancelling_numbers<float>(n);
    const std::span<const double> host_x(x);
    const std::span<const float> host_y(y);
    const OnGpu on_gpu(stream, x, 1), result(stream, std::vector<double>(1));
    const OnGpu floats(stream, y, 1);
    sum(space::cuda{}, stream, on_gpu.input(), result.data());
    EXPECT_TRUE(same_bits(result.values(stream), {sum(host_x)})) << n;
    dot(space::cuda{}, stream, on_gpu.input(), on_gpu.input(), result.data());
    EXPECT_TRUE(same_bits(result.values(stream), {dot(host_x, host_x)})) << n;
    dot(space::cuda{}, stream, floats.input(), floats.input(), result.data());
    EXPECT_TRUE(same_bits(result.values(stream), {dot<float, double>(host_y, host_y)})) << n;
  }
}

TEST(CudaReduce, axpy_dot_has_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : kSizes) {
    const std::vector<double> x = test::cancelling_numbers<double>(n);
    std::vector<double> y(n, 0.7), z(n, -0.3);
    const OnGpu on_gpu(stream, x), other(stream, z), updated(stream, y, 1), result(stream, std::vector<double>(1, 0.3));
    axpy_dot(space::cuda{}, stream, result.data(), on_gpu.input(), updated.span(), other.input(), result.data());
    const double with_z = axpy_dot(0.3, std::span<const double>(x), std::span(y), std::span<const double>(z));
    EXPECT_TRUE(same_bits(result.values(stream), {with_z})) << n;
    EXPECT_TRUE(same_bits(updated.values(stream), y)) << n;
    axpy_dot(space::cuda{}, stream, result.data(), on_gpu.input(), updated.span(), updated.input(), result.data());
    const double with_y = axpy_dot(with_z, std::span<const double>(x), std::span(y), std::span<const double>(y));
    EXPECT_TRUE(same_bits(result.values(stream), {with_y})) << n;
    EXPECT_TRUE(same_bits(updated.values(stream), y)) << n;
  }
}

void expect_segments_of_the_host(const std::vector<double>& x, const std::vector<std::int64_t>& offsets) {
  Stream stream;
  std::vector<double> expected(offsets.size() - 1);
  segmented_sum(std::span<const double>(x), std::span<const std::int64_t>(offsets), std::span(expected));
  const OnGpu values(stream, x, 1), sums(stream, std::vector<double>(expected.size()), 1);
  const OnGpu bounds(stream, offsets);
  segmented_sum(space::cuda{}, stream, values.input(), bounds.input(), sums.span());
  EXPECT_TRUE(same_bits(sums.values(stream), expected)) << offsets.size();
  segmented_reduce(std::span<const double>(x), std::span<const std::int64_t>(offsets), std::span(expected), 1e300, Minimum{});
  segmented_reduce(space::cuda{}, stream, values.input(), bounds.input(), sums.span(), 1e300, Minimum{});
  EXPECT_TRUE(same_bits(sums.values(stream), expected)) << offsets.size();
}

/// Returns offsets from 3 on of segments of random lengths below `most`.
std::vector<std::int64_t> random_offsets(std::int64_t n, std::uint64_t most) {
  std::vector<std::int64_t> offsets{3};
  while (offsets.back() + static_cast<std::int64_t>(most) < n) {
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(mix_bits(offsets.size()) % most));
  }
  return offsets;
}

TEST(CudaReduce, segments_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  const std::vector<double> x = test::cancelling_numbers<double>(300'000);
  for (const std::uint64_t most : {4U, 40U, 600U, 5000U}) expect_segments_of_the_host(x, random_offsets(std::ssize(x), most));
  expect_segments_of_the_host(x, {0, 300'000});                            // one long segment
  expect_segments_of_the_host(x, {0, 32, 65, 1089, 2114, 2114, 290'000});  // every kind
  expect_segments_of_the_host(std::vector<double>(x.begin(), x.begin() + 1024), {0, 1024});
  std::vector<std::int64_t> many(20'001);  // one long segment among 20,000 empty ones
  for (std::size_t s = 0; s < many.size(); ++s) many[s] = s < 777 ? 5 : 290'005;
  expect_segments_of_the_host(x, many);
  expect_segments_of_the_host(test::cancelling_numbers<double>((1 << 20) + 5000), {1, (1 << 20) + 3003, (1 << 20) + 4100});
}

TEST(CudaReduce, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<double> ones(10'000, 1);
  const OnGpu x(stream, ones), y(stream, ones), alpha(stream, std::vector<double>(1, 0.5)),
      result(stream, std::vector<double>(1));
  Graph graph = Graph::capture(
      stream, [&](Stream& s) { axpy_dot(space::cuda{}, s, alpha.data(), x.input(), y.span(), x.input(), result.data()); });
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_EQ(result.values(stream)[0], 20'000);
}

/// Returns 1 for odd indices.
struct IsOdd {
  WEFT_HD std::int64_t operator()(std::int64_t i) const { return i & 1; }
};

TEST(CudaReduce, reduces_indices_beyond_32_bits) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::int64_t n = (std::int64_t{1} << 32) + 6;
  EXPECT_EQ(weft::reduce(space::cuda{}, stream, n, std::int64_t{0}, IsOdd{}, Plus{}), n / 2);
}

TEST(CudaReduce, workspace_is_known_without_a_gpu) {
  EXPECT_EQ(reduce_workspace<double>(1024), 0U);
  EXPECT_GT(reduce_workspace<double>(1025), 0U);
  EXPECT_LT(reduce_workspace<double>(std::int64_t{1} << 33), (std::size_t{1} << 33) / 4096 * 9);
  EXPECT_EQ(segmented_reduce_workspace<double>(1024), 0U);
  EXPECT_EQ(segmented_reduce_workspace<double>(2048), 8U + 16 + 3 * 8);
}

TEST(CudaReduce, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<double>(4)), b(stream, std::vector<double>(3)), result(stream, std::vector<double>(1));
  const OnGpu offsets(stream, std::vector<std::int64_t>{0, 2, 4});
  EXPECT_BREACH(sum(space::cuda{}, host_stream(), a.input(), result.data()));
  EXPECT_BREACH(dot(space::cuda{}, stream, a.input(), b.input(), result.data()));
  EXPECT_BREACH(axpy_dot(space::cuda{}, stream, result.data(), a.input(), a.span(), a.input(), result.data()));
  EXPECT_BREACH(
      axpy_dot(space::cuda{}, stream, a.data(), a.input().first(2), a.span().last(2), a.input().first(1), result.data()));
  EXPECT_BREACH(segmented_sum(space::cuda{}, stream, a.input(), offsets.input(), b.span()));
  const std::span<const double> too_many(a.data(), std::size_t{1} << 40);
  EXPECT_BREACH(segmented_sum(space::cuda{}, stream, too_many, offsets.input(), b.span().first(2)));
}

}  // namespace
}  // namespace weft::kernels::reduce_test

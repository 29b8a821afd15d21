// Stencils of 25 points on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "weft/kernels/primitives/star_stencil.cuh"

#include "kernels/associative.hpp"
#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::star_stencil_test {
namespace {

using test::OnGpu;

template <class T>
StarWeights<T> weights() {
  return {T(0.41),
          {T(0.113), T(-0.097), T(0.31), T(0.07)},
          {T(0.123), T(0.089), T(-0.2), T(0.5)},
          {T(-0.131), T(0.071), T(1.3), T(-0.3)}};
}

template <class T>
void expect_bits_of_the_host(const StarBox& box) {
  Stream stream;
  const std::vector<T> numbers = test::cancelling_numbers<T>(static_cast<std::size_t>(box.entries()));
  std::vector<T> expected(numbers.size(), T(-5));
  apply_star_stencil(weights<T>(), box, std::span<const T>(numbers), std::span(expected));
  const OnGpu in(stream, numbers, 1), out(stream, std::vector<T>(numbers.size(), T(-5)), 3);
  apply_star_stencil(space::cuda{}, stream, weights<T>(), box, in.input(), out.span());
  const std::vector<T> values = out.values(stream);
  EXPECT_EQ(std::memcmp(values.data(), expected.data(), values.size() * sizeof(T)), 0)
      << box.nx << " x " << box.ny << " x " << box.nz << ", rows of " << box.row << ", entries of " << sizeof(T) << " bytes";
}

TEST(CudaStarStencil, has_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const StarBox& box : {StarBox{1, 1, 1}, StarBox{31, 7, 63}, StarBox{32, 8, 64}, StarBox{33, 9, 65}, StarBox{100, 3, 130},
                             StarBox{5, 100, 2, 20}, StarBox{0, 4, 4}}) {
    expect_bits_of_the_host<double>(box);
    expect_bits_of_the_host<float>(box);
  }
}

TEST(CudaStarStencil, reads_the_writes_of_the_preceding_kernel) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const StarBox box{20, 10, 10};
  const std::vector<double> numbers = test::cancelling_numbers<double>(static_cast<std::size_t>(box.entries()));
  std::vector<double> expected(numbers.size());
  apply_star_stencil(weights<double>(), box, std::span<const double>(numbers), std::span(expected));
  const OnGpu source(stream, numbers), in(stream, std::vector<double>(numbers.size()));
  const OnGpu out(stream, std::vector<double>(numbers.size()));
  test::write_late(stream, source, in);
  apply_star_stencil(space::cuda{}, stream, weights<double>(), box, in.input(), out.span());
  EXPECT_EQ(out.values(stream), expected);
}

TEST(CudaStarStencil, invalid_arguments_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const StarBox box{2, 2, 2};
  const OnGpu in(stream, std::vector<float>(static_cast<std::size_t>(box.entries())));
  const OnGpu out(stream, std::vector<float>(static_cast<std::size_t>(box.entries())));
  EXPECT_BREACH(apply_star_stencil(space::cuda{}, stream, weights<float>(), box, in.input(), in.span()));
  EXPECT_BREACH(apply_star_stencil(space::cuda{}, stream, weights<float>(), box, in.input(), out.span().first(7)));
  EXPECT_BREACH(apply_star_stencil(space::cuda{}, stream, weights<float>(), StarBox{2, 2, 2, 9}, in.input(), out.span()));
  EXPECT_BREACH(apply_star_stencil(space::cuda{}, host_stream(), weights<float>(), box, in.input(), out.span()));
}

}  // namespace
}  // namespace weft::kernels::star_stencil_test

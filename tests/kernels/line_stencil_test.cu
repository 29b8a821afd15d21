// Stencils along an axis on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/line_stencil.cuh"

#include "kernels/associative.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::line_stencil_test {
namespace {

using test::OnGpu;

template <class T, int kRadius>
void expect_bits_of_the_host() {
  Stream stream;
  LineStencil<T, kRadius> stencil;
  for (int k = 0; k < stencil.kPoints; ++k) stencil.coefficient[k] = static_cast<T>(0.37 * k - 0.9);
  for (const std::size_t n : {0, 1, 31, 255, 256, 257, 100'003}) {
    const std::vector<T> numbers = test::cancelling_numbers<T>(n + 2 * kRadius);
    std::vector<T> expected(n);
    apply_line_stencil(stencil, std::span<const T>(numbers), std::span(expected));
    const OnGpu in(stream, numbers, 1), out(stream, std::vector<T>(n), 3);
    apply_line_stencil(space::cuda{}, stream, stencil, in.input(), out.span());
    const std::vector<T> values = out.values(stream);
    EXPECT_TRUE(n == 0 || std::memcmp(values.data(), expected.data(), n * sizeof(T)) == 0) << n << ", radius " << kRadius;
  }
}

TEST(CudaLineStencil, has_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  expect_bits_of_the_host<double, 0>();
  expect_bits_of_the_host<double, 4>();
  expect_bits_of_the_host<float, 16>();
}

TEST(CudaLineStencil, captured_launches_keep_their_coefficients) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu in(stream, std::vector<double>{1, 10, 100}), first(stream, std::vector<double>(1)),
      second(stream, std::vector<double>(1));
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    apply_line_stencil(space::cuda{}, s, LineStencil<double, 1>{{1, 2, 3}}, in.input(), first.span());
    apply_line_stencil(space::cuda{}, s, LineStencil<double, 1>{{3, 2, 1}}, in.input(), second.span());
  });
  graph.launch(stream);
  EXPECT_EQ(first.values(stream)[0], 321);
  EXPECT_EQ(second.values(stream)[0], 123);
}

TEST(CudaLineStencil, invalid_arguments_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const LineStencil<float, 1> stencil{{1, 2, 3}};
  const OnGpu in(stream, std::vector<float>(10)), out(stream, std::vector<float>(9));
  EXPECT_BREACH(apply_line_stencil(space::cuda{}, stream, stencil, in.input(), out.span()));
  EXPECT_BREACH(apply_line_stencil(space::cuda{}, stream, stencil, in.input(), in.span().first(8)));
  EXPECT_BREACH(apply_line_stencil(space::cuda{}, host_stream(), stencil, in.input(), out.span().first(8)));
}

}  // namespace
}  // namespace weft::kernels::line_stencil_test

// Products of block-sparse matrices on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/bsr_product.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::bsr_product_test {
namespace {

using test::numbers;
using test::OnGpu;

constexpr space::cuda kGpu;

template <class T, int B>
void expect_bits_of_the_host(std::int32_t rows, std::int32_t columns, std::size_t shift) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << " blocks of " << B << ", shift " << shift);
  const auto list = test::random_matrix<T, B>(rows, columns);
  BsrMatrix<T, B> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<T> x = numbers<T>(static_cast<std::size_t>(columns) * B, 2);
  const std::vector<T> left = numbers<T>(static_cast<std::size_t>(rows) * B, 4);
  std::vector<T> y(left.size()), z(x.size());
  const ProductDots dots = multiply_and_dot(a.view(), x, y, left);
  multiply_transposed(a.view(), a.pattern().transpose(), left, z);
  const std::vector<T> b = numbers<T>(y.size(), 5);
  std::vector<T> added(y.size());
  const ProductDots of_added = multiply_add_and_dot(T(1.3), a.view(), x, T(-0.7), b, added, left);

  Stream stream;
  a.to_device(stream);
  const BsrView<const T, B> on_device = a.template view<space::cuda>();
  const OnGpu right(stream, x, shift), of_rows(stream, left, shift);
  const OnGpu product(stream, std::vector<T>(y.size()), shift), with_dots(stream, std::vector<T>(y.size()), shift);
  const OnGpu transposed(stream, std::vector<T>(z.size()), shift);
  const OnGpu result(stream, std::vector<ProductDots>(1));
  multiply(kGpu, stream, on_device, right.input(), product.span());
  EXPECT_EQ(product.values(stream), y);
  multiply_and_dot(kGpu, stream, on_device, right.input(), with_dots.span(), of_rows.input(), result.data());
  EXPECT_EQ(with_dots.values(stream), y);
  EXPECT_EQ(result.values(stream)[0], dots);
  const OnGpu addend(stream, b, shift), in_place(stream, b, shift), sum(stream, std::vector<T>(y.size()), shift);
  multiply_add(kGpu, stream, T(1.3), on_device, right.input(), T(-0.7), addend.input(), sum.span());
  EXPECT_EQ(sum.values(stream), added);
  multiply_add_and_dot(kGpu, stream, T(1.3), on_device, right.input(), T(-0.7), in_place.input(), in_place.span(),
                       of_rows.input(), result.data());
  EXPECT_EQ(in_place.values(stream), added);
  EXPECT_EQ(result.values(stream)[0], of_added);
  multiply_transposed(kGpu, stream, on_device, a.pattern().template transpose<space::cuda>(), of_rows.input(), transposed.span());
  EXPECT_EQ(transposed.values(stream), z);
}

TEST(CudaBsrProduct, products_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::int32_t rows : {0, 1, 31, 33, 205, 4000}) {
    for (const std::size_t shift : {0, 1}) {
      expect_bits_of_the_host<double, 4>(rows, rows, shift);
      expect_bits_of_the_host<double, 5>(rows, rows, shift);
      expect_bits_of_the_host<double, 6>(rows, rows, shift);
      expect_bits_of_the_host<double, 7>(rows, rows, shift);
      expect_bits_of_the_host<float, 4>(rows, rows, shift);
      expect_bits_of_the_host<float, 5>(rows, rows, shift);
      expect_bits_of_the_host<float, 6>(rows, rows, shift);
      expect_bits_of_the_host<float, 7>(rows, rows, shift);
    }
  }
  expect_bits_of_the_host<double, 5>(600, 777, 1);
  expect_bits_of_the_host<double, 5>(3, 0, 0);
  expect_bits_of_the_host<double, 5>(0, 3, 0);
}

/// A tridiagonal matrix of random blocks: its list has 3 rows - 2 blocks.
test::BlockList<float> tridiagonal(std::int32_t rows) {
  test::BlockList<float> list;
  list.rows = list.columns = rows;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = std::max(row - 1, 0); column < std::min(row + 2, rows); ++column) list.column.push_back(column);
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  list.blocks = numbers<float>(list.column.size() * 16, 7);
  return list;
}

TEST(CudaBsrProduct, large_matrices_have_the_bits_of_the_host) {  // 2^24 entries and more are added in larger blocks
  WEFT_NEEDS_GPU();
  constexpr std::int32_t kRows = (1 << 22) + 5;
  const auto list = tridiagonal(kRows);
  BsrMatrix<float, 4> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<float> x = numbers<float>(std::size_t{kRows} * 4, 2);
  std::vector<float> y(x.size());
  const ProductDots dots = multiply_and_dot(a.view(), x, y, x);
  Stream stream;
  a.to_device(stream);
  const OnGpu right(stream, x), product(stream, std::vector<float>(y.size()));
  const OnGpu result(stream, std::vector<ProductDots>(1));
  multiply_and_dot(kGpu, stream, a.view<space::cuda>(), right.input(), product.span(), right.input(), result.data());
  EXPECT_EQ(product.values(stream), y);
  EXPECT_EQ(result.values(stream)[0], dots);
}

TEST(CudaBsrProduct, products_read_the_writes_of_the_preceding_kernel) {
  WEFT_NEEDS_GPU();
  constexpr int kB = 5;
  constexpr std::int32_t kRows = 300;
  const auto list = test::random_matrix<double, kB>(kRows, kRows);
  BsrMatrix<double, kB> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> x = numbers<double>(std::size_t{kRows} * kB, 2), nothing(x.size());
  std::vector<double> y(x.size()), z(x.size());
  const ProductDots dots = multiply_and_dot(a.view(), x, y, x);
  multiply_transposed(a.view(), a.pattern().transpose(), x, z);
  Stream stream;
  a.to_device(stream);
  const BsrView<const double, kB> on_device = a.template view<space::cuda>();
  const OnGpu source(stream, x), right(stream, nothing), product(stream, nothing);
  const OnGpu none(stream, nothing);
  const OnGpu result(stream, std::vector<ProductDots>(1));
  test::write_late(stream, source, right);
  multiply(kGpu, stream, on_device, right.input(), product.span());
  EXPECT_EQ(product.values(stream), y);
  test::write_late(stream, none, right);
  stream.wait();
  test::write_late(stream, source, right);
  multiply_and_dot(kGpu, stream, on_device, right.input(), product.span(), right.input(), result.data());
  EXPECT_EQ(result.values(stream)[0], dots);
  test::write_late(stream, none, right);
  stream.wait();
  test::write_late(stream, source, right);
  multiply_transposed(kGpu, stream, on_device, a.pattern().template transpose<space::cuda>(), right.input(), product.span());
  EXPECT_EQ(product.values(stream), z);
}

TEST(CudaBsrProduct, sums_of_products_and_vectors_read_the_writes_of_the_preceding_kernel) {
  WEFT_NEEDS_GPU();
  constexpr int kB = 5;
  constexpr std::int32_t kRows = 300;
  const auto list = test::random_matrix<double, kB>(kRows, kRows);
  BsrMatrix<double, kB> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> x = numbers<double>(std::size_t{kRows} * kB, 2), b = numbers<double>(x.size(), 5), nothing(x.size());
  std::vector<double> y(x.size());
  const ProductDots dots = multiply_add_and_dot(-1, a.view(), x, 1, b, y, b);
  Stream stream;
  a.to_device(stream);
  const BsrView<const double, kB> on_device = a.view<space::cuda>();
  const OnGpu source(stream, b), right(stream, x), addend(stream, nothing), sum(stream, nothing);
  const OnGpu result(stream, std::vector<ProductDots>(1));
  test::write_late(stream, source, addend);
  multiply_add(kGpu, stream, -1, on_device, right.input(), 1, addend.input(), sum.span());
  EXPECT_EQ(sum.values(stream), y);
  const OnGpu late(stream, nothing);
  test::write_late(stream, source, late);
  multiply_add_and_dot(kGpu, stream, -1, on_device, right.input(), 1, late.input(), sum.span(), late.input(), result.data());
  EXPECT_EQ(sum.values(stream), y);
  EXPECT_EQ(result.values(stream)[0], dots);
}

TEST(CudaBsrProduct, residuals_can_be_captured_in_a_graph_and_repeated) {
  WEFT_NEEDS_GPU();
  const auto list = test::random_matrix<double, 5>(3000, 3000);
  BsrMatrix<double, 5> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> x = numbers<double>(15'000, 2), b = numbers<double>(15'000, 5);
  std::vector<double> y(x.size()), r(x.size());
  multiply_add(0.25, a.view(), x, 0.5, b, y);
  const ProductDots dots = multiply_add_and_dot(-1, a.view(), y, 1, b, r, b);
  Stream stream;
  a.to_device(stream);
  const BsrView<const double, 5> on_device = a.view<space::cuda>();
  const OnGpu right(stream, x), addend(stream, b), sum(stream, x), residual(stream, x);
  const OnGpu result(stream, std::vector<ProductDots>(1));
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    multiply_add(kGpu, s, 0.25, on_device, right.input(), 0.5, addend.input(), sum.span());
    multiply_add_and_dot(kGpu, s, -1, on_device, sum.input(), 1, addend.input(), residual.span(), addend.input(), result.data());
  });
  for (int run = 0; run < 100; ++run) {
    graph.launch(stream);
    ASSERT_EQ(result.values(stream)[0], dots) << run;
    ASSERT_EQ(residual.values(stream), r) << run;
  }
}

TEST(CudaBsrProduct, can_be_captured_in_a_graph_and_repeated) {
  WEFT_NEEDS_GPU();
  const auto list = test::random_matrix<double, 5>(3000, 3000);
  BsrMatrix<double, 5> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> x = numbers<double>(15'000, 2);
  std::vector<double> y(x.size()), twice(x.size());
  (void)multiply_and_dot(a.view(), x, y, x);
  const ProductDots dots = multiply_and_dot(a.view(), y, twice, y);
  Stream stream;
  a.to_device(stream);
  const BsrView<const double, 5> on_device = a.view<space::cuda>();
  const OnGpu right(stream, x), once(stream, x), again(stream, x);
  const OnGpu result(stream, std::vector<ProductDots>(1));
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    multiply(kGpu, s, on_device, right.input(), once.span());
    multiply_and_dot(kGpu, s, on_device, once.input(), again.span(), once.input(), result.data());
  });
  for (int run = 0; run < 100; ++run) {
    graph.launch(stream);
    ASSERT_EQ(result.values(stream)[0], dots) << run;
    ASSERT_EQ(again.values(stream), twice) << run;
  }
}

TEST(CudaBsrProduct, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  const auto list = test::random_matrix<double, 4>(10, 12);
  BsrMatrix<double, 4> matrix(list.pattern(Backend::cuda), list.blocks);
  Stream stream;
  matrix.to_device(stream);
  const BsrView<const double, 4> a = matrix.view<space::cuda>();
  const BsrTransposeView transpose = matrix.pattern().transpose<space::cuda>();
  const OnGpu x(stream, std::vector<double>(48)), y(stream, std::vector<double>(40)), both(stream, std::vector<double>(100));
  const OnGpu result(stream, std::vector<ProductDots>(1));
  EXPECT_BREACH(multiply(kGpu, host_stream(), a, x.input(), y.span()));
  EXPECT_BREACH(multiply(kGpu, stream, a, x.input().first(47), y.span()));
  EXPECT_BREACH(multiply(kGpu, stream, a, both.input().first(48), both.span().subspan(47, 40)));
  EXPECT_BREACH(multiply_and_dot(kGpu, stream, a, x.input(), y.span(), x.input(), result.data()));
  EXPECT_BREACH(multiply_and_dot(kGpu, stream, a, x.input(), y.span(), y.input(), result.data()));
  EXPECT_BREACH(multiply_add(kGpu, host_stream(), 1, a, x.input(), 1, y.input(), y.span()));
  EXPECT_BREACH(multiply_add(kGpu, stream, 1, a, x.input(), 1, x.input(), y.span()));
  EXPECT_BREACH(multiply_add(kGpu, stream, 1, a, x.input(), 1, both.input().first(40), both.span().subspan(1, 40)));
  EXPECT_BREACH(multiply_add(kGpu, stream, 1, a, both.input().first(48), 1, y.input(), both.span().subspan(47, 40)));
  EXPECT_BREACH(multiply_add_and_dot(kGpu, stream, 1, a, x.input(), 1, y.input(), y.span(), y.input(), result.data()));
  EXPECT_BREACH(multiply_add_and_dot(kGpu, stream, 1, a, x.input(), 1, y.input(), y.span(), x.input(), result.data()));
  EXPECT_BREACH(multiply_transposed(kGpu, stream, a, transpose, x.input(), y.span()));
}

}  // namespace
}  // namespace weft::kernels::bsr_product_test

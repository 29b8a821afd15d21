// Batched products on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/linear/batched_product.hpp"

#include "kernels/block_sparse.hpp"
#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::batched_product_test {
namespace {

using test::OnGpu;

constexpr space::cuda kGpu;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Factors and results on both sides.
template <class T>
struct Products {
  int n;
  std::vector<T> a, b, c;
  OnGpu<T> on_gpu_a, on_gpu_b, on_gpu_c;

  /// @param shifts  distances of the memory of A, B and C from an aligned address, in entries
  Products(Stream& stream, int rows, std::size_t size, std::array<std::size_t, 3> shifts = {})
      : n(rows),
        a(test::numbers<T>(size * static_cast<std::size_t>(rows * rows), 11)),
        b(test::numbers<T>(a.size(), 12)),
        c(test::numbers<T>(a.size(), 13)),
        on_gpu_a(stream, a, shifts[0]),
        on_gpu_b(stream, b, shifts[1]),
        on_gpu_c(stream, c, shifts[2]) {}
  [[nodiscard]] ProductBatch<T> on_host() { return {n, a, b, c}; }
  [[nodiscard]] ProductBatch<T> on_gpu() const { return {n, on_gpu_a.input(), on_gpu_b.input(), on_gpu_c.span()}; }
};

template <class T>
void expect_bits_of_the_host(int n, std::size_t size, std::array<std::size_t, 3> shifts) {
  SCOPED_TRACE(::testing::Message() << size << " products, n = " << n << ", shifts " << shifts[0] << shifts[1] << shifts[2]);
  Stream stream;
  Products<T> products(stream, n, size, shifts);
  multiply_add_batch(products.on_host());
  multiply_add_batch(kGpu, stream, products.on_gpu());
  EXPECT_TRUE(same_bits(products.on_gpu_c.values(stream), products.c));
  multiply_batch(products.on_host());
  multiply_batch(kGpu, stream, products.on_gpu());
  EXPECT_TRUE(same_bits(products.on_gpu_c.values(stream), products.c));
  EXPECT_TRUE(same_bits(products.on_gpu_a.values(stream), products.a));
  EXPECT_TRUE(same_bits(products.on_gpu_b.values(stream), products.b));
}

TEST(CudaBatchedProduct, products_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (int n = 1; n <= 32; ++n) {
    for (const std::size_t size : {0, 1, 3, 63, 129, 1000}) {
      expect_bits_of_the_host<double>(n, size, {});
      expect_bits_of_the_host<float>(n, size, {});
    }
    for (const std::array<std::size_t, 3> shifts :
         {std::array<std::size_t, 3>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}, {0, 2, 0}}) {
      expect_bits_of_the_host<double>(n, 65, shifts);
      expect_bits_of_the_host<float>(n, 65, shifts);
    }
  }
}

TEST(CudaBatchedProduct, sums_of_negative_zeros_are_negative) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const int n : {5, 12, 30, 31}) {
    const std::size_t entries = 3 * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const OnGpu<float> a(stream, std::vector<float>(entries, -0.0F)), b(stream, std::vector<float>(entries, 1.0F));
    const OnGpu<float> c(stream, std::vector<float>(entries, 1.0F));
    multiply_batch(kGpu, stream, ProductBatch<float>{n, a.input(), b.input(), c.span()});
    EXPECT_TRUE(same_bits(c.values(stream), std::vector<float>(entries, -0.0F))) << n;
  }
}

TEST(CudaBatchedProduct, kernels_read_the_writes_of_the_preceding_one) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const int n : {5, 20}) {  // kernels for a size known to the compiler, and for any
    Products<double> products(stream, n, 200);
    const OnGpu source(stream, products.a);
    const std::vector<double> ones(products.a.size(), 1.0);
    copy_bytes(stream, products.on_gpu_a.data(), ones.data(), ones.size() * sizeof(double));
    stream.wait();
    test::write_late(stream, source, products.on_gpu_a);
    multiply_batch(kGpu, stream, products.on_gpu());
    multiply_batch(products.on_host());
    EXPECT_TRUE(same_bits(products.on_gpu_c.values(stream), products.c)) << n;
  }
}

TEST(CudaBatchedProduct, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const int n : {7, 9}) {
    Products<double> products(stream, n, 300);
    Graph graph = Graph::capture(stream, [&](Stream& s) {
      multiply_add_batch(kGpu, s, products.on_gpu());
      multiply_add_batch(kGpu, s, products.on_gpu());
    });
    for (int run = 0; run < 3; ++run) {
      graph.launch(stream);
      for (int call = 0; call < 2; ++call) multiply_add_batch(products.on_host());
      EXPECT_TRUE(same_bits(products.on_gpu_c.values(stream), products.c)) << n;
    }
  }
}

TEST(CudaBatchedProduct, sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const Products<double> products(stream, 5, 4);
  const ProductBatch<double> good = products.on_gpu();
  ProductBatch<double> bad = good;
  bad.n = 6;
  EXPECT_BREACH(multiply_batch(kGpu, host_stream(), good));
  EXPECT_BREACH(multiply_batch(kGpu, stream, bad));
  bad = good;
  bad.b = good.c;
  EXPECT_BREACH(multiply_add_batch(kGpu, stream, bad));
}

}  // namespace
}  // namespace weft::kernels::batched_product_test

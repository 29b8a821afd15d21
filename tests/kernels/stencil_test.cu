#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "weft/device/device_vector.hpp"
#include "weft/kernels/primitives/stencil.cuh"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::stencil_test {
namespace {

template <class T>
class StencilCuda : public ::testing::Test {
 protected:
  /// Weights for which the last digits depend on the order of addition.
  static constexpr StencilWeights<T> kWeights{T(0.41), T(0.113), T(-0.097), T(0.123), T(0.089), T(-0.131), T(0.071)};

  void SetUp() override { WEFT_NEEDS_GPU(); }

  static std::vector<T> numbers(const Box& box) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> values(T(-1), T(1));
    std::vector<T> all(static_cast<std::size_t>(box.entries()));
    for (T& value : all) value = values(random);
    return all;
  }
  static std::size_t bytes(const std::vector<T>& values) { return values.size() * sizeof(T); }

  static void expect_same_bits_as_host(const Box& box, std::size_t shift = 0) {
    SCOPED_TRACE(::testing::Message() << box.nx << " x " << box.ny << " x " << box.nz << ", rows of " << box.row << ", shift "
                                      << shift);
    const std::vector<T> in = numbers(box);
    std::vector<T> expected(in.size(), T(-5)), out(in.size());
    Stream stream;
    const DeviceVector<T> device_in(stream, in.size() + shift), device_out(stream, in.size() + shift);
    copy_bytes(stream, device_in.data() + shift, in.data(), bytes(in));
    copy_bytes(stream, device_out.data() + shift, expected.data(), bytes(in));
    apply_stencil(space::cuda{}, stream, kWeights, box, std::span<const T>(device_in.data() + shift, in.size()),
                  std::span<T>(device_out.data() + shift, in.size()));
    copy_bytes(stream, out.data(), device_out.data() + shift, bytes(in));
    apply_stencil(kWeights, box, std::span<const T>(in), std::span(expected));
    stream.wait();
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), bytes(in)), 0);
  }
};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(StencilCuda, Numbers);

TYPED_TEST(StencilCuda, matches_the_host_for_any_box) {
  for (const Box box : {Box{1, 1, 1}, Box{3, 1, 2}, Box{127, 2, 5}, Box{128, 7, 15}, Box{129, 8, 16}, Box{31, 9, 17},
                        Box{130, 33, 65}, Box{1, 100, 1}, Box{1, 1, 200}, Box{1000, 3, 1}}) {
    this->expect_same_bits_as_host(box);
  }
}

TYPED_TEST(StencilCuda, matches_the_host_for_any_address) {
  for (const std::size_t shift : {1, 2, 3}) this->expect_same_bits_as_host(Box{66, 10, 7}, shift);
}

TYPED_TEST(StencilCuda, matches_the_host_for_any_row_stride) {
  constexpr std::size_t kLine = 128 / sizeof(TypeParam);
  for (const std::int64_t row : {131, 132, 134, 160}) {
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kLine - 1}) {
      this->expect_same_bits_as_host(Box{129, 10, 17, row}, shift);
    }
  }
  this->expect_same_bits_as_host(Box{1, 1, 1, 32}, kLine - 1);
}

TYPED_TEST(StencilCuda, accepts_a_box_without_points) {
  for (const Box box : {Box{0, 3, 3}, Box{3, 0, 3}, Box{3, 3, 0}}) this->expect_same_bits_as_host(box);
}

TYPED_TEST(StencilCuda, reads_the_writes_of_the_preceding_kernel) {
  const Box box{100, 40, 30};
  std::vector<TypeParam> a = this->numbers(box), b = a, out(a.size());
  Stream stream;
  const DeviceVector<TypeParam> device_a(stream, a.size()), device_b(stream, a.size());
  copy_bytes(stream, device_a.data(), a.data(), this->bytes(a));
  copy_bytes(stream, device_b.data(), a.data(), this->bytes(a));
  const auto step = [&](const DeviceVector<TypeParam>& from, const DeviceVector<TypeParam>& to) {
    apply_stencil(space::cuda{}, stream, this->kWeights, box, std::span<const TypeParam>(from.data(), from.size()),
                  std::span<TypeParam>(to.data(), to.size()));
  };
  for (int pair = 0; pair < 5; ++pair) {
    step(device_a, device_b);
    step(device_b, device_a);
    apply_stencil(this->kWeights, box, std::span<const TypeParam>(a), std::span(b));
    apply_stencil(this->kWeights, box, std::span<const TypeParam>(b), std::span(a));
  }
  copy_bytes(stream, out.data(), device_a.data(), this->bytes(out));
  stream.wait();
  EXPECT_EQ(std::memcmp(out.data(), a.data(), this->bytes(out)), 0);
}

/// Copies from the memory of the host arrive microseconds after they were requested, so that a wait that is missing shows.
TYPED_TEST(StencilCuda, waits_for_input_in_the_memory_of_the_host) {
  const Box box{512, 64, 64};
  const std::vector<TypeParam> in = this->numbers(box);
  std::vector<TypeParam> expected(in.size(), TypeParam(-5)), out(in.size());
  Stream stream;
  const DeviceVector<TypeParam> mapped_in(Backend::cuda_mapped, std::span<const TypeParam>(in));
  const DeviceVector<TypeParam> device_out(stream, std::span<const TypeParam>(expected));
  apply_stencil(space::cuda{}, stream, this->kWeights, box, std::span<const TypeParam>(mapped_in.span()), device_out.span());
  copy_bytes(stream, out.data(), device_out.data(), this->bytes(out));
  apply_stencil(this->kWeights, box, std::span<const TypeParam>(in), std::span(expected));
  stream.wait();
  EXPECT_EQ(std::memcmp(out.data(), expected.data(), this->bytes(out)), 0);
}

TEST(CudaStencil, invalid_arguments_violate_the_contract) {
  const StencilWeights<double> weights{1, 1, 1, 1, 1, 1, 1};
  const Box box{2, 3, 4};
  std::vector<double> in(static_cast<std::size_t>(box.entries())), out(in.size());
  const std::span<const double> from(in);
  EXPECT_BREACH(apply_stencil(space::cuda{}, host_stream(), weights, box, from, std::span(out)));
  WEFT_NEEDS_GPU();
  Stream stream;
  EXPECT_BREACH(apply_stencil(space::cuda{}, stream, weights, Box{2, 3, 5}, from, std::span(out)));
  EXPECT_BREACH(apply_stencil(space::cuda{}, stream, weights, Box{2, 3, 4, 3}, from.first(90), std::span(out).first(90)));
  EXPECT_BREACH(apply_stencil(space::cuda{}, stream, weights, box, from, std::span(out).first(9)));
  EXPECT_BREACH(apply_stencil(space::cuda{}, stream, weights, box, from, std::span(in)));
}

}  // namespace
}  // namespace weft::kernels::stencil_test

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "weft/device/device_vector.hpp"
#include "weft/kernels/primitives/transpose.cuh"

#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::transpose_test {
namespace {

struct alignas(8) Pair {
  std::int32_t first, second;
  bool operator==(const Pair&) const = default;
};
template <class T>
T number(std::size_t i) {
  return static_cast<T>(i);
}
template <>
Pair number<Pair>(std::size_t i) {
  return {static_cast<std::int32_t>(i), -static_cast<std::int32_t>(i)};
}

/// Compares the GPU with the host for a matrix and a result that begin `in_shift` and `out_shift` entries after an aligned
/// address.
template <class T>
void expect_same_as_host(std::int64_t rows, std::int64_t columns, std::size_t in_shift = 0, std::size_t out_shift = 0) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", shifts " << in_shift << " and " << out_shift);
  constexpr std::size_t kAround = 8;
  const auto size = static_cast<std::size_t>(rows * columns);
  std::vector<T> in(size), expected(size + kAround, number<T>(size + 1)), out(expected.size());
  for (std::size_t i = 0; i < size; ++i) in[i] = number<T>(i);
  const std::span<const T> host_in(in);
  transpose(host_in, rows, columns, std::span(expected).subspan(out_shift, size));

  Stream stream;
  const DeviceVector<T> device_in(stream, size + kAround), device_out(stream, size + kAround);
  copy_bytes(stream, device_in.data() + in_shift, in.data(), size * sizeof(T));
  std::vector<T> initial(size + kAround, number<T>(size + 1));
  copy_bytes(stream, device_out.data(), initial.data(), initial.size() * sizeof(T));
  transpose(space::cuda{}, stream, std::span<const T>(device_in.data() + in_shift, size), rows, columns,
            std::span<T>(device_out.data() + out_shift, size));
  copy_bytes(stream, out.data(), device_out.data(), out.size() * sizeof(T));
  stream.wait();
  EXPECT_TRUE(out == expected);
}

template <class T>
class TransposeCuda : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};
using Entries = ::testing::Types<float, double, std::int32_t, Pair>;
TYPED_TEST_SUITE(TransposeCuda, Entries);

TYPED_TEST(TransposeCuda, matches_the_host_for_any_size) {
  for (const std::int64_t rows : {1, 3, 4, 62, 63, 64, 65, 128, 600}) {
    for (const std::int64_t columns : {1, 2, 3, 63, 64, 65, 68, 130}) expect_same_as_host<TypeParam>(rows, columns);
  }
  expect_same_as_host<TypeParam>(1000, 7);
  expect_same_as_host<TypeParam>(7, 1000);
  expect_same_as_host<TypeParam>(1024, 512);
  expect_same_as_host<TypeParam>(1100, 1300);
  expect_same_as_host<TypeParam>(1101, 1303);
  expect_same_as_host<TypeParam>(1102, 1306);
  expect_same_as_host<TypeParam>(33, 3001);  // rows to components beyond one tile, and back
  expect_same_as_host<TypeParam>(3001, 33);
  expect_same_as_host<TypeParam>(80, 1001);  // by entries, every row of the result at a sector
  expect_same_as_host<TypeParam>(64, 1024);  // by words in full tiles, although the rows are few
  expect_same_as_host<TypeParam>(1024, 64);
}

TYPED_TEST(TransposeCuda, matches_the_host_for_any_address) {
  for (const std::size_t in_shift : {0, 1, 2, 3, 4}) {
    for (const std::size_t out_shift : {0, 1, 2, 3, 4}) {
      expect_same_as_host<TypeParam>(136, 72, in_shift, out_shift);
      expect_same_as_host<TypeParam>(135, 71, in_shift, out_shift);
      expect_same_as_host<TypeParam>(136, 71, in_shift, out_shift);
      expect_same_as_host<TypeParam>(136, 152, in_shift, out_shift);  // these by tiles for entries of four bytes, too
      expect_same_as_host<TypeParam>(135, 151, in_shift, out_shift);
    }
  }
}

/// Compares the positions of words in shared memory with their definition.
template <class E, int kWidth>
void expect_positions() {
  using Tile = detail::TransposeTile<E, kWidth>;
  constexpr int kWordsOfBanks = 128 / static_cast<int>(sizeof(typename Tile::W));
  for (int row = 0; row < 64; ++row) {
    for (int word = 0; word < Tile::kWords; ++word) {
      ASSERT_EQ(Tile::kShared(row, word), row * Tile::kWords + (word ^ (row / kWidth % kWordsOfBanks)));
    }
  }
}

TEST(Transpose, positions_combine_the_word_with_the_row_of_its_square) {
  expect_positions<unsigned, 4>();
  expect_positions<uint2, 2>();
}

/// Compares a batch on the GPU with the host, at addresses that are `shift` entries after an aligned one.
template <class T>
void expect_batch_of_host(std::int64_t matrices, std::int64_t rows, std::int64_t columns, std::size_t shift) {
  SCOPED_TRACE(::testing::Message() << matrices << " of " << rows << " x " << columns << ", shift " << shift);
  Stream stream;
  std::vector<T> in(static_cast<std::size_t>(matrices * rows * columns)), expected(in.size());
  std::iota(in.begin(), in.end(), T(0));
  transpose_batch(std::span<const T>(in), matrices, rows, columns, std::span(expected));
  const test::OnGpu a(stream, in, shift), b(stream, std::vector<T>(in.size()), shift);
  transpose_batch(space::cuda{}, stream, a.input(), matrices, rows, columns, b.span());
  EXPECT_TRUE(b.values(stream) == expected);
}

TEST(CudaTranspose, batches_are_those_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1},
                                                                      {1, 5},
                                                                      {5, 1},
                                                                      {4, 4},
                                                                      {5, 7},
                                                                      {32, 32},
                                                                      {33, 32},
                                                                      {64, 128},
                                                                      {65, 67},
                                                                      {121, 3},
                                                                      {129, 131},
                                                                      {148, 152},
                                                                      {192, 128},
                                                                      {257, 65},
                                                                      {5, 5000},
                                                                      {5000, 5}}) {
    for (const int matrices : {1, 2, rows * columns > 15000 ? 11 : 1001}) {
      for (const std::size_t shift : {0, 1}) {
        expect_batch_of_host<float>(matrices, rows, columns, shift);
        expect_batch_of_host<double>(matrices, rows, columns, shift);
      }
    }
  }
}

TEST(Transpose, small_matrices_fit_into_shared_memory) {
  static_assert(detail::is_small_matrix(95, 95, 8) && !detail::is_small_matrix(97, 97, 8));
  static_assert(detail::is_small_matrix(135, 134, 4) && !detail::is_small_matrix(137, 137, 4));
  static_assert(detail::is_small_matrix(1, 9215, 8) && !detail::is_small_matrix(9217, 1, 8));
  static_assert(!detail::is_small_matrix(std::int64_t{1} << 40, std::int64_t{1} << 40, 8));
}

TEST(CudaTranspose, accepts_empty_matrices) {
  WEFT_NEEDS_GPU();
  Stream stream;
  transpose(space::cuda{}, stream, std::span<const float>{}, 0, 5, std::span<float>{});
  transpose(space::cuda{}, stream, std::span<const float>{}, 5, 0, std::span<float>{});
  stream.wait();
}

TEST(CudaTranspose, reads_the_writes_of_the_preceding_kernel) {
  WEFT_NEEDS_GPU();
  struct Batch {
    std::int64_t matrices, rows, columns;
  };
  // By words, by entries, as rows and components, and as whole matrices.
  for (const auto& [matrices, rows, columns] : {Batch{1, 128, 192}, Batch{1, 151, 153}, Batch{1, 9, 2001}, Batch{20, 33, 35}}) {
    SCOPED_TRACE(::testing::Message() << matrices << " of " << rows << " x " << columns);
    Stream stream;
    std::vector<float> in(static_cast<std::size_t>(matrices * rows * columns)), expected(in.size());
    std::iota(in.begin(), in.end(), 1.0F);
    transpose_batch(std::span<const float>(in), matrices, rows, columns, std::span(expected));
    const test::OnGpu source(stream, in), from(stream, std::vector<float>(in.size())), out(stream, std::vector<float>(in.size()));
    test::write_late(stream, source, from);
    transpose_batch(space::cuda{}, stream, from.input(), matrices, rows, columns, out.span());
    EXPECT_TRUE(out.values(stream) == expected);
  }
}

TEST(CudaTranspose, overwrites_what_the_preceding_kernel_has_read) {
  WEFT_NEEDS_GPU();
  constexpr std::int64_t kRows = 700, kColumns = 900;
  constexpr std::size_t kSize = kRows * kColumns;
  std::vector<float> in(kSize), out(kSize);
  std::iota(in.begin(), in.end(), 0.0F);
  Stream stream;
  const DeviceVector<float> a(stream, kSize), b(stream, kSize);
  const std::span<const float> from_a(a.data(), kSize), from_b(b.data(), kSize);
  const std::span<float> to_a(a.data(), kSize), to_b(b.data(), kSize);
  copy_bytes(stream, a.data(), in.data(), kSize * sizeof(float));
  for (int pair = 0; pair < 10; ++pair) {
    transpose(space::cuda{}, stream, from_a, kRows, kColumns, to_b);
    transpose(space::cuda{}, stream, from_b, kColumns, kRows, to_a);
  }
  copy_bytes(stream, out.data(), a.data(), kSize * sizeof(float));
  stream.wait();
  EXPECT_TRUE(out == in);
}

TEST(CudaTranspose, invalid_arguments_violate_the_contract) {
  std::vector<float> in(12), out(12);
  const std::span<const float> from(in);
  EXPECT_BREACH(transpose(space::cuda{}, host_stream(), from, 3, 4, std::span(out)));
  WEFT_NEEDS_GPU();
  Stream stream;
  EXPECT_BREACH(transpose(space::cuda{}, stream, from, 3, 5, std::span(out)));
  EXPECT_BREACH(transpose(space::cuda{}, stream, from, 3, 4, std::span(out).first(11)));
  EXPECT_BREACH(transpose(space::cuda{}, stream, from, 3, 4, std::span(in)));
}

}  // namespace
}  // namespace weft::kernels::transpose_test

// Scans, rows, transposes and sorts of more than 2^32 entries on a GPU.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/transpose.cuh"

#include "kernels/many_entries.cuh"
#include "kernels/on_gpu.hpp"
#include "support/gpu_memory.hpp"

namespace weft::kernels::beyond_32_bits_test {
namespace {

using test::entry_at;
using test::kMany;
using test::OnGpu;
using test::StoreEntries;
using test::wrong_entries;

constexpr space::cuda kGpu{};
template <class Sum>
struct PositionAsSum {
  WEFT_HD Sum operator()(std::int64_t i) const { return static_cast<Sum>(i + 1); }
};

/// Scans ones, whose sums wrap around if they have 32 bits.
template <class Sum>
void expect_positions() {
  Stream stream;
  const DeviceVector<std::uint8_t> in(stream, to_index(kMany));
  const DeviceVector<Sum> out(stream, to_index(kMany));
  const OnGpu total(stream, std::vector<Sum>(1));
  set_bytes(stream, in.data(), 1, in.bytes());
  inclusive_scan(kGpu, stream, std::span<const std::uint8_t>(in.span()), out.span(), total.data());
  EXPECT_EQ(wrong_entries(stream, out, PositionAsSum<Sum>{}), 0U);
  EXPECT_EQ(total.values(stream)[0], static_cast<Sum>(kMany));
}

TEST(CudaScan, scans_to_sums_of_4_bytes_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 5);
  expect_positions<std::uint32_t>();
}

TEST(CudaScan, scans_to_sums_of_8_bytes_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 9);
  expect_positions<std::int64_t>();
}

/// Rows in reverse order.
template <class Index>
struct StoreReversed {
  Index* index;
  std::int64_t rows;
  WEFT_HD void operator()(std::int64_t i) const { index[i] = static_cast<Index>(rows - 1 - i); }
};
struct ReversedEntry {
  std::int64_t rows, width;
  WEFT_HD std::uint8_t operator()(std::int64_t i) const {
    return entry_at<std::uint8_t>((rows - 1 - i / width) * width + i % width);
  }
};
struct Entry {
  WEFT_HD std::uint8_t operator()(std::int64_t i) const { return entry_at<std::uint8_t>(i); }
};

/// Gathers rows in reverse order, and scatters them back.
template <class Index>
void expect_reversed(std::int64_t rows, std::int64_t width) {
  Stream stream;
  const DeviceVector<std::uint8_t> in(stream, to_index(rows * width)), out(stream, to_index(rows * width));
  const DeviceVector<Index> index(stream, to_index(rows));
  parallel_for(kGpu, stream, rows * width, StoreEntries<std::uint8_t>{in.data()});
  parallel_for(kGpu, stream, rows, StoreReversed<Index>{index.data(), rows});
  gather(kGpu, stream, in.span(), index.span(), out.span(), to_index(width));
  EXPECT_EQ(wrong_entries(stream, out, ReversedEntry{rows, width}), 0U);
  set_bytes(stream, in.data(), 0, in.bytes());
  scatter(kGpu, stream, out.span(), index.span(), in.span(), to_index(width));
  EXPECT_EQ(wrong_entries(stream, in, Entry{}), 0U);
}

TEST(CudaGather, moves_entries_beyond_32_bits) {
  constexpr std::int64_t kRows = 1'000'000'007, kWidth = 5;
  WEFT_NEEDS_GPU_MEMORY(kRows * (2 * kWidth + 4));
  expect_reversed<std::int32_t>(kRows, kWidth);
}

TEST(CudaGather, moves_rows_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 10);
  expect_reversed<std::int64_t>(kMany, 1);
}

struct TransposedEntry {
  std::int64_t rows, columns;
  WEFT_HD std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t size = rows * columns, in_matrix = i % size;
    return entry_at<std::uint32_t>(i - in_matrix + in_matrix % rows * columns + in_matrix / rows);
  }
};

void expect_transposed(std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  Stream stream;
  const std::int64_t n = matrices * rows * columns;
  ASSERT_GT(n, std::int64_t{std::numeric_limits<std::uint32_t>::max()});
  const DeviceVector<std::uint32_t> in(stream, to_index(n)), out(stream, to_index(n));
  parallel_for(kGpu, stream, n, StoreEntries<std::uint32_t>{in.data()});
  transpose_batch(kGpu, stream, std::span<const std::uint32_t>(in.span()), matrices, rows, columns, out.span());
  EXPECT_EQ(wrong_entries(stream, out, TransposedEntry{rows, columns}), 0U) << matrices << " of " << rows << " x " << columns;
}

/// One matrix by words of one and of four entries, a batch by tiles, and small matrices without tiles.
TEST(CudaTranspose, transposes_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY((std::int64_t{36} << 30));
  expect_transposed(1, 65'537, 65'543);
  expect_transposed(1, 65'540, 65'544);
  expect_transposed(1'049'000, 64, 64);
  expect_transposed(4'195'000, 32, 32);
}

/// Key i is i modulo 251, so that its place in the sorted keys is known, and its value is the low byte of i / 251.
constexpr std::int64_t kKeys = 251;
template <class Key>
struct StoreKeys {
  Key* keys;
  std::uint8_t* values;
  WEFT_HD void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(i % kKeys);
    if (values != nullptr) values[i] = static_cast<std::uint8_t>(i / kKeys);
  }
};
/// The place of a key among all: the first kMany % kKeys keys are there once more than the others.
struct Place {
  std::int64_t key, among_equal;
};
WEFT_HD Place place_of(std::int64_t i) {
  constexpr std::int64_t kEach = kMany / kKeys, kOneMore = kMany % kKeys, kFirst = kOneMore * (kEach + 1);
  if (i < kFirst) return {i / (kEach + 1), i % (kEach + 1)};
  return {kOneMore + (i - kFirst) / kEach, (i - kFirst) % kEach};
}
template <class Key>
struct SortedKeyAt {
  WEFT_HD Key operator()(std::int64_t i) const { return static_cast<Key>(place_of(i).key); }
};
struct ValueOfSorted {
  WEFT_HD std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(place_of(i).among_equal); }
};

TEST(CudaSort, sorts_keys_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 3);
  Stream stream;
  const DeviceVector<std::uint8_t> keys(stream, to_index(kMany));
  parallel_for(kGpu, stream, kMany, StoreKeys<std::uint8_t>{keys.data(), nullptr});
  sort(kGpu, stream, keys.span());
  EXPECT_EQ(wrong_entries(stream, keys, SortedKeyAt<std::uint8_t>{}), 0U);
}

TEST(CudaSort, sorts_keys_with_values_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 22);
  Stream stream;
  const DeviceVector<std::int16_t> keys(stream, to_index(kMany));
  const DeviceVector<std::uint8_t> values(stream, to_index(kMany));
  parallel_for(kGpu, stream, kMany, StoreKeys<std::int16_t>{keys.data(), values.data()});
  stable_sort_by_key(kGpu, stream, keys.span(), values.span());
  EXPECT_EQ(wrong_entries(stream, keys, SortedKeyAt<std::int16_t>{}), 0U);
  EXPECT_EQ(wrong_entries(stream, values, ValueOfSorted{}), 0U);
}

}  // namespace
}  // namespace weft::kernels::beyond_32_bits_test

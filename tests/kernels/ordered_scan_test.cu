// Scans with any operator on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/scan.hpp"

#include "kernels/associative.hpp"
#include "kernels/many_entries.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu_memory.hpp"

namespace weft::kernels::ordered_scan_test {
namespace {

using test::Affine;
using test::Compose;
using test::OnGpu;

constexpr std::size_t kSizes[] = {0,   1,   2,    3,    5,    63,   64,   65,   127,    129,
                                  511, 513, 2047, 2048, 2049, 4095, 4096, 4097, 70'001, 600'003};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Compares both scans with the host, for aligned and unaligned addresses.
template <class T, class Combine>
void check_scans(const std::vector<T>& numbers, const T& identity, const Combine& combine) {
  Stream stream;
  const std::size_t n = numbers.size();
  const std::span<const T> in(numbers);
  std::vector<T> exclusive(n), inclusive(n);
  const T sum = exclusive_scan(in, std::span(exclusive), identity, combine);
  inclusive_scan(in, std::span(inclusive), identity, combine);
  for (const auto& [shift, out_shift] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {3, 1}}) {
    const OnGpu on_gpu(stream, numbers, shift);
    const OnGpu out(stream, std::vector<T>(n), out_shift), total(stream, std::vector<T>(1));
    exclusive_scan(space::cuda{}, stream, on_gpu.input(), out.span(), identity, combine, total.data());
    EXPECT_TRUE(same_bits(out.values(stream), exclusive)) << n;
    EXPECT_TRUE(same_bits(total.values(stream), {sum})) << n;
    inclusive_scan(space::cuda{}, stream, on_gpu.input(), out.span(), identity, combine);
    EXPECT_TRUE(same_bits(out.values(stream), inclusive)) << n;
    inclusive_scan(space::cuda{}, stream, on_gpu.input(), on_gpu.span(), identity, combine, total.data());
    EXPECT_TRUE(same_bits(on_gpu.values(stream), inclusive)) << n;
    EXPECT_TRUE(same_bits(total.values(stream), {sum})) << n;
  }
}

TEST(CudaOrderedScan, has_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : kSizes) {
    check_scans(test::cancelling_numbers<double>(n), 0.0, Plus{});
    check_scans(test::cancelling_numbers<float>(n), 0.0F, Plus{});
    check_scans(test::affine_functions(n), Affine{}, Compose{});
  }
}

TEST(CudaOrderedScan, entries_of_12_to_32_bytes_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 70'001}) {
    check_scans(test::rounding_functions<float, 3>(n), test::Rounding<float, 3>{}, test::ComposeRounding{});
    check_scans(test::rounding_functions<double, 2>(n), test::Rounding<double, 2>{}, test::ComposeRounding{});
    check_scans(test::rounding_functions<double, 3>(n), test::Rounding<double, 3>{}, test::ComposeRounding{});
    check_scans(test::rounding_functions<double, 4>(n), test::Rounding<double, 4>{}, test::ComposeRounding{});
  }
}

TEST(CudaOrderedScan, entries_may_be_converted) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : {1, 2049, 70'001}) {
    const std::vector<float> numbers = test::cancelling_numbers<float>(n);
    std::vector<double> expected(n);
    exclusive_scan(std::span<const float>(numbers), std::span(expected));
    for (const std::size_t shift : {0, 1}) {
      const OnGpu in(stream, numbers, shift);
      const OnGpu out(stream, std::vector<double>(n));
      exclusive_scan(space::cuda{}, stream, in.input(), out.span());
      EXPECT_TRUE(same_bits(out.values(stream), expected)) << n << ' ' << shift;
    }
  }
}

TEST(CudaOrderedScan, groups_of_tiles_have_the_bits_of_the_host) {
  WEFT_NEEDS_GPU();
  constexpr std::int64_t kGroup = detail::kGroupTiles * detail::kOrderedTile<double>;  // entries
  Stream stream;
  for (const std::int64_t n : {kGroup - 1, kGroup, kGroup + 1, 2 * kGroup, 40 * kGroup + 3 * detail::kOrderedTile<double> + 5}) {
    const std::vector<double> numbers = test::cancelling_numbers<double>(to_index(n));
    std::vector<double> expected(numbers.size());
    const double sum = inclusive_scan(std::span<const double>(numbers), std::span(expected));
    const OnGpu on_gpu(stream, numbers), total(stream, std::vector<double>(1));
    inclusive_scan(space::cuda{}, stream, on_gpu.input(), on_gpu.span(), total.data());
    EXPECT_TRUE(same_bits(on_gpu.values(stream), expected)) << n;
    EXPECT_TRUE(same_bits(total.values(stream), {sum})) << n;
  }
  check_scans(test::cancelling_numbers<float>(2 * detail::kGroupTiles * detail::kOrderedTile<float> + 77), 0.0F, Plus{});
}

/// Compares segmented scans by flags with the host.
template <class T>
void check_segments(Stream& stream, std::size_t n, std::uint64_t every) {
  const std::vector<T> numbers = test::cancelling_numbers<T>(n);
  const std::vector<std::uint8_t> heads = test::segment_heads(n, every);
  std::vector<T> exclusive(n), inclusive(n);
  segmented_exclusive_scan(std::span<const T>(numbers), std::span<const std::uint8_t>(heads), std::span(exclusive), T{}, Plus{});
  segmented_inclusive_scan(std::span<const T>(numbers), std::span<const std::uint8_t>(heads), std::span(inclusive), T{}, Plus{});
  const OnGpu in(stream, numbers), out(stream, std::vector<T>(n));
  const OnGpu flags(stream, heads);
  segmented_exclusive_scan(space::cuda{}, stream, in.input(), flags.input(), out.span(), T{}, Plus{});
  EXPECT_TRUE(same_bits(out.values(stream), exclusive)) << n << ' ' << every;
  segmented_inclusive_scan(space::cuda{}, stream, in.input(), flags.input(), in.span(), T{}, Plus{});
  EXPECT_TRUE(same_bits(in.values(stream), inclusive)) << n << ' ' << every;
}

TEST(CudaOrderedScan, segments_across_groups_of_tiles_are_those_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::uint64_t every : {5U, 100'000U, 10'000'000U}) {
    check_segments<double>(stream, 3 * detail::kGroupTiles * detail::kOrderedTile<detail::Segmented<double>> + 5, every);
    check_segments<float>(stream, 2 * detail::kGroupTiles * detail::kOrderedTile<detail::Segmented<float>> + 5, every);
  }
}

TEST(CudaOrderedScan, scans_in_two_streams_do_not_disturb_each_other) {
  WEFT_NEEDS_GPU();
  constexpr std::size_t kSize = 3'000'000;
  Stream first, second;
  const std::vector<double> numbers = test::cancelling_numbers<double>(kSize);
  std::vector<double> expected(kSize);
  inclusive_scan(std::span<const double>(numbers), std::span(expected));
  const OnGpu in(first, numbers), out(first, numbers), other(first, numbers);
  first.wait();
  for (int run = 0; run < 50; ++run) {
    inclusive_scan(space::cuda{}, first, in.input(), out.span());
    inclusive_scan(space::cuda{}, second, in.input(), other.span());
  }
  second.wait();
  EXPECT_TRUE(same_bits(out.values(first), expected));
  EXPECT_TRUE(same_bits(other.values(first), expected));
}

TEST(CudaOrderedScan, segments_are_those_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : {0, 1, 129, 4096, 4097, 70'001}) {
    for (const std::uint64_t every : {1U, 3U, 1000U, 1'000'000U}) {
      const std::vector<float> numbers = test::cancelling_numbers<float>(n);
      const std::vector<std::uint8_t> heads = test::segment_heads(n, every);
      const std::span<const std::uint8_t> host_heads(heads);
      std::vector<double> exclusive(n), inclusive(n);
      segmented_exclusive_scan(std::span<const float>(numbers), host_heads, std::span(exclusive), 0.0, Plus{});
      segmented_inclusive_scan(std::span<const float>(numbers), host_heads, std::span(inclusive), 0.0, Plus{});
      const OnGpu in(stream, numbers, 1);
      const OnGpu flags(stream, heads, 1);
      const OnGpu out(stream, std::vector<double>(n));
      segmented_exclusive_scan(space::cuda{}, stream, in.input(), flags.input(), out.span(), 0.0, Plus{});
      EXPECT_TRUE(same_bits(out.values(stream), exclusive)) << n << ' ' << every;
      segmented_inclusive_scan(space::cuda{}, stream, in.input(), flags.input(), out.span(), 0.0, Plus{});
      EXPECT_TRUE(same_bits(out.values(stream), inclusive)) << n << ' ' << every;
    }
  }
}

TEST(CudaOrderedScan, segments_by_offsets_are_those_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : {0, 1, 2, 129, 4095, 4096, 4097, 70'001}) {
    for (const std::uint64_t every : {1U, 3U, 1000U, 1'000'000U}) {
      const std::vector<double> numbers = test::cancelling_numbers<double>(n);
      const std::vector<std::int64_t> offsets = test::segment_offsets(n, every);
      const std::span<const std::int64_t> host_offsets(offsets);
      std::vector<double> exclusive(n), inclusive(n);
      segmented_exclusive_scan(std::span<const double>(numbers), host_offsets, std::span(exclusive), 0.0, Plus{});
      segmented_inclusive_scan(std::span<const double>(numbers), host_offsets, std::span(inclusive), 0.0, Plus{});
      const OnGpu in(stream, numbers, 1), out(stream, std::vector<double>(n), 1);
      const OnGpu device_offsets(stream, offsets, 1);
      segmented_exclusive_scan(space::cuda{}, stream, in.input(), device_offsets.input(), out.span(), 0.0, Plus{});
      EXPECT_TRUE(same_bits(out.values(stream), exclusive)) << "exclusive " << n << ' ' << every;
      segmented_inclusive_scan(space::cuda{}, stream, in.input(), device_offsets.input(), in.span(), 0.0, Plus{});
      EXPECT_TRUE(same_bits(in.values(stream), inclusive)) << "inclusive in place " << n << ' ' << every;
      EXPECT_EQ(device_offsets.values(stream), offsets) << n << ' ' << every;
    }
  }
}

TEST(CudaOrderedScan, segments_by_offsets_can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu numbers(stream, std::vector<double>(10'000, 1));
  const OnGpu offsets(stream, std::vector<std::int64_t>{0, 3, 3, 10'000});
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    segmented_inclusive_scan(space::cuda{}, s, numbers.input(), offsets.input(), numbers.span(), 0.0, Plus{});
  });
  graph.launch(stream);
  graph.launch(stream);
  const std::vector<double> values = numbers.values(stream);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto k = static_cast<double>(i < 3 ? i : i - 3);
    ASSERT_EQ(values[i], (k + 1) * (k + 2) / 2) << i;
  }
}

TEST(CudaOrderedScan, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<double> ones(10'000, 1);
  const OnGpu numbers(stream, ones);
  Graph graph = Graph::capture(stream, [&](Stream& s) { inclusive_scan(space::cuda{}, s, numbers.input(), numbers.span()); });
  graph.launch(stream);
  graph.launch(stream);
  const std::vector<double> values = numbers.values(stream);
  for (std::size_t i = 0; i < ones.size(); ++i) ASSERT_EQ(values[i], static_cast<double>((i + 1) * (i + 2) / 2)) << i;
}

/// Entries that are 1, and results that are compared with their index, without memory for either.
struct One {
  WEFT_HD std::int64_t operator()(std::int64_t) const { return 1; }
};
struct CompareWithIndex {
  unsigned long long* wrong;
  __device__ void operator()(std::int64_t i, std::int64_t prefix) const {
    if (prefix != i + 1) atomicAdd(wrong, 1ULL);
  }
};

TEST(CudaOrderedScan, scans_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::int64_t n = test::kMany;
  const OnGpu wrong(stream, std::vector<unsigned long long>(1));
  const OnGpu total(stream, std::vector<std::int64_t>(1));
  detail::ordered_scan<true>(stream, n, std::int64_t{0}, One{}, CompareWithIndex{wrong.data()}, Plus{}, total.data());
  EXPECT_EQ(wrong.values(stream)[0], 0U);
  EXPECT_EQ(total.values(stream)[0], n);
}

/// The number of entries of a segment up to entry i, modulo 256.
struct PositionInSegment {
  std::int64_t length;
  WEFT_HD std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(i % length + 1); }
};

TEST(CudaOrderedScan, segments_by_offsets_of_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(test::kMany * 2);
  Stream stream;
  const std::int64_t length = 1'000'003, segments = test::kMany / length + 1;
  const DeviceVector<std::uint8_t> entries(stream, to_index(test::kMany));
  const DeviceVector<std::int64_t> offsets(stream, to_index(segments + 1));
  set_bytes(stream, entries.data(), 1, entries.bytes());
  parallel_for(space::cuda{}, stream, segments + 1, test::StoreOffset{offsets.data(), length, test::kMany});
  segmented_inclusive_scan(space::cuda{}, stream, std::span<const std::uint8_t>(entries.span()),
                           std::span<const std::int64_t>(offsets.span()), entries.span(), std::uint8_t{0}, Plus{});
  EXPECT_EQ(test::wrong_entries(stream, entries, PositionInSegment{length}), 0U);
}

TEST(CudaOrderedScan, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<double>(4));
  const OnGpu heads(stream, std::vector<std::uint8_t>(3));
  EXPECT_BREACH(exclusive_scan(space::cuda{}, stream, a.input(), a.span().first(2)));
  EXPECT_BREACH(exclusive_scan(space::cuda{}, stream, a.input().first(3), a.span().last(3)));
  EXPECT_BREACH(exclusive_scan(space::cuda{}, host_stream(), a.input(), a.span()));
  EXPECT_BREACH(segmented_inclusive_scan(space::cuda{}, stream, a.input(), heads.input(), a.span(), 0.0, Plus{}));
  const OnGpu offsets(stream, std::vector<std::int64_t>{0, 3});
  const std::span<const std::int64_t> segments = offsets.input();
  EXPECT_BREACH(segmented_inclusive_scan(space::cuda{}, stream, a.input().first(3), segments, a.span().last(3), 0.0, Plus{}));
  EXPECT_BREACH(segmented_inclusive_scan(space::cuda{}, stream, a.input(), segments.first(0), a.span(), 0.0, Plus{}));
  EXPECT_BREACH(segmented_inclusive_scan(space::cuda{}, stream, a.input().first(2), segments, offsets.span(), 0, Plus{}));
  EXPECT_BREACH(segmented_inclusive_scan(space::cuda{}, host_stream(), a.input(), segments, a.span(), 0.0, Plus{}));
}

}  // namespace
}  // namespace weft::kernels::ordered_scan_test

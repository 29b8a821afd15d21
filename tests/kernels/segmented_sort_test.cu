// Sorts by segments on a GPU: the bits of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"

#include "kernels/keys.hpp"
#include "kernels/many_entries.cuh"
#include "kernels/on_gpu.hpp"
#include "kernels/segment_lengths.hpp"
#include "support/contracts.hpp"
#include "support/gpu_memory.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::segmented_sort_test {
namespace {

using test::OnGpu;

struct Row {
  double entry[9];
  bool operator==(const Row&) const = default;
};

/// Compares both sorts of n keys with the host, in both directions.
template <class Key>
void check_sorting(std::int64_t n, const test::Lengths& lengths, test::Distribution distribution) {
  Stream stream;
  const std::vector<Key> keys = test::keys<Key>(to_index(n), distribution);
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<std::int64_t> offsets = test::offsets_to(n, lengths);
  const OnGpu segments(stream, offsets, 1);
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    const OnGpu alone(stream, keys, 1), with_values(stream, keys);
    const OnGpu values(stream, order, 1);
    segmented_sort(space::cuda{}, stream, alone.span(), segments.input(), direction);
    segmented_stable_sort_by_key(space::cuda{}, stream, with_values.span(), values.span(), segments.input(), direction);
    std::vector<Key> expected = keys;
    std::vector<std::int32_t> expected_order = order;
    segmented_stable_sort_by_key(std::span(expected), std::span(expected_order), std::span<const std::int64_t>(offsets),
                                 direction);
    const char* const way = direction == Direction::ascending ? ", ascending, " : ", descending, ";
    EXPECT_TRUE(test::same_keys(alone.values(stream), expected)) << "keys, " << lengths.name << way << n;
    EXPECT_TRUE(test::same_keys(with_values.values(stream), expected)) << "keys of pairs, " << lengths.name << way << n;
    EXPECT_EQ(values.values(stream), expected_order) << lengths.name << way << n;
  }
}

/// Checks segments of one kind, so that the name of a failed test says which kernel is wrong.
void check_lengths(const test::Lengths& lengths) {
  // With the most keys blocks process several tiles. Under compute-sanitizer keys are random, or have few distinct values.
  const std::span distributions(test::kDistributions);
  for (const test::Distribution distribution : distributions.first(full_or_checked(distributions.size(), std::size_t{2}))) {
    for (const std::int64_t n : {0, 1, 32, 33, 2048, 2049, 100'003}) {
      check_sorting<std::int32_t>(n, lengths, distribution);
      check_sorting<std::uint64_t>(n, lengths, distribution);
      check_sorting<std::int8_t>(n, lengths, distribution);
      check_sorting<std::uint16_t>(n, lengths, distribution);
      check_sorting<float>(n, lengths, distribution);
      check_sorting<double>(n, lengths, distribution);
    }
  }
}

TEST(CudaSegmentedSort, sorts_empty_and_short_segments_by_warps) {
  WEFT_NEEDS_GPU();
  check_lengths(test::segment_lengths()[0]);
}
TEST(CudaSegmentedSort, sorts_segments_at_the_ends_of_a_warp) {
  WEFT_NEEDS_GPU();
  check_lengths(test::segment_lengths()[1]);
}
TEST(CudaSegmentedSort, sorts_segments_at_the_ends_of_a_tile) {
  WEFT_NEEDS_GPU();
  check_lengths(test::segment_lengths()[2]);
}
TEST(CudaSegmentedSort, merges_tiles_of_segments) {
  WEFT_NEEDS_GPU();
  check_lengths(test::segment_lengths()[3]);
}
TEST(CudaSegmentedSort, sorts_a_single_segment) {
  WEFT_NEEDS_GPU();
  check_lengths(test::segment_lengths()[4]);
  check_sorting<double>(3'000'001, test::segment_lengths()[4], test::Distribution::random);
}

TEST(CudaSegmentedSort, permutes_large_values) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<std::int64_t> offsets{0, 20, 20, 3000, 10'000};
  std::vector<std::int64_t> keys = test::keys<std::int64_t>(10'000, test::Distribution::few);
  std::vector<Row> rows(keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::fill_n(rows[i].entry, 9, static_cast<double>(i));
  const OnGpu device_keys(stream, keys), segments(stream, offsets);
  const OnGpu device_rows(stream, rows);
  segmented_stable_sort_by_key(space::cuda{}, stream, device_keys.span(), device_rows.span(), segments.input());
  segmented_stable_sort_by_key(std::span(keys), std::span(rows), std::span<const std::int64_t>(offsets));
  EXPECT_EQ(device_rows.values(stream), rows);
}

TEST(CudaSegmentedSort, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  std::vector<double> keys = test::keys<double>(50'000, test::Distribution::random);
  const std::vector<std::int64_t> offsets = test::offsets_to(50'000, test::segment_lengths()[3]);
  const OnGpu original(stream, keys), sorted(stream, keys);
  const OnGpu segments(stream, offsets);
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    copy_bytes(s, sorted.data(), original.data(), keys.size() * sizeof(keys[0]));
    segmented_sort(space::cuda{}, s, sorted.span(), segments.input());
  });
  graph.launch(stream);
  graph.launch(stream);
  segmented_sort(std::span(keys), std::span<const std::int64_t>(offsets));
  EXPECT_TRUE(test::same_keys(sorted.values(stream), keys));
}

TEST(CudaSegmentedSort, workspace_needs_no_gpu) {
  static_assert(segmented_sort_workspace<double>(0) == 0 && segmented_sort_workspace<double>(32) == 0);
  static_assert(segmented_sort_workspace<double>(33) == 16 + 16);                          // one tile and two counters
  static_assert(segmented_sort_workspace<double>(2049) == 2049 * 8 + (62 + 2) * 16 + 16);  // 62 or 2 tiles, other keys
  static_assert(segmented_sort_workspace<float, double>(32) == 32 * (4 + 8));              // order and old values
  static_assert(segmented_sort_workspace<float, double>(2049) == 2049 * (4 + 2 * 4 + 8) + (62 + 2) * 16 + 16);
  static_assert(detail::merges_of(2048) == 0 && detail::merges_of(2049) == 1 && detail::merges_of(4097) == 2);
}

/// Descending keys of each segment, and those at each position of the sorted ones.
struct StoreKey {
  std::uint8_t* keys;
  std::int64_t length;
  WEFT_HD void operator()(std::int64_t i) const { keys[i] = static_cast<std::uint8_t>((length - 1 - i % length) / 16); }
};
struct SortedKey {
  std::int64_t length;
  WEFT_HD std::uint8_t operator()(std::int64_t i) const {
    const std::int64_t end = i - i % length + length, missing = end > test::kMany ? end - test::kMany : 0;
    return static_cast<std::uint8_t>((i % length + missing) / 16);
  }
};

TEST(CudaSegmentedSort, sorts_keys_beyond_32_bits) {
  const std::int64_t n = test::kMany, length = 4000, segments = (n + length - 1) / length;
  WEFT_NEEDS_GPU_MEMORY(to_index(n) + segmented_sort_workspace<std::uint8_t>(n));
  Stream stream;
  const DeviceVector<std::uint8_t> keys(stream, to_index(n));
  const DeviceVector<std::int64_t> offsets(stream, to_index(segments + 1));
  parallel_for(space::cuda{}, stream, segments + 1, test::StoreOffset{offsets.data(), length, n});
  parallel_for(space::cuda{}, stream, n, StoreKey{keys.data(), length});
  segmented_sort(space::cuda{}, stream, keys.span(), std::span<const std::int64_t>(offsets.span()));
  EXPECT_EQ(test::wrong_entries(stream, keys, SortedKey{length}), 0U);
}

TEST(CudaSegmentedSort, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu keys(stream, std::vector<std::int64_t>(3)), offsets(stream, std::vector<std::int64_t>{0, 3});
  const OnGpu values(stream, std::vector<double>(2)), same(stream, std::vector<double>(4));
  EXPECT_BREACH(segmented_sort(space::cuda{}, host_stream(), keys.span(), offsets.input()));
  EXPECT_BREACH(segmented_sort(space::cuda{}, stream, keys.span(), offsets.input().first(0)));
  EXPECT_BREACH(segmented_sort(space::cuda{}, stream, offsets.span(), offsets.input()));
  EXPECT_BREACH(segmented_stable_sort_by_key(space::cuda{}, stream, keys.span(), values.span(), offsets.input()));
  EXPECT_BREACH(segmented_stable_sort_by_key(space::cuda{}, stream, same.span().first(3), same.span().last(3), offsets.input()));
}

}  // namespace
}  // namespace weft::kernels::segmented_sort_test

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/sort.hpp"

#include "kernels/keys.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::sort_test {
namespace {

using test::OnGpu;

/// 30,001 keys, too, are those of several tiles.
const std::size_t kSizes[] = {0, 1, 2, 33, 5000, full_or_checked<std::size_t>(300'001, 30'001)};

struct Row {
  double entry[5];
  bool operator==(const Row&) const = default;
};

/// Compares sorts of n keys without and with values with the host, in both directions.
template <class Key>
void check_sorting(std::size_t n, test::Distribution distribution) {
  Stream stream;
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    std::vector<Key> keys = test::keys<Key>(n, distribution);
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const OnGpu alone(stream, keys), with_values(stream, keys, 1);
    const OnGpu values(stream, order, 1);
    sort(space::cuda{}, stream, alone.span(), direction);
    stable_sort_by_key(space::cuda{}, stream, with_values.span(), values.span(), direction);
    stable_sort_by_key(std::span(keys), std::span(order), direction);
    EXPECT_TRUE(test::same_keys(alone.values(stream), keys)) << n;
    EXPECT_TRUE(test::same_keys(with_values.values(stream), keys)) << n;
    EXPECT_EQ(values.values(stream), order) << n;
  }
}

TEST(CudaSort, is_stable_and_matches_the_host) {
  WEFT_NEEDS_GPU();
  for (const test::Distribution distribution : test::kDistributions) {
    for (const std::size_t n : kSizes) {
      check_sorting<std::int32_t>(n, distribution);
      check_sorting<std::uint64_t>(n, distribution);
      check_sorting<std::int8_t>(n, distribution);
      check_sorting<std::uint16_t>(n, distribution);
    }
  }
}

TEST(CudaSort, orders_zeros_infinities_and_nans_as_the_host) {
  WEFT_NEEDS_GPU();
  for (const test::Distribution distribution : test::kDistributions) {
    for (const std::size_t n : kSizes) {
      check_sorting<float>(n, distribution);
      check_sorting<double>(n, distribution);
    }
  }
}

/// Compares the kernels for more than 2^32 - 1 keys with those for fewer.
template <class Key>
void check_sorting_of_many(std::size_t n) {
  Stream stream;
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    const std::vector<Key> keys = test::keys<Key>(n, test::Distribution::random);
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const OnGpu few(stream, keys), many(stream, keys), many_alone(stream, keys);
    const OnGpu few_values(stream, order), many_values(stream, order);
    stable_sort_by_key(space::cuda{}, stream, few.span(), few_values.span(), direction);
    detail::sort_many_with(stream, many.span(), many_values.data(), direction);
    detail::sort_many_with(stream, many_alone.span(), static_cast<cub::NullType*>(nullptr), direction);
    EXPECT_TRUE(test::same_keys(many.values(stream), few.values(stream))) << n;
    EXPECT_TRUE(test::same_keys(many_alone.values(stream), few.values(stream))) << n;
    EXPECT_EQ(many_values.values(stream), few_values.values(stream)) << n;
  }
}

TEST(CudaSort, kernels_for_more_keys_than_32_bits_count_give_the_same) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : {1, 33, full_or_checked(100'001, 20'001)}) {
    check_sorting_of_many<std::int8_t>(n);
    check_sorting_of_many<std::uint16_t>(n);
    check_sorting_of_many<float>(n);
    check_sorting_of_many<std::int64_t>(n);
  }
}

TEST(CudaSort, permutes_large_values) {
  WEFT_NEEDS_GPU();
  Stream stream;
  std::vector<std::int64_t> keys = test::keys<std::int64_t>(10'000, test::Distribution::few);
  std::vector<Row> rows(keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::fill_n(rows[i].entry, 5, static_cast<double>(i));
  const OnGpu device_keys(stream, keys);
  const OnGpu device_rows(stream, rows);
  stable_sort_by_key(space::cuda{}, stream, device_keys.span(), device_rows.span());
  stable_sort_by_key(std::span(keys), std::span(rows));
  EXPECT_EQ(device_rows.values(stream), rows);
}

TEST(CudaSort, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  std::vector<std::uint32_t> keys = test::keys<std::uint32_t>(50'000, test::Distribution::random);
  const OnGpu original(stream, keys), sorted(stream, keys);
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    copy_bytes(s, sorted.data(), original.data(), keys.size() * sizeof(keys[0]));
    sort(space::cuda{}, s, sorted.span());
  });
  graph.launch(stream);
  graph.launch(stream);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(sorted.values(stream), keys);
}

TEST(CudaSort, mismatched_sizes_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu keys(stream, std::vector<std::int32_t>(3));
  const OnGpu values(stream, std::vector<double>(2)), same(stream, std::vector<double>(3));
  EXPECT_BREACH(stable_sort_by_key(space::cuda{}, stream, keys.span(), values.span()));
  EXPECT_BREACH(sort(space::cuda{}, host_stream(), keys.span()));
  EXPECT_BREACH(stable_sort_by_key(space::cuda{}, stream, same.span().first(2), same.span().last(2)));
}

}  // namespace
}  // namespace weft::kernels::sort_test

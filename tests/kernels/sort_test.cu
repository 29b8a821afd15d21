#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/sort.hpp"

#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels {
namespace {

using test::OnGpu;

constexpr std::size_t kSizes[] = {0, 1, 2, 33, 5000, 300'001};

struct Row {
  double entry[5];
  bool operator==(const Row&) const = default;
};

/// Returns n keys with 17 distinct values if `few`, and with arbitrary bits otherwise.
template <class Key>
std::vector<Key> some_keys(std::size_t n, bool few) {
  std::mt19937_64 random(n);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = few ? static_cast<Key>(random() % 17 - 8) : static_cast<Key>(random());
  return keys;
}

/// Compares sorts of n keys without and with values with the host.
template <class Key>
void check_sorting(std::size_t n, bool few) {
  Stream stream;
  std::vector<Key> keys = some_keys<Key>(n, few);
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const OnGpu alone(stream, keys), with_values(stream, keys, 1);
  const OnGpu values(stream, order, 1);
  sort(space::cuda{}, stream, alone.span());
  stable_sort_by_key(space::cuda{}, stream, with_values.span(), values.span());
  stable_sort_by_key(std::span(keys), std::span(order));
  EXPECT_EQ(alone.values(stream), keys) << n;
  EXPECT_EQ(with_values.values(stream), keys) << n;
  EXPECT_EQ(values.values(stream), order) << n;
}

TEST(CudaSort, is_stable_and_matches_the_host) {
  WEFT_NEEDS_GPU();
  for (const bool few : {false, true}) {
    for (const std::size_t n : kSizes) {
      check_sorting<std::int32_t>(n, few);
      check_sorting<std::uint64_t>(n, few);
      check_sorting<std::int8_t>(n, few);
      check_sorting<std::uint16_t>(n, few);
    }
  }
}

TEST(CudaSort, permutes_large_values) {
  WEFT_NEEDS_GPU();
  Stream stream;
  std::vector<std::int64_t> keys = some_keys<std::int64_t>(10'000, true);
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
  std::vector<std::uint32_t> keys = some_keys<std::uint32_t>(50'000, false);
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
  const OnGpu values(stream, std::vector<double>(2));
  EXPECT_BREACH(stable_sort_by_key(space::cuda{}, stream, keys.span(), values.span()));
  EXPECT_BREACH(sort(space::cuda{}, host_stream(), keys.span()));
}

}  // namespace
}  // namespace weft::kernels

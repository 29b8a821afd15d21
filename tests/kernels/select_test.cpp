// Selection, partition, unique keys and runs on the host.
#include "weft/kernels/primitives/select.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/keys.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::select_test {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 2, 127, 4095, 4096, 4097, 30'001};
constexpr auto kIsSelected = [](std::uint32_t value) { return value % 3 == 0; };

std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(mix_bits(i) % 7);
  return values;
}

TEST(Select, copies_and_partitions_stably_on_any_number_of_threads) {
  for (const std::size_t n : kSizes) {
    const std::vector<std::uint32_t> in = numbers(n);
    std::vector<std::uint32_t> selected, others;
    for (const std::uint32_t value : in) (kIsSelected(value) ? selected : others).push_back(value);
    std::vector<std::uint32_t> copied = selected, partitioned = selected;
    copied.resize(n, 77);
    partitioned.insert(partitioned.end(), others.begin(), others.end());
    test::for_teams([&](Team& team) {
      std::vector<std::uint32_t> out(n, 77);
      EXPECT_EQ(copy_if(std::span<const std::uint32_t>(in), kIsSelected, std::span(out), team), std::ssize(selected)) << n;
      EXPECT_EQ(out, copied) << n;
      EXPECT_EQ(partition(std::span<const std::uint32_t>(in), kIsSelected, std::span(out), team), std::ssize(selected)) << n;
      EXPECT_EQ(out, partitioned) << n;
    });
  }
}

TEST(Select, encodes_runs_on_any_number_of_threads) {
  for (const std::size_t n : kSizes) {
    std::vector<std::uint32_t> keys = numbers(n);
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] /= 3;
      if (i == 0 || keys[i] != keys[i - 1]) expected.push_back(keys[i]);
    }
    const std::vector<std::int64_t> expected_offsets = run_offsets(std::span<const std::uint32_t>(keys));
    test::for_teams([&](Team& team) {
      std::vector<std::uint32_t> out(n, 77);
      std::vector<std::int64_t> offsets(n + 1, -1);
      const std::int64_t runs = run_length_encode(std::span<const std::uint32_t>(keys), std::span(out), std::span(offsets), team);
      ASSERT_EQ(runs, std::ssize(expected)) << n;
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin())) << n;
      EXPECT_TRUE(std::equal(expected_offsets.begin(), expected_offsets.end() - (n == 0 ? 1 : 0), offsets.begin())) << n;
      EXPECT_EQ(offsets[static_cast<std::size_t>(runs)], std::ssize(keys));
      std::vector<std::uint32_t> unique_keys(n, 77);
      EXPECT_EQ(unique(std::span<const std::uint32_t>(keys), std::span(unique_keys), team), runs);
      EXPECT_EQ(unique_keys, out);
    });
  }
}

TEST(Select, finds_indices_and_the_starts_of_runs_on_any_number_of_threads) {
  for (const std::size_t n : kSizes) {
    const std::vector<std::uint32_t> keys = numbers(n);
    std::vector<std::int32_t> expected;
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < n; ++i) {
      if (kIsSelected(keys[i])) expected.push_back(static_cast<std::int32_t>(i));
      if (i == 0 || keys[i] != keys[i - 1]) starts.push_back(static_cast<std::int64_t>(i));
    }
    starts.push_back(static_cast<std::int64_t>(n));
    test::for_teams([&](Team& team) {
      const auto selected = [&](std::int32_t i) { return kIsSelected(keys[to_index(i)]); };
      EXPECT_EQ(select(static_cast<std::int32_t>(n), selected, team), expected) << n;
      EXPECT_EQ(run_offsets(std::span<const std::uint32_t>(keys), team), starts) << n;
    });
  }
}

TEST(Select, zeros_of_both_signs_are_two_keys_and_equal_nans_are_one) {
  const double nan = std::nan("");
  const std::vector<double> keys{-0.0, 0.0, 0.0, nan, nan};
  std::vector<double> out(5);
  EXPECT_EQ(unique(std::span<const double>(keys), std::span(out)), 3);
  EXPECT_TRUE(test::same_keys(std::vector<double>(out.begin(), out.begin() + 3), {-0.0, 0.0, nan}));
}

TEST(Select, mismatched_sizes_and_overlaps_violate_the_contract) {
  std::vector<std::uint32_t> values(6);
  std::vector<std::int64_t> offsets(6);
  const std::span<const std::uint32_t> in(values);
  EXPECT_BREACH((void)copy_if(in, kIsSelected, std::span(values)));
  EXPECT_BREACH((void)partition(in.first(3), kIsSelected, std::span(values).last(2)));
  EXPECT_BREACH((void)unique(in.first(4), std::span(values).last(4)));
  EXPECT_BREACH((void)run_length_encode(in.first(3), std::span(values).last(3), std::span(offsets).first(3)));
}

}  // namespace
}  // namespace weft::kernels::select_test

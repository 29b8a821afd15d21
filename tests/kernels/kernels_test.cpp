#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/kernels/primitives/gather.hpp"
#include "weft/kernels/primitives/reduce.hpp"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sort.hpp"

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::kernels_test {
namespace {

template <class T>
std::span<const T> view(const std::vector<T>& values) {
  return values;
}

TEST(Scan, computes_exclusive_and_inclusive_sums) {
  const std::vector<std::int32_t> counts{3, 0, 2, 5};
  std::vector<std::int64_t> out(4);
  EXPECT_EQ(exclusive_scan(view(counts), std::span(out)), 10);
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 3, 3, 5}));
  EXPECT_EQ(inclusive_scan(view(counts), std::span(out)), 10);
  EXPECT_EQ(out, (std::vector<std::int64_t>{3, 3, 5, 10}));
  std::vector<std::int32_t> in_place = counts;
  exclusive_scan(view(in_place), std::span(in_place));
  EXPECT_EQ(in_place, (std::vector<std::int32_t>{0, 3, 3, 5}));
  EXPECT_EQ(exclusive_scan(std::span<const int>{}, std::span<int>{}), 0);
}

TEST(Scan, sums_may_be_wider_than_counts) {
  const std::vector<std::int32_t> counts(3, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(offsets_of(view(counts)).back(), 3LL * std::numeric_limits<std::int32_t>::max());
}

TEST(Scan, computes_offsets_of_segments) {
  EXPECT_EQ(offsets_of(std::span<const int>{}), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(offsets_of(view(std::vector<int>{2, 0, 1})), (std::vector<std::int64_t>{0, 2, 2, 3}));
}

TEST(Sort, is_stable_and_permutes_values) {
  std::mt19937 random(3);
  for (const std::size_t n : {0U, 1U, 2U, 33U, 5000U}) {
    std::vector<std::int64_t> keys(n);
    std::vector<int> values(n);
    for (auto& key : keys) key = static_cast<std::int64_t>(random() % 17) - 8;
    std::iota(values.begin(), values.end(), 0);
    const std::vector<std::int64_t> original = keys;
    stable_sort_by_key(std::span(keys), std::span(values));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(keys[i], original[static_cast<std::size_t>(values[i])]);
      if (i > 0) {
        EXPECT_TRUE(keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i])) << i;
      }
    }
  }
}

TEST(Sort, accepts_pairs_and_ids_as_keys) {
  struct Tag;
  using SomeId = Id<Tag, std::int32_t>;
  const std::vector<std::pair<int, SomeId>> keys{{1, SomeId(2)}, {0, SomeId(9)}, {1, SomeId(0)}, {1, SomeId(2)}};
  EXPECT_EQ(stable_order(view(keys)), (std::vector<std::int32_t>{1, 2, 0, 3}));
}

TEST(Sort, orders_infinities_and_nans) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> keys{std::nan(""), inf, 0.0, -inf, -0.0, std::numeric_limits<double>::max(), -std::nan("")};
  EXPECT_EQ(stable_order(view(keys)), (std::vector<std::int32_t>{6, 3, 4, 2, 5, 1, 0}));
}

TEST(Gather, copies_rows_by_index) {
  const std::vector<double> in{0, 1, 10, 11, 20, 21};
  const std::vector<std::int32_t> index{2, 0, 2};
  std::vector<double> out(6);
  gather(std::span(in), std::span(index), std::span(out), 2);
  EXPECT_EQ(out, (std::vector<double>{20, 21, 0, 1, 20, 21}));
  std::vector<double> back(6, -1);
  scatter(std::span(out), std::span(index), std::span(back), 2);
  EXPECT_EQ(back, (std::vector<double>{0, 1, -1, -1, 20, 21}));
}

TEST(Gather, is_inverted_by_scatter_with_the_same_permutation) {
  const std::vector<std::int32_t> permutation{3, 1, 0, 2};
  const std::vector<int> in{5, 6, 7, 8};
  std::vector<int> moved(4), back(4), again(4);
  gather(std::span(in), std::span(permutation), std::span(moved));
  scatter(std::span(moved), std::span(permutation), std::span(back));
  EXPECT_EQ(back, in);
  const std::vector<std::int32_t> inverse = inverse_permutation(permutation);
  gather(std::span(moved), std::span(inverse), std::span(again));
  EXPECT_EQ(again, in);
}

TEST(Gather, permutations_are_inverted_by_any_number_of_threads) {
  constexpr std::int32_t kCount = 5003;
  std::vector<std::int32_t> permutation(kCount), repeated;
  for (std::int32_t i = 0; i < kCount; ++i) permutation[to_index(i)] = static_cast<std::int32_t>(std::int64_t{i} * 1999 % kCount);
  repeated = permutation;
  repeated.back() = repeated.front();
  test::for_teams([&](Team& team) {
    const std::vector<std::int32_t> inverse = inverse_permutation(permutation, team);
    for (std::int32_t i = 0; i < kCount; ++i) ASSERT_EQ(inverse[to_index(permutation[to_index(i)])], i);
    try {
      (void)inverse_permutation(repeated, team);
      ADD_FAILURE() << "a repetition was accepted";
    } catch (const ContractError& error) {
      EXPECT_NE(std::string(error.what()).find("0 at position 5002 is a repetition"), std::string::npos) << error.what();
    }
  });
}

TEST(Gather, invalid_permutations_are_rejected) {
  using Numbers = std::vector<std::int32_t>;
  EXPECT_TRUE(inverse_permutation(Numbers{}).empty());
  EXPECT_THROW((void)inverse_permutation(Numbers{0, 0}), ContractError);
  EXPECT_THROW((void)inverse_permutation(Numbers{0, 2}), ContractError);
  EXPECT_THROW((void)inverse_permutation(Numbers{-1, 0}), ContractError);
}

TEST(Select, returns_indices_that_satisfy_a_predicate) {
  EXPECT_EQ(select(7, [](std::int32_t i) { return i % 3 == 0; }), (std::vector<std::int32_t>{0, 3, 6}));
  EXPECT_TRUE(select(0, [](std::int32_t) { return true; }).empty());
}

TEST(Select, finds_unique_values_and_runs) {
  std::vector<double> values{2, -1, 2, 2, 0, -1};
  sort_unique(values);
  EXPECT_EQ(values, (std::vector<double>{-1, 0, 2}));
  EXPECT_EQ(run_offsets(view(std::vector<int>{4, 4, 7, 9, 9, 9})), (std::vector<std::int64_t>{0, 2, 3, 6}));
  EXPECT_EQ(run_offsets(std::span<const int>{}), (std::vector<std::int64_t>{0}));
}

TEST(Reduce, computes_sums) {
  EXPECT_EQ(sum(std::span<const double>{}), 0.0);
  const std::vector<double> tenths(1'000'000, 0.1);
  EXPECT_NEAR(sum(view(tenths)), 1e5, 1e-9);
  EXPECT_EQ(sum(view(std::vector<std::int64_t>{5, -3, 1})), 3);
  EXPECT_EQ(sum(view(std::vector<Vec3>{{1, 2, 3}, {1, 0, -3}})), (Vec3{2, 2, 0}));
}

TEST(Reduce, computes_sums_of_segments) {
  const std::vector<double> values{1, 2, 3, 4};
  std::vector<double> sums(3);
  segmented_sum(view(values), view(std::vector<std::int64_t>{0, 3, 3, 4}), std::span(sums));
  EXPECT_EQ(sums, (std::vector<double>{6, 0, 4}));
}

TEST(Kernels, mismatched_sizes_violate_the_contract) {
  const std::vector<double> in(3);
  std::vector<double> out(2);
  const std::vector<std::int32_t> index{0, 3};
  std::vector<int> values(2);
  EXPECT_BREACH(exclusive_scan(view(in), std::span(out)));
  EXPECT_BREACH(inclusive_scan(view(in), std::span(out)));
  EXPECT_BREACH(gather(std::span(in), std::span(index), std::span(out)));     // index 3 of 3 rows
  EXPECT_BREACH(gather(std::span(in), std::span(index), std::span(out), 2));  // too few rows in out
  EXPECT_BREACH(scatter(std::span(in), std::span(index), std::span(out)));    // too few indices
  std::vector<double> keys(3);
  EXPECT_BREACH(stable_sort_by_key(std::span(keys), std::span(values)));
  EXPECT_BREACH(segmented_sum(view(in), view(std::vector<std::int64_t>{0, 4, 3}), std::span(out)));
  EXPECT_BREACH(segmented_sum(view(in), view(std::vector<std::int64_t>{0, 4}), std::span(out)));
}

}  // namespace
}  // namespace weft::kernels::kernels_test

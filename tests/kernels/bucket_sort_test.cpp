// Distribution to buckets changes the time of a sort and nothing else.
#include "weft/kernels/primitives/bucket_sort.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>

#include "weft/base/mix.hpp"

#include "support/sanitized.hpp"

namespace weft::kernels::bucket_sort_test {
namespace {

struct Entry {
  std::uint64_t key;
  std::uint32_t other;
  friend bool operator==(const Entry&, const Entry&) = default;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

TEST(BucketSort, EqualsStdSort) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::function<std::uint64_t(std::uint64_t)> keys[] = {
      [](std::uint64_t i) { return mix_bits(i); },                               // random
      [](std::uint64_t i) { return 1'000'000'000 + i / 3; },                     // ascending, three of each
      [](std::uint64_t i) { return i % 2 == 0 ? 0 : kMost - mix_bits(i) % 7; },  // concentrated at both ends
      [](std::uint64_t) { return std::uint64_t{5}; },                            // all equal
      [](std::uint64_t i) { return i == 0 ? kMost : mix_bits(i) % 100; },        // one far from the others
  };
  for (const auto& key : keys) {
    for (const std::size_t size :
         {0, 1, 100, 4095, 4096, full_or_sanitized(50'000, 9'000), full_or_sanitized(200'000, 100'000)}) {
      std::vector<Entry> list;
      for (std::size_t i = 0; i < size; ++i) list.push_back({key(i), static_cast<std::uint32_t>(mix_bits(i + 77))});
      std::vector<Entry> sorted = list;
      std::sort(sorted.begin(), sorted.end());
      for (const int threads : {1, 2, 3, 8}) {
        Team team(threads);
        std::vector<Entry> by_team = list;
        bucket_sort(
            by_team, [](const Entry& e) { return e.key; }, std::less<Entry>(), team);
        EXPECT_EQ(by_team, sorted);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels::bucket_sort_test

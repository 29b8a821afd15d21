#include "weft/base/large_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weft {
namespace {

// Several large pages, and neither end at the edge of one.
std::vector<std::uint32_t> counting() {
  std::vector<std::uint32_t> numbers(3 * (std::size_t{1} << 20) + 7);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

TEST(LargePages, LeaveWhatIsInAnArray) {
  std::vector<std::uint32_t> numbers = counting();
  const std::vector<std::uint32_t> same = counting();
  use_large_pages_for(numbers, same);
  EXPECT_EQ(numbers, same);
  use_large_pages_for(numbers);  // again
  EXPECT_EQ(numbers, same);
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers.front(), same.back());
  EXPECT_EQ(numbers.back(), same.front());
}

TEST(LargePages, DoNothingToSmallArrays) {
  const std::vector<double> none, one{1}, some(1000, 2);
  use_large_pages_for(none, one, some);
  use_large_pages({});
  EXPECT_EQ(one, std::vector<double>{1});
  EXPECT_EQ(some, std::vector<double>(1000, 2));
}

TEST(LargePages, TakePartOfAnArray) {
  const std::vector<std::uint32_t> numbers = counting();
  use_large_pages(std::as_bytes(std::span(numbers).subspan(13, (std::size_t{1} << 20) + 1)));
  EXPECT_EQ(numbers, counting());
}

}  // namespace
}  // namespace weft

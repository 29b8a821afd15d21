#include "weft/base/large_pages.hpp"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/utsname.h>
#endif

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace weft::large_pages_test {
namespace {

// Several huge pages that begin and end inside the array. The array is too long for a place where a previous test left huge
// pages.
std::vector<std::uint32_t> counting() {
  std::vector<std::uint32_t> numbers(9 * (std::size_t{1} << 20) + 7);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

TEST(LargePages, PreserveTheContents) {
  std::vector<std::uint32_t> numbers = counting();
  const std::vector<std::uint32_t> same = counting();
  use_large_pages_for(numbers, same);
  EXPECT_EQ(numbers, same);
  use_large_pages_for(numbers);  // a second call
  EXPECT_EQ(numbers, same);
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers.front(), same.back());
  EXPECT_EQ(numbers.back(), same.front());
}

#if defined(__linux__)
/// Returns the bytes of this process in huge pages as the kernel reports them; -1: not reported.
std::int64_t bytes_in_large_pages() {
  std::ifstream report("/proc/self/smaps_rollup");
  for (std::string word; report >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "AnonHugePages:" && report >> kilobytes) return kilobytes * 1024;
  }
  return -1;
}

TEST(LargePages, AreUsedWhereTheSystemSupportsThem) {
  utsname system{};
  ASSERT_EQ(uname(&system), 0);
  std::ifstream choice("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string chosen;
  std::getline(choice, chosen);
  if (std::stod(system.release) < 6.1 || chosen.empty() || chosen.find("[never]") != std::string::npos ||
      bytes_in_large_pages() < 0) {
    GTEST_SKIP() << "huge pages are not available on request on Linux " << system.release << " with '" << chosen << "'";
  }
  const std::vector<std::uint32_t> numbers = counting();
  const std::int64_t before = bytes_in_large_pages();
  use_large_pages_for(numbers);
  EXPECT_GT(bytes_in_large_pages(), before);
}
#endif

TEST(LargePages, HaveNoEffectOnSmallArrays) {
  const std::vector<double> none, one{1}, some(1000, 2);
  use_large_pages_for(none, one, some);
  use_large_pages({});
  EXPECT_EQ(one, std::vector<double>{1});
  EXPECT_EQ(some, std::vector<double>(1000, 2));
}

TEST(LargePages, ApplyToPartOfAnArray) {
  const std::vector<std::uint32_t> numbers = counting();
  use_large_pages(std::as_bytes(std::span(numbers).subspan(13, (std::size_t{1} << 20) + 1)));
  EXPECT_EQ(numbers, counting());
}

}  // namespace
}  // namespace weft::large_pages_test

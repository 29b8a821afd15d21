#include "weft/base/first_touch.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/base/team.hpp"

namespace weft::first_touch_test {
namespace {

/// Returns how many pages the calling thread has touched first.
long pages_touched() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

TEST(TouchAnew, KeepsContentsOfAnySpan) {
  std::vector<std::uint8_t> bytes(5U << 20U);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const std::vector<std::uint8_t> before = bytes;
  const auto all = std::as_writable_bytes(std::span(bytes));
  for (const auto& part : {all, all.subspan(1, 4096), all.subspan(17, 3U << 20U), all.first(10), all.first(0)}) {
    touch_anew(part);
    EXPECT_TRUE(bytes == before);
  }
}

TEST(TouchAnew, LetsEachThreadTouchItsRowsFirst) {
  constexpr std::size_t kPage = 4096, kPages = 512;
  void* const memory = mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * kPage, MADV_NOHUGEPAGE);
  const std::span rows(static_cast<double*>(memory), kPages * kPage / sizeof(double));
  std::iota(rows.begin(), rows.end(), 0.0);  // touched by this thread
  Team team(2);
  std::vector<long> touched(2);
  team.split(0, static_cast<std::int32_t>(rows.size() / 8), [&](std::int32_t first, std::int32_t last) noexcept {
    const long before = pages_touched();
    touch_rows_anew(rows, static_cast<std::size_t>(first), static_cast<std::size_t>(last), 8);
    touched[first == 0 ? 0 : 1] = pages_touched() - before;
  });
  for (const long pages : touched) EXPECT_GE(pages, static_cast<long>(kPages / 2));
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], static_cast<double>(i));
  munmap(memory, kPages * kPage);
}

TEST(TouchAnew, LeavesLockedMemory) {
  std::vector<double> numbers(4096, 3.0);
  if (mlock(numbers.data(), numbers.size() * sizeof(double)) != 0) GTEST_SKIP() << "no permission to lock memory";
  touch_rows_anew(numbers, 0, numbers.size());
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0.0), 3.0 * 4096);
  munlock(numbers.data(), numbers.size() * sizeof(double));
}

}  // namespace
}  // namespace weft::first_touch_test

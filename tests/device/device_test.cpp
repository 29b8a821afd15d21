#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "weft/device/detail/interval_set.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/device/storage.hpp"
#include "weft/device/stream.hpp"

#include "support/contracts.hpp"

namespace weft {
namespace {

TEST(Stream, host_stream_is_done_when_calls_return) {
  Stream& stream = host_stream();
  EXPECT_EQ(&stream, &host_stream());
  const Event event = stream.record();
  EXPECT_TRUE(event.done());
  stream.wait_for(after(event));
  after(stream).wait();
  stream.wait();
  EXPECT_TRUE(After().event().done());
}

TEST(DeviceStorage, copies_in_and_out) {
  for (const Backend backend : {Backend::host, Backend::mirror}) {
    const auto storage = DeviceStorage::make(backend, 8);
    EXPECT_EQ(storage->backend(), backend);
    EXPECT_EQ(storage->bytes(), 8U);
    const std::vector<std::byte> in{std::byte{1}, std::byte{2}, std::byte{3}};
    std::vector<std::byte> out(2);
    storage->copy_from_host(5, in, {});
    storage->copy_to_host(6, out, {});
    EXPECT_EQ(out, (std::vector<std::byte>{std::byte{2}, std::byte{3}}));
    EXPECT_BREACH(storage->copy_from_host(6, in, {}));
    EXPECT_BREACH(storage->copy_to_host(9, out, {}));
    EXPECT_EQ(DeviceStorage::make(backend, 0)->data(), nullptr);
  }
}

TEST(IntervalSet, agrees_with_a_set_of_integers) {
  std::mt19937 random(1);
  detail::IntervalSet intervals;
  std::set<std::size_t> expected;
  for (int step = 0; step < 2000; ++step) {
    const std::size_t first = random() % 40, last = first + random() % 8;
    if (random() % 2 == 0) {
      intervals.add(first, last);
      for (std::size_t i = first; i < last; ++i) expected.insert(i);
    } else {
      intervals.remove(first, last);
      for (std::size_t i = first; i < last; ++i) expected.erase(i);
    }
    for (std::size_t i = 0; i < 48; ++i) ASSERT_EQ(intervals.intersects(i, i + 1), expected.contains(i)) << step;
    ASSERT_FALSE(intervals.intersects(3, 3));
  }
}

TEST(ParallelFor, visits_every_index_once) {
  std::vector<int> visits(100);
  parallel_for(space::host{}, 100, [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
  parallel_for(space::mirror{}, std::int64_t{100}, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(100, 2));
  parallel_for(space::host{}, 0, [](int) { FAIL(); });
}

TEST(Reduce, has_a_fixed_order_and_a_small_error) {
  const auto sum = [](int n, double value) {
    return reduce(
        space::host{}, n, 0.0, [&](int) { return value; }, [](double a, double b) { return a + b; });
  };
  EXPECT_EQ(sum(0, 1.0), 0.0);
  for (const int n : {1, 255, 256, 257, 511, 512, 513, 100000}) EXPECT_EQ(sum(n, 1.0), n);
  EXPECT_NEAR(sum(1'000'000, 0.1), 1e5, 1e-9);  // one after the other the error is 1.3e-6
  const auto blocks = [](int n) {               // the order itself: blocks of 256 from the left, halves at block boundaries
    return reduce(
        space::host{}, n, std::string(), [](int i) { return std::string(i % 256 == 0 ? "b" : ""); },
        [](const std::string& a, const std::string& b) { return b.size() > 0 && a.size() > 0 ? "(" + a + b + ")" : a + b; });
  };
  EXPECT_EQ(blocks(3 * 256 + 1), "((bb)(bb))");
  EXPECT_EQ(blocks(3 * 256), "(b(bb))");
}

TEST(HostInfo, says_something) {
  const HostInfo info = host_info();
  EXPECT_FALSE(info.cpu.empty());
  EXPECT_GE(info.threads, 1);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_FALSE(info.compiler.empty());
}

}  // namespace
}  // namespace weft

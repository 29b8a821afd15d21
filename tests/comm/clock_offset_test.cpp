// Offsets of clocks between ranks.
#include "weft/comm/clock_offset.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace weft::clock_offset_test {
namespace {

[[nodiscard]] std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

TEST(ClockOffset, FindsTheSkewOfAClock) {
  constexpr std::int64_t kSkew = -7'000'000'000;   // ns, for each rank number
  constexpr std::int64_t kTolerance = 50'000'000;  // threads of other programs delay messages
  const Communicator comm = Communicator::world();
  const std::int64_t skew = kSkew * comm.rank().value();
  EXPECT_NEAR(static_cast<double>(measure_clock_offset(comm, [&] { return now() + skew; })), static_cast<double>(skew),
              static_cast<double>(kTolerance));
}

TEST(ClockOffset, RanksOfOneMachineShareTheClock) { EXPECT_EQ(clock_offset(Communicator::world()), 0); }

}  // namespace
}  // namespace weft::clock_offset_test

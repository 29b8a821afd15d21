// Waits leave the core: short ones by yields, long ones by sleeps.
#include "weft/base/back_off.hpp"

#include <gtest/gtest.h>

#include "weft/base/clock.hpp"

#include "support/sleeps.hpp"

namespace weft::back_off_test {
namespace {

constexpr double kPatience = 30;  // s

/// Returns how often a thread sleeps in this number of polls.
int sleeps_in(BackOff& wait, int polls) {
  const int before = test::sleeps();
  for (int i = 0; i < polls; ++i) wait.leave_core();
  return test::sleeps() - before;
}

/// Polls until 20 calls in a row sleep. Other processes on the core delay that.
void expect_sleeps(BackOff& wait) {
  const Stopwatch watch;
  while (sleeps_in(wait, 20) < 20) ASSERT_LT(watch.seconds(), kPatience);
}

TEST(BackOff, ShortWaitsYieldAndLongWaitsSleep) {
  const Stopwatch watch;
  while (true) {
    BackOff wait;
    if (sleeps_in(wait, 1000) == 0) break;  // none sleeps, unless another process uses the core
    ASSERT_LT(watch.seconds(), kPatience);
  }
  BackOff wait;
  expect_sleeps(wait);
}

TEST(BackOff, ARestartBeginsAnotherWait) {
  BackOff wait;
  const Stopwatch watch;
  do {
    expect_sleeps(wait);
    wait.restart();
    ASSERT_LT(watch.seconds(), kPatience);
  } while (sleeps_in(wait, 1000) != 0);
}

TEST(BackOff, SleepsOfALongWaitAreShort) {
  BackOff wait;
  expect_sleeps(wait);
  const Stopwatch watch;
  while (watch.seconds() < 0.3) {
    const Stopwatch sleep;
    wait.leave_core();
    if (sleep.seconds() < 0.002) return;  // a sleep takes about 0.25 ms on an idle core
  }
  FAIL() << "each sleep takes 2 ms or more";
}

TEST(BlockingCall, YieldsInItSleepAndOthersDoNot) {
  const int before = test::sleeps();
  const Stopwatch watch;
  for (int i = 0; i < 20'000; ++i) yield_in_call();
  EXPECT_EQ(test::sleeps(), before);
  const BlockingCall call;
  {
    const BlockingCall inner;
    for (int i = 0; i < 5100; ++i) yield_in_call();
  }
  while (test::sleeps() - before < 20) {
    yield_in_call();
    ASSERT_LT(watch.seconds(), kPatience);
  }
}

TEST(BlockingCall, EndsWithItsScope) {
  {
    const BlockingCall call;
    for (int i = 0; i < 6000; ++i) yield_in_call();
  }
  const int before = test::sleeps();
  for (int i = 0; i < 6000; ++i) yield_in_call();
  EXPECT_EQ(test::sleeps(), before);
}

}  // namespace
}  // namespace weft::back_off_test

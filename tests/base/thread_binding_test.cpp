#include "weft/base/thread_binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "weft/base/cores.hpp"
#include "weft/base/team.hpp"

namespace weft::thread_binding_test {
namespace {

/// Ends the binding of the process after a test.
class Binding : public testing::Test {
 protected:
  void TearDown() override { ThreadBinding::release(); }

  std::vector<int> before = affinity();
  std::vector<Core> cores = cores_of(before);
};

std::vector<std::vector<int>> affinities_of(int threads) {
  std::vector<std::vector<int>> of_thread(static_cast<std::size_t>(threads));
  Team team(threads);
  team.run([&](int t) noexcept { of_thread[static_cast<std::size_t>(t)] = affinity(); });
  return of_thread;
}

TEST_F(Binding, GivesEachThreadOfATeamItsCore) {
  const auto threads = static_cast<int>(cores.size());
  ASSERT_TRUE(ThreadBinding::bind(cores, threads, false));
  const auto of_thread = affinities_of(threads);
  for (std::size_t t = 0; t < of_thread.size(); ++t) EXPECT_EQ(of_thread[t], cores[t].cpus);
  EXPECT_EQ(ThreadBinding::cores(), static_cast<int>(before.size()));
  EXPECT_EQ(usable_cores(), static_cast<int>(before.size())) << "not those of the calling thread alone";
  EXPECT_EQ(ThreadBinding::unbound(), before);
}

TEST_F(Binding, LetsThreadsMoveWithinANode) {
  ASSERT_TRUE(ThreadBinding::bind(cores, 1, true));
  for (const Core& core : cores) {
    for (const int cpu : core.cpus) {
      EXPECT_EQ(std::ranges::count(affinity(), cpu), core.node == cores.front().node ? 1 : 0);
    }
  }
}

TEST_F(Binding, GivesFurtherAndHelperThreadsTheWholeShare) {
  ASSERT_TRUE(ThreadBinding::bind(cores, 1, false));
  EXPECT_EQ(affinities_of(2)[1], before);
  std::vector<int> of_helper;
  std::thread([&] {
    ThreadBinding::apply_to_helper();
    of_helper = affinity();
  }).join();
  EXPECT_EQ(of_helper, before);
}

TEST_F(Binding, IsReplacedAndEnds) {
  ASSERT_TRUE(ThreadBinding::bind(std::span(cores).first(1), 1, false));
  EXPECT_EQ(ThreadBinding::text(), number_ranges(cores.front().cpus));
  ASSERT_TRUE(ThreadBinding::bind(cores, 1, true));
  ThreadBinding::release();
  EXPECT_EQ(affinity(), before);
  EXPECT_EQ(ThreadBinding::text(), "");
  EXPECT_EQ(ThreadBinding::cores(), 0);
  EXPECT_EQ(affinities_of(2)[1], before);
}

TEST_F(Binding, IsRefusedForCoresThatDoNotExist) {
  const std::vector<Core> absent{{.node = 0, .cpus = {100000}}};
  EXPECT_FALSE(ThreadBinding::bind(absent, 1, false));
  EXPECT_EQ(affinity(), before);
  EXPECT_EQ(ThreadBinding::cores(), 0);
}

}  // namespace
}  // namespace weft::thread_binding_test

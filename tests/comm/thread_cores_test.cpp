#include "weft/comm/thread_cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "weft/base/cores.hpp"

namespace weft::thread_cores_test {
namespace {

using testing::HasSubstr;

/// Ends the binding of the process after a test.
class BoundRanks : public testing::Test {
 protected:
  void TearDown() override {
    ThreadBinding::release();
    set_affinity(before);
  }

  /// Returns whether no two ranks may use a common hardware thread now.
  [[nodiscard]] bool disjoint() const {
    const std::vector<int> mine = affinity();
    std::vector<int> all = comm.all_gather(std::span<const int>(mine));
    std::ranges::sort(all);
    return std::ranges::adjacent_find(all) == all.end();
  }
  [[nodiscard]] bool fit(int threads) const { return comm.size() * threads <= static_cast<int>(before.size()); }

  Communicator comm = Communicator::world();
  std::vector<int> before = affinity();
};

TEST_F(BoundRanks, HaveDisjointCoresIfThereAreEnough) {
  for (const Bind how : {Bind::cores, Bind::numa}) {
    const BoundThreads bound = bind_threads(comm, how, 1);
    if (fit(1)) {
      EXPECT_EQ(bound.problem, "");
      EXPECT_EQ(std::ranges::count(bound.cores, ' '), comm.size() - 1);
      EXPECT_THAT(bound.cores, HasSubstr(ThreadBinding::text()));
      EXPECT_TRUE(disjoint());
      EXPECT_TRUE(std::ranges::includes(before, affinity()));
    } else {
      EXPECT_THAT(bound.problem, HasSubstr(std::to_string(comm.size()) + " ranks of 1 thread on "));
      EXPECT_EQ(bound.cores, "");
      EXPECT_EQ(affinity(), before);
    }
  }
}

TEST_F(BoundRanks, AreNotBoundWithMoreThreadsThanCores) {
  const int threads = static_cast<int>(before.size()) + 1;
  const BoundThreads bound = bind_threads(comm, Bind::cores, threads);
  EXPECT_THAT(bound.problem, HasSubstr(std::to_string(threads) + " threads"));
  EXPECT_EQ(affinity(), before);
  const BoundThreads automatic = bind_threads(comm, Bind::automatic, threads);
  EXPECT_EQ(automatic.problem, "");
  EXPECT_EQ(automatic.cores, "");
  EXPECT_EQ(affinity(), before);
}

TEST_F(BoundRanks, KeepTheCoresOfALauncher) {
  if (comm.size() == 1 || !fit(1)) GTEST_SKIP() << "needs several ranks and a core for each";
  const int mine = before[comm.rank().index()];
  ASSERT_TRUE(set_affinity(std::vector{mine}));
  EXPECT_EQ(bind_threads(comm, Bind::automatic, 1).cores, "");
  EXPECT_THAT(affinity(), testing::ElementsAre(mine));
  EXPECT_EQ(bind_threads(comm, Bind::cores, 1).problem, "");
  EXPECT_THAT(affinity(), testing::ElementsAre(mine));
  EXPECT_THAT(bind_threads(comm, Bind::cores, 2).problem, HasSubstr("2 threads of a rank have 1 core of the launcher"));
  EXPECT_THAT(affinity(), testing::ElementsAre(mine));
}

TEST_F(BoundRanks, AreNotBoundWhereALauncherGaveTwoTheSameCore) {
  if (comm.size() < 2 || before.size() < 2) GTEST_SKIP() << "needs two ranks and two cores";
  if (comm.is_root()) {
    ASSERT_TRUE(set_affinity(std::vector{before.front()}));
  }
  EXPECT_THAT(bind_threads(comm, Bind::numa, 1).problem, HasSubstr("the launcher has bound ranks to the same cores"));
}

TEST_F(BoundRanks, AreNotBoundWhereOtherRanksOfTheJobDoNotCall) {
  if (comm.size() < 2) GTEST_SKIP() << "needs two ranks";
  const Communicator own = comm.split(comm.rank().value());
  EXPECT_THAT(bind_threads(own, Bind::cores, 1).problem, HasSubstr("other ranks of the job use the same machine"));
  EXPECT_EQ(affinity(), before);
}

TEST_F(BoundRanks, AreReleased) {
  (void)bind_threads(comm, Bind::cores, 1);
  const BoundThreads none = bind_threads(comm, Bind::none, 1);
  EXPECT_EQ(none.cores, "");
  EXPECT_EQ(none.problem, "");
  EXPECT_EQ(affinity(), before);
}

TEST(ShareOfCores, DividesTheMaskAmongTheRanksThatHaveIt) {
  const Communicator comm = Communicator::world();
  const int share = share_of_cores(comm);
  EXPECT_GE(share, 1);
  EXPECT_LE(share, usable_cores());
  // The tests run without binding, so that all ranks have the same mask; each has at least one core.
  if (comm.max(usable_cores()) == comm.min(usable_cores())) {
    EXPECT_EQ(share, std::max(1, usable_cores() / comm.split_shared_memory().size()));
  }
  EXPECT_EQ(share_of_cores(Communicator::self()), usable_cores());
}

}  // namespace
}  // namespace weft::thread_cores_test

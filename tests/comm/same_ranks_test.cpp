#include "weft/comm/same_ranks.hpp"

#include <gtest/gtest.h>

namespace same_ranks_test {
namespace {

using weft::Communicator;
using weft::same_ranks;

TEST(SameRanks, HoldsForCopiesAndDuplicates) {
  const Communicator world = Communicator::world(), copy = world;
  EXPECT_TRUE(same_ranks(world, copy));
  EXPECT_TRUE(same_ranks(world, Communicator::duplicate(world.handle())));
  EXPECT_TRUE(same_ranks(Communicator::self(), Communicator::self()));
}

TEST(SameRanks, DoesNotHoldForOtherRanksOrAnotherOrder) {
  const Communicator world = Communicator::world();
  EXPECT_EQ(same_ranks(world, Communicator::self()), world.size() == 1);
  const Communicator apart = world.split(world.rank().value() % 2);
  EXPECT_EQ(same_ranks(world, apart), world.size() == 1);
}

}  // namespace
}  // namespace same_ranks_test

// The flag that ends the waits of GPUs: who sees it when a rank raises it, and ranks that cannot share memory.
#include "weft/array/transport/stop_flag.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "weft/base/error.hpp"

#include "support/time_limit.hpp"

namespace weft::detail::stop_flag_test {
namespace {

/// Returns the neighbours of a rank in a ring, in ascending order.
[[nodiscard]] std::vector<Rank> neighbours_in_ring(const Communicator& comm, int of) {
  std::set<int> ranks{(of + 1) % comm.size(), (of + comm.size() - 1) % comm.size()};
  ranks.erase(of);
  std::vector<Rank> list;
  for (const int rank : ranks) list.emplace_back(rank);
  return list;
}

TEST(StopFlag, ReachesTheRankThatRaisesItAndItsNeighbours) {
  weft::test::limit_present_test();
  const Communicator comm = Communicator::world();
  const std::vector<Rank> neighbours = neighbours_in_ring(comm, comm.rank().value());
  for (int by = 0; by < comm.size(); ++by) {
    StopFlag flag(comm, neighbours, Backend::host);
    EXPECT_FALSE(flag.raised());
    EXPECT_EQ(*flag.address(), 0U);
    comm.barrier();
    if (comm.rank().value() == by) flag.raise();
    comm.barrier();
    const std::vector<Rank> those = neighbours_in_ring(comm, by);
    const bool reaches = comm.rank().value() == by || std::ranges::find(those, comm.rank()) != those.end();
    EXPECT_EQ(flag.raised(), reaches) << "raised by rank " << by;
    EXPECT_EQ(*flag.address() != 0, reaches);
    comm.barrier();  // the memory of a rank exists while others map it
    if (comm.rank().value() == by) flag.raise();
    EXPECT_EQ(flag.raised(), reaches);
  }
}

TEST(StopFlag, RefusesRanksThatCannotShareMemory) {
  weft::test::limit_present_test();
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs two ranks that share memory";
  const std::string machine = SharedMemory::machine();
  if (comm.is_root()) SharedMemory::set_machine_for_tests("another machine");
  EXPECT_THROW(StopFlag(comm, neighbours_in_ring(comm, comm.rank().value()), Backend::host), DeviceError);
  SharedMemory::set_machine_for_tests(machine);
}

}  // namespace
}  // namespace weft::detail::stop_flag_test

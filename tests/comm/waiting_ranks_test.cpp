// Ranks that wait leave the cores to those that compute, because the tests, as the weft program does,
// replace sched_yield() (apps/weft/sched_yield.cpp).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

namespace weft::waiting_ranks_test {
namespace {

/// Returns how often this process has given up a core to sleep. A yield does not count.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

TEST(WaitingRanks, Sleep) {
  if (!MpiEnvironment::yields_when_idle()) GTEST_SKIP() << "Open MPI yields only with OMPI_MCA_mpi_yield_when_idle=1";
  const Communicator comm = Communicator::world();
  comm.barrier();
  const long before = sleeps();
  if (comm.is_root()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  comm.barrier();
  if (!comm.is_root()) {
    EXPECT_GE(sleeps() - before, 20);
  }
}

}  // namespace
}  // namespace weft::waiting_ranks_test

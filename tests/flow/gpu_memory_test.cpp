#include "weft/flow/cuda/gpu_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace weft::flow::detail::gpu_memory_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kGigabyte = 1'000'000'000;
constexpr GpuId kGpu{"0000:17:00.0"};

std::string what(const GpuDemand& demand, std::size_t of_case) {
  const auto error = gpu_memory_shortage(demand, of_case);
  return error ? error->what() : "";
}

TEST(GpuMemory, NoErrorWhereACaseFits) {
  EXPECT_FALSE(gpu_memory_shortage({}, 0));
  EXPECT_FALSE(gpu_memory_shortage({.needed = 5 * kGigabyte, .free = 5 * kGigabyte, .total = 40 * kGigabyte, .cells = 1'000'000},
                                   20 * kGigabyte));
}

TEST(GpuMemory, ReportsBytesPerCellAndTheNumberOfGpusNeeded) {
  const auto error = gpu_memory_shortage(
      {.gpu = kGpu, .needed = 60 * kGigabyte, .free = 40 * kGigabyte - 1, .total = 40 * kGigabyte, .cells = 50'000'000},
      60 * kGigabyte);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->problem(),
            "the case needs 60 GB on GPU 0000:17:00.0 (1200 bytes for each of 50000000 cells), and 39 GB are free");
  EXPECT_EQ(error->suggestion(), "use a coarser mesh, or at least 2 GPUs of 40 GB for all of it");
}

TEST(GpuMemory, CountsDemandsOnOtherGpus) {
  const GpuDemand demand{.needed = 60 * kGigabyte, .free = 39 * kGigabyte, .total = 40 * kGigabyte, .cells = 50'000'000};
  EXPECT_THAT(what(demand, 240 * kGigabyte), HasSubstr("at least 6 GPUs"));
  EXPECT_THAT(what(demand, 240 * kGigabyte + 1), HasSubstr("at least 7 GPUs"));
}

TEST(GpuMemory, ReportsHowManyRanksShareAGpu) {
  const GpuDemand demand{
      .gpu = kGpu, .needed = 48 * kGigabyte, .free = 39 * kGigabyte, .total = 40 * kGigabyte, .cells = 40'000'000, .ranks = 2};
  const auto error = gpu_memory_shortage(demand, 60 * kGigabyte);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->problem(),
            "the case needs 48 GB on GPU 0000:17:00.0, which 2 ranks share (1200 bytes for each of 40000000 "
            "cells), and 39 GB are free");
  EXPECT_EQ(error->suggestion(), "give it fewer ranks, or use a coarser mesh, or at least 2 GPUs of 40 GB for all of it");
  // If no other GPU has ranks, fewer of them need as much.
  EXPECT_EQ(gpu_memory_shortage(demand, demand.needed)->suggestion(),
            "use a coarser mesh, or at least 2 GPUs of 40 GB for all of it");
}

TEST(GpuMemory, ReportsMemoryUsedByOtherPrograms) {
  const GpuDemand alone{.needed = 10 * kGigabyte, .free = 9 * kGigabyte, .total = 39 * kGigabyte, .cells = 10'000'000};
  EXPECT_THAT(what(alone, 40 * kGigabyte),
              HasSubstr("stop other programs on this GPU, or use a coarser mesh, or at least 2 GPUs"));
  GpuDemand shared = alone;
  shared.ranks = 4;
  EXPECT_EQ(gpu_memory_shortage(shared, 20 * kGigabyte)->suggestion(),
            "stop other programs on this GPU, give it fewer ranks, or use a coarser mesh");
  EXPECT_EQ(gpu_memory_shortage({.needed = 1, .free = 0, .total = kGigabyte}, 1)->suggestion(),
            "stop other programs on this GPU, or use a coarser mesh");
  EXPECT_THAT(what({.needed = 2 * kGigabyte, .free = 0, .total = kGigabyte}, 1), Not(HasSubstr("end what else")));
}

/// Returns a demand of 6 of the 10 GB of a GPU.
GpuDemand six_of_ten(int gpu) {
  GpuDemand demand{.needed = 6 * kGigabyte, .free = 10 * kGigabyte, .total = 10 * kGigabyte, .cells = 10'000'000};
  std::snprintf(demand.gpu.bus, sizeof demand.gpu.bus, "0000:%02x:00.0", static_cast<unsigned>(gpu));
  return demand;
}

TEST(GpuMemory, RanksWithGpusOfTheirOwnAreNotAddedUp) {
  const Communicator comm = Communicator::world();
  EXPECT_NO_THROW(require_gpu_memory(comm, six_of_ten(comm.rank().value())));
}

TEST(GpuMemory, RanksThatShareAGpuAreAddedUp) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return require_gpu_memory(comm, six_of_ten(0));
  const auto ranks = static_cast<std::size_t>(comm.size());
  try {
    require_gpu_memory(comm, six_of_ten(0));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.problem(), "the case needs " + std::to_string(6 * ranks) + " GB on GPU 0000:00:00.0, which " +
                                   std::to_string(ranks) + " ranks share (600 bytes for each of " + std::to_string(ranks) +
                                   "0000000 cells), and 10 GB are free");
    EXPECT_THAT(error.suggestion(), HasSubstr("at least " + std::to_string((6 * ranks + 9) / 10) + " GPUs of 10 GB"));
  }
}

TEST(GpuMemory, EveryRankReportsAGpuThatTwoShare) {
  const Communicator comm = Communicator::world();
  if (comm.size() < 3) return;
  const int last = comm.size() - 1, gpu = comm.rank().value() == last ? last - 1 : comm.rank().value();
  try {
    require_gpu_memory(comm, six_of_ten(gpu));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.problem(), HasSubstr(":00.0, which 2 ranks share"));
    EXPECT_THAT(error.problem(), HasSubstr("needs 12 GB"));
  }
}

TEST(GpuMemory, FreeIsTheMinimumOfTheRanks) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;
  GpuDemand demand = six_of_ten(0);
  demand.free = (comm.rank().value() == 1 ? 2 : 3) * kGigabyte;
  try {
    require_gpu_memory(comm, demand);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.problem(), HasSubstr("and 2 GB are free"));
  }
}

}  // namespace
}  // namespace weft::flow::detail::gpu_memory_test

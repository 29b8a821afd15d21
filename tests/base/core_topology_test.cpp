#include "weft/base/core_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace weft::core_topology_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns nodes of `of_node` cores with `threads` hardware threads each: those of core c are c, c + cores, ...
std::vector<Core> machine(int nodes, int of_node, int threads = 1) {
  std::vector<Core> cores;
  for (int c = 0; c < nodes * of_node; ++c) {
    Core core{.node = c / of_node, .cpus = {}};
    for (int t = 0; t < threads; ++t) core.cpus.push_back(c + t * nodes * of_node);
    cores.push_back(core);
  }
  return cores;
}

std::vector<int> share(const std::vector<Core>& cores, int ranks, int rank, int threads = 1) {
  return cpus_of(share_of_rank(cores, ranks, rank, threads));
}

TEST(NumberRanges, JoinNeighbours) {
  EXPECT_EQ(number_ranges(std::vector<int>{}), "");
  EXPECT_EQ(number_ranges(std::vector{7}), "7");
  EXPECT_EQ(number_ranges(std::vector{0, 1, 2, 5, 8, 9}), "0-2,5,8-9");
}

TEST(ShareOfRank, FollowsNodes) {
  const std::vector<Core> cores = machine(2, 4);
  EXPECT_THAT(share(cores, 1, 0), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(share(cores, 2, 1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(share(cores, 3, 0), ElementsAre(0, 1));
  EXPECT_THAT(share(cores, 3, 1), ElementsAre(2, 3));
  EXPECT_THAT(share(cores, 3, 2), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(share(machine(4, 2), 2, 1), ElementsAre(4, 5, 6, 7));
}

TEST(ShareOfRank, CrossesNodesOnlyWhereThreadsWouldNotFit) {
  EXPECT_THAT(share(machine(2, 4), 3, 1, 2), ElementsAre(2, 3));
  // Three ranks of three threads on nodes of five: one node would have to hold two ranks.
  EXPECT_THAT(share(machine(2, 5), 3, 1, 3), ElementsAre(3, 4, 5));
}

TEST(ShareOfRank, CountsHardwareThreadsOnlyWhereCoresAreTooFew) {
  const std::vector<Core> cores = machine(1, 2, 2);
  EXPECT_THAT(share(cores, 2, 0), ElementsAre(0, 2));
  EXPECT_THAT(share(cores, 2, 0, 2), ElementsAre(0, 2));
  EXPECT_THAT(share(cores, 4, 1), ElementsAre(2));
}

TEST(ShareOfRank, IsEmptyWithFewerCoresThanThreads) {
  EXPECT_THAT(share(machine(1, 2), 3, 0), IsEmpty());
  EXPECT_THAT(share(machine(1, 2), 1, 0, 3), IsEmpty());
  EXPECT_THAT(share({}, 1, 0), IsEmpty());
}

TEST(ShareOfRank, IsDisjointCompleteAndLargeEnough) {
  for (const auto& cores : {machine(1, 7), machine(2, 8), machine(3, 5, 2), machine(8, 3), machine(2, 1, 4)}) {
    const std::size_t all = cpus_of(cores).size();
    for (int ranks = 1; ranks <= static_cast<int>(all); ++ranks) {
      for (int threads = 1; ranks * threads <= static_cast<int>(all); ++threads) {
        std::set<int> used;
        std::size_t count = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const std::vector<Core> own = share_of_rank(cores, ranks, rank, threads);
          EXPECT_GE(std::ssize(own), threads);
          const std::vector<int> cpus = cpus_of(own);
          used.insert(cpus.begin(), cpus.end());
          count += cpus.size();
        }
        EXPECT_EQ(count, all);
        EXPECT_EQ(used.size(), all);
      }
    }
  }
}

TEST(CoresOf, ReadsNodesAndSiblings) {
  const fs::path system = fs::temp_directory_path() / ("weft-cores-" + std::to_string(getpid()));
  const auto add = [&](int cpu, int node, const char* siblings) {
    const fs::path folder = system / "cpu" / ("cpu" + std::to_string(cpu));
    fs::create_directories(folder / "topology");
    fs::create_directories(folder / ("node" + std::to_string(node)));
    std::ofstream(folder / "topology" / "thread_siblings_list") << siblings << "\n";
  };
  add(0, 1, "0,4");
  add(1, 0, "1,5");
  add(2, 0, "2,6");
  add(4, 1, "0,4");
  add(5, 0, "1,5");
  EXPECT_THAT(cores_of(std::vector{0, 1, 2, 4, 5}, system), ElementsAre(Core{0, {1, 5}}, Core{0, {2}}, Core{1, {0, 4}}));
  EXPECT_THAT(cores_of(std::vector{1, 4}, system), ElementsAre(Core{0, {1}}, Core{1, {4}}));
  fs::remove_all(system);
}

TEST(CoresOf, TakeEachHardwareThreadForACoreWithoutInformation) {
  EXPECT_THAT(cores_of(std::vector{3, 8}, "/there/is/no/such/folder"), ElementsAre(Core{0, {3}}, Core{0, {8}}));
}

TEST(Affinity, RefusesAnEmptySet) {
  EXPECT_FALSE(set_affinity(std::vector<int>{}));
  EXPECT_FALSE(affinity().empty());
}

}  // namespace
}  // namespace weft::core_topology_test

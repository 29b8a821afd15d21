#include "weft/comm/shared_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::shared_memory_test {
namespace {

std::atomic<int>& number(const SharedMemory& memory, int i) { return reinterpret_cast<std::atomic<int>*>(memory.data())[i]; }

TEST(SharedMemory, OtherRanksReadWhatOneRankWrites) {
  const Communicator comm = Communicator::world();
  SharedMemory here = SharedMemory::make(1000 * sizeof(int));
  ASSERT_TRUE(here);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(here.data()) % 128, 0U);
  EXPECT_EQ(number(here, 999), 0);
  const std::vector<SharedMemory::Name> names = comm.all_gather(here.name());
  std::vector<SharedMemory> there;
  for (const SharedMemory::Name& name : names) there.push_back(SharedMemory::map(name));
  comm.barrier();
  here.close();
  for (const SharedMemory& memory : there) {
    ASSERT_TRUE(memory);
    number(memory, comm.rank().value()) = 1 + comm.rank().value();
  }
  comm.barrier();
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(number(here, r), 1 + r);
  here = {};  // the other ranks still map it
  comm.barrier();
  for (const SharedMemory& memory : there) EXPECT_EQ(number(memory, comm.size() - 1), comm.size());
}

TEST(SharedMemory, IsEmptyForAWrongName) {
  SharedMemory here = SharedMemory::make(100);
  EXPECT_TRUE(SharedMemory::map(here.name()));
  SharedMemory::Name wrong = here.name();
  wrong.key ^= 1U;
  EXPECT_FALSE(SharedMemory::map(wrong)) << "another memory";
  wrong = here.name();
  wrong.bytes += 1;
  EXPECT_FALSE(SharedMemory::map(wrong)) << "another file";
  wrong = here.name();
  wrong.process = -1;
  EXPECT_FALSE(SharedMemory::map(wrong)) << "another machine of the same name";
  EXPECT_FALSE(SharedMemory::map({})) << "no memory";
  const std::string machine = SharedMemory::machine();
  EXPECT_FALSE(machine.empty());
  SharedMemory::set_machine_for_tests("another");
  EXPECT_FALSE(SharedMemory::map(here.name()));
  SharedMemory::set_machine_for_tests(machine);
  const SharedMemory::Name name = here.name();
  here.close();
  EXPECT_FALSE(SharedMemory::map(name)) << "closed";
}

TEST(SharedMemory, IsMovableAndInitiallyEmpty) {
  SharedMemory none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.data(), nullptr);
  SharedMemory a = SharedMemory::make(8);
  std::byte* const data = a.data();
  const SharedMemory b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_TRUE(SharedMemory::make(0));
}

}  // namespace
}  // namespace weft::shared_memory_test

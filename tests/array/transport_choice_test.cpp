// Which transport an exchange uses, and exchanges over several transports at once.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_array.hpp"
#include "weft/array/transport.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/shared_memory.hpp"

#include "array/exchange_support.hpp"
#include "array/transport_support.hpp"
#include "support/time_limit.hpp"

namespace weft::transport_choice_test {
namespace {

using test::transport::Arrays;
using test::transport::make_plan;
using test::transport::value;

TEST(TransportChoiceTest, ArraysOfTheHostUseSharedMemory) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm);
  ArrayPair<double> host(plan), mirrored(plan, Layout::aos, Backend::mirror);
  const Exchange exchange = ArrayTransformer(plan, {host}).pull();
  EXPECT_EQ(exchange.transport(), comm.size() == 1 ? Transport::host : Transport::shared);
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    EXPECT_EQ(exchange.transport(n.rank), n.rank == comm.rank() ? Transport::host : Transport::shared);
  }
  EXPECT_EQ(ArrayTransformer(plan, {host}, Transport::host).pull().transport(), Transport::host);
  EXPECT_EQ(ArrayTransformer(plan, {mirrored}).pull().transport(), Transport::staged);
  EXPECT_EQ(ArrayTransformer(plan, {mirrored}, Transport::host).pull().transport(), Transport::host);
  EXPECT_EQ(ArrayTransformer(plan, {mirrored}, Transport::shared).pull().transport(), Transport::shared);
  EXPECT_EQ(ArrayTransformer(plan, {host, mirrored}).pull().transport(), comm.size() == 1 ? Transport::host : Transport::shared);
}

/// Simulates two machines, with even and with odd ranks, during its lifetime.
struct TwoMachines {
  std::string before = SharedMemory::machine();
  explicit TwoMachines(const Communicator& comm) {
    SharedMemory::set_machine_for_tests(comm.rank().value() % 2 == 0 ? "even" : "odd");
  }
  ~TwoMachines() { SharedMemory::set_machine_for_tests(before); }
  TwoMachines(const TwoMachines&) = delete;
  TwoMachines& operator=(const TwoMachines&) = delete;
};

TEST(TransportChoiceTest, MessagesBetweenMachinesUseMpi) {
  const Communicator comm = Communicator::world();
  const TwoMachines machines(comm);
  const GhostPlan plan = make_plan(comm);
  Arrays arrays(plan, Backend::host);
  Exchange exchange = ArrayTransformer(plan, arrays.all()).pull();
  EXPECT_EQ(exchange.transport(), comm.size() < 3 ? Transport::host : Transport::shared);
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    const bool near = n.rank != comm.rank() && (n.rank.value() - comm.rank().value()) % 2 == 0;
    EXPECT_EQ(exchange.transport(n.rank), near ? Transport::shared : Transport::host);
  }
  for (int time = 0; time < 3; ++time) {
    arrays.fill(time);
    exchange.run(After());
    arrays.each_entry(0, plan.rows(), [&]<class T>(const T& entry, std::int32_t i, int k) {
      ASSERT_EQ(entry, static_cast<T>(value(plan.global(LocalRow(i)).value(), k, time))) << "row " << i << ", entry " << k;
    });
  }
  // Pushes through both kinds of links are combined in one row in the order of ranks.
  ArrayPair<double> mixed(plan), by_mpi(plan);
  for (std::int32_t i = 0; i < plan.rows(); ++i) mixed(i) = by_mpi(i) = (comm.rank().value() % 3 == 1 ? 1e9 : 1.0) / (3 + i);
  ArrayTransformer(plan, {mixed}).push(Reduce::add).run();
  ArrayTransformer(plan, {by_mpi}, Transport::host).push(Reduce::add).run();
  for (std::int32_t i = 0; i < plan.rows(); ++i) ASSERT_EQ(mixed(i), by_mpi(i)) << "row " << i;
}

TEST(TransportChoiceTest, LongMessagesOfMixedLinksWithDelayedNeighbours) {
  // Messages above the rendezvous limit of MPI between the simulated machines, and through shared memory within each.
  const Communicator comm = Communicator::world();
  const Watchdog watchdog(100, "rank " + std::to_string(comm.rank().value()));
  const TwoMachines machines(comm);
  constexpr std::int32_t kOwned = 300;
  const int me = comm.rank().value();
  std::vector<GlobalRow> requests;
  for (int r = 0; r < comm.size(); ++r) {
    for (std::int64_t i = 0; i < kOwned && r != me; i += 1 + (r + me) % 2) requests.emplace_back(std::int64_t{kOwned} * r + i);
  }
  const GhostPlan plan = GhostPlan::build(comm, kOwned, requests);
  ArrayPair<double, 400> q(plan);  // 480 or 960 kB for each neighbour
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  ArrayPair<double, 400> sums(plan), sums_by_mpi(plan);
  Exchange push = ArrayTransformer(plan, {sums}).push(Reduce::add);
  Exchange push_by_mpi = ArrayTransformer(plan, {sums_by_mpi}, Transport::host).push(Reduce::add);
  for (int time = 0; time < 6; ++time) {
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      for (int k = 0; k < 400; ++k) {
        q(i, k) = i < kOwned ? value(plan.global(LocalRow(i)).value(), k, time) : -1;
        sums(i, k) = sums_by_mpi(i, k) = (me % 3 == 1 ? 1e9 : 1.0) / (3 + i + k + time);
      }
    }
    pull.start(After());
    if (me == time % 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pull.wait();
    push.start(After());
    push.wait();
    push_by_mpi.run(After());
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      for (int k = 0; k < 400; ++k) {
        ASSERT_EQ(q(i, k), value(plan.global(LocalRow(i)).value(), k, time)) << "row " << i << ", entry " << k;
        ASSERT_EQ(sums(i, k), sums_by_mpi(i, k)) << "row " << i << ", entry " << k;
      }
    }
  }
}

TEST(TransportChoiceTest, SharedMemoryBetweenMachinesThrowsOnEveryRank) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs 2 or more ranks, which simulate two machines";
  const TwoMachines machines(comm);
  const GhostPlan plan = make_plan(comm);
  ArrayPair<double> q(plan);
  try {
    (void)ArrayTransformer(plan, {q}, Transport::shared).pull();
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("ranks 0 and 1 share no memory"), std::string::npos) << error.what();
  }
}

TEST(TransportChoiceTest, ExchangesKeepNoFilesOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const GhostPlan plan = make_plan(Communicator::world());
  ArrayPair<double> q(plan);
  std::vector<Exchange> exchanges;
  exchanges.push_back(ArrayTransformer(plan, {q}).pull());
  const auto before = open_files();
  for (int i = 0; i < 20; ++i) exchanges.push_back(ArrayTransformer(plan, {q}).pull());
  EXPECT_EQ(open_files(), before);
}

TEST(TransportChoiceTest, LongMessagesOfBothKinds) {
  // Several chunks, fields in separate messages, and rows longer than a chunk.
  const Communicator comm = Communicator::world();
  constexpr std::int32_t kOwned = 3000;
  std::vector<GlobalRow> requests;
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t first = std::int64_t{kOwned} * r;
    for (std::int64_t i = 0; i < kOwned; i += 1 + (r + comm.rank().value()) % 2) requests.emplace_back(first + i);
  }
  const GhostPlan plan = GhostPlan::build(comm, kOwned, requests);
  std::vector<GlobalRow> few;
  for (int r = 0; r < comm.size(); ++r) few.emplace_back(std::int64_t{3} * r + 1);
  const GhostPlan few_rows = GhostPlan::build(comm, 3, few);
  for (const Transport transport : {Transport::host, Transport::shared}) {
    ArrayPair<double, 5> q(plan);
    ArrayPair<double, 3> soa(plan, Layout::soa);
    ArrayPair<std::int8_t> bytes(plan);
    ArrayPair<double, Dynamic> wide(few_rows, 20000);
    Exchange exchange = ArrayTransformer(plan, {q, soa, bytes}, transport).pull();
    Exchange exchange_wide = ArrayTransformer(few_rows, {wide}, transport).pull();
    for (int time = 0; time < 4; ++time) {
      const auto each = [](auto& pair, std::int32_t first, std::int32_t last, const auto& f) {
        for (std::int32_t i = first; i < last; ++i) {
          for (int k = 0; k < pair.row_size(i); ++k) f(pair(i, k), pair.plan().global(LocalRow(i)).value(), k);
        }
      };
      const auto fill = [&]<class T>(T& entry, std::int64_t g, int k) { entry = static_cast<T>(value(g, k, time)); };
      const auto check = [&]<class T>(const T& entry, std::int64_t g, int k) {
        ASSERT_EQ(entry, static_cast<T>(value(g, k, time)));
      };
      each(q, 0, kOwned, fill);
      each(soa, 0, kOwned, fill);
      each(bytes, 0, kOwned, fill);
      each(wide, 0, 3, fill);
      exchange.start(After());
      exchange_wide.start(After());
      (time % 2 == comm.rank().value() % 2 ? exchange : exchange_wide).wait();
      (time % 2 == comm.rank().value() % 2 ? exchange_wide : exchange).wait();
      each(q, 0, plan.rows(), check);
      each(soa, 0, plan.rows(), check);
      each(bytes, 0, plan.rows(), check);
      each(wide, 0, few_rows.rows(), check);
    }
  }
}

TEST(TransportChoiceTest, StartWaitsForNoRankAndDelayedRanksLoseNothing) {
  // One direction: ranks that only send may be ahead by one exchange.
  const Communicator comm = Communicator::world();
  constexpr std::int32_t kOwned = 5000;
  std::vector<GlobalRow> requests;
  for (std::int64_t i = 0; i < kOwned && !comm.is_root(); ++i) requests.emplace_back(i);
  const GhostPlan plan = GhostPlan::build(comm, kOwned, requests);
  for (const Transport transport : {Transport::host, Transport::shared}) {
    ArrayPair<double, 5> q(plan);
    Exchange exchange = ArrayTransformer(plan, {q}, transport).pull();
    for (int time = 0; time < 20; ++time) {
      for (std::int32_t i = 0; i < kOwned; ++i) {
        for (int k = 0; k < 5; ++k) q(i, k) = value(i, k, time) + comm.rank().value();
      }
      exchange.start(After());
      if (time % 7 == 3) comm.barrier();  // while the exchange is in flight
      exchange.wait();
      for (std::int32_t i = kOwned; i < plan.rows(); ++i) {
        for (int k = 0; k < 5; ++k) ASSERT_EQ(q(i, k), value(i - kOwned, k, time));
      }
    }
  }
}

TEST(TransportChoiceTest, UnusableTransportThrowsOnEveryRank) {
  test::limit_present_test();
  const GhostPlan plan = make_plan(Communicator::world());
  ArrayPair<double> host(plan), mirrored(plan, Layout::aos, Backend::mirror);
  EXPECT_THROW((void)ArrayTransformer(plan, {host}, Transport::staged).pull(), InputError);
  EXPECT_THROW((void)ArrayTransformer(plan, {mirrored}, Transport::peer).pull(), InputError);
  EXPECT_THROW((void)ArrayTransformer(plan, {mirrored}, Transport::nccl).push(Reduce::add), InputError);
}

TEST(TransportChoiceTest, DifferentTransportsOnRanksThrow) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs 2 or more ranks, which disagree";
  const GhostPlan plan = make_plan(comm);
  ArrayPair<double> q(plan, Layout::aos, Backend::mirror);
  EXPECT_THROW(ArrayTransformer(plan, {q}, comm.is_root() ? Transport::staged : Transport::host), CommError);
}

TEST(TransportChoiceTest, DifferentBackendsOnRanksUseTheHost) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm);
  ArrayPair<double> q(plan, Layout::aos, comm.is_root() ? Backend::mirror : Backend::host);
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) q(i) = static_cast<double>(plan.global(LocalRow(i)).value());
  Exchange exchange = ArrayTransformer(plan, {q}).pull();
  EXPECT_EQ(exchange.transport(), comm.size() == 1 ? Transport::staged : Transport::shared);
  exchange.run(After());
  for (std::int32_t i = 0; i < plan.rows(); ++i) EXPECT_EQ(q(i), static_cast<double>(plan.global(LocalRow(i)).value()));
}

}  // namespace
}  // namespace weft::transport_choice_test

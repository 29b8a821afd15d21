#include "weft/array/transport.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_array.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/shared_memory.hpp"
#include "weft/device/device.hpp"

#include "array/exchange_support.hpp"

namespace weft {
namespace {

/// A contiguous range, strided rows and rows in random order, of every other rank, and periodic images of rows of this rank.
GhostPlan make_plan(const Communicator& comm) {
  constexpr std::int32_t kOwned = 40;
  const int me = comm.rank().value();
  std::vector<GhostRequest> requests;
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t first = std::int64_t{kOwned} * r;
    const int kind = (r + me) % 3;
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t row = first + (kind == 0 ? i + 3 : kind == 1 ? 3 * i : (7 * i * i + me) % kOwned);
      requests.push_back({GlobalRow(row), r == me ? 1 : 0});
    }
  }
  return GhostPlan::build(comm, kOwned, requests);
}

double value(std::int64_t g, int k, int time) { return static_cast<double>((7 * g + 13 * k + 31 * time) % 101) / 3.0; }
int length(std::int64_t g) { return static_cast<int>(g % 4); }

/// Arrays of several types, widths and layouts that are exchanged together.
struct Arrays {
  ArrayPair<double, 5> q;
  static constexpr int kColumns = 20;  ///< more copies than a kernel takes as arguments, also on one rank
  ArrayPair<float, Dynamic> soa;
  ArrayPair<std::int8_t, 3> bytes;
  ArrayPair<std::int32_t, NonUniform, 4> lists;

  Arrays(const GhostPlan& plan, Backend backend)
      : q(plan, Layout::aos, backend),
        soa(plan, kColumns, Layout::soa, backend),
        bytes(plan, Layout::aos, backend),
        lists(plan, Layout::aos, backend) {}
  [[nodiscard]] std::vector<PairRef> all() { return {q, soa, bytes, lists}; }

  template <class F>
  void each_entry(std::int32_t first, std::int32_t last, const F& f) {
    for (std::int32_t i = first; i < last; ++i) {
      for (int k = 0; k < 5; ++k) f(q(i, k), i, k);
      for (int k = 0; k < kColumns; ++k) f(soa(i, k), i, k);
      for (int k = 0; k < 3; ++k) f(bytes(i, k), i, k);
      for (int k = 0; k < lists.row_size(i); ++k) f(lists(i, k), i, k);
    }
  }
  void fill(int time) {
    const GhostPlan& plan = q.plan();
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      lists.resize_row(i, i < plan.owned_rows() ? length(plan.global(LocalRow(i)).value()) : 0);
    }
    each_entry(0, plan.rows(), [&]<class T>(T& entry, std::int32_t i, int k) {
      entry = i < plan.owned_rows() ? static_cast<T>(value(plan.global(LocalRow(i)).value(), k, time)) : T(-1);
    });
  }
  /// Makes the host side stale, as if kernels had written all rows. No effect without a device side.
  void to_device_alone(Backend backend) {
    if (backend == Backend::host) return;
    const auto move = [&]<Space S>(S) {
      q.to_device(After()).wait();
      (void)q.view<Aos, S>();
      soa.to_device(After()).wait();
      (void)soa.view<Soa, S>();
      bytes.to_device(After()).wait();
      (void)bytes.view<Aos, S>();
      lists.to_device(After()).wait();
      (void)lists.view<Aos, S>();
    };
    backend == Backend::mirror ? move(space::mirror{}) : move(space::cuda{});
  }
  void to_host() {
    if (q.backend() == Backend::host) return;
    q.to_host(After()).wait();
    soa.to_host(After()).wait();
    bytes.to_host(After()).wait();
    lists.to_host(After()).wait();
  }
};

class TransportTest : public ::testing::TestWithParam<std::tuple<Backend, Transport>> {
 protected:
  void SetUp() override {
    std::tie(backend, transport) = GetParam();
    if (is_cuda(backend) && device_count() == 0) GTEST_SKIP() << cuda_unavailable_reason();
    // Skipped on every rank if the transport cannot be used here.
    ArrayPair<double> probe(plan, Layout::aos, backend);
    try {
      (void)ArrayTransformer(plan, {probe}, transport).pull();
    } catch (const InputError& refused) {
      GTEST_SKIP() << refused.what();
    }
  }
  [[nodiscard]] Exchange pull(std::vector<PairRef> arrays) const {
    return ArrayTransformer(plan, std::move(arrays), transport).pull();
  }

  Communicator comm = Communicator::world();
  GhostPlan plan = make_plan(comm);
  Backend backend{};
  Transport transport{};
};

TEST_P(TransportTest, GhostRowsEqualTheirOwnedRows) {
  Arrays arrays(plan, backend);
  Exchange exchange = pull(arrays.all());
  EXPECT_EQ(exchange.transport(), transport);
  for (int time = 0; time < 5; ++time) {
    arrays.fill(time);
    arrays.to_device_alone(backend);
    exchange.run(After());
    arrays.to_host();
    for (std::int32_t i = plan.owned_rows(); i < plan.rows(); ++i) {
      ASSERT_EQ(arrays.lists.row_size(i), length(plan.global(LocalRow(i)).value()));
    }
    arrays.each_entry(0, plan.rows(), [&]<class T>(const T& entry, std::int32_t i, int k) {
      ASSERT_EQ(entry, static_cast<T>(value(plan.global(LocalRow(i)).value(), k, time))) << "row " << i << ", entry " << k;
    });
  }
}

TEST_P(TransportTest, OneArrayAlone) {
  ArrayPair<double, 5> q(plan, Layout::aos, backend);
  Exchange exchange = pull({q});
  for (int time = 0; time < 3; ++time) {
    for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
      for (int k = 0; k < 5; ++k) q(i, k) = value(plan.global(LocalRow(i)).value(), k, time);
    }
    exchange.run(After());  // the host side is in use and therefore receives the ghost rows as well
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      for (int k = 0; k < 5; ++k) ASSERT_EQ(q(i, k), value(plan.global(LocalRow(i)).value(), k, time));
    }
  }
}

TEST_P(TransportTest, FewArraysOfEveryPattern) {
  for (const test::Pattern pattern : test::kPatterns) {
    const GhostPlan rows = test::make_plan(comm, pattern);
    ArrayPair<double, 4> wide(rows, Layout::aos, backend);
    ArrayPair<double, 5> q(rows, Layout::aos, backend);
    ArrayPair<float, 2> soa(rows, Layout::soa, backend);
    ArrayPair<std::int8_t, 3> bytes(rows, Layout::aos, backend);
    ArrayPair<double, 3, 3, 32> padded(rows, Layout::aos, backend);
    Exchange exchange = ArrayTransformer(rows, {wide, q, soa, bytes, padded}, transport).pull();
    EXPECT_EQ(exchange.transport(), transport);
    for (int time = 0; time < 3; ++time) {
      test::fill_owned(wide, time);
      test::fill_owned(q, time + 1);
      test::fill_owned(soa, time + 2);
      test::fill_owned(bytes, time + 3);
      test::fill_owned(padded, time + 4);
      exchange.run(After());
      test::expect_ghosts(wide, time);
      test::expect_ghosts(q, time + 1);
      test::expect_ghosts(soa, time + 2);
      test::expect_ghosts(bytes, time + 3);
      test::expect_ghosts(padded, time + 4);
    }
  }
}

TEST_P(TransportTest, LongMessagesOfAnyAlignment) {
  const GhostPlan rows = test::make_plan(comm, test::Pattern::contiguous);
  ArrayPair<std::int8_t, 100'001> bytes(rows, Layout::aos, backend);  // six such rows from each neighbour
  Exchange exchange = ArrayTransformer(rows, {bytes}, transport).pull();
  for (int time = 0; time < 2; ++time) {
    test::fill_owned(bytes, time);
    exchange.run(After());
    test::expect_ghosts(bytes, time);
  }
}

TEST_P(TransportTest, PushesOfEveryPattern) {
  for (const test::Pattern pattern : test::kPatterns) {
    const GhostPlan rows = test::make_plan(comm, pattern);
    ArrayPair<double, 4> wide(rows, Layout::aos, backend), wide_on_host(rows);
    ArrayPair<float, 2> soa(rows, Layout::soa, backend), soa_on_host(rows, Layout::soa);
    ArrayPair<std::int32_t> counts(rows, Layout::aos, backend), counts_on_host(rows);
    const auto each = [&](const auto& f) {
      for (std::int32_t i = 0; i < rows.rows(); ++i) {
        for (int k = 0; k < 4; ++k) f(wide(i, k), wide_on_host(i, k), i, k);
        for (int k = 0; k < 2; ++k) f(soa(i, k), soa_on_host(i, k), i, k);
        f(counts(i), counts_on_host(i), i, 0);
      }
    };
    Exchange push = ArrayTransformer(rows, {wide, soa, counts}, transport).push(Reduce::add);
    Exchange push_on_host =
        ArrayTransformer(rows, {wide_on_host, soa_on_host, counts_on_host}, Transport::host).push(Reduce::add);
    EXPECT_EQ(push.transport(), transport);
    for (int time = 0; time < 3; ++time) {
      each([&]<class T>(T& there, T& here, std::int32_t i, int k) {
        there = here = static_cast<T>((comm.rank().value() == 1 ? 1e7 : 1.0) / (3 + i + 5 * k + time));
      });
      push_on_host.run();
      push.run(After());
      each([&](const auto& there, const auto& here, std::int32_t i, int k) {
        ASSERT_EQ(there, here) << "row " << i << ", entry " << k;
      });
    }
  }
}

TEST_P(TransportTest, CsrRows) {
  std::vector<std::int64_t> offsets{0};
  for (std::int32_t i = 0; i < plan.rows(); ++i) offsets.push_back(offsets.back() + length(plan.global(LocalRow(i)).value()));
  const std::vector<double> entries(static_cast<std::size_t>(offsets.back()), -1.0);
  ArrayPair<double, NonUniform> rows(plan, Array<double, NonUniform>(offsets, entries, backend));
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    for (int k = 0; k < rows.row_size(i); ++k) rows(i, k) = value(plan.global(LocalRow(i)).value(), k, 1);
  }
  Exchange exchange = pull({rows});
  EXPECT_EQ(exchange.transport(), transport);
  exchange.run(After());
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    for (int k = 0; k < rows.row_size(i); ++k) ASSERT_EQ(rows(i, k), value(plan.global(LocalRow(i)).value(), k, 1));
  }

  ArrayPair<double, NonUniform> on_host(plan, Array<double, NonUniform>(offsets, entries));
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    for (int k = 0; k < rows.row_size(i); ++k) rows(i, k) = on_host(i, k) = 1.0 / (3 + i + 5 * k + comm.rank().value());
  }
  ArrayTransformer(plan, {on_host}, Transport::host).push(Reduce::add).run();
  ArrayTransformer(plan, {rows}, transport).push(Reduce::add).run(After());
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    for (int k = 0; k < rows.row_size(i); ++k) ASSERT_EQ(rows(i, k), on_host(i, k)) << "row " << i;
  }
}

TEST_P(TransportTest, PushesEqualThoseOfTheHostBitwise) {
  for (const Reduce op : {Reduce::insert, Reduce::add, Reduce::min, Reduce::max}) {
    ArrayPair<double, 3> on_host(plan), there(plan, Layout::aos, backend);
    ArrayPair<std::int32_t, NonUniform, 4> list_on_host(plan), list_there(plan, Layout::aos, backend);
    const auto fill = [&](auto& q, auto& list) {
      for (std::int32_t i = 0; i < plan.rows(); ++i) {
        const int mine = i < plan.owned_rows() ? 0 : 1 + comm.rank().value();
        for (int k = 0; k < 3; ++k) q(i, k) = (mine % 2 == 0 ? 1e8 : 1.0) / (3 + i + 7 * k + mine);
        list.resize_row(i, length(plan.global(LocalRow(i)).value()));
        for (int k = 0; k < list.row_size(i); ++k) list(i, k) = 100 * mine + i + k;
      }
    };
    fill(on_host, list_on_host);
    fill(there, list_there);
    ArrayTransformer(plan, {on_host, list_on_host}, Transport::host).push(op).run();
    Exchange push = ArrayTransformer(plan, {there, list_there}, transport).push(op);
    EXPECT_EQ(push.transport(), transport);
    push.run(After());
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      for (int k = 0; k < 3; ++k) ASSERT_EQ(there(i, k), on_host(i, k)) << "row " << i << ", operation " << static_cast<int>(op);
      ASSERT_EQ(list_there.row_size(i), list_on_host.row_size(i));
      for (int k = 0; k < list_there.row_size(i); ++k) ASSERT_EQ(list_there(i, k), list_on_host(i, k));
    }
  }
}

TEST_P(TransportTest, TwoExchangesAreInFlightTogether) {
  ArrayPair<double, 5> a(plan, Layout::aos, backend);
  ArrayPair<float, 2> b(plan, Layout::soa, backend);
  Exchange pull_a = pull({a}), pull_b = pull({b});
  Stream stream = Stream::for_backend(backend);
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    const std::int64_t g = plan.global(LocalRow(i)).value();
    for (int k = 0; k < 5; ++k) a(i, k) = value(g, k, 0);
    for (int k = 0; k < 2; ++k) b(i, k) = static_cast<float>(value(g, k, 1));
  }
  pull_a.start(after(stream));
  pull_b.start(after(stream));
  // Ranks finish them in different orders.
  (comm.rank().value() % 2 == 0 ? pull_a : pull_b).finish(stream);
  (comm.rank().value() % 2 == 0 ? pull_b : pull_a).finish(stream);
  stream.wait();
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    const std::int64_t g = plan.global(LocalRow(i)).value();
    for (int k = 0; k < 5; ++k) ASSERT_EQ(a(i, k), value(g, k, 0));
    for (int k = 0; k < 2; ++k) ASSERT_EQ(b(i, k), static_cast<float>(value(g, k, 1)));
  }
}

TEST_P(TransportTest, ArrivedBecomesTrueByPolling) {
  ArrayPair<double, 5> q(plan, Layout::aos, backend);
  for (double& x : q.storage()) x = comm.rank().value();
  Exchange exchange = pull({q});
  exchange.start(After());
  while (!exchange.arrived()) {
  }
  exchange.wait();
  for (std::int32_t i = 0; i < plan.rows(); ++i) ASSERT_EQ(q(i, 4), plan.owner(LocalRow(i)).value());
}

TEST_P(TransportTest, DestroyedInFlightItWaitsForNoRank) {
  ArrayPair<double> q(plan, Layout::aos, backend);
  for (double& x : q.storage()) x = -1;
  {
    Exchange exchange = pull({q});
    exchange.start(After());
  }
  comm.barrier();
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) q(i) = comm.rank().value();
  Exchange again = pull({q});
  again.run(After());
  for (std::int32_t i = 0; i < plan.rows(); ++i) EXPECT_EQ(q(i), plan.owner(LocalRow(i)).value());
}

TEST_P(TransportTest, ClosedItUnmapsArrays) {
  for (int again = 0; again < 3; ++again) {
    ArrayPair<double, 5> q(plan, Layout::aos, backend);
    for (double& x : q.storage()) x = comm.rank().value();
    Exchange exchange = pull({q});
    exchange.run(After());
    exchange.close();
    EXPECT_THROW(exchange.run(After()), ContractError);
    EXPECT_FALSE(exchange.in_flight());
    for (std::int32_t i = 0; i < plan.rows(); ++i) ASSERT_EQ(q(i, 4), plan.owner(LocalRow(i)).value());
  }
  ArrayPair<double> q(plan, Layout::aos, backend);
  Exchange exchange = pull({q});
  if (comm.is_root()) exchange.start(After());
  EXPECT_THROW(exchange.close(), ContractError) << "in flight on rank 0";
  if (!comm.is_root()) exchange.start(After());
  exchange.wait();
  exchange.close();
}

INSTANTIATE_TEST_SUITE_P(Host, TransportTest,
                         ::testing::Combine(::testing::Values(Backend::host),
                                            ::testing::Values(Transport::host, Transport::shared)),
                         [](const auto& test) { return std::string(to_string(std::get<1>(test.param))); });
INSTANTIATE_TEST_SUITE_P(Mirror, TransportTest,
                         ::testing::Combine(::testing::Values(Backend::mirror),
                                            ::testing::Values(Transport::staged, Transport::cuda_aware)),
                         [](const auto& test) { return std::string(to_string(std::get<1>(test.param))); });
INSTANTIATE_TEST_SUITE_P(Cuda, TransportTest,
                         ::testing::Combine(::testing::Values(Backend::cuda),
                                            ::testing::Values(Transport::staged, Transport::cuda_aware, Transport::nccl,
                                                              Transport::peer)),
                         [](const auto& test) { return std::string(to_string(std::get<1>(test.param))); });

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
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank is on one machine";
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
  const GhostPlan plan = make_plan(Communicator::world());
  ArrayPair<double> host(plan), mirrored(plan, Layout::aos, Backend::mirror);
  EXPECT_THROW((void)ArrayTransformer(plan, {host}, Transport::staged).pull(), InputError);
  EXPECT_THROW((void)ArrayTransformer(plan, {mirrored}, Transport::peer).pull(), InputError);
  EXPECT_THROW((void)ArrayTransformer(plan, {mirrored}, Transport::nccl).push(Reduce::add), InputError);
}

TEST(TransportChoiceTest, DifferentTransportsOnRanksThrow) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
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
}  // namespace weft

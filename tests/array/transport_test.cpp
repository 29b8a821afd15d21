#include "weft/array/transport.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_array.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/shared_memory.hpp"
#include "weft/device/device.hpp"

#include "array/exchange_support.hpp"
#include "array/transport_support.hpp"

namespace weft::transport_test {
namespace {

using test::transport::Arrays;
using test::transport::length;
using test::transport::make_plan;
using test::transport::value;

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

TEST(TransportRows, SayHowTheyCanBeUsed) {
  for (const TransportRow& row : kTransports.rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.capturable, row.value == Transport::nccl || row.value == Transport::peer);
    EXPECT_EQ(row.maps_arrays, row.value == Transport::peer);
    EXPECT_EQ(row.ends_waits, row.value != Transport::nccl) << "no call ends a kernel of NCCL that waits";
    EXPECT_FALSE(row.of_host && (row.capturable || row.maps_arrays));
  }
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
INSTANTIATE_TEST_SUITE_P(CudaSharedMemory, TransportTest,
                         ::testing::Combine(::testing::Values(Backend::cuda_managed, Backend::cuda_mapped),
                                            ::testing::Values(Transport::staged, Transport::cuda_aware, Transport::nccl)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" + to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace weft::transport_test
